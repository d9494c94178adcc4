// The nodes of a tree, or of some units of it, as rows in document order: the matcher works on row numbers. A row knows its
// parent and the last row below it, so a descendant is a range of rows. Virtual cores (D12) are rows without a record.

import type { NodeRecord } from '../../core/index.js'
import { recordOf, type Branch, type Sequence, type Tree, type TreeNode } from '../../timeline/index.js'

/** The units of a tree that get rows; the root and `^seq` always do. */
export type Extent = Readonly<{
  sys: boolean
  head: boolean
  /** Segments in document order, and the depth of the first: each is as deep as the one before it, less one. */
  segments: readonly TreeNode[]
  depth: number
}>

type Top = Pick<Tree, 'root' | 'regions'>

const ROOT = 0
const NO_ROW = -1

/** The arrays of a FlatTree; one that is kept with a leaf serves at every depth. */
type Columns = {
  /** By row; undefined for a virtual core. */
  readonly records: (NodeRecord | undefined)[]
  readonly parents: number[]
  readonly lasts: number[]
  /** The rows of the units, and their depths as D10 counts, where the first segment is at depth 0. */
  readonly units: number[]
  readonly depths: number[]
  seqRow: number
  hasVirtual: boolean
}

/** The columns of leaves, as long as the leaves live: the next new question reads lists instead of a tree. */
const KEPT = new WeakMap<Sequence, Columns>()

export class FlatTree {
  readonly #columns: Columns
  readonly #depth: number
  /** By row; undefined for a virtual core. */
  readonly records: readonly (NodeRecord | undefined)[]

  private constructor(columns: Columns, depth: number) {
    this.#columns = columns
    this.#depth = depth
    this.records = columns.records
  }

  static of(top: Top, extent: Extent): FlatTree {
    return new FlatTree(columnsOf(top, extent), extent.depth)
  }

  /** A leaf of history that later trees will have too: its rows are kept with it. The root and `^seq` may get other headers. */
  static ofLeaf(top: Top, leaf: Sequence, depth: number): FlatTree {
    let columns = KEPT.get(leaf)
    if (columns?.records[ROOT] !== top.root || columns.records[columns.seqRow] !== top.regions[1].record) {
      columns = columnsOf(top, { sys: false, head: false, segments: leaf.items!, depth: 0 })
      KEPT.set(leaf, columns)
    }
    return new FlatTree(columns, depth)
  }

  get size(): number {
    return this.records.length
  }

  /** The row of `^seq`. */
  get seqRow(): number {
    return this.#columns.seqRow
  }

  /** The row above a row; -1 for the root. */
  parentOf(row: number): number {
    return this.#columns.parents[row]!
  }

  /** The last row below a row, or the row itself. */
  lastOf(row: number): number {
    return this.#columns.lasts[row]!
  }

  /** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
  depthAt(row: number): number | undefined {
    if (row === ROOT || row === this.seqRow) return undefined
    let low = 0
    let high = this.#columns.units.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#columns.units[middle]! <= row) low = middle
      else high = middle - 1
    }
    return this.#columns.depths[low]! + this.#depth
  }

  /** The units that a coordinate `(dK)` or `(dK..dL)` names, in document order. */
  unitsAt(from: number, to: number): readonly number[] {
    return this.#columns.units.filter((_, i) => {
      const depth = this.#columns.depths[i]! + this.#depth
      return depth >= from && depth <= to
    })
  }

  get units(): number {
    return this.#columns.units.length
  }

  get hasVirtual(): boolean {
    return this.#columns.hasVirtual
  }

  /** In document order. A node that a virtual core holds is also a child of its segment (D12). */
  childrenOf(row: number): readonly number[] {
    const children: number[] = []
    for (let at = row + 1; at <= this.lastOf(row);) {
      children.push(at)
      at = this.records[at] === undefined ? at + 1 : this.lastOf(at) + 1
    }
    return children
  }
}

function columnsOf({ root, regions }: Top, { sys, head, segments, depth }: Extent): Columns {
  const [before, seq, active] = regions
  const columns: Columns = {
    records: [],
    parents: [],
    lasts: [],
    units: [],
    depths: [],
    seqRow: 0,
    hasVirtual: false,
  }
  open(columns, root, NO_ROW)
  if (sys) addUnit(columns, before, ROOT, -1 - depth)
  const seqRow = open(columns, seq.record, ROOT)
  for (let i = 0; i < segments.length; i++) addUnit(columns, segments[i] as Branch, seqRow, -i)
  close(columns, seqRow)
  if (head) addUnit(columns, active, ROOT, -depth)
  close(columns, ROOT)
  columns.seqRow = seqRow
  return columns
}

function addUnit(columns: Columns, unit: Branch, parent: number, depth: number): void {
  columns.units.push(columns.records.length)
  columns.depths.push(depth)
  addBranch(columns, unit, parent)
}

function addBranch(columns: Columns, branch: Branch, parent: number): void {
  const row = open(columns, branch.record, parent)
  if (lacksCore(branch)) addHeld(columns, branch, row)
  else addBelow(columns, branch.children, row)
  close(columns, row)
}

/** Loops by index: the first questions of a process run before V8 has compiled anything. */
function addBelow(columns: Columns, { items, chunks }: Sequence, row: number): void {
  if (items === undefined) for (const chunk of chunks!) addBelow(columns, chunk, row)
  else for (let i = 0; i < items.length; i++) add(columns, items[i]!, row)
}

function add(columns: Columns, node: TreeNode, parent: number): void {
  if ('children' in node) addBranch(columns, node, parent)
  else open(columns, node, parent)
}

/** Children at offset 0 count as held by a core that is not there. */
function addHeld(columns: Columns, { children }: Branch, row: number): void {
  let core: number | undefined
  for (const child of children) {
    const isHeld = recordOf(child).offset === 0
    if (isHeld) {
      core ??= open(columns, undefined, row)
      columns.hasVirtual = true
    }
    add(columns, child, row)
    if (isHeld) close(columns, core!)
  }
}

function open({ records, parents, lasts }: Columns, record: NodeRecord | undefined, parent: number): number {
  const row = records.length
  records.push(record)
  parents.push(parent)
  lasts.push(row)
  return row
}

function close({ records, lasts }: Columns, row: number): void {
  lasts[row] = records.length - 1
}

/** A segment or the active head without a container at offset 0 (D12). */
function lacksCore({ record, children }: Branch): boolean {
  if (record.nodeClass !== 'seg' && record.nodeType !== '^ah') return false
  for (const child of children.items ?? children) if (recordOf(child).nodeClass === 'core') return false
  return true
}

/** The distance of a row from the root, for `@order=bfs`. */
export function levelOf(flat: FlatTree, row: number): number {
  let level = 0
  for (let up = row; up !== ROOT; up = flat.parentOf(up)) level++
  return level
}

/** The offsets from the region or segment down, for `@order=path` (D23). */
export function offsetsOf(flat: FlatTree, row: number): readonly number[] {
  const offsets: number[] = []
  for (let at = row; at !== ROOT; at = flat.parentOf(at)) {
    const { nodeClass, offset } = flat.records[at]!
    if (nodeClass === 'seg' || nodeClass === 'region') break
    offsets.push(offset)
  }
  return offsets.reverse()
}
