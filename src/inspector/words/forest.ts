// The order of the front page.

import type { ContextList } from '../../api/index.js'

export type Listed = ContextList['contexts'][number]

export type Branch = Readonly<{ of: Listed; level: number }>

/** Newest first; forks follow their parent, by the cycle that they left it at. */
export function asForest(list: readonly Listed[]): readonly Branch[] {
  const ids = new Set(list.map(({ id }) => id))
  const forks = new Map<string, Listed[]>()
  const roots: Listed[] = []
  for (const each of list) {
    const parent = each.parent
    if (parent === undefined || !ids.has(parent) || parent === each.id) roots.push(each)
    else forks.set(parent, [...(forks.get(parent) ?? []), each])
  }
  const newest = new Map<string, number>()
  const newestIn = (each: Listed): number => {
    const known = newest.get(each.id)
    if (known !== undefined) return known
    newest.set(each.id, each.made ?? 0)
    const found = Math.max(each.made ?? 0, ...(forks.get(each.id) ?? []).map(newestIn))
    newest.set(each.id, found)
    return found
  }
  const sorted: Branch[] = []
  const add = (of: Listed, level: number): void => {
    sorted.push({ of, level })
    for (const fork of (forks.get(of.id) ?? []).toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))) add(fork, level + 1)
  }
  for (const root of roots.toSorted((a, b) => newestIn(b) - newestIn(a))) add(root, 0)
  return sorted
}
