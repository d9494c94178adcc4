// The contexts of the store: all pages of the list, and the order in which the front page shows them.

import { signal, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { ContextList } from '../../api/index.js'
import { fetchAnswer } from './reads.js'

export type Listed = ContextList['contexts'][number]

export type Contexts = Readonly<{
  /** Undefined until the first page is read. */
  list: ReadonlySignal<readonly Listed[] | undefined>
  /** True while pages are missing. */
  isReading: ReadonlySignal<boolean>
  refresh: () => void
}>

/** Beyond this the filter of the server's own list would be needed. */
const MOST = 20_000

export function createContexts(): Contexts {
  const list = signal<readonly Listed[] | undefined>(undefined)
  const isReading = signal(false)
  let turn = 0
  const read = async (mine: number): Promise<void> => {
    isReading.value = true
    let found: readonly Listed[] = []
    let cursor: string | undefined
    do {
      const page = await fetchAnswer(routes.contexts(cursor))
      if (mine !== turn) return
      found = [...found, ...page.contexts]
      cursor = page.cursor
      // A list that is read again is replaced at its end, so that nothing on the page disappears for a moment.
      if (list.peek() === undefined || found.length > list.peek()!.length) list.value = found
    } while (cursor !== undefined && found.length < MOST)
    list.value = found
    isReading.value = false
  }
  const refresh = (): void => void read(++turn).catch(() => (isReading.value = false))
  return { list, isReading, refresh }
}

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
