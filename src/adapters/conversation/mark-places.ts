// The places of a request that can have a cache mark: behind each block, system texts first. How long a block stays is its node's: a node that
// expires, returns by itself or is around the newest turn is not there for long, and nothing behind it is worth keeping. Marks are at the end of the
// system texts, at the end of what stays, at the end of all where the model has spoken since, and in between where the provider would not look
// back far enough.

import { invalid } from '../../errors/index.js'
import { type Breakpoint, byteLengthOf } from '../../thread/index.js'
import { recordOf, type View } from '../../timeline/index.js'
import type { Cache, CacheFormat } from './cache-marks.js'
import { bytesIn, requestChunks } from './marks.js'
import type { Piece } from './piece.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import { messagesOf } from './read-messages.js'
import type { Rendered } from './rendering.js'

/** A place behind a block: in the system texts, or in a piece of the list. */
type Spot = Readonly<{ node: string | undefined; canMark: boolean; at?: SpotInList }>

/** `item` is the index of the message in the list, `chunk` that of the piece among the chunks of the request. */
type SpotInList = Readonly<{ piece: Piece; place: Place; item: number; chunk: number }>

export class MarkPlaces {
  readonly #rendered: Rendered
  readonly #list: string
  readonly #root: string
  readonly #spots: Spot[]
  /** The number of places in all leading system text. */
  readonly leading: number
  /** The number of places before the first part that will not stay. */
  readonly stable: number

  constructor(rendered: Rendered, list: string, format: CacheFormat, view: View) {
    this.#rendered = rendered
    this.#list = list
    this.#root = view.tree.root.id
    const system = systemPlaces(rendered, format, view)
    const spots: Spot[] = [...system]
    const newest = newestTurn(view)
    const short = system.findIndex(({ isShort }) => isShort)
    let stable = short < 0 ? undefined : short
    let leading = system.length
    let [item, chunk, isLeading] = [0, 1, true]
    for (const piece of rendered.pieces) {
      if (piece.isEmpty) continue
      const known = placesOf(piece, format, view)
      stable ??= stableEnd(known, newest, spots.length)
      if (isLeading) leading += known.leading
      isLeading &&= known.leading === known.places.length
      for (const place of known.places) {
        spots.push({ ...place, at: { piece, place, item: item + place.message, chunk } })
      }
      item += piece.list.length
      chunk++
    }
    this.#spots = spots
    this.leading = leading
    this.stable = stable ?? spots.length
  }

  get size(): number {
    return this.#spots.length
  }

  /** True if the model speaks behind the first part that will not stay: until that part goes, requests only add to what is there. */
  get isSpokenBehind(): boolean {
    return this.#spots.findLastIndex(({ at }) => at && isModels(at.piece.list[at.place.message]!)) >= this.stable
  }

  /** The last place up to this one that can have a mark; -1 if there is none. */
  lastMarkable(at: number): number {
    let last = Math.min(at, this.size - 1)
    while (last >= 0 && !this.#spots[last]!.canMark) last--
    return last
  }

  /** A place in the list; undefined for one in the system texts. */
  inList(at: number): SpotInList | undefined {
    return this.#spots[at]!.at
  }

  /** The last place of each node, or of its content. */
  ofNodes(ids: readonly string[], view: View): readonly number[] {
    const last = new Map<string, number>()
    for (const [at, { node }] of this.#spots.entries()) {
      for (let record = node === undefined ? undefined : view.find(node); record !== undefined;) {
        if (ids.includes(record.id)) last.set(record.id, at)
        record = record.parentId === undefined ? undefined : view.find(record.parentId)
      }
    }
    return [...last.values()]
  }

  breakpointAt(at: number): Breakpoint {
    const { node = this.#root, at: inList } = this.#spots[at]!
    if (inList === undefined) return Object.freeze({ node, byte: systemEnd(this.#rendered, at), item: 0 })
    const { piece, place, item, chunk } = inList
    const chunks = requestChunks(this.#rendered, this.#list)
    const before = byteLengthOf(chunks.slice(0, chunk)) + chunks[chunk]!.items[place.message]!
    return Object.freeze({ node, byte: before + blockEnd(piece.list[place.message]!, place.block), item })
  }
}

/** The first place that will not stay, counted from the beginning of the request; undefined if all of a piece stays. */
function stableEnd({ stable, around }: PiecePlaces, newest: string | undefined, start: number): number | undefined {
  // The newest turn is the last: older ones need not be looked at.
  const turn = around.at(-1)?.turn === newest ? around.find((each) => each.turn === newest) : undefined
  const ends = [stable, turn?.before].filter((end) => end !== undefined)
  return ends.length === 0 ? undefined : start + Math.min(...ends)
}

function isModels({ role, type }: PlainObject): boolean {
  return role === 'assistant' || role === 'model' || type === 'function_call' || type === 'reasoning'
}

function systemPlaces(
  { before, owners }: Rendered,
  { system }: CacheFormat,
  view: View,
): readonly Readonly<{ node: string | undefined; canMark: boolean; isShort: boolean }>[] {
  const value = system && before[system.key]
  if (system === undefined || value === undefined) return []
  const whole = owners.nodesAt(before, system.key)
  const elements = Array.isArray(value) ? (value as readonly PlainValue[]) : [value]
  const listed = system.listed(value)
  return elements.map((element, at) => {
    const within = owners.within(element, [])
    const nodes = within.length === 0 ? whole : within
    const text = listed[at]!['text'] ?? listed[at]!['content']
    return {
      node: nodes.at(-1),
      canMark: typeof text === 'string' && text.trim() !== '',
      isShort: nodes.some((node) => lifeOf(node, view) === 'short'),
    }
  })
}

/** Where a block of a message ends, counted from the message's beginning. */
function blockEnd(message: PlainObject, block: number): number {
  let text = '{'
  for (const [key, value] of Object.entries(message)) {
    if (key === 'content') break
    text += `${JSON.stringify(key)}:${JSON.stringify(value)},`
  }
  const { content } = message
  if (!Array.isArray(content)) return bytesIn(`${text}"content":${JSON.stringify(content)}`)
  const blocks = blocksOf(message).slice(0, block + 1)
  return bytesIn(`${text}"content":[${blocks.map((each) => JSON.stringify(each)).join(',')}`)
}

function systemEnd({ before }: Rendered, at: number): number {
  // System texts are the first that a request has.
  const [[key, value]] = Object.entries(before) as [[string, PlainValue]]
  const text = Array.isArray(value)
    ? `[${value
        .slice(0, at + 1)
        .map((each) => JSON.stringify(each))
        .join(',')}`
    : JSON.stringify(value)
  return bytesIn(`{${JSON.stringify(key)}:${text}`)
}

/** The places that get a mark, in order. */
export function markPlaces(
  places: MarkPlaces,
  { most, lookBack }: CacheFormat,
  view: View,
  { at, tools, mode }: Cache,
): readonly number[] {
  if (at === 'auto') return []
  const free = most - (tools ? 1 : 0) + (mode === 'explicit' ? 1 : 0)
  if (typeof at !== 'string') return chosenPlaces(places, at, free, view)
  const stable = places.lastMarkable((at === 'end' ? places.size : places.stable) - 1)
  const end = places.isSpokenBehind ? places.lastMarkable(places.size - 1) : stable
  if (end < 0) return []
  const lead = places.lastMarkable(Math.min(places.leading, stable + 1) - 1)
  const marks = new Set([end, lead, stable].filter((place) => place >= 0))
  const from = Math.max(lead, end === stable ? -1 : stable)
  if (lookBack !== undefined && end - from > lookBack) {
    // At the same places in every request, so that what one request kept is found by the next, however much came in between.
    const step = lookBack - SLACK
    for (let grid = end - (end % step); grid > from && marks.size < free; grid -= step) {
      const place = places.lastMarkable(grid)
      if (place > from) marks.add(place)
    }
  }
  return [...marks].toSorted((a, b) => a - b)
}

/** The distance that a place of the grid may move back, if its block takes no mark. */
const SLACK = 2

function chosenPlaces(places: MarkPlaces, ids: readonly string[], free: number, view: View): readonly number[] {
  const marks = new Set(places.ofNodes(ids, view).map((place) => places.lastMarkable(place)))
  marks.delete(-1)
  if (marks.size <= free) return [...marks].toSorted((a, b) => a - b)
  throw invalid('cache', `A request has at most ${free} cache marks here, and at names ${marks.size} places.`, {
    marks: marks.size,
    most: free,
  })
}

type Place = Readonly<{
  /** The index of the message in its piece, and of the block in that message. */
  message: number
  block: number
  node: string | undefined
  canMark: boolean
}>

/** The places of one piece. */
type PiecePlaces = Readonly<{
  places: readonly Place[]
  /** The number of places before the first part with an end of its own; undefined without such a part. */
  stable: number | undefined
  /** Parts around a turn, and the number of places before each. */
  around: readonly Readonly<{ turn: string; before: number }>[]
  /** The number of places in its leading system messages. */
  leading: number
}>

/** The blocks of a message's content: a text is one. */
export function blocksOf({ content }: PlainObject): readonly PlainValue[] {
  if (Array.isArray(content)) return content as readonly PlainValue[]
  return typeof content === 'string' ? [content] : []
}

/** The places of a piece are the same in every request that has it. */
const known = new WeakMap<Piece, PiecePlaces>()

function placesOf(piece: Piece, format: CacheFormat, view: View): PiecePlaces {
  let places = known.get(piece)
  if (places === undefined) known.set(piece, (places = placesIn(piece, format, view)))
  return places
}

function placesIn({ list, owners }: Piece, format: CacheFormat, view: View): PiecePlaces {
  const places: Place[] = []
  const around: { turn: string; before: number }[] = []
  let stable: number | undefined
  const end = list.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const isLeading = (message: number): boolean => end < 0 || message < end
  for (const [message, made] of list.entries()) {
    const blocks = blocksOf(made)
    const look = (node: string, before: number): void => {
      const life = lifeOf(node, view)
      if (life === 'short') stable = Math.min(stable ?? before, before)
      else if (life !== undefined) around.push({ turn: life.turn, before })
    }
    // Text next to the blocks of a message belongs to the whole message.
    for (const node of owners.within(made, blocks)) look(node, places.length)
    for (const [block, value] of blocks.entries()) {
      const nodes = typeof value === 'object' && value !== null ? owners.within(value, []) : []
      for (const node of nodes) look(node, places.length)
      const node = nodes[0] ?? owners.of(made) ?? owners.nodesAt(made, 'content')[0]
      places.push({ message, block, node, canMark: format.canMark(value, made) })
    }
  }
  return { places, stable, around, leading: places.filter(({ message }) => isLeading(message)).length }
}

/** `short` if a node has an end of its own, else the turn that it is around. */
function lifeOf(id: string, view: View): 'short' | Readonly<{ turn: string }> | undefined {
  let record = view.find(id)
  let turn: string | undefined
  while (record !== undefined && record.parentId !== undefined) {
    if (record.ttl !== null || record.by === 'cadence') return 'short'
    const parent = view.find(record.parentId)
    const isInTurn = parent?.nodeClass === 'seg' || parent?.nodeClass === 'region'
    if (isInTurn && record.nodeClass !== 'seg' && record.offset !== 0) turn = record.parentId
    record = parent
  }
  return turn === undefined ? undefined : { turn }
}

/** The newest turn: the open one, or if nothing is in it, the one before. */
function newestTurn({ tree: { regions } }: View): string | undefined {
  const [, seq, ah] = regions
  if (messagesOf(ah).length > 0) return ah.record.id
  const { last } = seq.children
  return last && recordOf(last).id
}
