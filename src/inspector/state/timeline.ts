// Columns of the timeline: the loaded ones by cycle, and for a long history the totals over all of it. Columns of
// committed cycles never change, so they are loaded once; only the newest is asked again, because its attempts may still run.

import { effect, signal, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Column, ContextSummary, Timeline } from '../../api/index.js'
import type { By } from './link.js'
import { fetchAnswer, type Read } from './reads.js'
import { createBins, type Bins } from './bins.js'
import { Stretches } from './stretches.js'

export type Span = Readonly<{ first: number; newest: number }>

export type Columns = Readonly<{
  /** Undefined until the first answer; newest is 0 before the first commit. */
  span: ReadonlySignal<Span | undefined>
  /** True if no cycle from the first to the newest is missing, so that neighbours have consecutive numbers. */
  isWhole: ReadonlySignal<boolean>
  /** Oldest first. */
  byCycle: ReadonlySignal<ReadonlyMap<number, Column>>
  /** For a long history. */
  bins: Bins
  /** Token limits, as far as they are known. */
  limits: ReadonlySignal<Timeline['limits']>
  /** True if the whole range between two cycles is loaded. */
  isLoaded: (from: number, to: number) => boolean
  /** Loads the missing columns around a cycle; resolves when they are loaded. */
  ensure: (cycle: number) => Promise<void>
  /** Loads new commits, and the state of calls of the newest cycle. */
  refresh: () => Promise<void>
}>

type Around = Readonly<{
  context: ReadonlySignal<string>
  summary: ReadonlySignal<Read<ContextSummary>>
  /** The first cycle to show, if a link names one. */
  wanted: ReadonlySignal<number | null>
  /** The grouping of the tokens of each column, if there is one. */
  by: ReadonlySignal<By | null>
}>

/** Histories up to this many cycles show all columns. */
export const MOST_SIDE_BY_SIDE = 60
const LATER = 700
/** Number of columns to load around a cycle, and the distance from their end at which more are loaded. */
const REACH = 40
const NEAR = 12
const MOST_COLUMNS = 1200

export function createColumns({ context, summary, wanted, by }: Around): Columns {
  const span = signal<Span | undefined>(undefined)
  const byCycle = signal<ReadonlyMap<number, Column>>(new Map())
  const bins = createBins()
  const isWhole = signal(false)
  const loaded = new Stretches()
  /** The columns that have the groups of `by`. */
  const grouped = new Stretches()
  const limits = signal<Timeline['limits']>([])
  let loading: Readonly<{ from: number; to: number; by: By | null; done: Promise<void> }> | undefined
  let generation = 0

  /** Answers may arrive out of order; the larger newest cycle wins, because commits are never taken back. */
  const reach = (first: number, newest: number): void => {
    const before = span.peek()
    const next = { first, newest: Math.max(newest, before?.newest ?? 0) }
    if (before?.first !== next.first || before.newest !== next.newest) span.value = next
  }

  const take = (answer: Timeline, from: number, to: number, isGrouped: boolean): void => {
    const known = byCycle.peek()
    // An equal column stays the same object, so that it is not drawn again.
    const fresh = answer.columns.filter(
      (column) => JSON.stringify(column) !== JSON.stringify(known.get(column.cycle) ?? null),
    )
    const all = new Map([...known, ...fresh.map((column) => [column.cycle, column] as const)])
    const far = [...all.keys()].sort((a, b) => Math.abs(b - from) - Math.abs(a - from))
    for (const cycle of far.slice(0, Math.max(0, all.size - MOST_COLUMNS))) all.delete(cycle)
    const cycles = [...all.keys()].sort((a, b) => a - b)
    if (to >= from) {
      loaded.add(from, to)
      if (isGrouped) grouped.add(from, to)
    }
    if (all.size === MOST_COLUMNS) for (const each of [loaded, grouped]) each.clip(cycles[0]!, cycles.at(-1)!)
    if (answer.limits.length > 0) limits.value = answer.limits
    if (fresh.length > 0) byCycle.value = new Map(cycles.map((cycle) => [cycle, all.get(cycle)!]))
    reach(answer.first, answer.newest)
  }

  const load = async (params: { from: number; to?: number }): Promise<void> => {
    const id = context.peek()
    const mine = generation
    const grouping = by.peek()
    const answer = await fetchAnswer(routes.timeline(id, { ...params, by: grouping }))
    const isGrouped = grouping !== null && grouping === by.peek()
    if (mine === generation) take(answer, params.from, params.to ?? answer.newest, isGrouped)
  }

  /** Loads a range that others may wait for. */
  const begin = (from: number, to: number): Promise<void> => {
    const done = load({ from, to }).finally(() => {
      if (loading === mine) loading = undefined
    })
    const mine = { from, to, by: by.peek(), done: done.catch(noteOnly) }
    loading = mine
    return done
  }

  effect(() => {
    // Another context has other columns.
    void context.value
    generation++
    loaded.clear()
    grouped.clear()
    limits.value = []
    loading = undefined
    byCycle.value = new Map()
    bins.read(null)
    span.value = undefined
  })
  effect(() => {
    // The extent is known at once; column contents take the server a while the first time.
    const { value, isFresh } = summary.value
    if (!isFresh || value === undefined || value.id !== context.peek()) return
    const { first, cycle: newest, kept } = value
    isWhole.value = kept === newest - first + 1
    reach(first, newest)
    const isLong = newest - first >= MOST_SIDE_BY_SIDE
    const centre = wanted.peek() ?? newest
    const [from, to] = isLong ? [Math.max(first, centre - REACH), Math.min(newest, centre + REACH)] : [first, newest]
    if (newest === 0) return
    begin(from, to)
      .then(() => {
        const mine = generation
        // Totals over a long history are expensive for the server, so load the visible columns first.
        const sum = (): void => {
          if (mine === generation) bins.read({ context: value.id, first, newest })
        }
        if (isLong) setTimeout(sum, LATER)
      })
      .catch(noteOnly)
  })

  const ensure = async (cycle: number): Promise<void> => {
    const known = span.peek()
    if (known === undefined || known.newest === 0) return
    const within = (each: number): number => Math.max(known.first, Math.min(known.newest, each))
    const centre = within(cycle)
    const ranges = by.peek() === null ? loaded : grouped
    if (ranges.covers(within(centre - NEAR), within(centre + NEAR))) return
    const isLoading = loading?.by === by.peek() && loading.from <= centre && loading.to >= centre
    if (isLoading) return loading!.done
    const { from, to } = ranges.missing(centre, within(centre - REACH), within(centre + REACH))
    return begin(from, to).catch(noteOnly)
  }

  effect(() => {
    // Another grouping: the columns in view get its groups, and keep the old ones until then.
    if (by.value === null) return
    grouped.clear()
    const known = span.peek()
    if (known === undefined) return
    const isLong = known.newest - known.first >= MOST_SIDE_BY_SIDE
    if (isLong) void ensure(wanted.peek() ?? known.newest)
    else load({ from: known.first, to: known.newest }).catch(noteOnly)
  })

  return {
    span,
    isWhole,
    limits,
    byCycle,
    bins,
    isLoaded: (from, to) => loaded.covers(from, to),
    ensure,
    refresh: async () => {
      const known = span.peek()
      const newest = known?.newest ?? 0
      await load({ from: Math.max(1, newest) })
      const { first = 0, newest: now = 0 } = span.peek() ?? {}
      const isLong = now - first >= MOST_SIDE_BY_SIDE
      if (isLong && now > newest) bins.read({ context: context.peek(), first, newest: now })
    },
  }
}

/** The connection has already recorded the failure and shows it. */
function noteOnly(): void {}
