// A finished request. Its enumerable keys can be spread into a client's call. Its facts are not enumerable: the repairs, the bytes, and the node of each
// byte.

import type { OverBudget, RenderSource } from '../../context/index.js'
import { compareText } from '../../core/index.js'
import { type Breakpoint, byteLengthOf, encodeTexts, rangesOf } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import { type Change, changeBefore } from './bound.js'
import type { MarkedRequest } from './cache-marks.js'
import { requestChunks } from './marks.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Rendered } from './rendering.js'
import type { Noted, Repair } from './request-writer.js'

/** The bytes of a request that belong to one node, and their number of tokens. */
export type SourceEntry = Readonly<{ node: string; start: number; end: number; tokens: number }>

/** Facts of every request, next to its own keys. */
export type RequestFacts = Readonly<{
  /** Everything that was left out, completed or moved so that the provider takes the request. */
  repairs: readonly Repair[]
  /** JSON.stringify of the request in pieces, to be sent one behind another; after a commit only what is new has to be written. */
  chunks: readonly string[]
  /** The length of the body in UTF-8. */
  byteLength: number
  /** The same in one buffer of its own: a copy of everything. */
  bytes: Uint8Array
  /** In order, and apart; of the request without cache marks. */
  sourceMap: readonly SourceEntry[]
  /** The places of cache marks, if there are any: in the bytes without marks. */
  breakpoints: readonly Breakpoint[]
}>

export type MadeRequest = PlainObject & RequestFacts

export function makeRequest(
  rendered: Rendered,
  list: string,
  from: RenderSource,
  marked?: MarkedRequest,
  over?: OverBudget,
): MadeRequest {
  const given = marked?.rendered ?? rendered
  const request: Record<string, PlainValue> = {
    ...given.before,
    [list]: given.instead?.text ?? given.list,
    ...given.after,
  }
  const facts = factsOf(rendered, list, from, marked, over)
  for (const [name, get] of Object.entries(facts)) {
    Object.defineProperty(request, name, { configurable: true, get: once<unknown>(get) })
  }
  return request as MadeRequest
}

/** The facts, worked out when they are asked for: most requests are only sent. */
function factsOf(
  rendered: Rendered,
  list: string,
  { view, tokensOf }: RenderSource,
  marked: MarkedRequest | undefined,
  over: OverBudget | undefined,
): Readonly<{ [Name in keyof RequestFacts]: () => RequestFacts[Name] }> {
  const sent = once(() => requestChunks(marked?.rendered ?? rendered, list))
  const texts = (): readonly string[] => sent().map(({ text }) => text)
  return {
    repairs: () =>
      Object.freeze([...explained(rendered, view), ...(over === undefined ? [] : [overBudget(over, view)])]),
    chunks: () => Object.freeze(texts()),
    byteLength: () => byteLengthOf(sent()),
    bytes: () => encodeTexts(texts(), byteLengthOf(sent())),
    sourceMap: () => {
      const ranges = rangesOf(requestChunks(rendered, list))
      return Object.freeze(ranges.map((range) => Object.freeze({ ...range, tokens: tokensOf(range.node) })))
    },
    breakpoints: () => marked?.breakpoints ?? NONE,
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Readonly<{ value: Value }> | undefined
  return () => (made ??= { value: make() }).value
}

function explained({ repairs, pieces }: Rendered, view: View): readonly Repair[] {
  const noted = [...repairs, ...pieces.flatMap((piece) => piece.repairs)]
  // The first stale thought has lost its beginning, and with it all that follow.
  const stale = noted.find((each) => each.stale !== undefined)?.stale
  const change = stale && changeBefore(stale, view)
  return noted.map((each) => (each.stale === undefined ? withCause(each, view) : withChange(each, change)))
}

function overBudget({ limit, actual, text }: OverBudget, { tree }: View): Repair {
  return Object.freeze({ code: 'over-budget', node: tree.root.id, text, limit, actual })
}

const NONE: readonly Breakpoint[] = Object.freeze([])

function withChange({ repair }: Noted, change: Change | undefined): Repair {
  if (change === undefined) return repair
  const { node, cause, cycle } = change
  const text = `${repair.text} The change is that of ${node} (${cause} in cycle ${cycle}).`
  return Object.freeze({ ...repair, text, cause, changed: node })
}

/**
 * Why the result of a call is gone, if some snapshot still tells. Of several that are gone it is the one that left last: older ones
 * may be in snapshots that are not loaded, and the answer is not to depend on that.
 */
function withCause({ repair, callId }: Noted, view: View): Repair {
  if (callId === undefined) return repair
  const left = Array.from(new Set(view.everCarried(callId)), (id) => view.departureOf(id) ?? [])
  const [last] = left.flat().sort((a, b) => b.born - a.born || compareText(a.id, b.id))
  return last === undefined ? repair : Object.freeze({ ...repair, cause: last.cause })
}
