// Running a plan on one view. Where a group can be answered segment by segment, it is: from the one segment an id stands
// in, from the depths it names, or once per shape instead of once per segment. Everything else, and every part of these,
// goes through the one matcher.

import type { NodeRecord } from '../core/index.js'
import { shapeOf, shapesOf, type Branch, type Sequence, type Shape, type View } from '../timeline/index.js'
import type { Analysis } from './analyze.js'
import { arrange, compareSameKey } from './arrange.js'
import type { NumberRange } from './ast.js'
import type { ColumnCache, Columns } from './columns.js'
import type { CompiledGroup, CompiledUnion, Plan } from './compile.js'
import { findsSomething, inOrder, matchGroup } from './match.js'
import { Scene, type Extent, type Spot } from './scene.js'

/** What a result is made of: the record itself, or its id. */
export type Pick<T> = Readonly<{
  of: (record: NodeRecord) => T
  column: (columns: Columns, position: number) => readonly T[]
}>

export const RECORDS: Pick<NodeRecord> = {
  of: (record) => record,
  column: (columns, position) => columns.recordsAt(position),
}

export const IDS: Pick<string> = {
  of: (record) => record.id,
  column: (columns, position) => columns.idsAt(position),
}

/** What a plan selects, in the order of D20 and `@order`; windows are the caller's. */
export function runPlan<T>(view: View, plan: Plan, cache: ColumnCache, pick: Pick<T>): readonly T[] {
  if (!isSimple(plan)) return runWhole(view, plan).map((spot) => pick.of(spot.record!))
  for (const union of plan.choices) {
    const found =
      union.length === 1
        ? runGroup(view, union[0]!, plan, cache, pick)
        : [...new Set(union.flatMap((group) => runGroup(view, group, plan, cache, pick)))]
    if (found.length > 0) return found
  }
  return []
}

/** The plain way: the whole view, and the matcher alone. */
function runWhole(view: View, plan: Plan): readonly Spot[] {
  const scene = new Scene(view)
  const found = plan.choices.map((union) => uniteGroups(scene, union, plan)).find(findsSomething)
  return arrange((found ?? []).filter(isReal), plan.controls)
}

/** Whether no result has to be compared with one from another group or segment. */
function isSimple(plan: Plan): boolean {
  return (
    !plan.controls.some((control) => control.name === 'order') &&
    plan.choices.every(
      (union) => (union.length === 1 || plan.dialect === '1.0') && union.every((group) => group.analysis.isLocal),
    )
  )
}

/** 0.1 sorts a union as a whole, 1.0 joins its groups from left to right; each node where it is first seen (D20). */
function uniteGroups(scene: Scene, union: CompiledUnion, plan: Plan): readonly Spot[] {
  const lists = union.map((group) => groupIn(scene, group, plan))
  if (lists.length === 1) return lists[0]!
  const unique = [...new Set(lists.flat())]
  return plan.dialect === '0.1' ? inOrder(unique) : unique
}

function groupIn(scene: Scene, group: CompiledGroup, plan: Plan): readonly Spot[] {
  const found = matchGroup(scene, group, (within, union) => uniteGroups(within, union, plan))
  return group.isKeyed ? found.filter(isReal).toSorted(compareSameKey) : found
}

function runGroup<T>(view: View, group: CompiledGroup, plan: Plan, cache: ColumnCache, pick: Pick<T>): readonly T[] {
  const { id, depths, structural } = group.analysis
  if (id !== undefined) {
    const record = view.find(id)
    return record === undefined ? [] : matchIn(view, extentOfRecord(view, record), group, plan).map(pick.of)
  }
  if (depths !== undefined) return matchIn(view, extentOfDepths(view, depths), group, plan).map(pick.of)
  if (structural === undefined) return matchIn(view, undefined, group, plan).map(pick.of)
  if (!group.isKeyed) return searchAll(view, group, plan, cache, pick)
  return searchAll(view, group, plan, cache, RECORDS)
    .map((record) => ({ record, depth: view.depthOf(record) }))
    .sort(compareSameKey)
    .map(({ record }) => pick.of(record))
}

/** What a structural group selects in the whole view: around the segments by the matcher, in them by their shapes. */
function searchAll<T>(view: View, group: CompiledGroup, plan: Plan, cache: ColumnCache, pick: Pick<T>): T[] {
  const found: T[] = []
  const frame = new Scene(view, FRAME)
  const spots = matchGroup(frame, group, (within, union) => uniteGroups(within, union, plan)).filter(isReal)
  const [before, after] = [spots.filter((spot) => spot.depth !== 0), spots.filter((spot) => spot.depth === 0)]
  for (const { record } of before) found.push(pick.of(record!))
  new SegmentSearch(view, group, plan, cache, pick, found).run()
  for (const { record } of after) found.push(pick.of(record!))
  return found
}

function matchIn(view: View, extent: Extent | undefined, group: CompiledGroup, plan: Plan): NodeRecord[] {
  return groupIn(new Scene(view, extent), group, plan).flatMap((spot) => spot.record ?? [])
}

/** Everything but the segments. */
const FRAME: Extent = { sys: true, head: true, segments: [] }

function extentOfRecord(view: View, record: NodeRecord): Extent {
  const depth = view.depthOf(record)
  if (depth === undefined) return { sys: false, head: false, segments: [] }
  return extentOfDepths(view, [{ from: depth, to: depth }])
}

function extentOfDepths(view: View, depths: readonly Omit<NumberRange, 'span'>[]): Extent {
  const { size } = view.tree.regions[1].children
  const segments = new Set<number>()
  for (const { from, to } of depths) {
    for (let depth = Math.max(1, from); depth <= Math.min(to, size); depth++) segments.add(size - depth)
  }
  return {
    sys: depths.some(({ from, to }) => from <= -1 && to >= -1),
    head: depths.some(({ from, to }) => from <= 0 && to >= 0),
    segments: [...segments].sort((a, b) => a - b),
  }
}

/** Finds what a structural group selects in the segments, leaf by leaf. */
class SegmentSearch<T> {
  readonly #view: View
  readonly #group: CompiledGroup
  readonly #analysis: Analysis
  readonly #plan: Plan
  readonly #cache: ColumnCache
  readonly #pick: Pick<T>
  readonly #found: T[]
  readonly #seq: Sequence
  #index = 0
  /** Asked about one record after another. */
  readonly #probe: { -readonly [K in keyof Spot]: Spot[K] } = {
    record: undefined,
    node: undefined,
    parent: undefined,
    depth: undefined,
    order: 0,
    last: 0,
  }

  constructor(view: View, group: CompiledGroup, plan: Plan, cache: ColumnCache, pick: Pick<T>, found: T[]) {
    this.#view = view
    this.#group = group
    this.#analysis = group.analysis
    this.#plan = plan
    this.#cache = cache
    this.#pick = pick
    this.#found = found
    this.#seq = view.tree.regions[1].children
  }

  run(): void {
    this.#search(this.#seq)
  }

  #search(chunk: Sequence): void {
    if (!this.#mayMatch(chunk)) this.#index += chunk.size
    else if (chunk.chunks) for (const part of chunk.chunks) this.#search(part)
    else this.#searchLeaf(chunk)
  }

  #mayMatch(chunk: Sequence): boolean {
    const shapes = shapesOf(chunk)
    if (shapes === undefined) return true
    for (const shape of shapes) {
      const positions = this.#known(shape) ?? this.#positionsIn(shape, this.#index + sampleOf(chunk, shape))
      if (positions !== NOWHERE) return true
    }
    return false
  }

  #known(shape: Shape): readonly number[] | undefined {
    return this.#plan.positions.get(this.#group)?.get(shape)
  }

  #searchLeaf(leaf: Sequence): void {
    const isLast = this.#index + leaf.size === this.#seq.size
    const columns = this.#cache.get(leaf, isLast, this.#seq.size / leaf.size)
    const positions = columns.uniform && this.#positionsIn(columns.uniform, this.#index)
    if (positions !== undefined && this.#analysis.residue.length === 0) this.#takeColumns(columns, positions)
    else if (positions !== undefined) {
      let depth = this.#seq.size - this.#index
      for (const row of columns.rows) this.#takeRow(row, positions, depth--)
    } else {
      for (const [i, segment] of columns.segments.entries()) {
        const shape = shapeOf(segment)
        if (shape === undefined) this.#takeMatched(this.#index + i)
        else
          this.#takeRow(columns.rows[i]!, this.#positionsIn(shape, this.#index + i), this.#seq.size - this.#index - i)
      }
    }
    this.#index += leaf.size
  }

  #takeColumns(columns: Columns, positions: readonly number[]): void {
    const found = this.#found
    const picked = positions.map((position) => this.#pick.column(columns, position))
    if (picked.length === 1) for (const each of picked[0]!) found.push(each)
    else for (let i = 0; i < columns.rows.length; i++) for (const column of picked) found.push(column[i]!)
  }

  #takeRow(row: readonly NodeRecord[], positions: readonly number[], depth: number): void {
    const probe = this.#probe
    probe.depth = depth
    for (const position of positions) {
      probe.record = row[position]!
      if (this.#passes(probe)) this.#found.push(this.#pick.of(probe.record))
    }
  }

  #passes(probe: Spot): boolean {
    for (const { test } of this.#analysis.residue) if (!test(probe, this.#view)) return false
    return true
  }

  /** A segment without a shape is matched by itself. */
  #takeMatched(index: number): void {
    for (const record of matchIn(this.#view, segmentExtent(index), this.#group, this.#plan)) {
      if (record.nodeClass !== 'root' && record.nodeClass !== 'region') this.#found.push(this.#pick.of(record))
    }
  }

  /** Where in a segment of this shape the group matches, worked out on one such segment. */
  #positionsIn(shape: Shape, index: number): readonly number[] {
    const known = this.#known(shape)
    if (known !== undefined) return known
    const scene = new Scene(this.#view, segmentExtent(index))
    const spots = new Set(
      matchGroup(scene, this.#analysis.structural!, (within, union) => uniteGroups(within, union, this.#plan)),
    )
    const positions: number[] = []
    let position = -2 // the root and ^seq come before the segment
    for (const spot of scene.spots) {
      if (spot.record === undefined) continue
      if (position >= 0 && spots.has(spot)) positions.push(position)
      position++
    }
    const result = positions.length === 0 ? NOWHERE : positions
    const ofGroup = this.#plan.positions.get(this.#group)
    if (ofGroup === undefined) this.#plan.positions.set(this.#group, new WeakMap([[shape, result]]))
    else ofGroup.set(shape, result)
    return result
  }
}

/** The index, in a chunk that can tell its shapes, of some segment of this shape. */
function sampleOf(chunk: Sequence, shape: Shape): number {
  let index = 0
  let part = chunk
  while (part.chunks) {
    const at = part.chunks.findIndex((each) => shapesOf(each)!.has(shape))
    for (const each of part.chunks.slice(0, at)) index += each.size
    part = part.chunks[at]!
  }
  return index + part.items!.findIndex((segment) => shapeOf(segment as Branch) === shape)
}

const NOWHERE: readonly number[] = []

function segmentExtent(index: number): Extent {
  return { sys: false, head: false, segments: [index] }
}

function isReal(spot: Spot): boolean {
  return spot.record !== undefined
}
