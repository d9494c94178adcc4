// Cache marks are put on a request that is there already: messages that did not change stay what they are, and all that is said
// about the request without marks still holds. Their places follow from the tree alone, so that the next request has them where a
// provider looks for what it kept.

import { describe, invalid } from '../../errors/index.js'
import type { Breakpoint, CallPrompt } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import { blocksOf, markPlaces, MarkPlaces } from './mark-places.js'
import type { Piece } from './piece.js'
import { inOrder, type PlainObject, type PlainValue, textOf } from './plain-json.js'
import type { Rendered } from './rendering.js'

/** The cache marks of a provider. */
export type CacheFormat = Readonly<{
  /** The keys of the option `cache`. */
  names: readonly string[]
  /** The lifetimes that the option `cache` takes. */
  ttls?: readonly string[]
  /** The number of marks a request may have. */
  most: number
  /** The number of blocks that a mark looks back for a cached part; all by default. */
  lookBack?: number
  /** System texts outside the list, in the form of requests with marks: a list of elements that can be marked. */
  system?: Readonly<{
    key: string
    listed(value: PlainValue): readonly PlainObject[]
  }>
  /** A message in the form of requests with marks, marked or not, and without marks of its own. */
  bare(message: PlainObject): PlainObject
  /** True if the provider takes a mark on this block. */
  canMark(block: PlainValue, message: PlainObject): boolean
  /** A block, or an element of the system texts, with a mark. */
  marked(block: PlainObject, cache: Cache): PlainObject
  /** True if the provider sets a mark itself on request (`at: 'auto'`). */
  isAutomatic?: boolean
  /** The shortest prefix that a model keeps, in tokens; undefined if that is not known. */
  least?(model: string): number | undefined
  /** True if a mark on the last block of a message is the message's. */
  marksMessages?: boolean
  /** The keys behind the list. */
  beside?(cache: Cache): Readonly<Record<string, PlainValue>>
}>

export type MarkedRequest = Readonly<{ rendered: Rendered; breakpoints: readonly Breakpoint[] }>

export function withMarks(
  rendered: Rendered,
  { list, cache: format }: Readonly<{ list: string; cache?: CacheFormat }>,
  view: View,
  cache: Cache,
  prompt?: CallPrompt,
): MarkedRequest {
  if (rendered.instead !== undefined) return { rendered, breakpoints: Object.freeze([]) }
  const places = new MarkPlaces(rendered, list, format!, view)
  const marks = markPlaces(places, format!, view, cache)
  const inSystem = new Set(marks.filter((at) => places.inList(at) === undefined))
  const inPieces = new Map<Piece, Map<number, number>>()
  for (const { piece, place } of marks.flatMap((at) => places.inList(at) ?? [])) {
    inPieces.set(piece, (inPieces.get(piece) ?? new Map<number, number>()).set(place.message, place.block))
  }
  const pieces = rendered.pieces.map((piece) => markedPiece(piece, format!, inPieces.get(piece), cache))
  return {
    rendered: {
      ...rendered,
      list: pieces.flatMap((piece) => piece.list),
      before: markedSystem(rendered.before, format!, inSystem, cache),
      after: { ...rendered.after, ...format!.beside?.(cache) },
      pieces,
    },
    breakpoints: Object.freeze(marks.map((at) => withLeast(places.breakpointAt(at), format!, cache, prompt))),
  }
}

/** A mark that the model will not act on says so: nothing so short is kept. A token is counted as four bytes. */
function withLeast(mark: Breakpoint, { least }: CacheFormat, cache: Cache, prompt: CallPrompt | undefined): Breakpoint {
  const model = cache.model ?? prompt?.model
  const shortest = model === undefined ? undefined : least?.(model)
  if (shortest === undefined) return mark
  const ahead = [prompt?.tools, prompt?.system].reduce((sum: number, each) => sum + textOf(each ?? '').length, 0)
  return (mark.byte + ahead) / BYTES_PER_TOKEN < shortest ? Object.freeze({ ...mark, least: shortest }) : mark
}

const BYTES_PER_TOKEN = 4

function markedSystem(
  before: Rendered['before'],
  format: CacheFormat,
  marks: ReadonlySet<number>,
  cache: Cache,
): Rendered['before'] {
  const { system } = format
  if (system === undefined || before[system.key] === undefined) return before
  const elements = system.listed(before[system.key]!)
  const marked = elements.map((element, at) => (marks.has(at) ? format.marked(element, cache) : element))
  return { ...before, [system.key]: marked }
}

/** The same for every request that has the piece. */
const barePieces = new WeakMap<Piece, Piece>()

function markedPiece(
  piece: Piece,
  format: CacheFormat,
  marks: ReadonlyMap<number, number> | undefined,
  cache: Cache,
): Piece {
  const bare = barePiece(piece, format)
  if (marks === undefined) return bare
  const list = bare.list.map((message, at) => {
    const block = marks.get(at)
    return block === undefined ? message : markedMessage(message, block, format, cache)
  })
  return bare.with(list)
}

function barePiece(piece: Piece, format: CacheFormat): Piece {
  let bare = barePieces.get(piece)
  if (bare === undefined) barePieces.set(piece, (bare = piece.with(piece.list.map((message) => format.bare(message)))))
  return bare
}

/** A bare message with a mark on one of its blocks. */
function markedMessage(message: PlainObject, at: number, format: CacheFormat, cache: Cache): PlainObject {
  const blocks = blocksOf(message) as readonly PlainObject[]
  if (format.marksMessages === true && at === blocks.length - 1) return format.marked(message, cache)
  return inOrder({
    ...message,
    content: blocks.map((block, i) => (i === at ? format.marked(block, cache) : block)),
  })
}

/**
 * The places of marks: `stable` puts the last one before the first part that will not stay, `end` behind everything; a list of node
 * ids puts one behind each of them that is there, and so an empty list puts none.
 */
export type CacheAt = 'stable' | 'end' | readonly string[]

/** The same for providers that can set a mark themselves: `auto` leaves it to them, at the end of the request. */
export type AutomaticCacheAt = CacheAt | 'auto'

/** Options for cache marks with a lifetime. */
export type CacheMarks = Readonly<{
  at?: CacheAt | undefined
  /** The lifetime of the cached part; five minutes by default. */
  ttl?: '5m' | '1h' | undefined
  /** True if the caller marks the tools: that mark counts among those a request may have. */
  tools?: boolean | undefined
}>

/** Options for caches whose requests may have a key. */
export type CacheKey = Readonly<{
  at?: CacheAt | undefined
  /** Sent as `prompt_cache_key`. */
  key?: string | undefined
  /** `explicit`: OpenAI sets no mark of its own. */
  mode?: 'implicit' | 'explicit' | undefined
  /** The least lifetime of the cached part; `12h` for the Responses API alone. */
  ttl?: '30m' | '12h' | undefined
  /** For the Responses API: the id of an earlier reply, with whose request the provider compares this one; see `reported.details`. */
  compareTo?: string | undefined
}>

/** Everything that a format's marks follow from. */
export type Cache = Readonly<{
  at: AutomaticCacheAt
  ttl: string | undefined
  tools: boolean
  key: string | undefined
  model: string | undefined
  mode?: string
  compareTo?: string
}>

const PLAIN: Cache = Object.freeze({ at: 'stable', ttl: undefined, tools: false, key: undefined, model: undefined })

type Rule = readonly [test: (value: unknown) => boolean, words: string]

const MAY_BE: Readonly<Record<string, Rule>> = {
  at: [
    (value) => value === 'stable' || value === 'end' || (Array.isArray(value) && value.every(isText)),
    'stable, end or a list of node ids',
  ],
  tools: [(value) => typeof value === 'boolean', 'true or false'],
  key: [(value) => isText(value) && value !== '', 'a text'],
  compareTo: [(value) => isText(value) && value !== '', 'the id of a reply'],
  mode: [(value) => value === 'implicit' || value === 'explicit', 'implicit or explicit'],
  model: [(value) => isText(value) && value !== '', 'the name of a model'],
}

const AT: Rule = [(value) => value === 'auto' || MAY_BE['at']![0](value), 'stable, end, auto or a list of node ids']

/** The lifetimes of Claude's cache. */
const TTLS: readonly string[] = ['5m', '1h']

/** The marks that are wanted, if any are. */
export function checkCache(
  given: unknown,
  { names, isAutomatic, ttls = TTLS }: Pick<CacheFormat, 'names' | 'isAutomatic' | 'ttls'>,
): Cache | undefined {
  if (given === undefined || given === false) return undefined
  if (given === true) return PLAIN
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('cache', `The option cache is true, or an object with ${names.join(', ')}, not ${describe(given)}.`)
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of said) {
    if (!names.includes(name))
      throw invalid('cache', `There is no ${describe(name)} among what cache takes: ${names.join(', ')}.`)
    const ttl: Rule = [(value) => ttls.some((each) => each === value), ttls.join(' or ')]
    const [test, words] = name === 'ttl' ? ttl : name === 'at' && isAutomatic === true ? AT : MAY_BE[name]!
    if (!test(value)) throw invalid('cache', `In the option cache, ${name} is ${words}, not ${describe(value)}.`)
  }
  return Object.freeze({ ...PLAIN, ...Object.fromEntries(said) })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
