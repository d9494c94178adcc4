// The one virtual list: of tree, Request, Compare and Range. Only rows near the viewport are drawn. Rows have one height, or are measured
// as they are drawn; a row above the viewport that turns out higher or lower moves the scroll with it, so that nothing jumps.

import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { useNarrow } from './use-narrow.js'
import { seesRow, showRow, useViewport } from './use-viewport.js'

export type Virtual = Readonly<{
  /** The height of all rows. */
  height: number
  /** The drawn rows; the end is not included. */
  from: number
  to: number
  topOf: (index: number) => number
  /** Scrolls a row into view, if it is not in sight. */
  show: (index: number) => void
  /** True if all of a row is in sight at this moment. */
  sees: (index: number) => boolean
}>

export type VirtualOptions = Readonly<{
  count: number
  /** The height of a row, or of one that is not measured yet. */
  rowHeight: number
  /** Measures the rows by their `data-index`; a key keeps the height of a row when others come before it. */
  keyOf?: (index: number) => string
  /** The list scrolls by itself on a narrow page too. */
  isScroller?: boolean
}>

/** Pixels drawn beyond either end of the viewport. */
const BEYOND = 300

export function useVirtual(box: RefObject<HTMLElement | null>, options: VirtualOptions): Virtual {
  const { count, rowHeight, keyOf, isScroller = false } = options
  const isNarrow = useNarrow() && !isScroller
  const viewport = useViewport(box, isScroller)
  const heights = useRef(new Map<string, number>()).current
  const [measured, redraw] = useReducer((n: number) => n + 1, 0)
  const tops = useRef<Tops>(null)
  /** A row that is on its way into view: rows that are drawn for it may turn out higher or lower, and move it. */
  const sought = useRef<number | null>(null)
  if (
    keyOf !== undefined &&
    (tops.current?.version !== measured || tops.current.count !== count || tops.current.keyOf !== keyOf)
  ) {
    tops.current = { version: measured, count, keyOf, list: topsOf(count, (i) => heights.get(keyOf(i)) ?? rowHeight) }
  }
  const topOf = (index: number): number =>
    keyOf === undefined ? index * rowHeight : tops.current!.list[Math.min(index, count)]!
  const rowAt = (y: number): number => {
    if (keyOf === undefined) return Math.max(0, Math.min(count, Math.floor(y / rowHeight)))
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (topOf(middle) <= y) low = middle
      else high = middle - 1
    }
    return low
  }
  const { top, height } = viewport.value

  useLayoutEffect(() => {
    const list = box.current
    if (keyOf === undefined || list === null) return
    let [isNew, shift] = [false, 0]
    for (const row of list.querySelectorAll<HTMLElement>('[data-index]')) {
      const index = Number(row.dataset['index'])
      if (index >= count) continue
      const before = heights.get(keyOf(index)) ?? rowHeight
      const now = row.offsetHeight
      if (now === 0 || now === before) continue
      heights.set(keyOf(index), now)
      isNew = true
      if (topOf(index) < top && !isNarrow) shift += now - before
    }
    if (shift !== 0) list.scrollTop += shift
    if (isNew) redraw(0)
    else if (sought.current !== null && !showNow(sought.current)) sought.current = null
  })
  /** True if it scrolled. */
  const showNow = (index: number): boolean =>
    box.current !== null &&
    index >= 0 &&
    index < count &&
    showRow(box.current, topOf(index), topOf(index + 1) - topOf(index), isNarrow)

  return {
    height: topOf(count),
    from: rowAt(Math.max(0, top - BEYOND)),
    to: Math.min(count, rowAt(top + height + BEYOND) + 1),
    topOf,
    sees: (index) =>
      box.current !== null && seesRow(box.current, topOf(index), topOf(index + 1) - topOf(index), isNarrow),
    show: (index) => {
      showNow(index)
      if (keyOf === undefined) return
      sought.current = index
      redraw(0)
    },
  }
}

type Tops = Readonly<{ version: number; count: number; keyOf: (index: number) => string; list: Float64Array }>

function topsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const list = new Float64Array(count + 1)
  for (let i = 0; i < count; i++) list[i + 1] = list[i]! + heightOf(i)
  return list
}
