// The body of a provider call as it was sent, with the node of every byte range.

import type { AdapterPair } from '../adapters/index.js'
import type { Answer, Rendered } from '../api/index.js'
import { renderedSource } from '../context/index.js'
import type { Lens } from '../core/index.js'
import { PactError } from '../errors/index.js'
import { withoutMarks } from '../reports/index.js'
import { command } from './command.js'
import { jsonOf } from './json.js'
import type { OpenContext } from './pool.js'

type Places = Rendered['sourceMap']

/** The body that was sent, or the reason why it cannot be given again. */
export const sentRequest = command('sentRequest', async (pool, { id, attempt }) => {
  const { ADAPTERS } = await import('../adapters/index.js')
  return pool.read({ id }, (ctx): Answer<'sentRequest'> => {
    const record = ctx.attempts().find((each) => each.attempt_id === attempt)
    const hash = record?.request_hash
    const about = { attempt, ...(hash === undefined ? {} : { hash }), isKept: typeof record?.request_body === 'string' }
    const text = orWhy(() => new TextDecoder().decode(ctx.requestOf(attempt)))
    if (typeof text !== 'string') return { ...about, why: text }
    const adapter = Object.entries(ADAPTERS).find(([name]) => name === record?.adapter)?.[1]
    const tree = adapter && orWhy(() => placesIn(ctx, attempt as Lens, adapter.to, text))
    return { ...about, text, ...(tree !== undefined && 'sourceMap' in tree ? tree : {}) }
  })
})

function orWhy<T>(read: () => T): T | Readonly<{ reason: string; message: string }> {
  try {
    return read()
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
    return { reason: String(error.details['reason']), message: error.message }
  }
}

function placesIn(ctx: OpenContext, lens: Lens, to: AdapterPair['to'], text: string) {
  const { snapshot, options, prompt, map, tokens } = renderedSource(ctx, lens, to)
  const { repairs, breakpoints } = to(snapshot, options, prompt)
  const plain = to(snapshot, withoutMarks(options), prompt)
  return {
    tokens,
    repairs: repairs.map((repair) => jsonOf(repair)),
    breakpoints,
    sourceMap: placesInBody(map, plain, text),
  }
}

/**
 * The places of nodes in a body, from their places in the rendering without cache marks. A body adds params, marks and a last message to the rendering,
 * so both are walked together: lists by index, objects by key. A text that is no JSON as this package writes it has no places.
 */
export function placesInBody(map: Places, plain: object, text: string): Places {
  const body = parsed(text)
  if (body === undefined || JSON.stringify(body) !== text) return []
  const anchors: Anchor[] = []
  align(JSON.parse(JSON.stringify(plain)), body, 0, 0, anchors)
  const place = (byte: number): number => {
    const at = anchors.findLastIndex(({ from }) => from <= byte)
    const { from, to, isSame } = anchors[at] ?? { from: 0, to: 0, isSame: false }
    return isSame ? to + byte - from : to
  }
  const places = map.map((entry) => ({ ...entry, start: place(entry.start), end: place(entry.end) }))
  return places.filter(({ start, end }) => end > start)
}

/** A byte of the rendering and its byte in the body; if it is the beginning of equal values, the bytes after it follow. */
type Anchor = Readonly<{ from: number; to: number; isSame: boolean }>

function align(a: unknown, b: unknown, from: number, to: number, anchors: Anchor[]): void {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)]
  const end = { from: from + byteLength(textA), to: to + byteLength(textB), isSame: false }
  if (textA === textB) {
    anchors.push({ from, to, isSame: true }, end)
    return
  }
  anchors.push({ from, to, isSame: false })
  const inB = new Map(entriesOf(b, to).map((each) => [each.name, each]))
  for (const { name, value, at } of entriesOf(a, from)) {
    const other = inB.get(name)
    if (other !== undefined) align(value, other.value, at, other.at, anchors)
  }
  anchors.push(end)
}

/** The values in a list or an object, with the byte where each begins. */
function entriesOf(value: unknown, start: number): readonly Readonly<{ name: string; value: unknown; at: number }>[] {
  if (typeof value !== 'object' || value === null) return []
  let at = start + 1
  return Object.entries(value).map(([name, each]: [string, unknown]) => {
    const label = Array.isArray(value) ? 0 : byteLength(JSON.stringify(name)) + 1
    const entry = { name, value: each, at: at + label }
    at += label + byteLength(JSON.stringify(each)) + 1
    return entry
  })
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
