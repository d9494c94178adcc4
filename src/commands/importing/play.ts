// Follows the plan of a conversation in a context: every turn is committed, and so is the state before and after a compaction. The newest snapshot is
// what the agent would send next, and earlier ones have the originals.

import type { AnyContext } from '../../context/index.js'
import type { Node } from '../../core/index.js'
import type { NodeSpec } from '../../edit/index.js'
import type { Step } from './plan.js'

/** A node to be made; `add` if more than its headers and its content has to be said, such as the nodes that a summary stands for. */
export type Piece = Readonly<{
  spec: NodeSpec
  isSystem: boolean
  startsTurn: boolean
  add?: (ctx: AnyContext, isSystem: boolean) => Node
}>

/** A message of the list, as nodes. Two are the same if they are one object. */
export type Pieces = readonly Piece[]

/** A step of a plan, with nodes in place of messages. */
export type Deed = Step<Pieces>

/** A message that is in the context: the ids of its nodes, and the cycle they were made in. */
export type Placed = Readonly<{ pieces: Pieces; ids: readonly string[]; cycle: number }>

/** Says the deeds to a context that has `list`. The caller commits whenever it is asked to. */
export function* play(
  ctx: AnyContext,
  deeds: readonly Deed[],
  list: Placed[],
  onMade?: (pieces: Pieces, nodes: readonly Node[]) => void,
): Generator<'said' | 'commit', void, undefined> {
  let isOpen = false
  const put = (made: readonly Made[], from: number, take: number): void => {
    const { cycle } = ctx
    list.splice(from, take, ...made.map(({ pieces, nodes }) => ({ pieces, ids: nodes.map(({ id }) => id), cycle })))
    for (const { pieces, nodes } of made) onMade?.(pieces, nodes)
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
    // Messages of the open cycle are in no snapshot yet.
    if (list.some(({ cycle }) => cycle === ctx.cycle)) {
      yield 'commit'
      isOpen = false
    }
    ctx.batch(() => {
      for (const { from, take, by } of deed.swaps) {
        const taken = list.slice(from, from + take)
        const isExchange = deed.why === 'edit' && taken.length === 1 && by.length === 1
        const isLast = from + take === list.length
        put(
          isExchange ? [exchanged(ctx, taken[0]!, by[0]!)] : superseded(ctx, taken, by, { isLast, reason: deed.why }),
          from,
          take,
        )
      }
    })
    if (deed.why !== 'compaction') continue
    yield 'commit'
    isOpen = false
  }
}

type Made = Readonly<{ pieces: Pieces; nodes: readonly Node[] }>

function added(ctx: AnyContext, pieces: Pieces): Made {
  const nodes = pieces.map(({ spec: { content, ...header }, isSystem, add }) => {
    if (add !== undefined) return add(ctx, isSystem)
    return isSystem ? ctx.system.add(content, header) : ctx.add(content, { ...header, zone: 'core' })
  })
  return { pieces, nodes }
}

/**
 * The one place that takes messages for others: markers stand for the messages that leave, and what comes for them is at the end, or in front of
 * everything else.
 */
function superseded(
  ctx: AnyContext,
  taken: readonly Placed[],
  by: readonly Pieces[],
  { isLast, reason }: Readonly<{ isLast: boolean; reason: string }>,
): readonly Made[] {
  for (const { pieces, ids } of taken) {
    for (const [i, id] of ids.entries()) (pieces[i]!.isSystem ? ctx.system : ctx).delete(named(id), { reason })
  }
  if (isLast) return by.map((pieces) => added(ctx, pieces))
  const made = by.toReversed().map((pieces): Made => {
    const nodes = pieces.toReversed().map(({ spec }) => ctx.insert(spec, { depth: ctx.count('^seq > .seg') + 1 }))
    return { pieces, nodes: nodes.toReversed() }
  })
  return made.toReversed()
}

/** A message with another content, in its place. */
function exchanged(ctx: AnyContext, { ids }: Placed, pieces: Pieces): Made {
  const { content, children } = pieces[0]!.spec
  const spec = { ...(content === undefined ? {} : { content }), ...(children === undefined ? {} : { children }) }
  return { pieces, nodes: ctx.replace(named(ids[0]!), spec) }
}

function named(id: string): string {
  return `[id='${id}']`
}
