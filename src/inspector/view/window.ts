// The visible columns: all, or for a long history those around the moment in view. The window moves only when the
// moment leaves it.

import { signal } from '@preact/signals'
import type { Figures } from '../../api/index.js'
import { cycleOf, type At } from '../state/link.js'
import type { Send } from '../state/sends.js'
import type { Session } from '../state/session.js'
import { MOST_SIDE_BY_SIDE } from '../state/timeline.js'

/** A column to draw; without a send if its cycle is not loaded. */
export type Shown = Readonly<{ at: At; send: Send | undefined; figures: Figures | undefined }>

const WIDTH = 38
const MARGIN = 1
/** Most calls shown side by side, however few their cycles. */
const MOST = 120

const last = signal<{ from: number; to: number }>({ from: 0, to: 0 })

export function shownColumns({ columns, sends, at }: Session): readonly Shown[] {
  const span = columns.span.value
  if (span === undefined) return []
  const list = sends.list.value
  const now = at.value
  const isLong = span.newest - span.first >= MOST_SIDE_BY_SIDE
  const centre = (now === null ? null : cycleOf(now)) ?? span.newest
  const { from, to } = isLong
    ? windowAround(span, Math.min(centre, span.newest))
    : { from: span.first, to: span.newest }
  // Calls of the open cycle are at the end.
  const isInWindow = ({ cycle }: Send): boolean => cycle >= from && (cycle <= to || (to === span.newest && cycle > to))
  const shown = list.filter(isInWindow).map((send): Shown => ({ at: send.at, send, figures: send.figures }))
  const missing: Shown[] = []
  for (let cycle = from; cycle <= to && span.newest > 0; cycle++) {
    if (!sends.isKnown(cycle) && !columns.isLoaded(cycle, cycle))
      missing.push({ at: `c${cycle}`, send: undefined, figures: undefined })
  }
  const all = missing.length === 0 ? shown : [...shown, ...missing].sort((a, b) => cycleOf(a.at)! - cycleOf(b.at)!)
  if (all.length <= MOST) return all
  const index = all.findIndex((each) => each.at === now)
  const start = Math.max(0, Math.min((index < 0 ? all.length : index) - MOST / 2, all.length - MOST))
  return all.slice(start, start + MOST)
}

function windowAround(span: { first: number; newest: number }, cycle: number): { from: number; to: number } {
  const { from, to } = last.peek()
  const isInside = from >= span.first && to <= span.newest && cycle >= from + MARGIN && cycle <= to - MARGIN
  const isAtEdge =
    from >= span.first &&
    to <= span.newest &&
    cycle >= from &&
    cycle <= to &&
    (from === span.first || to === span.newest)
  if (to - from === WIDTH - 1 && (isInside || isAtEdge)) return { from, to }
  const start = Math.max(span.first, Math.min(cycle - WIDTH / 2, span.newest - WIDTH + 1))
  last.value = { from: start, to: Math.min(span.newest, start + WIDTH - 1) }
  return last.peek()
}
