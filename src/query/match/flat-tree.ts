// The nodes of a tree, or of some units of it, as rows in document order: the matcher works on row numbers. A row knows its
// parent and the last row below it, so a descendant is a range of rows. Virtual cores (D12) are rows without a record.

import type { NodeRecord } from '../../core/index.js'
import { Branch, recordOf, type Tree, type TreeNode } from '../../timeline/index.js'

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

export class FlatTree {
  /** By row; undefined for a virtual core. */
  readonly records: (NodeRecord | undefined)[] = []
  readonly #parents: number[] = []
  readonly #lasts: number[] = []
  /** The rows of the units, and their depths as D10 counts, where the first segment is at depth 0. */
  readonly #units: number[] = []
  readonly #depths: number[] = []
  readonly #firstDepth: number
  #hasVirtual = false
  /** The row of `^seq`. */
  readonly seqRow: number

  constructor({ root, regions }: Top, { sys, head, segments, depth }: Extent) {
    this.#open(root, NO_ROW)
    if (sys) this.#addUnit(regions[0], ROOT, -1 - depth)
    this.seqRow = this.#open(regions[1].record, ROOT)
    for (let i = 0; i < segments.length; i++) this.#addUnit(segments[i]!, this.seqRow, -i)
    this.#close(this.seqRow)
    if (head) this.#addUnit(regions[2], ROOT, -depth)
    this.#close(ROOT)
    this.#firstDepth = depth
  }

  get size(): number {
    return this.records.length
  }

  /** The row above a row; -1 for the root. */
  parentOf(row: number): number {
    return this.#parents[row]!
  }

  /** The last row below a row, or the row itself. */
  lastOf(row: number): number {
    return this.#lasts[row]!
  }

  /** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
  depthAt(row: number): number | undefined {
    if (row === ROOT || row === this.seqRow) return undefined
    let low = 0
    let high = this.#units.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#units[middle]! <= row) low = middle
      else high = middle - 1
    }
    return this.#depths[low]! + this.#firstDepth
  }

  /** The units that a coordinate `(dK)` or `(dK..dL)` names, in document order. */
  unitsAt(from: number, to: number): readonly number[] {
    return this.#units.filter((_, i) => {
      const depth = this.#depths[i]! + this.#firstDepth
      return depth >= from && depth <= to
    })
  }

  get units(): number {
    return this.#units.length
  }

  get hasVirtual(): boolean {
    return this.#hasVirtual
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

  #addUnit(unit: TreeNode, parent: number, depth: number): void {
    this.#units.push(this.size)
    this.#depths.push(depth)
    this.#add(unit, parent)
  }

  #add(node: TreeNode, parent: number): void {
    const row = this.#open(recordOf(node), parent)
    if (node instanceof Branch) {
      if (lacksCore(node)) this.#addHeld(node, row)
      else for (const child of node.children.items ?? node.children) this.#add(child, row)
    }
    this.#close(row)
  }

  /** Children at offset 0 count as held by a core that is not there. */
  #addHeld({ children }: Branch, row: number): void {
    let core: number | undefined
    for (const child of children) {
      const isHeld = recordOf(child).offset === 0
      if (isHeld) {
        core ??= this.#open(undefined, row)
        this.#hasVirtual = true
      }
      this.#add(child, row)
      if (isHeld) this.#close(core!)
    }
  }

  #open(record: NodeRecord | undefined, parent: number): number {
    this.#parents.push(parent)
    this.#lasts.push(NO_ROW)
    return this.records.push(record) - 1
  }

  #close(row: number): void {
    this.#lasts[row] = this.size - 1
  }
}

/** A segment or the active head without a container at offset 0 (D12). */
export function lacksCore({ record, children }: Branch): boolean {
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
