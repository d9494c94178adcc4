// What a union selects in one tree after another. A union that lasts finds in each segment what it found there before, so
// after a commit only the sealed segment is searched; after an edit of history, the leaves that are new; after a write, the
// active head.

import { sealedSince, type Branch, type Sequence, type Tree, type View } from '../../timeline/index.js'
import type { Plan, Union } from '../plan/plan.js'
import type { Visits } from '../search/visits.js'
import { joined } from '../search/join.js'
import type { Picking } from '../search/run.js'
import { plainlyIn } from '../search/in-segment.js'
import { leavesOf, Search, type Part } from '../search/search.js'
import type { FlatTrees } from './flat-trees.js'

/** The results of some part, list by list. */
type Lists<T> = readonly (readonly T[])[]

/** What was found in a leaf: list by list where that begins and ends. */
type Span = readonly (readonly [from: number, to: number])[]

/** Beyond this many new segments it is as well to look at leaves. */
const MAX_SEALED = 32

export class GrowingAnswer<T> {
  readonly #union: Union
  readonly #plan: Plan
  readonly #trees: FlatTrees
  readonly #pick: Picking<T>
  readonly #isBeforeLast: readonly boolean[]
  #tree: Tree | undefined
  #before: Lists<T> = []
  #head: Lists<T> = []
  /** What was found in the segments at the last look at all of them, and in those sealed since. */
  #seq: Lists<T> = []
  #since: T[][] = []
  #spans: ReadonlyMap<Sequence, Span> = new Map()
  #all: readonly T[] | undefined

  constructor(union: Union, plan: Plan, trees: FlatTrees, pick: Picking<T>) {
    this.#union = union
    this.#plan = plan
    this.#trees = trees
    this.#pick = pick
    const isMerged = plan.order !== undefined || plan.dialect === '0.1'
    this.#isBeforeLast = union.groups.map(({ isKeyed }) => isKeyed && !isMerged)
  }

  /** Goes on to a view. Gives what the sealed segments have added at the end, if nothing else is new; else undefined. */
  update(view: View, budget: Visits): readonly T[] | undefined {
    const { tree } = view
    const old = this.#tree
    if (old === tree) return NOTHING
    if (old !== undefined && hasOnlyGrown(old, tree)) {
      const found = this.#inSealed(tree.sealed!.segment, view, budget)
      if (found !== undefined) return this.#grow(tree, found)
    }
    const [sys, seq, head] = tree.regions
    const isSameTop = old !== undefined && hasSameTop(old, tree)
    const isSameHead = isSameTop && isSame(old.regions[2], head)
    const isSameSys = isSameTop && old.regions[0] === sys
    const search = new Search(view, this.#union, this.#plan, this.#trees, budget)
    const sealed = isSameTop ? sealedSince(view, old.regions[1].children, MAX_SEALED) : undefined
    // Nothing is kept before all of it is there: the budget may end at any look.
    const before = isSameSys ? this.#before : this.#listsOf(search.before())
    const after = isSameHead ? this.#head : this.#listsOf(search.head())
    if (sealed === undefined) this.#searchLeaves(search, seq.children, isSameTop)
    const found =
      sealed && joinLists(sealed.map((segment, i) => this.#listsOf(search.inSegment(segment, sealed.length - i))))
    const isAsBefore = isSameOrEmpty(before, this.#before) && isSameOrEmpty(after, this.#head)
    this.#before = before
    this.#head = after
    if (found !== undefined && isAsBefore) return this.#grow(tree, found)
    if (found !== undefined) this.#add(found)
    this.#tree = tree
    this.#all = undefined
    return undefined
  }

  /** What a plain chain finds in the one segment that is new: most questions after most commits. */
  #inSealed(segment: Branch, view: View, budget: Visits): Lists<T> | undefined {
    const [group] = this.#union.groups
    if (this.#union.groups.length > 1) return undefined
    const found = plainlyIn(segment, 1, group!, view, budget)
    // Several of one key have an order of their own.
    if (found === undefined || (found.length > 1 && this.#isBeforeLast[0] === true)) return undefined
    return found.length === 0 ? NOTHING : [found.map(this.#pick.of)]
  }

  /** Takes in what was found in sealed segments, which is all that is new. */
  #grow(tree: Tree, found: Lists<T>): readonly T[] | undefined {
    this.#tree = tree
    if (found.length === 0) return NOTHING
    this.#add(found)
    this.#all = undefined
    return this.#head.length === 0 && found.length === 1 ? found[0] : undefined
  }

  /** How many there are. */
  get count(): number {
    return lengthOf(this.#before) + lengthOf(this.#seq) + lengthOf(this.#since) + lengthOf(this.#head)
  }

  /** How much is kept. */
  get size(): number {
    return this.count + this.#spans.size
  }

  /** All of them, in one frozen list. */
  all(): readonly T[] {
    if (this.#all === undefined) {
      if (lengthOf(this.#since) > 0) {
        this.#seq = this.#since.map((list, i) => (this.#seq[i] ?? []).concat(list))
        this.#since = []
      }
      const lists = this.#isBeforeLast.flatMap((isLast, i) => {
        const [before = [], seq = [], head = []] = [this.#before[i], this.#seq[i], this.#head[i]]
        return isLast ? [seq, head, before] : [before, seq, head]
      })
      const filled = lists.filter(({ length }) => length > 0)
      this.#all = Object.freeze(joined(filled))
    }
    return this.#all
  }

  #searchLeaves(search: Search, seq: Sequence, isKnown: boolean): void {
    const parts = Array.from({ length: search.width }, (): (readonly T[])[] => [])
    const ends = parts.map(() => 0)
    const spans = new Map<Sequence, Span>()
    let depth = seq.size
    for (const leaf of leavesOf(seq)) {
      const known = isKnown ? this.#spans.get(leaf) : undefined
      const found =
        known?.map(([from, to], i) => this.#seq[i]!.slice(from, to)) ?? this.#listsOf(search.inLeaf(leaf, depth))
      const span = parts.map((lists, i): readonly [number, number] => {
        const list = found[i] ?? NOTHING
        if (list.length > 0) lists.push(list)
        return [ends[i]!, (ends[i]! += list.length)]
      })
      spans.set(leaf, span)
      depth -= leaf.size
    }
    this.#seq = parts.map((lists) => joined(lists))
    this.#since = []
    this.#spans = spans
  }

  #add(found: Lists<T>): void {
    for (let i = 0; i < found.length; i++) {
      if (i === this.#since.length) this.#since.push([])
      // Not as arguments of one call, of which there may be too many.
      for (const item of found[i]!) this.#since[i]!.push(item)
    }
  }

  #listsOf(part: Part): Lists<T> {
    if (part.lists.every((rows) => rows.length === 0)) return NOTHING
    return part.lists.map((_, i) => this.#pick.take(part, i))
  }
}

const NOTHING: readonly never[] = Object.freeze([])

/** Whether a tree is an older one with one more segment at the end of its history. */
export function hasOnlyGrown(old: Tree, tree: Tree): boolean {
  if (tree.sealed?.onto !== old.regions[1].children || !hasSameTop(old, tree)) return false
  return old.regions[0] === tree.regions[0] && isSame(old.regions[2], tree.regions[2])
}

function hasSameTop(old: Tree, tree: Tree): boolean {
  return old.root === tree.root && old.regions[1].record === tree.regions[1].record
}

function isSame(a: Branch, b: Branch): boolean {
  return a.record === b.record && a.children === b.children
}

function isSameOrEmpty<T>(a: Lists<T>, b: Lists<T>): boolean {
  return a === b || (a.length === 0 && b.length === 0)
}

/** What was found in several segments, list by list; nothing at all where nothing was found. */
function joinLists<T>(found: readonly Lists<T>[]): Lists<T> {
  const filled = found.filter((lists) => lists.length > 0)
  if (filled.length < 2) return filled[0] ?? NOTHING
  return filled[0]!.map((_, i) => filled.flatMap((lists) => lists[i]!))
}

function lengthOf(lists: readonly (readonly unknown[])[]): number {
  let length = 0
  for (let i = 0; i < lists.length; i++) length += lists[i]!.length
  return length
}
