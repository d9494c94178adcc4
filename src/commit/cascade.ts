// Emptied removable containers leave in the commit that finds them empty, and so on upward (02 §5.3, D26).

import type { NodeRecord } from '../core/index.js'
import { AT_ONCE, Branch, childrenOf, type Draft, type Sequence } from '../timeline/index.js'
import type { Held } from './expire.js'

/** Removes them all and gives their records back. */
export function cascade(draft: Draft, held: Held): NodeRecord[] {
  const removed: NodeRecord[] = []
  // One removal can empty a parent or end a reference, so look again until nothing moves.
  for (let before = -1; removed.length > before;) {
    before = removed.length
    for (const { children } of draft.tree.regions) {
      for (const { record } of spent(children)) {
        if (held(record.id) || isNamed(draft, record.id)) continue
        draft.remove(record)
        removed.push(record)
      }
    }
  }
  return removed
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
