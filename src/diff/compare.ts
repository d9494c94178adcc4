// What differs between two views of one context. Each commit left a list of what it changed, so only ids on the lists
// between the two are looked at, and nodes whose ttl runs; where the lists are longer than the trees, the trees are.

import type { NodeRecord } from '../core/index.js'
import { eachRecord, sortByPlace, type View } from '../timeline/index.js'
import { changedFields } from './headers.js'

/** The older and the newer of two views; of views of one cycle the one asked for second counts as newer (D38). */
export type Sides = Readonly<{ older: View; newer: View }>

/** What a selector selects on each side; undefined for everything. */
export type Selection = Readonly<{ older: readonly string[]; newer: readonly string[] }> | undefined

/** Nodes that one side has alone, and those that both have but not alike; each list in the order of its side. */
export type Difference = Readonly<{
  onlyOlder: readonly NodeRecord[]
  onlyNewer: readonly NodeRecord[]
  /** In the order of the newer side. */
  changed: readonly ChangedNode[]
}>

export type ChangedNode = Readonly<{ older: NodeRecord; newer: NodeRecord; fields: readonly string[] }>

/** Puts two views in order. */
export function sidesOf(a: View, b: View): Sides {
  return a.cycle > b.cycle ? { older: b, newer: a } : { older: a, newer: b }
}

export function compareViews(sides: Sides, selection: Selection): Difference {
  return selection === undefined ? compareAll(sides) : compareSelected(sides, selection)
}

function compareAll(sides: Sides): Difference {
  const { older, newer } = sides
  const onlyOlder: NodeRecord[] = []
  const onlyNewer: NodeRecord[] = []
  const inBoth: NodeRecord[] = []
  for (const id of candidates(sides)) {
    const before = older.find(id)
    const after = newer.find(id)
    if (after === undefined) {
      if (before !== undefined) onlyOlder.push(before)
    } else if (before === undefined) onlyNewer.push(after)
    else inBoth.push(after)
  }
  return {
    onlyOlder: inPlace(older, onlyOlder),
    onlyNewer: inPlace(newer, onlyNewer),
    changed: changedOf(sides, inBoth),
  }
}

function compareSelected(sides: Sides, selection: NonNullable<Selection>): Difference {
  const { older, newer } = sides
  const [before, after] = [new Set(selection.older), new Set(selection.newer)]
  const inBoth: NodeRecord[] = []
  for (const id of candidates(sides)) if (before.has(id) && after.has(id)) inBoth.push(newer.find(id)!)
  return {
    onlyOlder: inPlace(older, onlyIn(older, selection.older, after)),
    onlyNewer: inPlace(newer, onlyIn(newer, selection.newer, before)),
    changed: changedOf(sides, inBoth),
  }
}

function onlyIn(view: View, ids: readonly string[], others: ReadonlySet<string>): NodeRecord[] {
  const found: NodeRecord[] = []
  for (const id of ids) if (!others.has(id)) found.push(view.find(id)!)
  return found
}

function changedOf(sides: Sides, inBoth: readonly NodeRecord[]): readonly ChangedNode[] {
  const { older, newer } = sides
  const fieldsOf = new Map<NodeRecord, ChangedNode>()
  for (const record of inBoth) {
    const before = older.find(record.id)!
    const fields = changedFields({ record: before, view: older }, { record, view: newer })
    if (fields.length > 0) fieldsOf.set(record, { older: before, newer: record, fields })
  }
  return inPlace(newer, [...fieldsOf.keys()]).map((record) => fieldsOf.get(record)!)
}

/** The ids that may differ, each once. */
function candidates(sides: Sides): ReadonlySet<string> {
  const { older, newer } = sides
  const ids = new Set<string>()
  if (older.tree === newer.tree && older.cycle === newer.cycle) return ids
  const enough = sizeOf(older) + sizeOf(newer)
  let seen = 0
  for (const id of newer.changedSince(older)) {
    ids.add(id)
    if (++seen > enough) return everyId(sides)
  }
  newer.eachMortal(({ id }) => ids.add(id))
  return ids
}

function everyId({ older, newer }: Sides): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { tree } of [older, newer]) {
    ids.add(tree.root.id)
    for (const region of tree.regions) eachRecord(region, ({ id }) => ids.add(id))
  }
  return ids
}

/** Below this share of a tree, sorting is cheaper than walking it. */
const FEW = 8

/** Nodes in document order. */
function inPlace(view: View, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length * FEW < sizeOf(view) || records.length < 2) return sortByPlace(view, records)
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
