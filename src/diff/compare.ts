// The differences of two views of one context. Each commit left a list of its changes, so only ids on the lists between the two views are
// looked up, and nodes with a running ttl. If the lists are longer than the trees, the trees are walked.

import type { NodeRecord } from '../core/index.js'
import type { Apart } from '../query/index.js'
import { eachRecord, Gone, sortByPlace, withoutShared, type View } from '../timeline/index.js'
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
  const found: Differences = { onlyOlder: [], onlyNewer: [], changed: [] }
  const versions = newer.hasMortals ? undefined : newer.changesSince(older)
  if (versions !== undefined) {
    // The usual case, a snapshot and the next: the log says it all, and names no id twice. To find out that an id was not
    // there is to ask every era, more of them the longer the history; most versions show in themselves that it was not.
    for (const version of versions) {
      const before = newer.isSurelyFirst(version) ? undefined : older.find(version.id)
      take(found, sides, before, version instanceof Gone ? undefined : version)
    }
  } else for (const id of candidates(sides)) take(found, sides, older.find(id), newer.find(id))
  return {
    onlyOlder: inPlace(older, found.onlyOlder),
    onlyNewer: inPlace(newer, found.onlyNewer),
    changed: inOrder(newer, found.changed),
  }
}

type Differences = Readonly<{ onlyOlder: NodeRecord[]; onlyNewer: NodeRecord[]; changed: ChangedNode[] }>

function take(found: Differences, sides: Sides, before: NodeRecord | undefined, after: NodeRecord | undefined): void {
  if (after === undefined) {
    if (before !== undefined) found.onlyOlder.push(before)
  } else if (before === undefined) found.onlyNewer.push(after)
  else addChanged(found.changed, sides, before, after)
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
  let asked = 0
  return {
    older,
    newer,
    isInBoth: (id) => {
      // The first few are looked for in the lists: making sets of them costs more.
      if (asked++ < FEW_LOOKUPS) return newer.includes(id) && older.includes(id)
      sets ??= [new Set(older), new Set(newer)]
      return sets[0].has(id) && sets[1].has(id)
    },
  }
}

const FEW_LOOKUPS = 16

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

/** The largest number of nodes in a usual turn. */
const ONE_TURN = 16

/** The usual commit adds one segment and its nodes: walking through it gives the order without comparing. */
function inOneSegment(view: View, records: readonly NodeRecord[]): readonly NodeRecord[] | undefined {
  const segment = records.find((record) => record.nodeClass === 'seg')
  if (segment === undefined) return undefined
  const found: NodeRecord[] = []
  eachRecord(view.tree.regions[1].children.find(segment)!, (record) => {
    if (records.includes(record)) found.push(record)
  })
  return found.length === records.length ? found : undefined
}

/** Below this share of a tree, sorting is cheaper than walking it. */
const FEW = 8

/** Nodes in document order. */
function inPlace(view: View, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length < 2) return records
  const inTurn = records.length <= ONE_TURN ? inOneSegment(view, records) : undefined
  if (inTurn !== undefined) return inTurn
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
