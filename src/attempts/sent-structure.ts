// The structure of a sent tree that its thread does not show: segments, containers, and the parent of each node. Together with the nodes of
// the thread (sent-nodes.ts) it restores the tree, for renderings that read more than the thread.

import { deepFreeze, grouped, type NodeRecord, type SentStructure } from '../core/index.js'
import { newTree, sortByPlace, walkRecords, type View } from '../timeline/index.js'
import { hasSameHeaders, isSameForm, writeNodes, type SentThread } from './sent-nodes.js'

/** A tree that was sent from the open cycle, with its difference from the base cycle. */
export type SentTree = SentThread & Readonly<{ structure: SentStructure }>

/** Describes a tree by its difference from its base, in addition to the items of the thread. */
export function openStructure(view: View, base: View | undefined): SentStructure {
  // The root and regions that were read from a store are other objects with the same content.
  if (base === undefined) return structureOf(view, EMPTY, idsIn(view), hasSameHeaders)
  return structureOf(view, base, new Set(view.changedSince(base, Infinity)), Object.is)
}

/** Describes a tree by its difference from a later attempt of the same cycle and lens; a node that neither lists is the same in both. */
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

/** Nodes by their parent. */
function placesOf(records: readonly NodeRecord[]): SentStructure['places'] {
  const places = Array.from(
    grouped(records, ({ parentId }) => parentId!),
    ([parent, children]) => ({ parent_id: parent, ids: children.map(({ id }) => id) }),
  )
  return deepFreeze(places)
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
