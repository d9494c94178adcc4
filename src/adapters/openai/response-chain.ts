// The items of one reply belong together: the API refuses a thought without the item that it led to, and an item whose id it knows without its thought.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import { ATTRIBUTES, isAsThought, type Message, type Part } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'
import { objectIn } from '../conversation/read-part.js'
import { byNode, isMessageNode } from './response-parts.js'
import { RESPONSES } from './response-read.js'

/** True if every thought of a reply can be sent, with the item that it led to behind it. `isSent` says of the parts of an item whether it can be sent as it is, with its id. */
export function isChained(
  message: Message,
  isSent: (parts: readonly Part[], id: string | undefined) => boolean,
): boolean {
  const { reasoning, led } = message.record.nodeClass === 'block' ? {} : message.envelope
  const entries = byNode(message.parts).map((parts) => ({ parts, part: parts[0]!, id: idOf(parts[0]!.record) }))
  const thoughts = Array.isArray(reasoning) ? (reasoning as readonly JsonValue[]) : []
  if (thoughts.some((id) => !entries.some((entry) => entry.id === id && entry.part.kind === 'reasoning'))) return false
  return entries.every(({ parts, part, id }, at) => {
    if (part.kind !== 'reasoning') return true
    const next = entries[at + 1]
    const wanted = Array.isArray(led) ? (led as readonly JsonValue[])[thoughts.indexOf(id ?? null)] : undefined
    if (next === undefined || !isAsCame(next.part) || !isAsThought(part.record)) return false
    if (wanted !== undefined && wanted !== (next.id ?? null)) return false
    return isSent(parts, id) && isSent(next.parts, next.id)
  })
}

/** True for an item as the API gave it; a text or another call in its place is a stranger to the thought. */
function isAsCame({ kind, raw, shape, record }: Part): boolean {
  if (isMessageNode(record)) {
    const { content } = record
    // A message without parts is not sent.
    if (Array.isArray(content) && content.length === 0) return false
    return kind !== 'gone' && (idOf(record) === undefined || Array.isArray(content))
  }
  return kind !== 'gone' && shape === RESPONSES && isObject(raw)
}

/** The id of the item that a node is. */
export function idOf(record: NodeRecord): string | undefined {
  const { content } = record
  const id = isMessageNode(record)
    ? objectIn(record, ATTRIBUTES.message)?.['id']
    : isObject(content)
      ? content['id']
      : undefined
  return typeof id === 'string' ? id : undefined
}

/** True if the ids of a reply are those of a server that only speaks OpenAI's format. */
export function isForeign({ parts }: Message): boolean {
  return parts.some(({ kind, record }) => kind === 'reasoning' && idOf(record)?.startsWith('rs') === false)
}
