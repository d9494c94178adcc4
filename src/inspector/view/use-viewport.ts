// The visible part of a long list, in pixels from its top. On a wide page the list scrolls, on a narrow one the page does.

import { useSignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useNarrow } from './use-narrow.js'

export type Viewport = Readonly<{ top: number; height: number; width: number }>

export function useViewport(list: RefObject<HTMLElement | null>, isScroller = false): Signal<Viewport> {
  const viewport = useSignal<Viewport>({ top: 0, height: 600, width: 0 })
  const isNarrow = useNarrow() && !isScroller
  const watched = useRef<Readonly<{ box: HTMLElement; isNarrow: boolean; end: () => void }> | null>(null)
  // After every render, because the list does not exist before its first answer.
  useLayoutEffect(() => {
    const box = list.current
    if (box === watched.current?.box && isNarrow === watched.current?.isNarrow) return
    watched.current?.end()
    watched.current = box === null ? null : { box, isNarrow, end: watch(box, isNarrow, viewport) }
  })
  useLayoutEffect(() => () => watched.current?.end(), [])
  return viewport
}

function watch(box: HTMLElement, isNarrow: boolean, viewport: Signal<Viewport>): () => void {
  const measure = (): void => {
    const width = box.clientWidth
    const next = isNarrow
      ? { top: Math.max(0, -box.getBoundingClientRect().top), height: innerHeight, width }
      : { top: box.scrollTop, height: box.clientHeight, width }
    const last = viewport.peek()
    if (next.top !== last.top || next.height !== last.height || width !== last.width) viewport.value = next
  }
  const scroller: EventTarget = isNarrow ? document : box
  const sizes = new ResizeObserver(measure)
  sizes.observe(isNarrow ? document.documentElement : box)
  scroller.addEventListener('scroll', measure, { passive: true })
  measure()
  return () => {
    sizes.disconnect()
    scroller.removeEventListener('scroll', measure)
  }
}

/** True if all of a row is visible now: measured, because the viewport of the last rendering may be older than the layout. */
export function seesRow(box: HTMLElement, top: number, height: number, isNarrow: boolean): boolean {
  if (isNarrow) {
    const y = box.getBoundingClientRect().top + top
    // Above the sheet and below the bar.
    return y >= 96 && y <= innerHeight * 0.26 - height
  }
  return top >= box.scrollTop && top + height <= box.scrollTop + box.clientHeight
}

/** Scrolls a row into view if it is not visible; true if that moved anything. */
export function showRow(box: HTMLElement, top: number, height: number, isNarrow: boolean): boolean {
  if (seesRow(box, top, height, isNarrow)) return false
  if (isNarrow) {
    const before = scrollY
    scrollBy(0, box.getBoundingClientRect().top + top - 110)
    return scrollY !== before
  }
  const before = box.scrollTop
  box.scrollTop = Math.max(0, top - box.clientHeight / 3)
  return box.scrollTop !== before
}
