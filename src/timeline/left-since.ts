// The way a node left a tree: by its removal, or for the node in its place. A node that came and went while one cycle was open leaves no removal, so
// only the node in its place tells.

import { compactedOf, isLineFor, REDACTION, type Cause, type NodeRecord } from '../core/index.js'
import type { View } from './view.js'

type Left = Readonly<{ cause: Cause; cycle: number; successor: string | undefined }>

/** Why a later tree has lost a node; undefined where nothing tells. */
export function leftSince(record: NodeRecord, before: View, after: View): Left | undefined {
  const gone = after.departureSince(record.id, before)
  if (gone !== undefined) return { cause: gone.cause, cycle: gone.born, successor: gone.successor }
  const heir = heirSince(record, before, after)
  return heir && { cause: causeOfHeir(heir, record.id), cycle: heir.born, successor: heir.id }
}

/** The node that has the place of another one: it says so, or it came for the same key. */
function heirSince(record: NodeRecord, before: View, after: View): NodeRecord | undefined {
  const meant = after.meant(record.id)
  if (meant !== undefined) return meant
  if (record.instanceKey === undefined) return undefined
  for (const id of after.changedSince(before, Infinity) ?? []) {
    const other = after.find(id)
    if (other !== undefined && before.find(id) === undefined && hasKeyOf(other, record)) return other
  }
  return undefined
}

/** True if a node came for the key of another one. A node whose ttl ran out before the key was given again left for itself. */
export function hasKeyOf(heir: NodeRecord, { instanceKey, ttl, cycle }: NodeRecord): boolean {
  return instanceKey !== undefined && heir.instanceKey === instanceKey && (ttl === null || heir.cycle === cycle)
}

/** The cause for a node that left for another one. The record of a call has no maker of it, but its form. */
export function causeOfHeir(heir: NodeRecord, id: string): Cause {
  if (heir.by === 'shed' || isLineFor(heir, id)) return 'shed'
  if (heir.by === 'compact' || compactedOf(heir) !== undefined) return 'compacted'
  const isMarker = heir.by === 'delete' || heir.by === 'redact' || heir.nodeType.endsWith(REDACTION)
  return isMarker ? 'redacted' : 'superseded'
}
