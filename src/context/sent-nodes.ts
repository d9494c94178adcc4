// How the thread of an attempt differs from that of the snapshot below it (D32), at the price of what is uncommitted.

import type { JsonObject, JsonValue, NodeRecord } from '../core/index.js'
import { nodeToJson } from '../codec/index.js'
import { eachRecord, sortByPlace, type View } from '../timeline/index.js'

/** What tells a thread from that of its base cycle. */
export type OpenNodes = Readonly<{
  /** The rendered nodes that the snapshot of the base cycle does not hold in this form, in the order of the thread. */
  nodes: readonly JsonObject[]
  /** Which item of the thread each of them is. */
  thread_indexes: readonly number[]
  /** The items of the base cycle's thread that this one lacks. */
  absent_ids: readonly string[]
}>

/**
 * Tells a thread from that of its base, so that the record and the base give it again: take the base's items, leave out those
 * that are absent or among the nodes, and put each node in at its index. What is not listed keeps its order, because
 * neither it nor anything above it has moved.
 */
export function openNodes(view: View, base: View | undefined): OpenNodes {
  const nodes = new Set<NodeRecord>()
  const absent: NodeRecord[] = []
  const take = (record: NodeRecord): void => {
    if (record.isRendered) nodes.add(record)
  }
  if (base === undefined) {
    take(view.tree.root)
    for (const region of view.tree.regions) eachRecord(region, take)
  } else {
    for (const id of new Set(view.changedSince(base, Infinity))) {
      const [before, after] = [base.find(id), view.find(id)]
      if (before === after) continue
      if (before?.isRendered === true && after?.isRendered !== true) absent.push(before)
      if (after === undefined) continue
      take(after)
      if (before !== undefined && hasMoved(before, after)) eachRecord(view.nodeOf(after), take)
    }
  }
  const inOrder = sortByPlace(view, [...nodes])
  return {
    nodes: Object.freeze(inOrder.map((record) => freezeDeep(nodeToJson(record, view.ttlOf(record), undefined)))),
    thread_indexes: Object.freeze(inOrder.map((record) => view.threadIndexOf(record)!)),
    absent_ids: Object.freeze(base === undefined ? [] : sortByPlace(base, absent).map(({ id }) => id)),
  }
}

/** Whether a node stands elsewhere among its siblings, or under another parent, with all that is below it. */
function hasMoved(before: NodeRecord, after: NodeRecord): boolean {
  return (
    before.parentId !== after.parentId ||
    before.offset !== after.offset ||
    before.createdAtNs !== after.createdAtNs ||
    before.creationIndex !== after.creationIndex
  )
}

function freezeDeep<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}
