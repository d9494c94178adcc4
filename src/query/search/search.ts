// Searching a tree unit by unit (`^sys`, each segment, `^ah`) for what a structural group selects. Where a unit has a
// shape, the matcher is asked once per shape and the answer holds for every unit of it; chunks of history whose shapes,
// keys or tags cannot match are passed over whole. What is left are tests of single records.

import type { NodeRecord } from '../../core/index.js'
import {
  addRecords,
  shapeOf,
  shapesOf,
  type Branch,
  type Sequence,
  type Shape,
  type ShapeSet,
  type View,
} from '../../timeline/index.js'
import type { Budget } from './budget.js'
import type { Columns } from './chunk-columns.js'
import type { CompiledGroup, Plan, Test } from '../plan/compile.js'
import { extentAt, segmentsOf } from '../match/extent.js'
import { IDS, joined, joinedAnew, RECORDS, type Pick } from './join.js'
import { matchGroup } from '../match/match.js'
import { isFull, type Parts } from './parts.js'
import { NO_PATTERN, NOWHERE, patternFrom, type Pattern, type Positions } from './pattern.js'
import { positionsOf, Probe, Scene, type Extent } from '../match/flat-tree.js'
import type { SearchCache } from '../memory/search-cache.js'
import { positionsOfName } from '../plan/type-test.js'
import { uniteWith } from '../match/union.js'

/** How few segments a leaf usually has at the least, and how many lists are kept beyond one for every leaf. */
const MIN_LEAF = 8
const SPARE_LISTS = 64
/** How many units must have a shape for its names to be worth listing. */
const SHARED = 2
const TOP: Extent = { sys: false, head: false, segments: [] }

export class Search {
  readonly #view: View
  readonly #group: CompiledGroup
  readonly #cache: SearchCache
  readonly #plan: Plan
  readonly #budget: Budget
  readonly #seq: Sequence
  /** Asked about one record after another. */
  #probe: Probe | undefined

  constructor(view: View, group: CompiledGroup, plan: Plan, cache: SearchCache, budget: Budget) {
    this.#view = view
    this.#group = group
    this.#cache = cache
    this.#plan = plan
    this.#budget = budget
    this.#seq = view.tree.regions[1].children
  }

  /** Everything that is found, in document order. */
  collect<T>(pick: Pick<T>): readonly T[] {
    const lists: (readonly T[])[] = []
    this.#takeBefore(pick, lists)
    if (this.#group.analysis.depths === undefined) {
      this.#eachPart((parts, i, pattern) => this.#takePart(parts, i, pattern, pick, lists))
    } else this.#takeDepths(pick, lists)
    this.#takeHead(pick, lists)
    return this.#counted(joinedAnew(lists))
  }

  /** What is found counts as looked at, also where nobody had to look; as one sum, which costs nothing. */
  #counted<T>(found: readonly T[]): readonly T[] {
    this.#budget.spend(found.length)
    return found
  }

  /** The ids of a lasting group in lists, which are kept by chunk of history: for what is asked after every commit. */
  idLists(): readonly (readonly string[])[] {
    const lists: (readonly string[])[] = []
    this.#takeBefore(IDS, lists)
    this.#addLists(this.#seq, 0, lists)
    this.#takeHead(IDS, lists)
    return lists
  }

  /** How many are found; where shapes alone decide, nobody looks at the nodes. */
  count(): number {
    const lists: (readonly NodeRecord[])[] = []
    this.#takeBefore(RECORDS, lists)
    this.#takeHead(RECORDS, lists)
    if (this.#group.analysis.depths === undefined) return lengthOf(lists) + this.#countSegments()
    this.#takeDepths(RECORDS, lists)
    return lengthOf(lists)
  }

  /** What is found in one unit; only a lasting group does without its depth. */
  inUnit<T>(branch: Branch, pick: Pick<T>, depth: number = this.#depthOf(branch)): readonly T[] {
    const lists: (readonly T[])[] = []
    this.#takeUnit(branch, depth, pick, lists)
    return joined(lists)
  }

  /** Whether it is the root or `^seq` themselves. */
  inTop<T>(pick: Pick<T>): readonly T[] {
    const lists: (readonly T[])[] = []
    this.#takeTop('root', pick, lists)
    this.#takeTop('seq', pick, lists)
    return joined(lists)
  }

  #depthOf(branch: Branch): number {
    const [sys, , head] = this.#view.tree.regions
    if (branch === sys) return -1
    return branch === head ? 0 : this.#seq.size - this.#seq.rank(branch.record)
  }

  /** One after another; stopping early leaves the rest unsearched. */
  *records(): Generator<NodeRecord, void, undefined> {
    const { depths } = this.#group.analysis
    yield* this.#recordsOf((lists) => this.#takeBefore(RECORDS, lists))
    if (depths === undefined) yield* this.#recordsBelow(this.#seq, 0)
    else {
      for (const index of segmentsOf(this.#seq, depths)) {
        yield* this.#recordsOf((lists) => this.#takeSegmentAt(index, RECORDS, lists))
      }
    }
    yield* this.#recordsOf((lists) => this.#takeHead(RECORDS, lists))
  }

  *#recordsBelow(chunk: Sequence, index: number): Generator<NodeRecord, void, undefined> {
    const pattern = this.#patternOf(chunk)
    if (pattern === NO_PATTERN) return
    if (chunk.items) {
      yield* this.#recordsOf((lists) => this.#takeLeaf(chunk, index, pattern, RECORDS, lists))
      return
    }
    let at = index
    for (const part of chunk.chunks!) {
      yield* this.#recordsBelow(part, at)
      at += part.size
    }
  }

  *#recordsOf(take: (lists: (readonly NodeRecord[])[]) => void): Generator<NodeRecord, void, undefined> {
    const lists: (readonly NodeRecord[])[] = []
    take(lists)
    for (const list of lists) yield* this.#counted(list)
  }

  #countSegments(): number {
    const alike = this.#countAlike(this.#seq, this.#patternOf(this.#seq))
    if (alike !== undefined) return alike
    let count = 0
    this.#eachPart((parts, i, pattern) => {
      count += this.#countAlike(parts.chunks[i]!, pattern) ?? this.#countPart(parts, i, pattern)
    })
    return count
  }

  /** How many are found in a chunk whose segments are all alike; undefined where they are not, or shapes do not decide. */
  #countAlike({ size }: Sequence, pattern: Pattern | undefined): number | undefined {
    const isDecided = this.#group.analysis.residue.length === 0
    return isDecided && pattern?.isUniform === true ? pattern.positions[0]!.length * size : undefined
  }

  #countPart(parts: Parts, i: number, pattern: Pattern | undefined): number {
    const columns = this.#columnsIn(parts, i, pattern)
    if (columns !== undefined) return columns.countAt(pattern!, this.#group.analysis.number)
    let count = 0
    this.#eachLeaf(parts, i, (leaf, at, own) => {
      count += this.#countAlike(leaf, own) ?? this.#countLeaf(leaf, at, own)
    })
    return count
  }

  #countLeaf(leaf: Sequence, index: number, pattern: Pattern | undefined): number {
    if (this.#isDecidedBy(pattern)) {
      this.#budget.spend(leaf.size)
      return this.#cache.columnsOf(leaf, this.#seq).countAt(pattern, this.#group.analysis.number)
    }
    const lists: (readonly NodeRecord[])[] = []
    this.#takeLeaf(leaf, index, pattern, RECORDS, lists)
    return lengthOf(lists)
  }

  // Every part of the tree adds the list of what is found in it; lists are joined once, at the end.

  #takeBefore<T>(pick: Pick<T>, lists: (readonly T[])[]): void {
    const sys = this.#view.tree.regions[0]
    // What stands at some depth is in a unit: never the root or `^seq`.
    const hasTop = this.#group.analysis.depths === undefined
    if (hasTop) this.#takeTop('root', pick, lists)
    if (this.#reaches(-1)) this.#takeUnit(sys, -1, pick, lists)
    if (hasTop) this.#takeTop('seq', pick, lists)
  }

  #takeHead<T>(pick: Pick<T>, lists: (readonly T[])[]): void {
    if (this.#reaches(0)) this.#takeUnit(this.#view.tree.regions[2], 0, pick, lists)
  }

  #takeDepths<T>(pick: Pick<T>, lists: (readonly T[])[]): void {
    for (const index of segmentsOf(this.#seq, this.#group.analysis.depths!)) this.#takeSegmentAt(index, pick, lists)
  }

  #takeSegmentAt<T>(index: number, pick: Pick<T>, lists: (readonly T[])[]): void {
    this.#takeUnit(this.#seq.at(index) as Branch, this.#seq.size - index, pick, lists)
  }

  #reaches(depth: number): boolean {
    const { depths } = this.#group.analysis
    return depths === undefined || depths.some(({ from, to }) => from <= depth && to >= depth)
  }

  /** Visits the parts of history that may hold a result, in order. */
  #eachPart(visit: (parts: Parts, i: number, pattern: Pattern | undefined) => void): void {
    if (this.#patternOf(this.#seq) === NO_PATTERN) return
    const parts = this.#cache.partsOf(this.#seq)
    const { chunks, sets, setOf } = parts
    const patterns: (Pattern | undefined)[] = []
    for (let i = 0; i < sets.length; i++) patterns.push(this.#patternFor(sets[i]))
    for (let i = 0; i < chunks.length; i++) {
      const pattern = patterns[setOf[i]!]
      if (pattern !== NO_PATTERN && !this.#lacksMark(chunks[i]!)) visit(parts, i, pattern)
    }
  }

  #takePart<T>(parts: Parts, i: number, pattern: Pattern | undefined, pick: Pick<T>, lists: (readonly T[])[]): void {
    const columns = this.#columnsIn(parts, i, pattern)
    if (columns !== undefined) this.#takeColumns(columns, pattern!, pick, lists)
    else this.#eachLeaf(parts, i, (leaf, at, own) => this.#takeLeaf(leaf, at, own, pick, lists))
  }

  /** Visits the leaves of a part that may hold a result, in order. */
  #eachLeaf(parts: Parts, i: number, visit: (leaf: Sequence, at: number, pattern: Pattern | undefined) => void): void {
    const part = parts.chunks[i]!
    let at = parts.starts[i]!
    for (const leaf of part.chunks ?? [part]) {
      const pattern = this.#patternOf(leaf)
      if (pattern !== NO_PATTERN) visit(leaf, at, pattern)
      at += leaf.size
    }
  }

  /** The columns of a full part, if they are there and say all. */
  #columnsIn({ chunks, columns }: Parts, i: number, pattern: Pattern | undefined): Columns | undefined {
    return this.#isDecidedBy(pattern) ? (columns[i] ??= this.#columnsAbove(chunks[i]!)) : undefined
  }

  #columnsAbove(chunk: Sequence): Columns | undefined {
    return isFull(chunk) ? this.#cache.columnsAbove(chunk, this.#seq) : undefined
  }

  /** Takes a full chunk above leaves at once, if its columns are there and say all. */
  #takeBlock<T>(chunk: Sequence, pattern: Pattern | undefined, pick: Pick<T>, lists: (readonly T[])[]): boolean {
    if (!this.#isDecidedBy(pattern)) return false
    const columns = this.#columnsAbove(chunk)
    if (columns !== undefined) this.#takeColumns(columns, pattern, pick, lists)
    return columns !== undefined
  }

  /** Lists are kept for leaves and for the chunks right above them; higher up, joining them costs as much. */
  #addLists(chunk: Sequence, index: number, lists: (readonly string[])[]): void {
    const pattern = chunk.size === 0 ? NO_PATTERN : this.#patternOf(chunk)
    if (pattern === NO_PATTERN) return
    // The chunks at the end are new after every commit; a list of theirs would serve nobody.
    const isEdge = index + chunk.size === this.#seq.size
    if (chunk.chunks && (isEdge || chunk.chunks[0]!.chunks)) {
      this.#addListsBelow(chunk, index, lists)
      return
    }
    const { answers } = this.#group
    let list = answers.listOf(chunk)
    if (list === undefined) {
      const own: (readonly string[])[] = []
      if (chunk.items) this.#takeLeaf(chunk, index, pattern, IDS, own)
      else if (!this.#takeBlock(chunk, pattern, IDS, own)) this.#addListsBelow(chunk, index, own)
      list = joined(own)
      if (!isEdge) answers.keepList(chunk, list, this.#seq.size / MIN_LEAF + SPARE_LISTS)
    }
    if (list.length > 0) lists.push(list)
  }

  #addListsBelow({ chunks }: Sequence, index: number, lists: (readonly string[])[]): void {
    let at = index
    for (const part of chunks!) {
      this.#addLists(part, at, lists)
      at += part.size
    }
  }

  /** Where the segments of a chunk can match; undefined where their shapes are too many to tell. */
  #patternOf(chunk: Sequence): Pattern | undefined {
    return this.#lacksMark(chunk) ? NO_PATTERN : this.#patternFor(shapesOf(chunk))
  }

  /** Whether a chunk holds no key or tag that every result carries. */
  #lacksMark(chunk: Sequence): boolean {
    const { mark } = this.#group.analysis
    // The chunks on the growing edge are new after every commit; only full ones are worth asking.
    return mark !== undefined && isFull(chunk) && !this.#cache.mayHold(chunk, mark)
  }

  #patternFor(set: ShapeSet | undefined): Pattern | undefined {
    if (set === undefined) return undefined
    const { patterns } = this.#group.answers
    return patterns.get(set) ?? patterns.set(set, this.#findPattern(set))
  }

  #findPattern({ shapes }: ShapeSet): Pattern {
    const { plain } = this.#group.analysis
    const name = plain?.length === 1 ? plain[0]!.name : undefined
    const found: Positions[] = []
    for (let i = 0; i < shapes.length; i++) {
      const shape = shapes[i]!
      const isListed = name !== undefined && shape.uses >= SHARED
      found.push(isListed ? positionsOfName(shape, name) : this.#positionsIn(shape, undefined))
    }
    return patternFrom(found)
  }

  /** Whether the pattern, and the numbers of what it picks, say all. */
  #isDecidedBy(pattern: Pattern | undefined): pattern is Pattern {
    const { residue, number } = this.#group.analysis
    return pattern !== undefined && (residue.length === 0 || number !== undefined)
  }

  #takeTop<T>(part: 'root' | 'seq', pick: Pick<T>, lists: (readonly T[])[]): void {
    const { tree } = this.#view
    const top = (this.#group.answers.top ??= this.#findTop())
    if (part === 'root' ? !top.root : !top.seq) return
    const record = part === 'root' ? tree.root : tree.regions[1].record
    if (this.#passes(record, undefined)) lists.push([pick.of(record)])
  }

  #findTop(): Readonly<{ root: boolean; seq: boolean }> {
    const { plain, structural } = this.#group.analysis
    const { tree } = this.#view
    if (plain !== undefined) {
      return { root: this.#meets(plain, tree.root), seq: this.#meets(plain, tree.regions[1].record) }
    }
    const scene = new Scene(tree, TOP, this.#budget)
    const spots = matchGroup(scene, this.#view, structural!, uniteWith(this.#view, this.#plan))
    return { root: spots.includes(scene.spots[0]!), seq: spots.includes(scene.spots[1]!) }
  }

  #takeUnit<T>(branch: Branch, depth: number, pick: Pick<T>, lists: (readonly T[])[]): void {
    const shape = shapeOf(branch)
    if (shape === undefined) {
      const matched = this.#match(depth)
      if (matched.length > 0) lists.push(matched.map(pick.of))
      return
    }
    const positions = this.#positionsIn(shape, depth)
    if (positions === NOWHERE) return
    this.#budget.spend(positions.length)
    const records: NodeRecord[] = []
    addRecords(branch, records)
    const found: T[] = []
    for (let i = 0; i < positions.length; i++) {
      const record = records[positions[i]!]!
      if (this.#passes(record, depth)) found.push(pick.of(record))
    }
    if (found.length > 0) lists.push(found)
  }

  #takeLeaf<T>(
    leaf: Sequence,
    index: number,
    pattern: Pattern | undefined,
    pick: Pick<T>,
    lists: (readonly T[])[],
  ): void {
    const { mark } = this.#group.analysis
    const columns = this.#cache.columnsOf(leaf, this.#seq)
    if (mark !== undefined && !columns.marks.has(mark)) return
    if (this.#isDecidedBy(pattern)) {
      this.#takeColumns(columns, pattern, pick, lists)
      return
    }
    const found: T[] = []
    for (let i = 0; i < columns.segments.length; i++)
      this.#takeSegment(columns, i, this.#seq.size - index - i, pick, found)
    if (found.length > 0) lists.push(found)
  }

  #takeColumns<T>(columns: Columns, pattern: Pattern, pick: Pick<T>, lists: (readonly T[])[]): void {
    if (pattern === NO_PATTERN) return
    const found = pick.at(columns, pattern, this.#group.analysis.number)
    if (found.length > 0) lists.push(found)
  }

  #takeSegment<T>(columns: Columns, i: number, depth: number, pick: Pick<T>, found: T[]): void {
    const shape = shapeOf(columns.segments[i]!)
    if (shape === undefined) {
      for (const record of this.#match(depth)) found.push(pick.of(record))
      return
    }
    const positions = this.#positionsIn(shape, undefined)
    if (this.#group.analysis.residue.length > 0) this.#budget.spend(positions.length)
    for (let j = 0; j < positions.length; j++) {
      const record = columns.recordAt(i, positions[j]!)
      if (this.#passes(record, depth)) found.push(pick.of(record))
    }
  }

  #passes(record: NodeRecord, depth: number | undefined): boolean {
    const { residue } = this.#group.analysis
    return residue.length === 0 || this.#meets(residue, record, depth)
  }

  #meets(tests: readonly Test[], record: NodeRecord, depth?: number): boolean {
    const probe = (this.#probe ??= new Probe())
    probe.record = record
    probe.depth = depth
    for (let i = 0; i < tests.length; i++) if (!tests[i]!.test(probe, this.#view)) return false
    return true
  }

  /** A unit without a shape is matched by itself. */
  #match(depth: number): readonly NodeRecord[] {
    const scene = new Scene(this.#view.tree, extentAt(this.#seq, depth), this.#budget)
    const spots = matchGroup(scene, this.#view, this.#group, uniteWith(this.#view, this.#plan))
    return spots.flatMap(({ record, depth: at }) => (record !== undefined && at !== undefined ? record : []))
  }

  /** Where in units of this shape the group matches; the depth is that of one such unit, where it matters. */
  #positionsIn(shape: Shape, depth: number | undefined): Positions {
    const { positions } = this.#group.answers
    return positions.get(shape) ?? positions.set(shape, this.#findPositions(shape, depth))
  }

  #findPositions(shape: Shape, depth: number | undefined): Positions {
    const { structural, depths, plain } = this.#group.analysis
    if (plain !== undefined) {
      let positions: number[] | undefined
      this.#budget.spend(shape.records.length)
      for (let i = 0; i < shape.records.length; i++) {
        if (this.#meets(plain, shape.records[i]!)) (positions ??= []).push(i)
      }
      return positions ?? NOWHERE
    }
    const { tree } = this.#view
    // A group that asks for depths is asked about a real unit at one of them.
    const scene =
      depths === undefined || depth === undefined
        ? this.#cache.sceneOf(shape, tree, this.#budget)
        : new Scene(tree, extentAt(this.#seq, depth), this.#budget)
    const spots = matchGroup(scene, this.#view, structural!, uniteWith(this.#view, this.#plan))
    return positionsOf(scene, new Set(spots))
  }
}

function lengthOf(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0)
}
