// What an adapter gives: the request itself, whose own keys can be spread into a client's call, and beside them, not
// enumerable, what had to be repaired, the bytes, and whose bytes they are.

import { compareText } from '../../core/index.js'
import { joinChunks, rangesOf, type Breakpoint, type RenderedBytes } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import type { MarkedRequest } from './cache-marks.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Noted, Rendered } from './rendering.js'
import type { Repair } from './repairs.js'
import { requestBytes } from './request-text.js'

/** Which bytes of a request are a node's own, and how many tokens they are. */
export type SourceEntry = Readonly<{ node: string; start: number; end: number; tokens: number }>

/** What every request has beside its own keys. */
export type RequestFacts = Readonly<{
  /** What had to be left out, completed or put elsewhere, so that the provider takes it. */
  repairs: readonly Repair[]
  /** The UTF-8 of JSON.stringify of the request. */
  bytes: Uint8Array
  /** In order, and apart; of the request without cache marks. */
  sourceMap: readonly SourceEntry[]
  /** Where cache marks stand, if there are any: in the bytes without them. */
  breakpoints: readonly Breakpoint[]
}>

export type MadeRequest = PlainObject & RequestFacts

export function makeRequest(
  rendered: Rendered,
  list: string,
  view: View,
  tokensOf: (node: string) => number,
  marked?: MarkedRequest,
): MadeRequest {
  const given = marked?.rendered ?? rendered
  const request: Record<string, PlainValue> = {
    ...given.before,
    [list]: given.instead?.text ?? given.list,
    ...given.after,
  }
  const noted = (): readonly Noted[] => [...rendered.repairs, ...rendered.pieces.flatMap((piece) => piece.repairs)]
  let chunks: RenderedBytes | undefined
  const pieces = (): RenderedBytes => (chunks ??= requestBytes(rendered, list))
  hide(request, 'repairs', () => Object.freeze(noted().map((each) => withCause(each, view))))
  hide(request, 'bytes', () => joinChunks(marked === undefined ? pieces() : requestBytes(given, list)))
  hide(request, 'sourceMap', () =>
    Object.freeze(rangesOf(pieces()).map((range) => Object.freeze({ ...range, tokens: tokensOf(range.node) }))),
  )
  hide(request, 'breakpoints', () => marked?.breakpoints ?? NONE)
  return request as MadeRequest
}

const NONE: readonly Breakpoint[] = Object.freeze([])

/** Worked out when it is asked for, once. */
function hide(request: object, name: string, work: () => unknown): void {
  let known: unknown
  Object.defineProperty(request, name, { get: () => (known ??= work()), enumerable: false, configurable: true })
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
