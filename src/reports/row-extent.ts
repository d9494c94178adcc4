// The number of rows of parts of a tree if all of them are open. The core of a turn has no row of its own, since every turn has one: its
// content takes its place. Sums are kept with chunks, so that a window into a large tree costs the window.

import type { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, Fact, recordOf, type Sequence, type TreeNode } from '../timeline/index.js'

/** True if a node is folded into its parent. */
export function isFolded(record: NodeRecord): boolean {
  return record.nodeClass === 'core' && record.content === undefined
}

const ROWS = new Fact<Sequence, Readonly<{ rows: number }>>((sequence) => ({ rows: add(sequence) }))

function add({ chunks, items }: Sequence): number {
  let rows = 0
  for (const chunk of chunks ?? []) rows += ROWS.of(chunk).rows
  for (const item of items ?? []) rows += rowsOfOpen(item)
  return rows
}

/** Rows of a node and of all under it. */
export function rowsOfOpen(node: TreeNode): number {
  const own = isFolded(recordOf(node)) ? 0 : 1
  return node instanceof Branch ? own + ROWS.of(node.children).rows : own
}

/** The number of rows of the children of a sequence: of each one alone, or with everything under it. */
export class Extent {
  readonly #isClosed: boolean

  constructor(isClosed: boolean) {
    this.#isClosed = isClosed
  }

  ofAll(sequence: Sequence): number {
    return this.#isClosed ? sequence.size : ROWS.of(sequence).rows
  }

  ofOne(node: TreeNode): number {
    return this.#isClosed ? 1 : rowsOfOpen(node)
  }

  /** The rows of the children before a rank. */
  before(sequence: Sequence, rank: number): number {
    if (this.#isClosed) return Math.min(rank, sequence.size)
    let [rows, rest, chunk] = [0, rank, sequence]
    for (;;) {
      const { chunks } = chunk
      if (rest >= chunk.size) return rows + this.ofAll(chunk)
      if (chunks === undefined) return chunk.items!.slice(0, rest).reduce((sum, item) => sum + this.ofOne(item), rows)
      let at = 0
      while (rest >= chunks[at]!.size) {
        rows += this.ofAll(chunks[at]!)
        rest -= chunks[at++]!.size
      }
      chunk = chunks[at]!
    }
  }

  /** The rank of the child that has this row, counted from the first child's. */
  rankAt(sequence: Sequence, row: number): number {
    if (this.#isClosed) return Math.min(row, sequence.size)
    let [rank, rest, chunk] = [0, row, sequence]
    for (;;) {
      const { chunks } = chunk
      if (chunks === undefined) {
        for (const item of chunk.items!) {
          const rows = this.ofOne(item)
          if (rest < rows) return rank
          rest -= rows
          rank++
        }
        return rank
      }
      let at = 0
      while (at < chunks.length - 1 && rest >= this.ofAll(chunks[at]!)) {
        rest -= this.ofAll(chunks[at]!)
        rank += chunks[at++]!.size
      }
      chunk = chunks[at]!
    }
  }
}

/** The number of direct children of a node; the content of a folded core counts in place of the core. */
export function childRows(node: TreeNode): number {
  const { items, chunks, size } = childrenOf(node)
  if (chunks !== undefined || items === undefined) return size
  return items.reduce((sum, item) => sum + (isFolded(recordOf(item)) ? childrenOf(item).size : 1), 0)
}
