// The list of each view, which has the focus where no control has it.

import type { View } from '../state/link.js'

const LISTS: Readonly<Record<View, string>> = {
  tree: 'tree',
  compare: 'changes',
  request: 'items',
  range: 'range',
  forks: 'forks',
}

export function focusList(view: View): void {
  document.getElementById(LISTS[view])?.focus({ preventScroll: true })
}
