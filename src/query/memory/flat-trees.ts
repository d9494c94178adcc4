// The rows of the parts of a tree, kept for the next selector. Those of a leaf of history stay with the leaf, and so with
// every snapshot and fork that has it; the last leaf is another one after every commit, so only the newest of those is
// kept, here. A context keeps the rows of about two of its trees: what came first goes first.

import { Fact, type Branch, type Sequence, type Tree } from '../../timeline/index.js'
import { FlatTree } from '../match/flat-tree.js'
import { Kinds, MANY } from '../match/kinds.js'
import { Columns } from '../search/columns.js'

/** How many rows are kept beside those of two trees. */
export const SPARE_ROWS = 10_000
/** How many leaves are read ahead; half and twice as many do as well. */
export const AHEAD = 32

const columnsOfLeaf = new Fact<Sequence, Columns>((leaf) => columnsOf(leaf, new Kinds()))

function columnsOf(leaf: Sequence, kinds: Kinds): Columns {
  return new Columns(FlatTree.ofSegments(leaf.items!, kinds))
}

type Slot<Of> = Readonly<{ of: Of; flat: FlatTree }> | undefined

export class FlatTrees {
  /** The leaves whose columns this context has made, oldest first; how many rows each has. */
  readonly #kept = new Map<Sequence, number>()
  #rows = 0
  #kinds = new Kinds()
  #edge: Readonly<{ leaf: Sequence; columns: Columns }> | undefined
  #sys: Slot<Branch>
  #head: Slot<Branch>
  #newest: Slot<Branch>

  /** How many rows are kept of leaves. */
  get rows(): number {
    return this.#rows
  }

  /** A leaf of `^seq`; its root and depth are set by the caller. */
  ofLeaf(leaf: Sequence, tree: Tree): Columns {
    const known = columnsOfLeaf.known(leaf) ?? (this.#edge?.leaf === leaf ? this.#edge.columns : undefined)
    if (known !== undefined) return known
    const seq = tree.regions[1].children
    if (this.#kinds.size > MANY) this.#kinds = new Kinds()
    const columns = columnsOf(leaf, this.#kinds)
    if (leaf.items!.at(-1) === seq.last) this.#edge = { leaf, columns }
    else {
      columnsOfLeaf.keep(leaf, columns)
      this.#count(leaf, columns.flat.size, tree)
    }
    return columns
  }

  /**
   * Reads something of the next leaves, so that they come from memory at the same time: to wait for one after another takes
   * a question that has no leaf in the caches a third longer.
   */
  fetch(leaves: readonly Sequence[], from: number): number {
    let sum = 0
    const end = Math.min(from + AHEAD, leaves.length)
    for (let i = from; i < end; i++) sum += columnsOfLeaf.known(leaves[i]!)?.fetch() ?? 0
    return sum
  }

  /**
   * After a commit: a leaf that has just been left behind is set up while its records are still in the caches. That is a
   * tenth of what it costs the first question, and 2 % of 32 commits.
   */
  settle(tree: Tree): void {
    const leaf = tree.sealed === undefined ? undefined : leafLeftBehind(tree.regions[1].children)
    if (leaf === undefined) return
    const columns = this.ofLeaf(leaf, tree)
    columns.flat.lend(tree).setUp()
    columns.setUp()
  }

  /** Counts what was kept, and drops what is too much. */
  #count(leaf: Sequence, size: number, tree: Tree): void {
    this.#kept.set(leaf, size)
    this.#rows += size
    const most = 2 * tree.regions[1].children.count + SPARE_ROWS
    for (const [oldest, rows] of this.#kept) {
      if (this.#rows <= most) return
      this.#kept.delete(oldest)
      this.#rows -= rows
      columnsOfLeaf.drop(oldest)
    }
  }

  /** One segment at some depth. */
  ofSegment(segment: Branch, tree: Tree, depth: number): FlatTree {
    if (this.#newest?.of !== segment) this.#newest = { of: segment, flat: FlatTree.ofSegments([segment], this.#kinds) }
    return this.#newest.flat.lend(tree, depth)
  }

  /** What stands before the segments: the root, `^sys` and `^seq`. */
  before(tree: Tree): FlatTree {
    const [sys] = tree.regions
    if (this.#sys?.of !== sys) this.#sys = { of: sys, flat: FlatTree.of(tree, BEFORE, this.#kinds) }
    return this.#sys.flat.lend(tree)
  }

  /** What stands behind them: `^ah`. */
  head(tree: Tree): FlatTree {
    const [, , head] = tree.regions
    if (this.#head?.of !== head) this.#head = { of: head, flat: FlatTree.of(tree, HEAD, this.#kinds) }
    return this.#head.flat.lend(tree)
  }
}

/** The leaf before the last one, if that has only one segment yet. */
function leafLeftBehind(seq: Sequence): Sequence | undefined {
  let before: Sequence | undefined
  let last = seq
  while (last.chunks !== undefined) {
    before = last.chunks.at(-2) ?? before?.chunks?.at(-1)
    last = last.chunks.at(-1)!
  }
  return last.size === 1 ? before : undefined
}

const BEFORE = { sys: true, head: false, segments: [] } as const
const HEAD = { sys: false, head: true, segments: [] } as const
