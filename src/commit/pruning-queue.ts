// Candidates in the order of pruning, without sorting the tree: chunks are opened best first, by the first candidate
// that their sums promise, so taking k nodes costs about k openings whatever the size of the tree.

import { compareForPruning, type NodeRecord, type PruningKey } from '../core/index.js'
import { Branch, firstInsideOf, isPrunable, recordOf, type Sequence, type TreeNode } from '../timeline/index.js'

/** The kind of candidates, and the best one that a part of the tree promises. */
export type Order = Readonly<{
  firstOf: (chunk: Sequence) => PruningKey | undefined
  keyOf: (item: TreeNode) => PruningKey | undefined
  /** True if the children of the sequences themselves are the candidates, not the nodes inside them. */
  wholeItems: boolean
}>

/** Blocks and containers at any depth, by their own headers. */
export const NODES: Order = { firstOf: (chunk) => chunk.firstInside, keyOf: firstInsideOf, wholeItems: false }

/** Whole children, by their own headers, regardless of their content. */
export const SEGMENTS: Order = { firstOf: (chunk) => chunk.firstItem, keyOf: recordOf, wholeItems: true }

/** A node that may be pruned, and the key it was put in by. */
export type Candidate = Readonly<{ record: NodeRecord; key: PruningKey }>

type Entry = Readonly<{ key: PruningKey; what: NodeRecord | Branch | Sequence; ready: boolean }>

export class Frontier {
  /** A binary heap: the entry with the smallest key is at index 0. */
  readonly #heap: Entry[] = []
  readonly #order: Order

  constructor(sequences: Iterable<Sequence>, order: Order) {
    this.#order = order
    for (const sequence of sequences) this.#pushSequence(sequence)
  }

  /** Puts a candidate (back) in, at the place of this key. */
  push(record: NodeRecord, key: PruningKey): void {
    this.#push({ key, what: record, ready: true })
  }

  /** The next candidate, and the key it came with. */
  next(): Candidate | undefined {
    for (;;) {
      const entry = this.#pop()
      if (entry === undefined) return undefined
      if (entry.ready) return { record: entry.what as NodeRecord, key: entry.key }
      this.#open(entry.what as Branch | Sequence)
    }
  }

  #open(what: Branch | Sequence): void {
    if (what instanceof Branch) {
      if (isPrunable(what.record)) this.push(what.record, what.record)
      this.#pushSequence(what.children)
    } else {
      for (const chunk of what.chunks ?? []) this.#pushSequence(chunk)
      for (const item of what.items ?? []) this.#pushItem(item)
    }
  }

  #pushSequence(sequence: Sequence): void {
    const key = this.#order.firstOf(sequence)
    if (key !== undefined) this.#push({ key, what: sequence, ready: false })
  }

  #pushItem(item: TreeNode): void {
    const key = this.#order.keyOf(item)
    if (key === undefined) return
    const ready = this.#order.wholeItems || !(item instanceof Branch)
    this.#push({ key, what: ready ? recordOf(item) : item, ready })
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let i = heap.push(entry) - 1
    while (i > 0) {
      const up = (i - 1) >> 1
      if (compareEntries(heap[up]!, heap[i]!) <= 0) break
      swap(heap, i, up)
      i = up
    }
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    heap[0] = last
    for (let i = 0; ;) {
      const left = 2 * i + 1
      if (left >= heap.length) return top
      const right = left + 1
      const down = right < heap.length && compareEntries(heap[right]!, heap[left]!) < 0 ? right : left
      if (compareEntries(heap[i]!, heap[down]!) <= 0) return top
      swap(heap, i, down)
      i = down
    }
  }
}

/**
 * Members of a group share a key. What may hold another one is opened first, and they come by their own headers: so the
 * order is that of the tree, however its chunks are cut.
 */
function compareEntries(a: Entry, b: Entry): number {
  const order = compareForPruning(a.key, b.key)
  if (order !== 0 || !a.ready || !b.ready) return order || Number(a.ready) - Number(b.ready)
  return compareForPruning(a.what as NodeRecord, b.what as NodeRecord)
}

function swap(heap: Entry[], i: number, j: number): void {
  const entry = heap[i]!
  heap[i] = heap[j]!
  heap[j] = entry
}
