// What a thread does not tell of the tree it was made of: segments and containers, and what stands in which of them. With the nodes
// of the thread (sent-nodes.ts) it gives the tree again, for renderings that read more than the thread.

import type { NodeRecord, SentStructure } from '../core/index.js'
import { newTree, sortByPlace, walkRecords, type View } from '../timeline/index.js'
import { isSameForm, writeNodes, type SentThread } from './sent-nodes.js'

/** A tree that was sent from the open cycle, with what tells it from its base cycle. */
export type SentTree = SentThread & Readonly<{ structure: SentStructure }>

/** Tells a tree from that of its base, beside the items of the thread. */
export function openStructure(view: View, base: View | undefined): SentStructure {
  const ids = base === undefined ? idsIn(view) : new Set(view.changedSince(base, Infinity))
  return base === undefined
    ? structureOf(view, EMPTY, ids, isBeginning)
    : structureOf(view, base, ids, (before, after) => before === after)
}

/** What every context begins with is another record, and the same, where it was read from a store. */
function isBeginning(before: NodeRecord, after: NodeRecord): boolean {
  return (
    before === after ||
    (before.nodeType === after.nodeType &&
      before.offset === after.offset &&
      before.priority === after.priority &&
      before.ttl === after.ttl &&
      before.cycle === after.cycle &&
      before.createdAtNs === after.createdAtNs &&
      before.creationIndex === after.creationIndex &&
      before.rare === after.rare)
  )
}

/** Tells a tree from that of a later attempt of the same cycle and lens; what neither of them lists is the base cycle's in both. */
export function structureBefore(later: SentTree, earlier: SentTree): SentStructure {
  const ids = new Set<string>()
  for (const { open, structure } of [earlier, later]) {
    for (const node of [...open.nodes, ...structure.nodes]) ids.add(node['id'] as string)
    for (const id of [...open.absent_ids, ...structure.absent_ids]) ids.add(id)
    for (const place of structure.places) for (const id of place.ids) ids.add(id)
  }
  return structureOf(earlier.view, later.view, ids, (before, after) =>
    isSameForm(later.view, before, earlier.view, after),
  )
}

type Known = Pick<View, 'find'>

function structureOf(
  view: View,
  base: Known,
  ids: ReadonlySet<string>,
  isSame: (before: NodeRecord, after: NodeRecord) => boolean,
): SentStructure {
  const nodes: NodeRecord[] = []
  const moved: NodeRecord[] = []
  const absent: string[] = []
  for (const id of ids) {
    const [before, after] = [base.find(id), view.find(id)]
    if (after === undefined) {
      if (before?.isRendered === false) absent.push(id)
      continue
    }
    if (!after.isRendered && (before === undefined || !isSame(before, after))) nodes.push(after)
    if (after.parentId !== undefined && before?.parentId !== after.parentId) moved.push(after)
  }
  return Object.freeze({
    nodes: writeNodes(view, sortByPlace(view, nodes), undefined),
    absent_ids: Object.freeze(absent.sort()),
    places: placesOf(sortByPlace(view, moved)),
  })
}

/** Nodes by what they stand under. */
function placesOf(records: readonly NodeRecord[]): SentStructure['places'] {
  const places = new Map<string, string[]>()
  for (const { id, parentId } of records) {
    const ids = places.get(parentId!)
    if (ids === undefined) places.set(parentId!, [id])
    else ids.push(id)
  }
  return Object.freeze(
    [...places].map(([parent, ids]) => Object.freeze({ parent_id: parent, ids: Object.freeze(ids) })),
  )
}

function idsIn({ tree }: View): ReadonlySet<string> {
  const ids = new Set([tree.root.id])
  for (const region of tree.regions) for (const { id } of walkRecords(region)) ids.add(id)
  return ids
}

/** The tree that every context begins with. */
const EMPTY: Known = {
  find(id) {
    const { root, regions } = newTree()
    return id === root.id ? root : regions.find(({ record }) => record.id === id)?.record
  },
}
