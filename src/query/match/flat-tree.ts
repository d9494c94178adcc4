// What a selector is matched against: the nodes of a tree, or of some units of it, as rows in document order, each with the
// row of its parent, the last row below it, and the code of its kind. Between them stand the virtual cores that the
// documents' own fixtures ask for (D12). Rows are numbers in flat lists, so a chain is matched without an object per node,
// and the rows of a chunk of history can be kept for every selector to come.

import type { NodeRecord } from '../../core/index.js'
import { Branch, recordOf, type Tree, type TreeNode } from '../../timeline/index.js'
import { rowsOfChain, type KindChain } from './kind-chain.js'
import { FIXED, Kinds, MANY, ROOT, SEQ, VIRTUAL, type KindSet } from './kinds.js'

/** Which units of a tree to take. */
export type Extent = Readonly<{
  sys: boolean
  head: boolean
  /** The segments, by index in `^seq`, ascending; undefined for all. */
  segments: readonly number[] | undefined
}>

const NO_ROW = -1
/** Less than one in so many rows is not worth a list of all ids. */
const FEW = 8
/** How many lists of rows of some kinds are kept. */
const MAX_LISTS = 4

/** The rows of some kinds or of a chain of them, and the ids of those below the top, each once they were asked for. */
type List = {
  readonly of: KindSet | KindChain
  rows: readonly number[] | undefined
  ids: readonly string[] | undefined
}

/** Where rows, and so kinds, are more than two bytes can tell. */
const MANY_ROWS = 2 ** 16 - 2 * MANY

export class FlatTree {
  // Fields are laid out in this order: what a search needs first comes first.
  /** The code of each row; and behind these for each its parent and the last row below it. */
  readonly #cells: Uint16Array | Int32Array
  readonly #room: number
  /** How many rows there are. */
  size = 0
  /** The row of `^seq`. */
  seqRow: number = NO_ROW
  readonly kinds: Kinds
  /** For what a virtual core holds: the row of that core. */
  #holders: Map<number, number> | undefined
  /** What was lent last. */
  #root: NodeRecord | undefined
  #seq: NodeRecord | undefined
  #shift = 0
  #lists: List[] | undefined
  #ids: string[] | undefined
  /** The codes that are there, each followed by how many rows have it. */
  #tally: readonly number[] | undefined
  /** By row; undefined for a virtual core. */
  readonly records: (NodeRecord | undefined)[] = []
  /** The rows of the units, and their depths as D10 counts, less `#shift`. */
  readonly units: number[] = []
  readonly #depths: number[] = []

  private constructor(rows: number, kinds: Kinds) {
    this.#cells = rows < MANY_ROWS ? new Uint16Array(3 * rows) : new Int32Array(3 * rows)
    this.#room = rows
    this.kinds = kinds
  }

  /** Reads something of what most questions need: see `FlatTrees.fetch`. */
  fetch(): number {
    const middle = this.size >> 1
    return this.#cells[middle]! + (this.#ids?.[middle] === undefined ? 0 : 1)
  }

  /** The row above a row; the root has none. */
  parentOf(row: number): number {
    return row === ROOT ? NO_ROW : this.#cells[this.#room + 2 * row]!
  }

  /** The last row below a row, or itself. */
  lastOf(row: number): number {
    return this.#cells[this.#room + 2 * row + 1]!
  }

  /** Which of the kinds a row is. */
  codeOf(row: number): number {
    return this.#cells[row]!
  }

  /** A whole tree, or some units of it. */
  static of(tree: Pick<Tree, 'root' | 'regions'>, extent?: Extent, kinds: Kinds = new Kinds()): FlatTree {
    const { root, regions } = tree
    const [sys, seq, ah] = regions
    const { children } = seq
    const segments = extent?.segments?.map((index) => children.at(index)!) ?? [...children]
    const [hasSys, hasHead] = [extent?.sys ?? true, extent?.head ?? true]
    const rows = 2 + rowsIn(segments) + (hasSys ? rowsIn([sys]) : 0) + (hasHead ? rowsIn([ah]) : 0)
    const flat = new FlatTree(rows, kinds)
    const top = flat.#open(root, ROOT, ROOT)
    if (hasSys) flat.#addUnit(sys, top, -1)
    flat.#openSeq(seq.record)
    for (const [i, segment] of segments.entries()) {
      flat.#addUnit(segment, flat.seqRow, children.size - (extent?.segments?.[i] ?? i))
    }
    flat.#close(flat.seqRow)
    if (hasHead) flat.#addUnit(ah, top, 0)
    flat.#close(top)
    flat.lend(tree)
    return flat
  }

  /** Some segments in a row; `lend` says of which tree, and at which depth the first one stands. */
  static ofSegments(segments: readonly TreeNode[], kinds: Kinds): FlatTree {
    const flat = new FlatTree(2 + rowsIn(segments), kinds)
    flat.#open(undefined, ROOT, ROOT)
    flat.#openSeq(undefined)
    for (let i = 0; i < segments.length; i++) flat.#addUnit(segments[i]!, flat.seqRow, -i)
    flat.#close(flat.seqRow)
    flat.#close(ROOT)
    return flat
  }

  /** The root and `^seq` of a tree are at the top: rows that are kept serve one tree after another. */
  lend({ root, regions }: Pick<Tree, 'root' | 'regions'>, firstDepth = 0): this {
    const seq = regions[1].record
    this.#shift = firstDepth
    // Most often these are the same as before; to find that out in the rows would be to fetch them from memory.
    if (this.#root !== root || this.#seq !== seq) {
      const { records, seqRow } = this
      records[0] = this.#root = root
      records[seqRow] = this.#seq = seq
      if (this.#ids !== undefined) {
        this.#ids[0] = root.id
        this.#ids[seqRow] = seq.id
      }
    }
    return this
  }

  /** Whether something below the top is of one of some kinds. */
  hasSome({ has }: KindSet): boolean {
    const tally = (this.#tally ??= this.#makeTally())
    for (let i = 0; i < tally.length; i += 2) if (tally[i]! >= FIXED && has[tally[i]!] === 1) return true
    return false
  }

  /** How many rows are of one of some kinds; from a code on, which leaves out the top. */
  countOf({ has }: KindSet, from = 0): number {
    const tally = (this.#tally ??= this.#makeTally())
    let count = 0
    for (let i = 0; i < tally.length; i += 2) {
      const code = tally[i]!
      if (code >= from && has[code] === 1) count += tally[i + 1]!
    }
    return count
  }

  #makeTally(): readonly number[] {
    const counts = new Int32Array(this.kinds.size)
    for (let row = 0; row < this.size; row++) counts[this.codeOf(row)]!++
    const tally: number[] = []
    for (let code = 0; code < counts.length; code++) if (counts[code] !== 0) tally.push(code, counts[code]!)
    return tally
  }

  /** The rows of some kinds; those asked for last are at hand. */
  rowsOf(set: KindSet): readonly number[] {
    const list = this.#listOf(set)
    if (list.rows !== undefined) return list.rows
    const { has } = set
    const count = this.countOf(set)
    const rows: number[] = []
    for (let row = 0; rows.length < count; row++) if (has[this.codeOf(row)] === 1) rows.push(row)
    return (list.rows = rows)
  }

  /** The ids of what is of some kinds below the top, without a list of rows: that takes as long again. */
  idsOfKinds(set: KindSet): readonly string[] {
    const list = this.#listOf(set)
    if (list.ids !== undefined) return list.ids
    const { size, records } = this
    const { has } = set
    const known = this.#idsFor(this.countOf(set, FIXED))
    const ids: string[] = []
    for (let row = this.firstSegment; row < size; row++) {
      if (has[this.codeOf(row)] === 1) ids.push(known === undefined ? records[row]!.id : known[row]!)
    }
    return (list.ids = ids)
  }

  /** The rows at the end of a chain of kinds. */
  rowsIn(chain: KindChain): readonly number[] {
    return (this.#listOf(chain).rows ??= rowsOfChain(this, chain))
  }

  #listOf(of: KindSet | KindChain): List {
    const lists = (this.#lists ??= [])
    for (let i = 0; i < lists.length; i++) if (lists[i]!.of === of) return lists[i]!
    const list: List = { of, rows: undefined, ids: undefined }
    if (lists.push(list) > MAX_LISTS) lists.shift()
    return list
  }

  /** The ids of such a list of rows, or of a part of it. */
  idsOf(rows: readonly number[]): readonly string[] {
    const lists = this.#lists
    // What stands at the top is another node in every tree, and is not kept.
    const isBelow = rows.length === 0 || rows[0]! >= this.firstSegment
    if (lists === undefined || !isBelow) return this.#idsOf(rows)
    for (let i = 0; i < lists.length; i++) {
      if (lists[i]!.rows === rows) return (lists[i]!.ids ??= this.#idsOf(rows))
    }
    return this.#idsOf(rows)
  }

  #idsOf(rows: readonly number[]): readonly string[] {
    const { records } = this
    const known = this.#idsFor(rows.length)
    const ids: string[] = []
    // Not by `map`: it looks at each text, to find out that the list is no longer one of numbers.
    for (let i = 0; i < rows.length; i++) ids.push(known === undefined ? records[rows[i]!]!.id : known[rows[i]!]!)
    return ids
  }

  /** The ids by row: to fetch a record for nothing but its id costs more than all the rest. Undefined for a few. */
  #idsFor(rows: number): readonly string[] | undefined {
    if (this.#ids === undefined && rows * FEW >= this.size) this.#listIds()
    return this.#ids
  }

  /** The id of every row; none of a virtual core. */
  get ids(): readonly string[] {
    this.#listIds()
    return this.#ids!
  }

  /** Makes what most questions need. */
  setUp(): void {
    this.#listIds()
    this.#tally ??= this.#makeTally()
  }

  #listIds(): void {
    this.#ids ??= this.records.map((record) => record?.id ?? '')
  }

  /** Where the first segment starts, or would. */
  get firstSegment(): number {
    return this.seqRow + 1
  }

  /** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
  depthAt(row: number): number | undefined {
    if (row === 0 || row === this.seqRow) return undefined
    const { units } = this
    let low = 0
    let high = units.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (units[middle]! <= row) low = middle
      else high = middle - 1
    }
    return this.#depths[low]! + this.#shift
  }

  /** What a coordinate `(dK)` or `(dK..dL)` names, in document order. */
  unitsAt(from: number, to: number): readonly number[] {
    return this.units.filter((_, i) => {
      const depth = this.#depths[i]! + this.#shift
      return depth >= from && depth <= to
    })
  }

  get hasVirtual(): boolean {
    return this.#holders !== undefined
  }

  /** The virtual core that holds a row. */
  holderOf(row: number): number | undefined {
    return this.#holders?.get(row)
  }

  /** In document order; what a virtual core holds stays a child of its segment too (D12). */
  childrenOf(row: number): readonly number[] {
    const children: number[] = []
    for (let at = row + 1; at <= this.lastOf(row);) {
      children.push(at)
      at = this.records[at] === undefined ? at + 1 : this.lastOf(at) + 1
    }
    return children
  }

  #addUnit(unit: TreeNode, parent: number, depth: number): void {
    this.units.push(this.size)
    this.#depths.push(depth)
    this.#add(unit, parent)
  }

  #add(node: TreeNode, parent: number): void {
    if (!(node instanceof Branch)) {
      this.#close(this.#open(node, parent, this.kinds.codeOf(node)))
      return
    }
    const row = this.#open(node.record, parent, this.kinds.codeOf(node.record))
    if (lacksCore(node)) this.#addHeld(node, row)
    else {
      const { items } = node.children
      if (items === undefined) for (const child of node.children) this.#add(child, row)
      else for (let i = 0; i < items.length; i++) this.#add(items[i]!, row)
    }
    this.#close(row)
  }

  /** Blocks at offset 0 directly in there count as held by a core that is not there. */
  #addHeld({ children }: Branch, row: number): void {
    let core: number | undefined
    for (const child of children) {
      if (recordOf(child).offset === 0) {
        core ??= this.#open(undefined, row, VIRTUAL)
        this.#holders ??= new Map()
        this.#holders.set(this.size, core)
      }
      this.#add(child, row)
      if (recordOf(child).offset === 0) this.#close(core!)
    }
  }

  #openSeq(record: NodeRecord | undefined): void {
    this.seqRow = this.#open(record, ROOT, SEQ)
  }

  #open(record: NodeRecord | undefined, parent: number, code: number): number {
    const row = this.size++
    this.records.push(record)
    this.#cells[row] = code
    this.#cells[this.#room + 2 * row] = parent
    return row
  }

  #close(row: number): void {
    this.#cells[this.#room + 2 * row + 1] = this.size - 1
  }
}

/** With room for a virtual core in each. */
function rowsIn(units: readonly TreeNode[]): number {
  let rows = 0
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]!
    rows += 2 + (unit instanceof Branch ? unit.children.count : 0)
  }
  return rows
}

/** Whether it is a segment or the active head, and has no core (D12). */
export function lacksCore({ record, children }: Branch): boolean {
  if (record.nodeClass !== 'seg' && record.nodeType !== '^ah') return false
  for (const child of children.items ?? children) if (recordOf(child).nodeClass === 'core') return false
  return true
}

/** How far below the root a row stands, for `@order=bfs`. */
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
