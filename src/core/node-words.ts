// A node in words, for all places that show nodes to people.

import type { JsonValue } from './json.js'
import { oneLine } from './one-line.js'
import { callText, traceLine } from './trace-line.js'
import type { Zone } from './types.js'

/** Zone, role and kind. Inside a core the zone goes without saying: a turn is mostly core. */
export function labelOf(
  { role, kind }: Readonly<{ role: string | undefined; kind: string | undefined }>,
  zone?: Zone,
): string {
  return oneLine([zone === 'core' ? undefined : zone, role, kind].filter((part) => part !== undefined).join(' '))
}

export function ttlText(ttl: number | null): string {
  return ttl === null ? '' : `ttl ${ttl}`
}

/** The content in one line; a call as it would be written in code, a thought or a result by its words. */
export function previewOf(
  said: Readonly<{ kind: string | undefined; content: JsonValue | undefined }>,
  most?: number,
): string {
  const { kind, content } = said
  if (kind === 'reasoning' || kind === 'result') return traceLine(said, most)
  const calls = kind === 'call' ? (Array.isArray(content) ? content : [content]).map(callText) : NOT_CALLS
  return calls.includes(undefined) ? oneLine(content, most) : oneLine(calls.join(', '), most)
}

const NOT_CALLS: readonly undefined[] = [undefined]

/** `1 block`, `1,234 blocks`. */
export function countText(amount: number, noun: string, plural: string = `${noun}s`): string {
  return `${numberText(amount)} ${amount === 1 ? noun : plural}`
}

/** With a comma at every third digit, in any language of the host. */
export function numberText(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
