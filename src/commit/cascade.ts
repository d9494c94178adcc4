// Emptied removable containers leave in the commit that finds them empty, and so on upward (02 §5.3, D26).

import type { NodeRecord } from '../core/index.js'
import { AT_ONCE, Branch, childrenOf, type Draft, type Sequence } from '../timeline/index.js'
import type { Held } from './expire.js'

/** Removes them, each time the first in document order, and gives their records back. */
export function cascade(draft: Draft, held: Held): NodeRecord[] {
  const removed: NodeRecord[] = []
  // One removal can empty a parent or end a reference, so look again from the start.
  for (let next = firstFree(draft, held); next !== undefined; next = firstFree(draft, held)) {
    draft.remove(next)
    removed.push(next)
  }
  return removed
}

function firstFree(draft: Draft, held: Held): NodeRecord | undefined {
  for (const { children } of draft.tree.regions) {
    if (children.due > AT_ONCE) continue
    for (const { record } of spent(children)) {
      if (!held(record.id) && !isNamed(draft, record.id)) return record
    }
  }
  return undefined
}

function* spent(sequence: Sequence): Generator<Branch, void, undefined> {
  if (sequence.due > AT_ONCE) return
  for (const chunk of sequence.chunks ?? []) yield* spent(chunk)
  for (const item of sequence.items ?? []) {
    if (item instanceof Branch && item.isSpent) yield item
    else yield* spent(childrenOf(item))
  }
}

function isNamed(draft: Draft, id: string): boolean {
  for (const referrer of draft.referrersOf(id)) if (referrer.id !== id) return true
  return false
}
