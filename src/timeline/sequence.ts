// The tree of one snapshot, as persistent data. A block is its record alone; anything that can hold children is a
// Branch with a Sequence. A Sequence is a B+ tree in the sibling order: a change copies one leaf and the path above it
// and shares the rest, so every snapshot keeps its own children at the price of what changed (about 1 KB for a commit
// into a million nodes). Each chunk carries sums over the nodes below it, so that a commit finds due nodes, and pruning its first candidate,
// without visiting the rest.

import {
  compareForPruning,
  compareSiblings,
  LIMITS,
  NEVER,
  type ChunkSums,
  type NodeRecord,
  type PruningKey,
  type SiblingKey,
} from '../core/index.js'
import type { Kept } from './facts.js'
import { INNER_WIDTH, LEAF_WIDTH } from './width.js'

export type TreeNode = NodeRecord | Branch

export class Branch {
  readonly record: NodeRecord
  readonly children: Sequence
  /** True if it ever had a child: only then is an empty removable container removed (D26). */
  readonly everHeld: boolean
  /** Facts derived from the branch: see facts.ts. */
  facts: Kept | undefined

  constructor(record: NodeRecord, children: Sequence, everHeld = false) {
    this.record = record
    this.children = children
    this.everHeld = everHeld || children.size > 0
    this.facts = undefined
  }

  withChildren(children: Sequence): Branch {
    return new Branch(this.record, children, this.everHeld)
  }

  withRecord(record: NodeRecord): Branch {
    return new Branch(record, this.children, this.everHeld)
  }

  /** True if the cascade removes it, provided that nothing refers to it (D26). */
  get isSpent(): boolean {
    return this.everHeld && this.children.size === 0 && this.record.isRemovable
  }
}

/** Due at every commit: an empty removable container may have been waiting for a reference to go. */
export const AT_ONCE = -1

const NOTHING: ChunkSums = {
  size: 0,
  count: 0,
  rendered: 0,
  due: NEVER,
  fullest: 0,
  firstItem: undefined,
  firstInside: undefined,
}

/** Before every time that a record can have. */
const LOWEST_NS = -(10n ** BigInt(LIMITS.digits))

/** The content of a chunk that is elsewhere, such as in a page of a store, and is read on demand. */
export type Unread<Part = TreeNode | Sequence> = Readonly<{
  /** The place of the first child. */
  first: SiblingKey
  read: () => readonly Part[]
  /** True if a node with this id may be in there, at any depth. Reads nothing. */
  mayHold: (id: string) => boolean
}>

/** A leaf (`items`) or an inner chunk (`chunks`). `chunks` reads no leaf page, and the sums read nothing. */
export class Sequence implements ChunkSums {
  #items: readonly TreeNode[] | Unread<TreeNode> | undefined
  #chunks: readonly Sequence[] | Unread<Sequence> | undefined
  readonly size: number
  readonly count: number
  readonly rendered: number
  readonly due: number
  readonly fullest: number
  readonly firstItem: PruningKey | undefined
  readonly firstInside: PruningKey | undefined
  /** The earliest end of a ttl from a cycle on, where others came before it: see due.ts. */
  later: Readonly<{ from: number; due: number }> | undefined
  /** Facts derived from the chunk: see facts.ts. */
  facts: Kept | undefined

  private constructor(
    items: readonly TreeNode[] | Unread<TreeNode> | undefined,
    chunks: readonly Sequence[] | Unread<Sequence> | undefined,
    sums: ChunkSums,
  ) {
    this.#items = items
    this.#chunks = chunks
    this.size = sums.size
    this.count = sums.count
    this.rendered = sums.rendered
    this.due = sums.due
    this.fullest = sums.fullest
    this.firstItem = sums.firstItem
    this.firstInside = sums.firstInside
    this.facts = undefined
    this.later = undefined
  }

  static readonly EMPTY: Sequence = Sequence.leaf([])

  /** Builds a sequence from children already in canonical order. */
  static fromSorted(items: readonly TreeNode[]): Sequence {
    if (items.length <= LEAF_WIDTH) return items.length === 0 ? Sequence.EMPTY : Sequence.leaf(items)
    let level = split(items, LEAF_WIDTH).map((part) => Sequence.leaf(part))
    while (level.length > 1) level = split(level, INNER_WIDTH).map((part) => Sequence.inner(part))
    return level[0]!
  }

  static leaf(items: readonly TreeNode[]): Sequence {
    const leaf = new Sequence(items, undefined, NOTHING)
    for (const item of items) addItem(leaf, item)
    return leaf
  }

  /** A leaf whose items are read on demand. */
  static unreadLeaf(items: Unread<TreeNode>, sums: ChunkSums): Sequence {
    return new Sequence(items, undefined, sums)
  }

  static unreadInner(chunks: Unread<Sequence>, sums: ChunkSums): Sequence {
    return new Sequence(undefined, chunks, sums)
  }

  static inner(chunks: readonly Sequence[]): Sequence {
    const inner = new Sequence(undefined, chunks, NOTHING)
    for (const chunk of chunks) addSums(inner, chunk)
    return inner
  }

  /** A chunk with one more child somewhere below it: its sums follow from the old ones. */
  static grown(old: Sequence, parts: readonly (TreeNode | Sequence)[], item: TreeNode): Sequence {
    const grown = old.chunks
      ? new Sequence(undefined, parts as readonly Sequence[], old)
      : new Sequence(parts as readonly TreeNode[], undefined, old)
    addItem(grown, item)
    return grown
  }

  /** The children of a leaf. */
  get items(): readonly TreeNode[] | undefined {
    const items = this.#items
    return items === undefined || isRead(items) ? items : (this.#items = items.read())
  }

  /** The chunks of an inner one. */
  get chunks(): readonly Sequence[] | undefined {
    const chunks = this.#chunks
    return chunks === undefined || isRead(chunks) ? chunks : (this.#chunks = chunks.read())
  }

  get isLeaf(): boolean {
    return this.#chunks === undefined
  }

  /** The link data of a chunk that was not read yet. */
  get unread(): Unread | undefined {
    const parts = this.#chunks ?? this.#items!
    return isRead<TreeNode | Sequence>(parts) ? undefined : parts
  }

  /** The place of the first child; only of one that is not empty. */
  get first(): SiblingKey {
    let left: Sequence = this
    for (let chunks = left.#chunks; chunks !== undefined; chunks = left.#chunks) {
      if (!isRead(chunks)) return chunks.first
      left = chunks[0]!
    }
    const items = left.#items!
    return isRead(items) ? recordOf(items[0]!) : items.first
  }

  find(key: SiblingKey): TreeNode | undefined {
    let chunk: Sequence = this
    while (chunk.chunks) chunk = chunk.chunks[chunkFor(chunk.chunks, key)]!
    const found = chunk.items![lowerBound(chunk.items!, key)]
    return found !== undefined && recordOf(found).id === key.id ? found : undefined
  }

  /** The number of children before this place. */
  rank(key: SiblingKey): number {
    return this.sumBefore(key, (part) => (part instanceof Sequence ? part.size : 1))
  }

  /** The sum of something over the children before this place, asked of as few parts as there are. */
  sumBefore(key: SiblingKey, of: (part: Sequence | TreeNode) => number): number {
    let sum = 0
    let chunk: Sequence = this
    while (chunk.chunks) {
      const at = chunkFor(chunk.chunks, key)
      for (let i = 0; i < at; i++) sum += of(chunk.chunks[i]!)
      chunk = chunk.chunks[at]!
    }
    const at = lowerBound(chunk.items!, key)
    for (let i = 0; i < at; i++) sum += of(chunk.items![i]!)
    return sum
  }

  /** The number of children with a lower offset. */
  rankOfOffset(offset: number): number {
    return this.rank({ offset, createdAtNs: LOWEST_NS, creationIndex: -Infinity, id: '' })
  }

  at(index: number): TreeNode | undefined {
    if (index < 0 || index >= this.size) return undefined
    let rest = index
    let chunk: Sequence = this
    while (chunk.chunks) {
      let i = 0
      while (rest >= chunk.chunks[i]!.size) rest -= chunk.chunks[i++]!.size
      chunk = chunk.chunks[i]!
    }
    return chunk.items![rest]
  }

  get last(): TreeNode | undefined {
    return this.at(this.size - 1)
  }

  toArray(): readonly TreeNode[] {
    return this.chunks ? [...this] : this.items!
  }

  *[Symbol.iterator](): Generator<TreeNode, void, undefined> {
    for (const chunk of this.leaves()) yield* chunk.items!
  }

  /** The leaves in order: the units that caches are kept by. */
  *leaves(): Generator<Sequence, void, undefined> {
    if (this.chunks) for (const chunk of this.chunks) yield* chunk.leaves()
    else yield this
  }

  insert(item: TreeNode): Sequence {
    const grown = insertInto(this, item)
    return grown instanceof Sequence ? grown : Sequence.inner(grown)
  }

  /** Puts another version in the place of a child whose order headers are the same. */
  replace(item: TreeNode): Sequence {
    return changeAt(this, recordOf(item), (items, at) => items.with(at, item))
  }

  remove(key: SiblingKey): Sequence {
    let chunk = changeAt(this, key, (items, at) => items.toSpliced(at, 1))
    while (chunk.chunks?.length === 1) chunk = chunk.chunks[0]!
    return chunk.size === 0 ? Sequence.EMPTY : chunk
  }
}

export function recordOf(node: TreeNode): NodeRecord {
  return node instanceof Branch ? node.record : node
}

export function childrenOf(node: TreeNode): Sequence {
  return node instanceof Branch ? node.children : Sequence.EMPTY
}

/** The number of nodes of a subtree, its top included, that the provider thread shows. */
export function renderedIn(node: TreeNode): number {
  return (recordOf(node).isRendered ? 1 : 0) + childrenOf(node).rendered
}

/** True if pruning may remove this node (D27): a block or container that is not pinned. */
export function isPrunable(record: NodeRecord): boolean {
  return (record.nodeClass === 'block' || record.nodeClass === 'cont') && record.rare?.pinned !== true
}

/** The first node of a subtree, itself included, in the order of pruning. */
export function firstInsideOf(node: TreeNode): PruningKey | undefined {
  const record = recordOf(node)
  const own = isPrunable(record) ? record : undefined
  return node instanceof Branch ? sooner(own, node.children.firstInside) : own
}

/** A new chunk whose sums are still being added up. */
type Growing = { -readonly [K in keyof ChunkSums]: ChunkSums[K] }

function addItem(sums: Growing, node: TreeNode): void {
  const record = recordOf(node)
  const below = childrenOf(node)
  const isSpent = node instanceof Branch && node.isSpent
  sums.size += 1
  sums.count += 1 + below.count
  sums.rendered += (record.isRendered ? 1 : 0) + below.rendered
  sums.due = Math.min(sums.due, isSpent ? AT_ONCE : record.expiry, below.due)
  sums.fullest = Math.max(sums.fullest, below.count)
  sums.firstItem = sooner(sums.firstItem, record)
  sums.firstInside = sooner(sums.firstInside, firstInsideOf(node))
}

function addSums(sums: Growing, chunk: ChunkSums): void {
  sums.size += chunk.size
  sums.count += chunk.count
  sums.rendered += chunk.rendered
  sums.due = Math.min(sums.due, chunk.due)
  sums.fullest = Math.max(sums.fullest, chunk.fullest)
  sums.firstItem = sooner(sums.firstItem, chunk.firstItem)
  sums.firstInside = sooner(sums.firstInside, chunk.firstInside)
}

function sooner(a: PruningKey | undefined, b: PruningKey | undefined): PruningKey | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return compareForPruning(a, b) <= 0 ? a : b
}

/** A chunk with one more child below it, or the two that it becomes. */
function insertInto(chunk: Sequence, item: TreeNode): Sequence | readonly [Sequence, Sequence] {
  const key = recordOf(item)
  const { chunks } = chunk
  if (chunks === undefined) {
    const held = chunk.items!
    const at = lowerBound(held, key)
    const isAppended = at === held.length
    // A full chunk stays as it is, with its facts.
    if (isAppended && at >= LEAF_WIDTH) return [chunk, Sequence.leaf([item])]
    // Appending is the usual case, and concat is the fastest exact copy.
    const items = isAppended ? (at === 0 ? [item] : held.concat([item])) : held.toSpliced(at, 0, item)
    if (items.length <= LEAF_WIDTH) return Sequence.grown(chunk, items, item)
    const [left, right] = halved(items)
    return [Sequence.leaf(left), Sequence.leaf(right)]
  }
  const at = chunkFor(chunks, key)
  const grown = insertInto(chunks[at]!, item)
  if (grown instanceof Sequence) return Sequence.grown(chunk, chunks.with(at, grown), item)
  const [left, right] = grown
  if (at === chunks.length - 1 && at + 1 >= INNER_WIDTH && left === chunks[at]) return [chunk, Sequence.inner([right])]
  const all = chunks.toSpliced(at, 1, left, right)
  if (all.length <= INNER_WIDTH) return Sequence.grown(chunk, all, item)
  const [lower, upper] = halved(all)
  return [Sequence.inner(lower), Sequence.inner(upper)]
}

function halved<T>(parts: readonly T[]): readonly [readonly T[], readonly T[]] {
  const at = parts.length >> 1
  return [parts.slice(0, at), parts.slice(at)]
}

function changeAt(
  chunk: Sequence,
  key: SiblingKey,
  change: (items: readonly TreeNode[], at: number) => readonly TreeNode[],
): Sequence {
  const { chunks } = chunk
  if (chunks === undefined) return Sequence.leaf(change(chunk.items!, lowerBound(chunk.items!, key)))
  const at = chunkFor(chunks, key)
  return Sequence.inner(settle(chunks, at, changeAt(chunks[at]!, key, change)))
}

/** Puts a changed chunk back. An empty one is dropped and a thin one joins a neighbour, so that churn leaves no thin tree. */
function settle(chunks: readonly Sequence[], at: number, changed: Sequence): readonly Sequence[] {
  if (changed.size === 0) return chunks.toSpliced(at, 1)
  const width = changed.chunks ? INNER_WIDTH : LEAF_WIDTH
  const fits = (other: Sequence | undefined): boolean =>
    other !== undefined && widthOf(changed) + widthOf(other) <= width / 2
  if (widthOf(changed) >= width / 4) return chunks.with(at, changed)
  if (fits(chunks[at - 1])) return chunks.toSpliced(at - 1, 2, join(chunks[at - 1]!, changed))
  if (fits(chunks[at + 1])) return chunks.toSpliced(at, 2, join(changed, chunks[at + 1]!))
  return chunks.with(at, changed)
}

function join(left: Sequence, right: Sequence): Sequence {
  return left.chunks
    ? Sequence.inner([...left.chunks, ...right.chunks!])
    : Sequence.leaf([...left.items!, ...right.items!])
}

function widthOf(chunk: Sequence): number {
  return chunk.isLeaf ? chunk.size : chunk.chunks!.length
}

/** The chunk for this place: the last one whose first child is not after it. */
function chunkFor(chunks: readonly Sequence[], key: SiblingKey): number {
  let low = 0
  let high = chunks.length - 1
  // New segments come last, so look there first.
  if (compareSiblings(chunks[high]!.first, key) <= 0) return high
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (compareSiblings(chunks[middle]!.first, key) <= 0) low = middle
    else high = middle - 1
  }
  return low
}

function isRead<Part>(parts: readonly Part[] | Unread<Part>): parts is readonly Part[] {
  return Array.isArray(parts)
}

function lowerBound(items: readonly TreeNode[], key: SiblingKey): number {
  let low = 0
  let high = items.length
  if (high > 0 && compareSiblings(recordOf(items[high - 1]!), key) < 0) return high
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareSiblings(recordOf(items[middle]!), key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function split<T>(list: readonly T[], width: number): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let i = 0; i < list.length; i += width) parts.push(list.slice(i, i + width))
  return parts
}
