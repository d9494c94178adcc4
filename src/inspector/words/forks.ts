// The contexts of a family as a graph: one row for each, its own cycles as dots, and where it left its parent.

import { asForest, type Listed } from './forest.js'

export type GraphRow = Readonly<{
  id: string
  level: number
  /** The cycles that it made itself: after the one that it shares with its parent. */
  from: number
  to: number
  /** The row of its parent, if that is there. */
  parent: number | undefined
}>

export function graphOf(family: readonly Listed[]): readonly GraphRow[] {
  const forest = asForest(family)
  const rows = new Map(forest.map(({ of }, i) => [of.id, i]))
  return forest.map(({ of: { id, cycle, parent, from = 0 }, level }) => {
    const above = parent === undefined ? undefined : rows.get(parent)
    return { id, level, from, to: Math.max(cycle, from), parent: above }
  })
}

/** The newest cycle that two contexts of a family have both; 0 if they have none. */
export function commonCycle(family: readonly Listed[], one: string, other: string): number {
  const path = (id: string): Map<string, number> => {
    const found = new Map<string, number>()
    let newest = Infinity
    for (
      let at = find(id);
      at !== undefined && !found.has(at.id);
      at = at.parent === undefined ? undefined : find(at.parent)
    ) {
      found.set(at.id, Math.min(newest, at.cycle))
      newest = Math.min(newest, at.from ?? Infinity)
    }
    return found
  }
  const find = (id: string): Listed | undefined => family.find((each) => each.id === id)
  const [a, b] = [path(one), path(other)]
  return Math.max(0, ...[...a].map(([id, cycle]) => Math.min(cycle, b.get(id) ?? 0)))
}

/** The context to compare one with: its parent, else its newest fork. */
export function nearestOf(family: readonly Listed[], id: string): Listed | undefined {
  const own = family.find((each) => each.id === id)
  const parent = family.find((each) => each.id === own?.parent)
  return parent ?? family.filter((each) => each.parent === id).toSorted((a, b) => (b.made ?? 0) - (a.made ?? 0))[0]
}
