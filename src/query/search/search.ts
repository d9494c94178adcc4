// Searching a tree unit by unit for what a union selects: what stands before the segments, leaf after leaf of history, then
// the active head. Each part is matched by itself, with the help of what is known of its rows; a leaf that lacks a key, a
// tag, an attribute or a number that every result needs is passed over. Collecting, counting, going one by one and
// following a history are all this one walk.

import type { NodeRecord } from '../../core/index.js'
import { Branch, type Sequence, type TreeNode, type View } from '../../timeline/index.js'
import { segmentsOf } from '../match/extent.js'
import type { FlatTree } from '../match/flat-tree.js'
import { inOrder, matchGroup, type Matching, type Rows } from '../match/match.js'
import { inKeyOrder } from '../match/result-order.js'
import { plainMatching, realRows } from '../match/union.js'
import type { FlatTrees } from '../memory/flat-trees.js'
import type { Clue, Group, Plan, Spot, Test, Union } from '../plan/plan.js'
import type { Budget } from './budget.js'

/** What is found in one part of a tree: rows by group, or of all groups in one list. */
export type Part = Readonly<{
  place: 'before' | 'seq' | 'head'
  from: Source
  lists: readonly Rows[]
}>

/** What rows are about. */
type Source = Pick<FlatTree, 'records' | 'idsFor'>

/** How many segments are looked at one by one; more are looked at by leaf. */
const FEW = 8

export class Search {
  readonly #view: View
  readonly #groups: readonly Group[]
  readonly #isMerged: boolean
  readonly #trees: FlatTrees
  readonly #matching: Matching
  /** What every result in a segment needs; worked out at the first leaf. */
  #needed: readonly Clue[] | undefined

  /** `isMerged` where all groups give one list in document order. */
  constructor(view: View, { groups }: Union, plan: Pick<Plan, 'dialect' | 'order'>, trees: FlatTrees, budget: Budget) {
    this.#view = view
    this.#groups = groups
    this.#isMerged = plan.order !== undefined || (plan.dialect === '0.1' && groups.length > 1)
    this.#trees = trees
    this.#matching = plainMatching(view, plan.dialect, budget)
  }

  /** How many lists each part has. */
  get width(): number {
    return this.#isMerged ? 1 : this.#groups.length
  }

  /** Whether what a list has before the segments comes at its end: in the order of one key. */
  isBeforeLast(list: number): boolean {
    return !this.#isMerged && this.#groups[list]!.isKeyed
  }

  /** Every part in document order. */
  *parts(): Generator<Part, void, undefined> {
    const depths = this.#depths()
    if (reaches(depths, -1)) yield this.before()
    const seq = this.#view.tree.regions[1].children
    const segments = depths && segmentsOf(seq, depths)
    if (segments !== undefined && segments.length <= FEW) {
      for (const index of segments) yield this.#inSegment(seq.at(index) as Branch, seq.size - index)
    } else {
      for (const [leaf, index] of leavesOf(seq)) {
        if (segments === undefined || reachesAny(depths!, seq.size - index - leaf.size + 1, seq.size - index)) {
          yield this.inLeaf(leaf, index)
        }
      }
    }
    if (reaches(depths, 0)) yield this.head()
  }

  before(): Part {
    const flat = this.#trees.before(this.#view.tree)
    return { place: 'before', from: flat, lists: this.#match(flat, this.#matching, -1) }
  }

  head(): Part {
    const flat = this.#trees.head(this.#view.tree)
    return { place: 'head', from: flat, lists: this.#match(flat, this.#matching, flat.seqRow) }
  }

  /** `index` is that of its first segment. */
  inLeaf(leaf: Sequence, index: number): Part {
    const { tree } = this.#view
    const { flat, columns } = this.#trees.ofLeaf(leaf, tree)
    flat.lend(tree, tree.regions[1].children.size - index)
    this.#needed ??= this.#findNeeded()
    this.#matching.budget.spend(1)
    for (const clue of this.#needed) if (!columns.mayHold(clue, this.#view)) return NOTHING
    const told: Matching['told'] = (test, rows, view) => columns.told(test, rows, view)
    return { place: 'seq', from: flat, lists: this.#match(flat, { ...this.#matching, told }, flat.seqRow) }
  }

  /** What is found in one unit; without one, whether it is the root or `^seq` themselves. */
  inUnit(unit: Branch | undefined): readonly NodeRecord[] {
    const { regions } = this.#view.tree
    const [sys, seq, head] = regions
    if (unit === head) return recordsOf(this.head())
    if (unit === sys || unit === undefined) {
      const isTop = ({ id }: NodeRecord): boolean => id === this.#view.tree.root.id || id === seq.record.id
      return recordsOf(this.before()).filter((record) => isTop(record) === (unit === undefined))
    }
    return recordsOf(this.#inSegment(unit, seq.children.size - seq.children.rank(unit.record)))
  }

  /** What is found in a segment that stands at a depth; only what lasts does without it. */
  inSegment(segment: Branch, depth: number): Part {
    return this.#inSegment(segment, depth)
  }

  #inSegment(segment: Branch, depth: number): Part {
    const plain = this.#groups.length === 1 ? this.#groups[0]!.traits.plain : undefined
    if (plain !== undefined && !this.#groups[0]!.isKeyed) return this.#walk(segment, depth, plain)
    const flat = this.#trees.ofSegment(segment, this.#view.tree, depth)
    return { place: 'seq', from: flat, lists: this.#match(flat, this.#matching, flat.seqRow) }
  }

  /** Where each node answers for itself, a few are asked without setting up anything. */
  #walk(segment: Branch, depth: number, tests: readonly Test[]): Part {
    const { scope } = this.#groups[0]!
    if (scope !== undefined && (depth < scope.from || depth > scope.to)) return NOTHING
    const found: NodeRecord[] = []
    this.#matching.budget.spend(segment.children.count + 1)
    askBelow(segment, { record: undefined, depth }, tests, this.#view, found)
    return found.length === 0 ? NOTHING : { place: 'seq', from: listed(found), lists: [found.map((_, i) => i)] }
  }

  /** The rows that each group finds behind one of them, each node where it is first found. */
  #match(flat: FlatTree, matching: Matching, behind: number): readonly Rows[] {
    const lists = this.#groups.map((group) => {
      const rows = matchGroup(flat, group, matching)
      if (rows.length === 0) return rows
      const own = behind >= 0 && rows[0]! <= behind ? rows.filter((row) => row > behind) : rows
      const real = flat.hasVirtual ? realRows(flat, own) : own
      return group.isKeyed && !this.#isMerged ? inKeyOrder(flat, real) : real
    })
    if (lists.length === 1) return lists
    const seen = new Set<number>()
    const apart = lists.map((rows) => rows.filter((row) => !seen.has(row) && seen.add(row)))
    return this.#isMerged ? [inOrder(apart.flat())] : apart
  }

  /** The only depths that can hold a result. */
  #depths(): Group['traits']['depths'] {
    const depths = this.#groups.map(({ traits }) => traits.depths)
    return depths.every((each) => each !== undefined) ? depths.flat() : undefined
  }

  /** What the one group needs in a leaf, because neither the root nor `^seq` has it. */
  #findNeeded(): readonly Clue[] {
    if (this.#groups.length > 1) return []
    const { root, regions } = this.#view.tree
    const top = [root, regions[1].record].map((record): Spot => ({ record, depth: undefined }))
    return this.#groups[0]!.steps.flatMap(({ otherTests }) =>
      otherTests.flatMap(({ test, clue }) =>
        clue === undefined || top.some((spot) => test(spot, this.#view)) ? [] : clue,
      ),
    )
  }
}

/** What is found as it is: the record itself, or its id. */
export type Taker<T> = (part: Part, list: number, to: T[]) => void

export const takeRecords: Taker<NodeRecord> = ({ from: { records }, lists }, list, to) => {
  const rows = lists[list]!
  for (let i = 0; i < rows.length; i++) to.push(records[rows[i]!]!)
}

export const takeIds: Taker<string> = ({ from, lists }, list, to) => {
  const rows = lists[list]!
  const { records } = from
  const ids = from.idsFor(rows.length)
  if (ids === undefined) for (let i = 0; i < rows.length; i++) to.push(records[rows[i]!]!.id)
  else for (let i = 0; i < rows.length; i++) to.push(ids[rows[i]!]!)
}

/** All that is found in a part, list after list. */
export function recordsOf(part: Part): readonly NodeRecord[] {
  const records: NodeRecord[] = []
  for (let i = 0; i < part.lists.length; i++) takeRecords(part, i, records)
  return records
}

function listed(records: NodeRecord[]): Source {
  return { records, idsFor: () => undefined }
}

const NOTHING: Part = Object.freeze({ place: 'seq', from: listed([]), lists: Object.freeze([]) })

/** The leaves of a sequence, each with the index of its first item. */
export function* leavesOf(sequence: Sequence): Generator<readonly [leaf: Sequence, index: number], void, undefined> {
  if (sequence.size === 0) return
  let index = 0
  for (const leaf of sequence.leaves()) {
    yield [leaf, index]
    index += leaf.size
  }
}

function askBelow(node: TreeNode, spot: Spot, tests: readonly Test[], view: View, found: NodeRecord[]): void {
  const isBranch = node instanceof Branch
  const record = isBranch ? node.record : node
  spot.record = record
  let passes = true
  for (let i = 0; passes && i < tests.length; i++) passes = tests[i]!.test(spot, view)
  if (passes) found.push(record)
  if (!isBranch) return
  for (const child of node.children.items ?? node.children) askBelow(child, spot, tests, view, found)
}

function reaches(depths: Group['traits']['depths'], depth: number): boolean {
  return depths === undefined || reachesAny(depths, depth, depth)
}

function reachesAny(depths: NonNullable<Group['traits']['depths']>, low: number, high: number): boolean {
  return depths.some(({ from, to }) => from <= high && to >= low)
}
