// The facts of a context that cost one look.

import type { PrunePolicy } from '../commit/index.js'
import { Thinned } from '../timeline/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { oldestOf } from './lens.js'

export type ContextGlance = Readonly<{
  /** The cycles of the oldest snapshot that exists and of the newest; undefined before the first commit. */
  first: number | undefined
  newest: number | undefined
  /** Cycles between them whose snapshots were thinned out. */
  thinned: Thinned
  forks: number
  /** The number of calls that erased something. */
  epoch: number
  /** The token limits of its pruning policy, as receipts name them. */
  limits: readonly Readonly<{ rule: string; limit: number }>[]
  /** Another object whenever the working state is another one. */
  state: object
}>

/** At the price of a look; how large it is, is another question. */
export function glanceAt(ctx: AnyContext): ContextGlance {
  const { timeline, forks, family, open, options } = ContextEdits.partsOf(ctx)
  const { bounds } = timeline
  return {
    first: bounds && oldestOf(bounds),
    newest: bounds?.newest,
    thinned: bounds?.thinned ?? Thinned.NONE,
    forks: forks.given,
    epoch: family.times,
    limits: tokenLimits(options.prune?.maxTokens),
    state: open.draft.tree,
  }
}

function tokenLimits(limits: PrunePolicy['maxTokens']): ContextGlance['limits'] {
  if (limits === undefined) return []
  if (typeof limits === 'number') return [{ rule: 'maxTokens', limit: limits }]
  return Object.entries(limits).map(([region, limit]) => ({ rule: `maxTokens ${region}`, limit }))
}
