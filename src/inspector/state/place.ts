// The page's place, in step with its address. Stepping replaces the browser's history entry; another view or context
// pushes one, so that Back returns to it.

import { signal, type Signal } from '@preact/signals'
import { readLink, writeLink, type Place } from './link.js'

export type Places = Readonly<{
  place: Signal<Place>
  go: (change: Partial<Place>) => void
}>

export function createPlaces(): Places {
  const place = signal(readLink(location.hash))
  addEventListener('popstate', () => {
    place.value = readLink(location.hash)
  })
  const go = (change: Partial<Place>): void => {
    const before = place.peek()
    const next = { ...before, ...change }
    if (next.view !== 'compare') next.from = null
    const [from, to] = [writeLink(before), writeLink(next)]
    if (from === to && before.at === next.at) return
    place.value = next
    const isElsewhere = (next.view !== before.view || next.context !== before.context) && before.context !== ''
    if (isElsewhere) history.pushState(null, '', to)
    else history.replaceState(null, '', to)
  }
  return { place, go }
}
