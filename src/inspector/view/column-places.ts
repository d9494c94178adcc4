// The places of the timeline's columns on the screen, so that lanes are drawn exactly under them and scroll with them.

import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { At } from '../state/link.js'

export type ColumnPlace = Readonly<{ at: At; left: number; width: number }>

export type ColumnPlaces = Readonly<{
  list: readonly ColumnPlace[]
  /** The scroll position of the timeline, and the width of its part in sight. */
  scroll: number
  width: number
}>

const NONE: ColumnPlaces = { list: [], scroll: 0, width: 0 }

export function useColumnPlaces(): ReadonlySignal<ColumnPlaces> {
  const places = useSignal(NONE)
  useLayoutEffect(() => {
    const track = document.getElementById('cycles')
    if (track === null) return
    const measure = (): void => {
      const columns = [...track.querySelectorAll<HTMLElement>('.col')]
      places.value = {
        list: columns.map((each) => ({
          at: each.id.slice('col-'.length) as At,
          left: each.offsetLeft,
          width: each.offsetWidth,
        })),
        scroll: track.scrollLeft,
        width: track.clientWidth,
      }
    }
    const scrolled = (): void => {
      places.value = { ...places.peek(), scroll: track.scrollLeft }
    }
    const columns = new MutationObserver(measure)
    columns.observe(track, { childList: true })
    const size = new ResizeObserver(measure)
    size.observe(track)
    track.addEventListener('scroll', scrolled, { passive: true })
    measure()
    return () => {
      columns.disconnect()
      size.disconnect()
      track.removeEventListener('scroll', scrolled)
    }
  }, [])
  return places
}

/** The columns of which a part is in sight. */
export function placesInSight({ list, scroll, width }: ColumnPlaces): readonly ColumnPlace[] {
  return list.filter((each) => each.left + each.width > scroll && each.left < scroll + width)
}
