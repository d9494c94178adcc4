// A tree as rows, a window of them at a time. Regions and the content of open turns are open; past turns are closed. Exceptions to that,
// and departed nodes that keep their place, are noted by parent and rank: everything in between is counted, not walked.

import type { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, lineOf, recordOf, type Sequence, type TreeNode, type View } from '../timeline/index.js'
import { Extent, isFolded } from './row-extent.js'

export type RowState = Readonly<{
  /** Ids that are open or closed against the default. */
  open: ReadonlySet<string>
  closed: ReadonlySet<string>
  /** True if past turns are open, too. */
  isAllOpen: boolean
  /** Nodes that left, of an older view, each in its document order. */
  ghosts: readonly NodeRecord[]
}>

/** One row: a node, or one that has left. */
export type Row = Readonly<{
  row: number
  node: TreeNode
  isGhost: boolean
  level: number
  /** Its place among its siblings, from 1, and the number of siblings. */
  index: number
  size: number
  /** Only of a node that has something under it. */
  isOpen: boolean | undefined
}>

/** Something among the children of a node that has to be looked at by itself; it comes before the child of its rank, or is that child. */
type Special = Readonly<{ rank: number; node: TreeNode | undefined; ghost: Ghost | undefined }>
type Ghost = Readonly<{ record: NodeRecord; below: Ghost[] }>

export class RowWindow {
  readonly #view: View
  readonly #state: RowState
  readonly #specials = new Map<string, Special[]>()
  readonly #seq: Extent
  readonly #rest = new Extent(false)
  readonly #rows = new Map<string, number>()

  constructor(view: View, state: RowState) {
    this.#view = view
    this.#state = state
    this.#seq = new Extent(!state.isAllOpen)
    this.#noteGhosts()
    for (const id of [...state.open, ...state.closed]) this.#note(id)
    for (const list of this.#specials.values()) list.sort(bySpecialRank)
  }

  /** The number of rows. */
  get total(): number {
    return this.#view.tree.regions.reduce((sum, region) => sum + this.#rowsOf(region), 0)
  }

  /** The rows from one on. */
  rows(from: number, count: number): readonly Row[] {
    const out: Row[] = []
    const cursor: Cursor = { at: 0, from, to: from + count, out }
    const { regions } = this.#view.tree
    for (const [i, region] of regions.entries()) this.#visit(cursor, region, 1, i + 1, regions.length)
    return out
  }

  /** The row of a node; undefined where something above it is closed. */
  rowOf(record: NodeRecord): number | undefined {
    if (record.nodeClass === 'root') return undefined
    let row = 0
    const { regions } = this.#view.tree
    const [top, ...below] = lineOf(this.#view, record)
    for (const region of regions) {
      if (region.record.id === top!.id) break
      row += this.#rowsOf(region)
    }
    let parent: TreeNode = regions.find((region) => region.record.id === top!.id)!
    for (const each of below) {
      if (!this.#isOpen(parent)) return undefined
      const { children } = parent as Branch
      const rank = children.rank(each)
      row += (isFolded(recordOf(parent)) ? 0 : 1) + this.#rowsBefore(parent as Branch, rank)
      parent = children.at(rank)!
    }
    return row
  }

  /** Notes that a node is not as usual, and everything above it. */
  #note(id: string): void {
    const record = this.#view.find(id)
    if (record === undefined || record.nodeClass === 'root') return
    const line = lineOf(this.#view, record)
    let parent: TreeNode = this.#view.tree.regions.find((region) => region.record.id === line[0]!.id)!
    for (const each of line.slice(1)) {
      const { children } = parent as Branch
      const rank = children.rank(each)
      const node: TreeNode = children.at(rank)!
      const list = this.#listOf(recordOf(parent).id)
      if (list.some((special) => special.node !== undefined && special.rank === rank)) {
        parent = node
        continue
      }
      list.push({ rank, node, ghost: undefined })
      parent = node
    }
  }

  #noteGhosts(): void {
    const ghosts = new Map<string, Ghost>()
    for (const record of this.#state.ghosts) {
      const ghost = { record, below: [] }
      ghosts.set(record.id, ghost)
      const parentId = record.parentId!
      const above = ghosts.get(parentId)
      if (above !== undefined) {
        above.below.push(ghost)
        continue
      }
      const parent = this.#view.find(parentId)
      // Its parent left in another way, so its place is not known.
      if (parent === undefined || parent.nodeClass === 'root') continue
      const children = childrenOf(this.#view.nodeOf(parent))
      this.#listOf(parentId).push({ rank: children.rank(record), node: undefined, ghost })
      this.#note(parentId)
    }
  }

  #listOf(parentId: string): Special[] {
    let list = this.#specials.get(parentId)
    if (list === undefined) this.#specials.set(parentId, (list = []))
    return list
  }

  #isOpen(node: TreeNode): boolean {
    const { id, nodeClass } = recordOf(node)
    if (isFolded(recordOf(node)) || this.#state.open.has(id)) return true
    if (this.#state.closed.has(id)) return false
    return this.#state.isAllOpen || nodeClass !== 'seg'
  }

  #extentIn(parent: TreeNode): Extent {
    return recordOf(parent).nodeType === '^seq' ? this.#seq : this.#rest
  }

  /** Rows of a node that is looked at by itself. */
  #rowsOf(node: TreeNode): number {
    const { id } = recordOf(node)
    let rows = this.#rows.get(id)
    if (rows === undefined) {
      rows = isFolded(recordOf(node)) ? 0 : 1
      if (node instanceof Branch && this.#isOpen(node)) rows += this.#rowsUnder(node)
      this.#rows.set(id, rows)
    }
    return rows
  }

  #rowsUnder(parent: Branch): number {
    return this.#rowsBefore(parent, parent.children.size + 1)
  }

  /** The rows of the children before a rank, and of departed nodes before it. */
  #rowsBefore(parent: Branch, rank: number): number {
    const extent = this.#extentIn(parent)
    let rows = extent.before(parent.children, rank)
    for (const special of this.#specials.get(parent.record.id) ?? []) {
      if (special.ghost !== undefined ? special.rank > rank : special.rank >= rank) break
      rows +=
        special.ghost === undefined
          ? this.#rowsOf(special.node!) - extent.ofOne(special.node!)
          : ghostRows(special.ghost)
    }
    return rows
  }

  #visit(cursor: Cursor, node: TreeNode, level: number, index: number, size: number): void {
    if (cursor.at >= cursor.to) return
    const rows = this.#rowsOf(node)
    if (cursor.at + rows <= cursor.from) {
      cursor.at += rows
      return
    }
    if (isFolded(recordOf(node))) return this.#children(cursor, node as Branch, level)
    const hasChildren = childrenOf(node).size > 0 || this.#specials.has(recordOf(node).id)
    const isOpen = hasChildren ? this.#isOpen(node) : undefined
    emit(cursor, { node, isGhost: false, level, index, size, isOpen })
    if (isOpen === true) this.#children(cursor, node as Branch, level + 1)
  }

  #children(cursor: Cursor, parent: Branch, level: number): void {
    const { children } = parent
    let rank = 0
    for (const special of [...(this.#specials.get(parent.record.id) ?? []), undefined]) {
      const end = special?.rank ?? children.size
      this.#plain(cursor, parent, rank, end, level)
      rank = Math.max(rank, end)
      if (special === undefined || cursor.at >= cursor.to) return
      if (special.ghost !== undefined) visitGhost(cursor, special.ghost, level, rank + 1, children.size)
      else this.#visit(cursor, special.node!, level, ++rank, children.size)
    }
  }

  /** Children that are as usual: those before the window are counted, not met. */
  #plain(cursor: Cursor, parent: Branch, start: number, end: number, level: number): void {
    if (start >= end) return
    const { children } = parent
    const extent = this.#extentIn(parent)
    const before = extent.before(children, start)
    const rows = extent.before(children, end) - before
    if (cursor.at + rows <= cursor.from) {
      cursor.at += rows
      return
    }
    let rank = start
    if (cursor.at < cursor.from) {
      rank = extent.rankAt(children, before + cursor.from - cursor.at)
      cursor.at += extent.before(children, rank) - before
    }
    for (; rank < end && cursor.at < cursor.to; rank++) {
      this.#visit(cursor, children.at(rank)!, level, rank + 1, children.size)
    }
  }
}

type Cursor = { at: number; readonly from: number; readonly to: number; readonly out: Row[] }

function emit(cursor: Cursor, row: Omit<Row, 'row'>): void {
  if (cursor.at >= cursor.from && cursor.at < cursor.to) cursor.out.push({ row: cursor.at, ...row })
  cursor.at++
}

function visitGhost(cursor: Cursor, { record, below }: Ghost, level: number, index: number, size: number): void {
  const isOpen = below.length > 0 ? true : undefined
  if (!isFolded(record)) emit(cursor, { node: record, isGhost: true, level, index, size, isOpen })
  for (const each of below) visitGhost(cursor, each, isFolded(record) ? level : level + 1, index, size)
}

function ghostRows({ record, below }: Ghost): number {
  return (isFolded(record) ? 0 : 1) + below.reduce((sum, each) => sum + ghostRows(each), 0)
}

/** A departed node is shown before the child that took its place. */
function bySpecialRank(a: Special, b: Special): number {
  return a.rank - b.rank || Number(b.ghost !== undefined) - Number(a.ghost !== undefined)
}

/** The sequence of turns in a region. */
export function segmentsOf(view: View): Sequence {
  return view.tree.regions[1].children
}
