// What of the tree is open and shown: by hand, beside what is open by itself.

import { signal, type Signal } from '@preact/signals'

/** Where it stands, as far as that is known already. */
type Sought = Readonly<{ id: string; row: number | undefined; turn: number }>

export type TreeState = Readonly<{
  opened: Signal<readonly string[]>
  closed: Signal<readonly string[]>
  /** Turns that are open since they hold matches. */
  matched: Signal<readonly string[]>
  all: Signal<boolean>
  /** Whether what left since the base keeps its place. */
  ghosts: Signal<boolean>
  onlyMatches: Signal<boolean>
  /** A row to bring into sight, by the id of its node. */
  sought: Signal<Sought | null>
  toggle: (id: string, isOpen: boolean) => void
  toggleAll: () => void
  seek: (id: string, row?: number) => void
  reset: () => void
}>

export function createTreeState(): TreeState {
  const opened = signal<readonly string[]>([])
  const closed = signal<readonly string[]>([])
  const all = signal(false)
  const sought = signal<Sought | null>(null)
  let turn = 0
  const reset = (): void => {
    if (opened.peek().length > 0) opened.value = []
    if (closed.peek().length > 0) closed.value = []
  }
  return {
    opened,
    closed,
    matched: signal<readonly string[]>([]),
    all,
    ghosts: signal(true),
    onlyMatches: signal(false),
    sought,
    toggle: (id, isOpen) => {
      opened.value = isOpen
        ? [...opened.peek().filter((each) => each !== id), id]
        : opened.peek().filter((each) => each !== id)
      closed.value = isOpen
        ? closed.peek().filter((each) => each !== id)
        : [...closed.peek().filter((each) => each !== id), id]
    },
    toggleAll: () => {
      all.value = !all.peek()
      reset()
    },
    seek: (id, row) => (sought.value = { id, row, turn: ++turn }),
    reset,
  }
}
