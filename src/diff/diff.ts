// The plain diff of two views (05 §4, D38).

import type { NodeRecord } from '../core/index.js'
import type { View } from '../timeline/index.js'
import { compareViews, sidesOf, type ChangedNode, type Selection } from './compare.js'
import type { Diff } from './diff-types.js'

/** Goes from one view to another of the same context, whichever is newer. */
export function diffViews(from: View, to: View, selection?: Selection): Diff {
  const sides = sidesOf(from, to)
  const { onlyOlder, onlyNewer, changed } = compareViews(sides, selection)
  const isForward = sides.newer === to
  return Object.freeze({
    added: idsOf(isForward ? onlyNewer : onlyOlder),
    removed: idsOf(isForward ? onlyOlder : onlyNewer),
    changed: changed.length === 0 ? NONE : Object.freeze(changed.map(entryOf)),
  })
}

const NONE: readonly never[] = Object.freeze([])

function entryOf({ newer, fields }: ChangedNode): Diff['changed'][number] {
  return Object.freeze({ id: newer.id, fields })
}

function idsOf(records: readonly NodeRecord[]): readonly string[] {
  return records.length === 0 ? NONE : Object.freeze(records.map((record) => record.id))
}
