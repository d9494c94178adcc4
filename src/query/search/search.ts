// Searching a tree unit by unit for what a union selects: what stands before the segments, leaf after leaf of history, then
// the active head. Each part is matched by itself, with the help of what is known of its rows; a leaf that lacks a key, a
// tag, an attribute or a number that every result needs is passed over. Collecting, counting, going one by one and
// following a history are all this one walk.

import type { NodeRecord } from '../../core/index.js'
import type { Branch, Sequence, View } from '../../timeline/index.js'
import { segmentsOf } from '../match/extent.js'
import type { FlatTree } from '../match/flat-tree.js'
import { FIXED } from '../match/kinds.js'
import { inOrder, matchGroup, type Matching, type Rows } from '../match/match.js'
import { inKeyOrder } from '../match/result-order.js'
import { plainMatching, realRows } from '../match/union.js'
import { AHEAD, type FlatTrees } from '../memory/flat-trees.js'
import type { Group, Plan, Spot, Step, Test, Union } from '../plan/plan.js'
import type { Visits } from './visits.js'
import type { Columns } from './columns.js'
import { plainlyIn } from './in-segment.js'

/** What is found in one part of a tree: rows by group, or of all groups in one list. */
export type Part = Readonly<{
  place: 'before' | 'seq' | 'head'
  from: Source
  lists: readonly Rows[]
}>

/** What rows are about. */
type Source = Pick<FlatTree, 'records' | 'idsOf'>

/** Which rows pass a test. */
type Passed = Readonly<{ test: Test; rows: Rows }>

/** How many segments are looked at one by one; more are looked at by leaf. */
const FEW = 8

export class Search {
  /** What was read ahead: nobody asks for it, but the host does not read what nobody keeps. */
  fetched = 0
  readonly #view: View
  readonly #groups: readonly Group[]
  /** Whether all groups give one list in document order. */
  readonly #isMerged: boolean
  readonly #trees: FlatTrees
  readonly #matching: Matching
  /** What is known of the leaf that is being matched, and which rows pass the test that was last asked of all of it. */
  #columns: Columns | undefined
  #few: Passed | undefined
  /** The same of what stands at the top. */
  #top: Passed | undefined
  /** What each group needs in a leaf; worked out at the first one. */
  #demands: readonly Demand[] | undefined

  constructor(view: View, { groups }: Union, plan: Pick<Plan, 'dialect' | 'order'>, trees: FlatTrees, budget: Visits) {
    this.#view = view
    this.#groups = groups
    this.#isMerged = plan.order !== undefined || (plan.dialect === '0.1' && groups.length > 1)
    this.#trees = trees
    const told: Matching['told'] = (test, rows) => this.#told(test, rows)
    this.#matching = { ...plainMatching(view, plan.dialect, budget), told }
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
      for (const index of segments) yield this.inSegment(seq.at(index) as Branch, seq.size - index)
    } else {
      let depth = seq.size
      const leaves = leavesOf(seq)
      for (let i = 0; i < leaves.length; i++) {
        const leaf = leaves[i]!
        // Who stops at the first leaf needs no other.
        if (i % AHEAD === 1 && segments === undefined) this.fetched = this.#trees.fetch(leaves, i)
        if (segments === undefined || reachesAny(depths!, depth - leaf.size + 1, depth)) yield this.inLeaf(leaf, depth)
        depth -= leaf.size
      }
    }
    if (reaches(depths, 0)) yield this.head()
  }

  /** How many are found; where only their kinds matter, a leaf tells that without a list of rows. */
  count(): number {
    const step = this.#groups.length === 1 ? kindsAlone(this.#groups[0]!) : undefined
    if (step === undefined) return countIn(this.parts())
    const { tree } = this.#view
    let count = countIn([this.before(), this.head()])
    let depth = tree.regions[1].children.size
    for (const leaf of leavesOf(tree.regions[1].children)) {
      const { flat } = this.#trees.ofLeaf(leaf, tree)
      this.#matching.budget.spend(1)
      if (flat.hasVirtual) count += countIn([this.inLeaf(leaf, depth)])
      else count += flat.countOf(this.#matching.kinds.of(step, flat.kinds), FIXED)
      depth -= leaf.size
    }
    return count
  }

  /**
   * The ids of all that is found, part by part, where only kinds and perhaps a number matter, and they come in document
   * order; else undefined. Without lists of rows it takes half as long.
   */
  idsOfKinds(): readonly (readonly string[])[] | undefined {
    const step = this.#isMerged || this.#groups.length > 1 ? undefined : kindsFirst(this.#groups[0]!)
    if (step === undefined || step.otherTests.length > 1 || this.isBeforeLast(0)) return undefined
    const clue = step.otherTests[0]?.clue
    if (step.otherTests.length === 1 && clue?.kind !== 'number') return undefined
    const range = clue?.kind === 'number' ? clue : undefined
    const { tree } = this.#view
    const found = [...idsIn(this.before())]
    let depth = tree.regions[1].children.size
    for (const leaf of leavesOf(tree.regions[1].children)) {
      const columns = this.#trees.ofLeaf(leaf, tree)
      const { flat } = columns
      const kinds = this.#matching.kinds.of(step, flat.kinds)
      this.#matching.budget.spend(1)
      if (flat.hasVirtual) found.push(...idsIn(this.inLeaf(leaf, depth)))
      else if (flat.hasSome(kinds)) {
        this.#matching.budget.spend(flat.size)
        found.push(range === undefined ? flat.idsOfKinds(kinds) : columns.idsInRange(range, kinds, this.#view))
      }
      depth -= leaf.size
    }
    found.push(...idsIn(this.head()))
    return found
  }

  before(): Part {
    const flat = this.#trees.before(this.#view.tree)
    return { place: 'before', from: flat, lists: this.#match(flat, -1) }
  }

  head(): Part {
    const flat = this.#trees.head(this.#view.tree)
    return { place: 'head', from: flat, lists: this.#match(flat, flat.seqRow) }
  }

  /** `depth` is that of its first segment. */
  inLeaf(leaf: Sequence, depth: number): Part {
    const { tree } = this.#view
    const columns = this.#trees.ofLeaf(leaf, tree)
    this.#matching.budget.spend(1)
    this.#few = undefined
    if (!this.#mayHold(columns)) return NOTHING
    const flat = columns.flat.lend(tree, depth)
    const lists = this.#match(flat, flat.seqRow, columns)
    return lists.length === 1 && lists[0]!.length === 0 ? NOTHING : { place: 'seq', from: flat, lists }
  }

  #mayHold(columns: Columns): boolean {
    this.#demands ??= this.#groups.map((group) => demandOf(group, this.#view))
    for (let i = 0; i < this.#demands.length; i++) if (this.#meets(columns, this.#demands[i]!)) return true
    return false
  }

  #meets(columns: Columns, { steps, tests }: Demand): boolean {
    const { kinds } = this.#matching
    let few: Rows | undefined
    for (let i = 0; i < tests.length; i++) {
      const test = tests[i]!
      const rows = columns.few(test)
      if (rows?.length === 0) return false
      if (rows !== undefined) this.#few = { test, rows: (few = rows) }
    }
    // A few rows are as quickly matched as all kinds are looked up.
    if (few !== undefined) return true
    const { flat } = columns
    for (let i = 0; i < steps.length; i++) if (!flat.hasSome(kinds.of(steps[i]!, flat.kinds))) return false
    for (let i = 0; i < tests.length; i++) if (!columns.mayHold(tests[i]!.clue!, this.#view)) return false
    return true
  }

  #told(test: Test, rows: Rows | undefined): Rows | undefined {
    if (this.#columns === undefined) return undefined
    if (rows !== undefined) return this.#columns.told(test, rows, this.#view)
    const few = this.#few?.test === test ? this.#few.rows : this.#columns.few(test)
    if (few === undefined) return undefined
    // The root and `^seq` are the same for all leaves.
    if (this.#top?.test !== test) this.#top = { test, rows: this.#columns.top(test, this.#view) }
    return this.#top.rows.length === 0 ? few : [...this.#top.rows, ...few]
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
    return recordsOf(this.inSegment(unit, seq.children.size - seq.children.rank(unit.record)))
  }

  /** What is found in a segment that stands at a depth. */
  inSegment(segment: Branch, depth: number): Part {
    const [group] = this.#groups
    const found =
      this.#groups.length === 1 ? plainlyIn(segment, depth, group!, this.#view, this.#matching.budget) : undefined
    if (found?.length === 0) return NOTHING
    // Several of one key have an order of their own.
    if (found !== undefined && (found.length === 1 || this.#isMerged || !group!.isKeyed)) {
      return { place: 'seq', from: listed(found), lists: [found.map((_, i) => i)] }
    }
    const flat = this.#trees.ofSegment(segment, this.#view.tree, depth)
    return { place: 'seq', from: flat, lists: this.#match(flat, flat.seqRow) }
  }

  /** The rows that each group finds behind one of them, each node where it is first found. */
  #match(flat: FlatTree, behind: number, columns?: Columns): readonly Rows[] {
    this.#columns = columns
    if (this.#groups.length === 1) return [this.#matchOne(flat, behind, this.#groups[0]!)]
    const lists = this.#groups.map((group) => this.#matchOne(flat, behind, group))
    const seen = new Set<number>()
    const apart = lists.map((rows) => rows.filter((row) => !seen.has(row) && seen.add(row)))
    return this.#isMerged ? [inOrder(apart.flat())] : apart
  }

  #matchOne(flat: FlatTree, behind: number, group: Group): Rows {
    const rows = matchGroup(flat, group, this.#matching)
    if (rows.length === 0) return rows
    const own = behind >= 0 && rows[0]! <= behind ? rows.filter((row) => row > behind) : rows
    const real = flat.hasVirtual ? realRows(flat, own) : own
    return group.isKeyed && !this.#isMerged ? inKeyOrder(flat, real) : real
  }

  /** The only depths that can hold a result. */
  #depths(): Group['traits']['depths'] {
    const depths = this.#groups.map(({ traits }) => traits.depths)
    return depths.every((each) => each !== undefined) ? depths.flat() : undefined
  }
}

/** The one step of a group that asks for the kind of a node, wherever it stands, and perhaps for more. */
function kindsFirst({ steps, traits }: Group): Step | undefined {
  const isAlone = traits.plain !== undefined && traits.depths === undefined
  return isAlone && steps[0]!.kindTests.length > 0 ? steps[0] : undefined
}

/** The same where it asks for nothing else. */
function kindsAlone(group: Group): Step | undefined {
  const step = kindsFirst(group)
  return step?.otherTests.length === 0 ? step : undefined
}

function idsIn(part: Part): readonly (readonly string[])[] {
  return part.lists.map((rows) => part.from.idsOf(rows))
}

function countIn(parts: Iterable<Part>): number {
  let count = 0
  for (const { lists } of parts) for (const rows of lists) count += rows.length
  return count
}

/** The steps whose kinds have to be in a leaf, and the tests that something has to pass. */
type Demand = Readonly<{ steps: readonly Step[]; tests: readonly Test[] }>

/** Of the steps that neither the root nor `^seq` nor a virtual core can be what is meant by. */
function demandOf({ steps }: Group, view: View): Demand {
  const { root, regions } = view.tree
  const anywhere = [root, regions[1].record, undefined].map((record): Spot => ({ record, depth: undefined }))
  const demanding = steps.filter(({ kindTests, otherTests }) => {
    const passes = (spot: Spot): boolean => [...kindTests, ...otherTests].every(({ test }) => test(spot, view))
    return !anywhere.some(passes)
  })
  const tests = demanding.flatMap(({ otherTests }) => otherTests.filter(({ clue }) => clue !== undefined))
  return { steps: demanding.filter(({ kindTests }) => kindTests.length > 0), tests }
}

/** What is found as it is: the record itself, or its id. */
export type Taker<T> = (part: Part, list: number) => readonly T[]

export const takeRecords: Taker<NodeRecord> = ({ from: { records }, lists }, list) => {
  return lists[list]!.map((row) => records[row]!)
}

export const takeIds: Taker<string> = ({ from, lists }, list) => from.idsOf(lists[list]!)

/** All that is found in a part, list after list. */
export function recordsOf(part: Part): readonly NodeRecord[] {
  return part.lists.flatMap((_, i) => takeRecords(part, i))
}

function listed(records: NodeRecord[]): Source {
  return { records, idsOf: (rows) => rows.map((row) => records[row]!.id) }
}

const NOTHING: Part = Object.freeze({ place: 'seq', from: listed([]), lists: Object.freeze([]) })

/** The leaves of a sequence, in order. */
export function leavesOf(sequence: Sequence): readonly Sequence[] {
  const leaves: Sequence[] = []
  addLeaves(sequence, leaves)
  return leaves
}

function addLeaves(chunk: Sequence, leaves: Sequence[]): void {
  const { chunks } = chunk
  if (chunks !== undefined) for (let i = 0; i < chunks.length; i++) addLeaves(chunks[i]!, leaves)
  else if (chunk.size > 0) leaves.push(chunk)
}

function reaches(depths: Group['traits']['depths'], depth: number): boolean {
  return depths === undefined || reachesAny(depths, depth, depth)
}

function reachesAny(depths: NonNullable<Group['traits']['depths']>, low: number, high: number): boolean {
  return depths.some(({ from, to }) => from <= high && to >= low)
}
