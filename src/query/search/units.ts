// Units of a tree: `^sys`, each segment, and `^ah`. Trees share the units that did not change between them.

import type { NodeRecord } from '../../core/index.js'
import { lineOf, unsharedItems, type Branch, type View } from '../../timeline/index.js'

/** The units of each tree that the other tree does not have in the same version. */
export function unsharedUnits(older: View, newer: View): readonly [older: readonly Branch[], newer: readonly Branch[]] {
  const [olderSys, olderSeq, olderHead] = older.tree.regions
  const [newerSys, newerSeq, newerHead] = newer.tree.regions
  const [before, after] = unsharedItems(olderSeq.children, newerSeq.children) as [readonly Branch[], readonly Branch[]]
  const isSameSys = olderSys === newerSys
  const isSameHead = olderHead === newerHead
  return [
    [...(isSameSys ? [] : [olderSys]), ...before, ...(isSameHead ? [] : [olderHead])],
    [...(isSameSys ? [] : [newerSys]), ...after, ...(isSameHead ? [] : [newerHead])],
  ]
}

/** The unit that holds a node; undefined for the root and `^seq`. */
export function unitOf(view: View, record: NodeRecord): Branch | undefined {
  if (record.nodeClass === 'root') return undefined
  const [sys, seq, ah] = view.tree.regions
  const [region, segment] = lineOf(view, record)
  if (region!.id === sys.record.id) return sys
  if (region!.id === ah.record.id) return ah
  return segment === undefined ? undefined : (seq.children.find(segment) as Branch)
}
