// Open and shown parts of the tree, as the user set them.

import { signal, type Signal } from '@preact/signals'

/** Its position, if known. */
type Sought = Readonly<{ id: string; row: number | undefined; turn: number }>

export type TreeState = Readonly<{
  opened: Signal<readonly string[]>
  closed: Signal<readonly string[]>
  /** Turns that are open because they hold matches. */
  matched: Signal<readonly string[]>
  all: Signal<boolean>
  /** True if removed nodes keep their place in the tree. */
  ghosts: Signal<boolean>
  onlyMatches: Signal<boolean>
  /** The node id of a row to scroll into view. */
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
