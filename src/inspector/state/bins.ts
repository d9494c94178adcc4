// The sums of a long history, in bins. The server works out the figures of each cycle once, which takes a while for the first
// reader, so they are read in windows: the overview grows from the oldest cycle on, and the progress is known.

import { computed, signal, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Bin, Timeline } from '../../api/index.js'
import { startSteps, type Stepped } from './steps.js'

export type Bins = Readonly<{
  list: ReadonlySignal<readonly Bin[]>
  /** Cycles summed and to be summed; null before the first question. */
  progress: ReadonlySignal<Readonly<{ done: number; total: number }> | null>
  reading: Stepped<Timeline>
  /** Reads the sums of these cycles. What is shown stays until the new sums are complete. */
  read: (about: BinsAbout | null) => void
}>

export type BinsAbout = Readonly<{ context: string; first: number; newest: number }>

const BINS = 160
const BINS_OF_A_WINDOW = 16
/** Shorter histories are read at once. */
const SHORT = 500

function perBin({ first, newest }: BinsAbout): number {
  return Math.ceil((newest - first + 1) / BINS)
}

function windowOf(of: BinsAbout): number {
  const cycles = of.newest - of.first + 1
  return cycles <= SHORT ? cycles : BINS_OF_A_WINDOW * perBin(of)
}

export function createBins(): Bins {
  const about = signal<BinsAbout | null>(null)
  const reading = startSteps(
    () => about.value,
    ({ context, first, newest }) => `${context}\n${first} ${newest}`,
    (of, parts: readonly Timeline[]) => {
      const { context, first, newest } = of
      const width = windowOf(of)
      const from = first + parts.length * width
      if (from > newest) return null
      const to = Math.min(newest, from + width - 1)
      const bins = Math.ceil((to - from + 1) / perBin(of))
      return routes.timeline(context, { from: newest, to: newest, bins, binsFrom: from, binsTo: to })
    },
    // A commit changes the last window only.
    (of, before, parts) => {
      const isSame = of.context === before.context && of.first === before.first && windowOf(of) === windowOf(before)
      return isSame ? parts.slice(0, -1) : []
    },
  )
  let last: Readonly<{ context: string; list: readonly Bin[] }> = { context: '', list: [] }
  return {
    reading,
    list: computed(() => {
      const { parts, isReading } = reading.state.value
      const context = about.value?.context ?? ''
      const list = parts.flatMap(({ bins = [] }) => bins)
      // New sums replace complete ones at their end.
      if (isReading && last.context === context && last.list.length > list.length) return last.list
      last = { context, list }
      return list
    }),
    progress: computed(() => {
      const of = about.value
      if (of === null) return null
      const total = of.newest - of.first + 1
      return { done: Math.min(total, reading.state.value.parts.length * windowOf(of)), total }
    }),
    read: (of) => (about.value = of),
  }
}
