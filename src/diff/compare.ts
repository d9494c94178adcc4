// The differences of two views of one context. Each commit left a list of its changes, so only ids on the lists between the two views are
// looked up, and nodes with a running ttl. If the lists are longer than the trees, the trees are walked.

import type { NodeRecord } from '../core/index.js'
import type { Apart } from '../query/index.js'
import { eachRecord, sortByPlace, withoutShared, type View } from '../timeline/index.js'
import { changedFields } from './headers.js'
import type { Diff } from './diff-types.js'

/** The older and the newer of two views: a preview is newer than the working state (D38). */
export type Sides = Readonly<{ older: View; newer: View }>

/** The selected nodes on each side, apart from those that both sides surely select; undefined for everything. */
export type Selection = Apart | undefined

/** Nodes that one side has alone, and those that both have but not alike; each list in the order of its side. */
export type Difference = Readonly<{
  onlyOlder: readonly NodeRecord[]
  onlyNewer: readonly NodeRecord[]
  /** In the order of the newer side. */
  changed: readonly ChangedNode[]
}>

export type ChangedNode = Readonly<{ older: NodeRecord; newer: NodeRecord; fields: readonly string[] }>

/** Puts two views in order; of the same view the one asked for second counts as newer. */
export function sidesOf(a: View, b: View): Sides {
  const isBefore = a.cycle < b.cycle || (a.cycle === b.cycle && stageOf(a) <= stageOf(b))
  return isBefore ? { older: a, newer: b } : { older: b, newer: a }
}

/** The state of a cycle: open, previewed, committed. */
function stageOf(view: View): number {
  return view.isWorking ? 0 : view.isOpen ? 1 : 2
}

export function compareViews(sides: Sides, selection: Selection): Difference {
  const { older, newer } = sides
  const [left, arrived, changed]: [NodeRecord[], NodeRecord[], ChangedNode[]] = [[], [], []]
  for (const id of candidates(sides)) {
    const after = newer.find(id)
    // To find out that an id was not there is to ask every era. No commit gives an id again that the snapshot before it has.
    const isNext = !older.isOpen && after?.born === older.cycle + 1
    const before = isNext && newer.isSurelyFirst(after) ? undefined : older.find(id)
    if (before === undefined) {
      if (after !== undefined) arrived.push(after)
    } else if (after === undefined) left.push(before)
    else {
      const fields = changedFields({ record: before, view: older }, { record: after, view: newer })
      if (fields.length > 0) changed.push({ older: before, newer: after, fields })
    }
  }
  if (selection === undefined) {
    return { onlyOlder: inPlace(older, left), onlyNewer: inPlace(newer, arrived), changed: inOrder(newer, changed) }
  }
  const [before, after] = withoutShared(selection.older, selection.newer)
  const recordsIn = (view: View, ids: readonly string[]): readonly NodeRecord[] => ids.map((id) => view.find(id)!)
  const both = changed.filter((each) => selection.isInBoth(each.newer.id))
  return {
    onlyOlder: inPlace(older, recordsIn(older, before)),
    onlyNewer: inPlace(newer, recordsIn(newer, after)),
    changed: inOrder(newer, both),
  }
}

/** A comparison from one view to another of the same context, whichever is newer. */
export type Direction = Readonly<{
  sides: Sides
  isForward: boolean
  gained: readonly NodeRecord[]
  lost: readonly NodeRecord[]
  changed: readonly ChangedNode[]
}>

export function compareFrom(from: View, to: View, selection: Selection): Direction {
  const sides = sidesOf(from, to)
  const { onlyOlder, onlyNewer, changed } = compareViews(sides, selection)
  const isForward = sides.newer === to
  const [gained, lost] = isForward ? [onlyNewer, onlyOlder] : [onlyOlder, onlyNewer]
  return { sides, isForward, gained, lost, changed }
}

/** The ids that may differ, each once. */
function candidates(sides: Sides): Iterable<string> {
  const { older, newer } = sides
  if (older.tree === newer.tree && older.shown === newer.shown) return []
  const ids = newer.changedSince(older, sizeOf(older) + sizeOf(newer))
  if (ids === undefined) return everyId(sides)
  newer.addMortals(ids)
  return new Set(ids)
}

function everyId({ older, newer }: Sides): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { tree } of [older, newer]) {
    ids.add(tree.root.id)
    for (const region of tree.regions) eachRecord(region, ({ id }) => ids.add(id))
  }
  return ids
}

function inOrder(view: View, changed: readonly ChangedNode[]): readonly ChangedNode[] {
  if (changed.length < 2) return changed
  const byRecord = new Map(changed.map((each) => [each.newer, each]))
  return inPlace(view, [...byRecord.keys()]).map((record) => byRecord.get(record)!)
}

/** Below this share of a tree, sorting is cheaper than walking it. */
const FEW = 8

/** Nodes in document order. */
function inPlace(view: View, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length < 2) return records
  if (records.length * FEW < sizeOf(view)) return sortByPlace(view, records)
  const wanted = new Set(records)
  const found: NodeRecord[] = []
  const take = (record: NodeRecord): void => {
    if (wanted.has(record)) found.push(record)
  }
  take(view.tree.root)
  for (const region of view.tree.regions) eachRecord(region, take)
  return found
}

function sizeOf({ tree }: View): number {
  let size = 1
  for (const { children } of tree.regions) size += 1 + children.count
  return size
}

/** Goes from one view to another of the same context, whichever is newer. */
export function diffViews(from: View, to: View, selection?: Selection): Diff {
  const { gained, lost, changed } = compareFrom(from, to, selection)
  return Object.freeze({
    added: idsOf(gained),
    removed: idsOf(lost),
    changed: Object.freeze(changed.map(({ newer, fields }) => Object.freeze({ id: newer.id, fields }))),
  })
}

function idsOf(records: readonly NodeRecord[]): readonly string[] {
  return Object.freeze(records.map(({ id }) => id))
}
