// What a plan selects in one of two trees and not in the other, without looking at what both trees share: a lasting group
// finds the same in a segment wherever the segment stands.

import type { NodeRecord } from '../core/index.js'
import { lineOf, unsharedItems, type Branch, type View } from '../timeline/index.js'
import type { SearchCache } from './columns.js'
import type { CompiledGroup, Plan } from './compile.js'
import { lastingGroup, searchFor } from './run.js'

export type Apart = Readonly<{
  /** What is selected in the parts that only one tree has; ids that stand in both lists are selected in both trees. */
  older: readonly string[]
  newer: readonly string[]
  /** Whether both trees select a node that both hold. */
  isInBoth: (id: string) => boolean
}>

/** Undefined for a plan whose answers depend on more than each segment by itself. */
export function selectApart(older: View, newer: View, plan: Plan, cache: SearchCache): Apart | undefined {
  const group = lastingGroup(plan)
  if (group === undefined || group.isKeyed) return undefined
  const [olderUnits, newerUnits] = unsharedUnits(older, newer)
  return {
    older: idsIn(older, olderUnits, group, plan, cache),
    newer: idsIn(newer, newerUnits, group, plan, cache),
    isInBoth: (id) => isSelected(newer, id, group, plan, cache) && isSelected(older, id, group, plan, cache),
  }
}

function unsharedUnits(older: View, newer: View): readonly [older: readonly Branch[], newer: readonly Branch[]] {
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

function idsIn(
  view: View,
  units: readonly Branch[],
  group: CompiledGroup,
  plan: Plan,
  cache: SearchCache,
): readonly string[] {
  if (units.length === 0) return NONE
  const search = searchFor(view, group, plan, cache)
  return units.flatMap((unit) => search.idsIn(unit))
}

const NONE: readonly string[] = []

function isSelected(view: View, id: string, group: CompiledGroup, plan: Plan, cache: SearchCache): boolean {
  const record = view.find(id)
  if (record === undefined) return false
  const search = searchFor(view, group, plan, cache)
  const unit = unitOf(view, record)
  return (unit === undefined ? search.topIds() : search.idsIn(unit)).includes(id)
}

/** The segment, `^sys` or `^ah` that a node stands in; the root and `^seq` are in none. */
function unitOf(view: View, record: NodeRecord): Branch | undefined {
  if (record.nodeClass === 'root') return undefined
  const [sys, seq, ah] = view.tree.regions
  const [region, segment] = lineOf(view, record)
  if (region!.id === sys.record.id) return sys
  if (region!.id === ah.record.id) return ah
  return segment === undefined ? undefined : (seq.children.find(segment) as Branch)
}
