// The answer of a range of snapshots. All of a long history is read in windows, the newest first: neighbours are compared in each, and a
// window begins where the one before it ended.

import { computed, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Answer, JsonObject } from '../../api/index.js'
import type { RangeData } from '../words/lanes.js'
import type { Query } from '../words/selector.js'
import type { Place } from './link.js'
import { startSteps, type Stepped } from './steps.js'
import type { Columns } from './timeline.js'

export type RangeRead = Readonly<{
  range: ReadonlySignal<RangeData | undefined>
  /** Cycles read and to be read; null for a range that is read at once. */
  progress: ReadonlySignal<Readonly<{ done: number; total: number }> | null>
  reading: Stepped<Answer<'select'>>
}>

/** Shorter histories are read at once. */
const WINDOW = 500

type Asked = Readonly<{
  context: string
  text: string
  body: string
  first: number
  newest: number
  isLong: boolean
}>

export function createRangeRead(
  place: ReadonlySignal<Place>,
  query: ReadonlySignal<Query>,
  columns: Pick<Columns, 'span' | 'isWhole'>,
): RangeRead {
  const asked = computed((): Asked | null => {
    const { value } = query
    const span = columns.span.value
    if (value.kind !== 'range' || place.value.context === '' || span === undefined) return null
    const { text, body } = value
    const isAll = /^@history\b/.test(text) && !text.includes('@mode')
    const isLong = isAll && columns.isWhole.value && span.newest - span.first >= WINDOW
    return { context: place.value.context, text, body, ...span, isLong }
  })
  const reading = startSteps(
    () => asked.value,
    ({ context, text, first, newest, isLong }) => [context, text, ...(isLong ? [first, newest] : [newest])].join('\n'),
    (about, parts: readonly Answer<'select'>[]) => nextWindow(about, parts),
  )
  return {
    reading,
    range: computed(() => {
      const ranges = reading.state.value.parts.flatMap((part) => ('range' in part ? [asRange(part.range)] : []))
      return ranges.length === 0 ? undefined : joined(ranges)
    }),
    progress: computed(() => {
      const about = asked.value
      if (about === null || !about.isLong) return null
      const total = about.newest - about.first + 1
      return { done: Math.min(total, reading.state.value.parts.length * WINDOW), total }
    }),
  }
}

function nextWindow({ context, text, body, first, newest, isLong }: Asked, parts: readonly unknown[]) {
  if (!isLong) return parts.length > 0 ? null : routes.select(context, { selector: text, options: {} }, null)
  const to = newest - parts.length * WINDOW
  if (to < first || (parts.length > 0 && to === first)) return null
  const from = Math.max(first, to - WINDOW)
  return routes.select(context, { selector: `@c${from}..@c${to} ${body}`, options: {} }, null)
}

function asRange(range: JsonObject): RangeData {
  return range as unknown as RangeData
}

/** Windows as one range. The oldest snapshot of one is the newest of the next. */
export function joined(ranges: readonly RangeData[]): RangeData {
  const { mode } = ranges[0]!
  const snapshots = ranges.flatMap((range, i) => (i === 0 ? range.snapshots : range.snapshots.slice(1)))
  return { mode, snapshots, diffs: ranges.flatMap(({ diffs }) => diffs) }
}
