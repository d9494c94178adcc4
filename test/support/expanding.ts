// An expand on a context that may lack the snapshot which holds the originals (D63): what it may say then.

import type { Context } from 'pact-context'
import { expect } from 'vitest'

import { textOf, walkExport } from './context.js'
import { treeOf, type Call } from './edited.js'
import { callContext, type Outcome } from './editing-law.js'
import { answerOf } from './floor.js'

export type ExpandCall = Extract<Call, { do: 'expand' }>

/** The snapshot that an expand lacks: its cycle, and the argument of loadHistory that brings it, if it can be loaded. */
export type Lacking = Readonly<{ cycle: number; load: string | undefined }>

type Listed = Readonly<{ cycle: number; nodes: readonly Readonly<{ id: string; of?: string; node?: unknown }>[] }>
type Refusal = Readonly<{ message: string; details: Readonly<{ id: string; cycle: number; load?: string }> }>

const LACKING: ReadonlySet<string> = new Set(['E_HISTORY_NOT_LOADED', 'E_SNAPSHOT_NOT_FOUND'])

/**
 * Plays an expand. One that is refused changes nothing. One that lacks a snapshot says which, and for which node; a summary of
 * the working state then lists this node, without the node itself, as one of that snapshot.
 */
export function playExpand(ctx: Context, call: ExpandCall): Readonly<{ outcome: Outcome; lacking?: Lacking }> {
  const before = stateOf(ctx)
  const outcome = callContext(ctx, call, [])
  if (!('code' in outcome)) return { outcome }
  expect(stateOf(ctx), JSON.stringify(call)).toEqual(before)
  if (!LACKING.has(outcome.code)) return { outcome }
  const { message, details } = answerOf(() => ctx.expand(call.id)) as Refusal
  const { id, cycle, load } = details
  const lists = [...walkExport(treeOf(ctx))].map((node) => node['pact:compacted'] as Listed | undefined)
  const isListed = lists.some(
    (list) =>
      list?.cycle === cycle &&
      list.nodes.some((each) => each.id === id && each.node === undefined && each.of === undefined),
  )
  expect(isListed, `${JSON.stringify(call)}: ${message}`).toBe(true)
  expect(message).toContain(load === undefined ? `@c${cycle}` : `await ctx.loadHistory('${load}')`)
  expect(load).toBe(outcome.code === 'E_HISTORY_NOT_LOADED' ? `@c${cycle}` : undefined)
  return { outcome, lacking: { cycle, load } }
}

function stateOf(ctx: Context): unknown {
  return [textOf(ctx.export('working')), textOf(ctx.threadBytes('working')), ctx.operations()]
}
