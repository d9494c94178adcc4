// Selections in pairs of snapshots, for diffs and ranges (D23, D38).

import type { View } from '../timeline/index.js'
import { runPlan, selectApart, windowed, type Apart, type Plan, type Visits, type Window } from '../query/index.js'

/** Selects in pairs of views; the next pair usually has one of the last pair's. */
export function pairSelector(plan: Plan, window: Window, budget: Visits): (older: View, newer: View) => Apart {
  const isWhole = window.skip === 0 && window.limit === Infinity
  let last: Readonly<{ view: View; ids: readonly string[] }> | undefined
  const idsOf = (view: View): readonly string[] => {
    return last?.view === view
      ? last.ids
      : windowed(
          runPlan(view, plan, budget).map(({ id }) => id),
          window,
        )
  }
  return (older, newer) => {
    const apart = isWhole ? selectApart(older, newer, plan, budget) : undefined
    if (apart !== undefined) return apart
    const after = idsOf(newer)
    const before = idsOf(older)
    last = { view: older, ids: before }
    return selectionOf(before, after)
  }
}

/** The mode of a range: how its snapshots are compared (D23). */
export function modeOf({ controls }: Plan): 'pairwise' | 'latest' | 'union' {
  const mode = controls.find((control) => control.name === 'mode')?.value
  return mode === 'latest' || mode === 'union' ? mode : 'pairwise'
}

/** Two whole lists as a selection. */
function selectionOf(older: readonly string[], newer: readonly string[]): Apart {
  let sets: readonly [ReadonlySet<string>, ReadonlySet<string>] | undefined
  return {
    older,
    newer,
    isInBoth: (id) => {
      sets ??= [new Set(older), new Set(newer)]
      return sets[0].has(id) && sets[1].has(id)
    },
  }
}
