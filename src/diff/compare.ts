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
  return selection === undefined ? compareAll(sides) : compareSelected(sides, selection)
}

function compareAll(sides: Sides): Difference {
  const { older, newer } = sides
  const found = { onlyOlder: [] as NodeRecord[], onlyNewer: [] as NodeRecord[], changed: [] as ChangedNode[] }
  for (const id of candidates(sides)) {
    const after = newer.find(id)
    // To find out that an id was not there is to ask every era. No commit gives an id again that the snapshot before it has.
    const isNext = !older.isOpen && after?.born === older.cycle + 1
    const isNew = isNext && newer.isSurelyFirst(after)
    const before = isNew ? undefined : older.find(id)
    if (before !== undefined && after !== undefined) addChanged(found.changed, sides, before, after)
    else if (before !== undefined) found.onlyOlder.push(before)
    else if (after !== undefined) found.onlyNewer.push(after)
  }
  return {
    onlyOlder: inPlace(older, found.onlyOlder),
    onlyNewer: inPlace(newer, found.onlyNewer),
    changed: inOrder(newer, found.changed),
  }
}

function compareSelected(sides: Sides, selection: NonNullable<Selection>): Difference {
  const { older, newer } = sides
  const changed: ChangedNode[] = []
  for (const id of candidates(sides)) {
    const before = older.find(id)
    const after = before && newer.find(id)
    if (after !== undefined) addChanged(changed, sides, before!, after)
  }
  const [onlyOlder, onlyNewer] = withoutShared(selection.older, selection.newer)
  return {
    onlyOlder: inPlace(
      older,
      onlyOlder.map((id) => older.find(id)!),
    ),
    onlyNewer: inPlace(
      newer,
      onlyNewer.map((id) => newer.find(id)!),
    ),
    changed: inOrder(
      newer,
      changed.filter((each) => selection.isInBoth(each.newer.id)),
    ),
  }
}

function addChanged(changed: ChangedNode[], { older, newer }: Sides, before: NodeRecord, after: NodeRecord): void {
  const fields = changedFields({ record: before, view: older }, { record: after, view: newer })
  if (fields.length > 0) changed.push({ older: before, newer: after, fields })
}

/** Two whole lists as a selection. */
export function selectionOf(older: readonly string[], newer: readonly string[]): Apart {
  let sets: readonly [ReadonlySet<string>, ReadonlySet<string>] | undefined
  return {
    older,
    newer,
    isInBoth: (id) => {
      sets ??= [new Set(older), new Set(newer)]
      return sets[0].has(id) && sets[1].has(id)
    },
  }
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
