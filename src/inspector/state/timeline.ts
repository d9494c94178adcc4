// The columns of the timeline: those that were asked for, by cycle, and for a long history the sums over all of it. Columns of
// committed cycles never change, so they are added to and not asked again, except for the newest, whose attempts may still run.

import { effect, signal, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Column, ContextSummary, Timeline } from '../api/types.js'
import { fetchAnswer, type Read } from './reads.js'
import { Stretches } from './stretches.js'

export type Span = Readonly<{ first: number; newest: number }>

export type Columns = Readonly<{
  /** Undefined until the first answer; newest is 0 before the first commit. */
  span: ReadonlySignal<Span | undefined>
  /** Whether every cycle from the first to the newest is there, so that neighbours are known by their number. */
  isWhole: ReadonlySignal<boolean>
  /** Oldest first. */
  byCycle: ReadonlySignal<ReadonlyMap<number, Column>>
  bins: ReadonlySignal<NonNullable<Timeline['bins']>>
  /** Whether everything from one cycle to another is there, so that what is not there does not exist. */
  isLoaded: (from: number, to: number) => boolean
  /** Asks for the columns around a cycle that are not there yet; resolves when they are. */
  ensure: (cycle: number) => Promise<void>
  /** Asks for what was committed since, and whether calls of the newest cycle have ended. */
  refresh: () => Promise<void>
}>

type Around = Readonly<{
  context: ReadonlySignal<string>
  summary: ReadonlySignal<Read<ContextSummary>>
  /** The cycle to begin with, where a link names one. */
  wanted: ReadonlySignal<number | null>
}>

/** Up to so many cycles, all of them stand side by side. */
export const MOST_SIDE_BY_SIDE = 60
const BINS = 160
const LATER = 700
/** How far around a cycle columns are asked for, and how near the end of them the next are. */
const REACH = 40
const NEAR = 12
const MOST_COLUMNS = 1200

export function createColumns({ context, summary, wanted }: Around): Columns {
  const span = signal<Span | undefined>(undefined)
  const byCycle = signal<ReadonlyMap<number, Column>>(new Map())
  const bins = signal<NonNullable<Timeline['bins']>>([])
  const isWhole = signal(false)
  const loaded = new Stretches()
  let loading: Readonly<{ from: number; to: number; done: Promise<void> }> | undefined
  let generation = 0

  /** An answer may be overtaken by a later one; commits are never taken back. */
  const reach = (first: number, newest: number): void => {
    const before = span.peek()
    const next = { first, newest: Math.max(newest, before?.newest ?? 0) }
    if (before?.first !== next.first || before.newest !== next.newest) span.value = next
  }

  const take = (answer: Timeline, from: number, to: number): void => {
    const known = byCycle.peek()
    // One that says the same stays the same object, so that nothing is drawn again for it.
    const fresh = answer.columns.filter(
      (column) => JSON.stringify(column) !== JSON.stringify(known.get(column.cycle) ?? null),
    )
    const all = new Map([...known, ...fresh.map((column) => [column.cycle, column] as const)])
    const far = [...all.keys()].sort((a, b) => Math.abs(b - from) - Math.abs(a - from))
    for (const cycle of far.slice(0, Math.max(0, all.size - MOST_COLUMNS))) all.delete(cycle)
    const cycles = [...all.keys()].sort((a, b) => a - b)
    if (to >= from) loaded.add(from, to)
    if (all.size === MOST_COLUMNS) loaded.clip(cycles[0]!, cycles.at(-1)!)
    if (fresh.length > 0) byCycle.value = new Map(cycles.map((cycle) => [cycle, all.get(cycle)!]))
    reach(answer.first, answer.newest)
    if (answer.bins !== undefined) bins.value = answer.bins
  }

  const load = async (params: { from: number; to?: number; bins?: number }): Promise<void> => {
    const id = context.peek()
    const mine = generation
    const answer = await fetchAnswer(routes.timeline(id, params))
    if (mine === generation) take(answer, params.from, params.to ?? answer.newest)
  }

  effect(() => {
    // Another context has other columns.
    void context.value
    generation++
    loaded.clear()
    loading = undefined
    byCycle.value = new Map()
    bins.value = []
    span.value = undefined
  })
  effect(() => {
    // How far it reaches is known at once; what the columns hold takes the server a while where nobody asked before.
    const { value, isFresh } = summary.value
    if (!isFresh || value === undefined || value.id !== context.peek()) return
    const { first, cycle: newest, kept } = value
    isWhole.value = kept === newest - first + 1
    reach(first, newest)
    const isLong = newest - first >= MOST_SIDE_BY_SIDE
    const centre = wanted.peek() ?? newest
    const [from, to] = isLong ? [Math.max(first, centre - REACH), Math.min(newest, centre + REACH)] : [first, newest]
    if (newest === 0) return
    load({ from, to })
      .then(() => {
        const mine = generation
        // Sums over a long past are work for the server; what is in sight comes first.
        const sum = (): void => {
          if (mine === generation) load({ from: newest, to: newest, bins: BINS }).catch(noteOnly)
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
    if (loaded.covers(within(centre - NEAR), within(centre + NEAR))) return
    if (loading !== undefined && loading.from <= centre && loading.to >= centre) return loading.done
    const { from, to } = loaded.missing(centre, within(centre - REACH), within(centre + REACH))
    const done = load({ from, to })
      .catch(noteOnly)
      .finally(() => (loading = undefined))
    loading = { from, to, done }
    return done
  }

  return {
    span,
    isWhole,
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
      if (isLong && now > newest) load({ from: now, to: now, bins: BINS }).catch(noteOnly)
    },
  }
}

/** The connection knows of it already, and shows it. */
function noteOnly(): void {}
