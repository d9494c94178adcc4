// Follows the plan of a conversation in a context: every turn is committed, and so is the state before and after a compaction. The newest snapshot is
// what the agent would send next, and earlier ones have the originals.

import type { AnyContext } from '../../context/index.js'
import type { Node } from '../../core/index.js'
import type { NodeSpec } from '../../edit/index.js'
import type { Step } from './plan.js'

/** A node to be made. */
export type Piece = Readonly<{ spec: NodeSpec; isSystem: boolean; startsTurn: boolean }>

/** A message of the list, as nodes. Two are the same if they are one object. */
export type Pieces = readonly Piece[]

/** A step of a plan, with nodes in place of messages. */
export type Deed = Step<Pieces>

/** A message that is in the context, and the cycle it was made in. */
export type Placed = Readonly<{ pieces: Pieces; nodes: readonly Node[]; cycle: number }>

/** Says the deeds to a context that has `list`. The caller commits whenever it is asked to. */
export function* play(
  ctx: AnyContext,
  deeds: readonly Deed[],
  list: Placed[],
  onPlaced?: (placed: Placed) => void,
): Generator<'said' | 'commit', void, undefined> {
  let isOpen = false
  const put = (placed: readonly Placed[], from: number, take: number): void => {
    list.splice(from, take, ...placed)
    for (const each of placed) onPlaced?.(each)
  }
  for (const deed of deeds) {
    if ('say' in deed) {
      if (isOpen && deed.say.some(({ startsTurn }) => startsTurn)) {
        yield 'commit'
        isOpen = false
      }
      isOpen ||= deed.say.some(({ isSystem }) => !isSystem)
      put([added(ctx, deed.say)], list.length, 0)
      yield 'said'
      continue
    }
    // What was said in the open cycle is in no snapshot yet.
    if (list.some(({ cycle }) => cycle === ctx.cycle)) {
      yield 'commit'
      isOpen = false
    }
    ctx.batch(() => {
      for (const { from, take, by } of deed.swaps) {
        const taken = list.slice(from, from + take)
        const isExchange = deed.why === 'edit' && taken.length === 1 && by.length === 1
        const isLast = from + take === list.length
        put(isExchange ? [exchanged(ctx, taken[0]!, by[0]!)] : superseded(ctx, taken, by, isLast), from, take)
      }
    })
    if (deed.why !== 'compaction') continue
    yield 'commit'
    isOpen = false
  }
}

function added(ctx: AnyContext, pieces: Pieces): Placed {
  const nodes = pieces.map(({ spec: { content, ...header }, isSystem }) =>
    isSystem ? ctx.system.add(content, header) : ctx.add(content, { ...header, zone: 'core' }),
  )
  return { pieces, nodes, cycle: ctx.cycle }
}

/**
 * The one place that takes messages for others: markers stand for the messages that leave, and what comes for them is at the end, or in front of
 * everything else.
 */
function superseded(
  ctx: AnyContext,
  taken: readonly Placed[],
  by: readonly Pieces[],
  isLast: boolean,
): readonly Placed[] {
  for (const { pieces, nodes } of taken) {
    for (const [i, { id }] of nodes.entries()) (pieces[i]!.isSystem ? ctx.system : ctx).delete(named(id))
  }
  if (isLast) return by.map((pieces) => added(ctx, pieces))
  const placed = by.toReversed().map((pieces): Placed => {
    const nodes = pieces.toReversed().map(({ spec }) => ctx.insert(spec, { depth: ctx.count('^seq > .seg') + 1 }))
    return { pieces, nodes: nodes.toReversed(), cycle: ctx.cycle }
  })
  return placed.toReversed()
}

/** A message with another content, in its place. */
function exchanged(ctx: AnyContext, { nodes }: Placed, pieces: Pieces): Placed {
  const { content, children } = pieces[0]!.spec
  const spec = { ...(content === undefined ? {} : { content }), ...(children === undefined ? {} : { children }) }
  return { pieces, nodes: ctx.replace(named(nodes[0]!.id), spec), cycle: ctx.cycle }
}

function named(id: string): string {
  return `[id='${id}']`
}
