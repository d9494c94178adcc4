// The page's place and whether it follows the newest commit, as one state machine in step with the address. Stepping replaces the
// browser's history entry; another view or context pushes one, so that Back returns to it.
//
//   arriving   no moment is named: the newest is chosen as soon as it is known, and followed
//   landed     a link names a moment: it stays, and is followed if it turns out to be the newest
//   following  a commit moves the page to its cycle
//   still      nothing moves the page but the user

import { signal, type ReadonlySignal } from '@preact/signals'
import { readLink, writeLink, type At, type Place } from './link.js'

export type Phase = 'arriving' | 'landed' | 'following' | 'still'
export type Position = Readonly<{ place: Place; phase: Phase }>

export type Move =
  /** The address changed: a link, Back, Forward. */
  | Readonly<{ kind: 'link'; place: Place }>
  /** The user chose something; a moment among it ends or begins following. */
  | Readonly<{ kind: 'go'; change: Partial<Place> }>
  /** The newest cycle of the context is known, or has changed. */
  | Readonly<{ kind: 'newest' }>
  | Readonly<{ kind: 'follow'; isOn: boolean }>

/** The next position. `newest` is that of the context in view, null until it is known. */
export function moved(now: Position, move: Move, newest: number | null): Position {
  switch (move.kind) {
    case 'link':
    case 'go': {
      const wanted = move.kind === 'link' ? move.place : { ...now.place, ...move.change }
      const place = wanted.view === 'compare' ? wanted : { ...wanted, from: null, other: null }
      const isNamed = move.kind === 'link' || move.change.at !== undefined || move.change.context !== undefined
      if (!isNamed) return { place, phase: now.phase }
      const phase = place.at === null ? 'arriving' : 'landed'
      return place.context === now.place.context ? settled({ place, phase }, newest) : { place, phase }
    }
    case 'newest':
      return settled(now, newest)
    case 'follow':
      return move.isOn ? settled({ ...now, phase: 'following' }, newest) : { ...now, phase: 'still' }
  }
}

function settled(now: Position, newest: number | null): Position {
  if (newest === null || now.phase === 'still') return now
  const at: At = newest === 0 ? 'working' : `c${newest}`
  if (now.phase === 'landed') return { ...now, phase: now.place.at === at ? 'following' : 'still' }
  return { phase: 'following', place: now.place.at === at ? now.place : { ...now.place, at } }
}

export type Places = Readonly<{
  place: ReadonlySignal<Place>
  isFollowing: ReadonlySignal<boolean>
  move: (move: Move) => void
  go: (change: Partial<Place>) => void
}>

/** The position of this page. `newest` is read when something moves. */
export function createPlaces(newest: () => number | null): Places {
  const first = readLink(location.hash)
  let position: Position = { place: first, phase: first.at === null ? 'arriving' : 'landed' }
  const place = signal(first)
  const isFollowing = signal(false)
  const move = (by: Move): void => {
    const before = position
    position = moved(before, by, newest())
    isFollowing.value = position.phase === 'following'
    if (position.place === before.place) return
    place.value = position.place
    const [from, to] = [writeLink(before.place), writeLink(position.place)]
    const isElsewhere =
      by.kind === 'go' &&
      before.place.context !== '' &&
      (position.place.view !== before.place.view || position.place.context !== before.place.context)
    if (isElsewhere) history.pushState(null, '', to)
    else if (from !== to || by.kind === 'link') history.replaceState(null, '', to)
  }
  addEventListener('popstate', () => move({ kind: 'link', place: readLink(location.hash) }))
  return { place, isFollowing, move, go: (change) => move({ kind: 'go', change }) }
}
