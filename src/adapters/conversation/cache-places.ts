// The possible places of cache marks: behind each block of a request, system texts first. How long a block stays is its node's:
// what expires, returns by itself or surrounds the newest turn is not there for long, and nothing behind it is worth keeping.

import { recordOf, type View } from '../../timeline/index.js'
import { messagesOf } from './read-messages.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Piece } from './piece.js'

export type Place = Readonly<{
  /** The index of the message in its piece, and of the block in that message. */
  message: number
  block: number
  node: string | undefined
  canMark: boolean
}>

/** The places of one piece. */
export type PiecePlaces = Readonly<{
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

export function placesIn(
  { list, owners }: Piece,
  canMark: (block: PlainValue, message: PlainObject) => boolean,
  view: View,
): PiecePlaces {
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
      places.push({ message, block, node, canMark: canMark(value, made) })
    }
  }
  return { places, stable, around, leading: places.filter(({ message }) => isLeading(message)).length }
}

/** `short` if a node has an end of its own, else the turn that it is around. */
export function lifeOf(id: string, view: View): 'short' | Readonly<{ turn: string }> | undefined {
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
export function newestTurn({ tree: { regions } }: View): string | undefined {
  const [, seq, ah] = regions
  if (messagesOf(ah).length > 0) return ah.record.id
  const { last } = seq.children
  return last && recordOf(last).id
}
