// Who has left whom, among the contexts of a family.

import { sameBytes } from '../same-bytes.js'
import type { Cells } from './cells.js'

/** The forks of a context, and theirs; itself too, where damaged tables say so. */
export function forksBelow(all: readonly Cells[], context: Uint8Array): readonly Cells[] {
  const found = new Set<Cells>()
  for (let next = [context]; next.length > 0;) {
    const forks = all.filter((each) => !found.has(each) && next.some((above) => isFork(each, above)))
    for (const fork of forks) found.add(fork)
    next = forks.map((fork) => fork['context'] as Uint8Array)
  }
  return [...found]
}

export function isFork({ parent }: Cells, of: Uint8Array): boolean {
  return parent !== null && sameBytes(parent as Uint8Array, of)
}
