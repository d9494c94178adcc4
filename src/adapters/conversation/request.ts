// A finished request. Its enumerable keys can be spread into a client's call. Its facts are not enumerable: the repairs, the bytes, and the node of each
// byte.

import type { OverBudget, RenderSource } from '../../context/index.js'
import { compareText } from '../../core/index.js'
import { byteLengthOf, encodeTexts, rangesOf, type Breakpoint } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import type { MarkedRequest } from './cache-marks.js'
import { changeBefore, type Change } from './changed-before.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Rendered } from './rendering.js'
import type { Noted, Repair } from './repairs.js'
import { requestChunks, requestTexts } from './request-text.js'

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
  return withFacts(request, new MadeFacts(rendered, list, from, marked, over))
}

/** Worked out when it is asked for, once: most requests are only sent. */
class MadeFacts implements RequestFacts {
  readonly #rendered: Rendered
  readonly #list: string
  readonly #view: View
  readonly #tokensOf: (node: string) => number
  readonly #marked: MarkedRequest | undefined
  readonly #over: OverBudget | undefined
  #chunks: RequestFacts['chunks'] | undefined
  #repairs: RequestFacts['repairs'] | undefined
  #bytes: Uint8Array | undefined
  #sourceMap: RequestFacts['sourceMap'] | undefined

  constructor(
    rendered: Rendered,
    list: string,
    { view, tokensOf }: RenderSource,
    marked: MarkedRequest | undefined,
    over: OverBudget | undefined,
  ) {
    this.#rendered = rendered
    this.#list = list
    this.#view = view
    this.#tokensOf = tokensOf
    this.#marked = marked
    this.#over = over
  }

  get repairs(): RequestFacts['repairs'] {
    return (this.#repairs ??= Object.freeze(this.#explained))
  }

  get #explained(): Repair[] {
    const noted = this.#noted
    // The first stale thought has lost its beginning, and with it all that follow.
    const stale = noted.find((each) => each.stale !== undefined)?.stale
    const change = stale && changeBefore(stale, this.#view)
    return [
      ...noted.map((each) => (each.stale === undefined ? withCause(each, this.#view) : withChange(each, change))),
      ...(this.#over === undefined ? [] : [overBudget(this.#over, this.#view)]),
    ]
  }

  get chunks(): RequestFacts['chunks'] {
    return (this.#chunks ??= requestTexts(this.#sent, this.#list))
  }

  get byteLength(): number {
    return byteLengthOf(requestChunks(this.#sent, this.#list))
  }

  get bytes(): Uint8Array {
    if (this.#bytes !== undefined) return this.#bytes
    const chunks = requestChunks(this.#sent, this.#list)
    const texts = chunks.map(({ text }) => text)
    return (this.#bytes = encodeTexts(texts, byteLengthOf(chunks)))
  }

  get sourceMap(): RequestFacts['sourceMap'] {
    return (this.#sourceMap ??= Object.freeze(
      rangesOf(requestChunks(this.#rendered, this.#list)).map((range) =>
        Object.freeze({ ...range, tokens: this.#tokensOf(range.node) }),
      ),
    ))
  }

  get breakpoints(): readonly Breakpoint[] {
    return this.#marked?.breakpoints ?? NONE
  }

  get #noted(): readonly Noted[] {
    const { repairs, pieces } = this.#rendered
    return [...repairs, ...pieces.flatMap((piece) => piece.repairs)]
  }

  /** With marks, if there are any. */
  get #sent(): Rendered {
    return this.#marked?.rendered ?? this.#rendered
  }
}

function overBudget({ limit, actual, text }: OverBudget, { tree }: View): Repair {
  return Object.freeze({ code: 'over-budget', node: tree.root.id, text, limit, actual })
}

const NONE: readonly Breakpoint[] = Object.freeze([])

const FACTS = Symbol('facts')

type WithFacts = PlainObject & { [FACTS]: RequestFacts }

/** One getter of each name for all requests, so that all of them have the same few shapes. */
const GETTERS = (['repairs', 'chunks', 'byteLength', 'bytes', 'sourceMap', 'breakpoints'] as const).map((name) => ({
  name,
  descriptor: {
    configurable: true,
    get(this: WithFacts): unknown {
      return this[FACTS][name]
    },
  },
}))

function withFacts(request: Record<string, PlainValue>, facts: RequestFacts): MadeRequest {
  Object.defineProperty(request, FACTS, { value: facts })
  for (let i = 0; i < GETTERS.length; i++) Object.defineProperty(request, GETTERS[i]!.name, GETTERS[i]!.descriptor)
  return request as MadeRequest
}

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
