// Searching a tree unit by unit (`^sys`, each segment, `^ah`) for what a structural group selects. Where a unit has a
// shape, the matcher is asked once per shape and the answer holds for every unit of it; chunks of history whose shapes,
// keys or tags cannot match are passed over whole. What is left are tests of single records.

import type { NodeRecord } from '../core/index.js'
import { eachRecord, shapeOf, shapesOf, type Branch, type Sequence, type Shape, type View } from '../timeline/index.js'
import { NOWHERE } from './answers.js'
import type { NumberRange } from './ast.js'
import type { Columns, SearchCache } from './columns.js'
import type { CompiledGroup } from './compile.js'
import { matchGroup, type Unite } from './match.js'
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

/** A part of a tree that is searched at once: root or `^seq` alone, a region, some segments. */
type Part = 'root' | 'seq' | Unit | Leaf

type Unit = Readonly<{ branch: Branch; depth: number }>

type Leaf = Readonly<{ leaf: Sequence; index: number }>

const NO_SEGMENT: readonly number[] = []
const NO_IDS: readonly string[] = []
const TOP: Extent = { sys: false, head: false, segments: NO_SEGMENT }

export class Search {
  readonly #view: View
  readonly #group: CompiledGroup
  readonly #cache: SearchCache
  readonly #unite: Unite
  readonly #seq: Sequence
  /** Asked about one record after another. */
  readonly #probe = new Probe()

  constructor(view: View, group: CompiledGroup, cache: SearchCache, unite: Unite) {
    this.#view = view
    this.#group = group
    this.#cache = cache
    this.#unite = unite
    this.#seq = view.tree.regions[1].children
  }

  /** Adds everything that is found, in document order. */
  collect<T>(pick: Pick<T>, found: T[]): void {
    const { depths } = this.#group.analysis
    for (const part of this.#before()) this.#take(part, pick, found)
    if (depths === undefined) this.#takeChunk(this.#seq, 0, pick, found)
    else for (const index of segmentsOf(this.#seq, depths)) this.#takeUnit(this.#unitAt(index), pick, found)
    for (const part of this.#after()) this.#take(part, pick, found)
  }

  /** The ids of a lasting group, with lists kept by chunk of history: for what is asked after every commit. */
  collectIds(): readonly string[] {
    const lists: (readonly string[])[] = []
    const [before, after]: [string[], string[]] = [[], []]
    for (const part of this.#before()) this.#take(part, IDS, before)
    if (before.length > 0) lists.push(before)
    this.#addLists(this.#seq, 0, lists)
    for (const part of this.#after()) this.#take(part, IDS, after)
    if (after.length > 0) lists.push(after)
    return joined(lists)
  }

  /** How many are found; where shapes alone decide, nobody looks at the nodes. */
  count(): number {
    let count = 0
    const found: NodeRecord[] = []
    const isShapely = this.#group.analysis.residue.length === 0
    for (const part of this.#parts()) {
      const shape = isShapely ? this.#shapeOfPart(part) : undefined
      if (shape !== undefined) count += this.#positionsIn(shape, depthOfPart(part)).length * sizeOf(part)
      else {
        found.length = 0
        this.#take(part, RECORDS, found)
        count += found.length
      }
    }
    return count
  }

  /** One after another; stopping early leaves the rest unsearched. */
  *records(): Generator<NodeRecord, void, undefined> {
    for (const part of this.#parts()) {
      const found: NodeRecord[] = []
      this.#take(part, RECORDS, found)
      yield* found
    }
  }

  *#parts(): Generator<Part, void, undefined> {
    const { depths } = this.#group.analysis
    yield* this.#before()
    if (depths === undefined) yield* this.#leaves(this.#seq, 0)
    else yield* this.#segmentsAt(depths)
    yield* this.#after()
  }

  #before(): readonly Part[] {
    const sys = this.#view.tree.regions[0]
    return this.#reaches(-1) ? ['root', { branch: sys, depth: -1 }, 'seq'] : ['root', 'seq']
  }

  #after(): readonly Part[] {
    const head = this.#view.tree.regions[2]
    return this.#reaches(0) ? [{ branch: head, depth: 0 }] : []
  }

  #reaches(depth: number): boolean {
    const { depths } = this.#group.analysis
    return depths === undefined || depths.some(({ from, to }) => from <= depth && to >= depth)
  }

  /** The leaves that may hold a result. */
  *#leaves(chunk: Sequence, index: number): Generator<Leaf, void, undefined> {
    if (!this.#mayMatch(chunk)) return
    if (chunk.items) {
      yield { leaf: chunk, index }
      return
    }
    let at = index
    for (const part of chunk.chunks!) {
      yield* this.#leaves(part, at)
      at += part.size
    }
  }

  *#segmentsAt(depths: readonly NumberRange[]): Generator<Unit, void, undefined> {
    for (const index of segmentsOf(this.#seq, depths)) yield this.#unitAt(index)
  }

  #unitAt(index: number): Unit {
    return { branch: this.#seq.at(index) as Branch, depth: this.#seq.size - index }
  }

  #takeChunk<T>(chunk: Sequence, index: number, pick: Pick<T>, found: T[]): void {
    if (!this.#mayMatch(chunk)) return
    if (chunk.items) {
      this.#takeLeaf({ leaf: chunk, index }, pick, found)
      return
    }
    let at = index
    for (const part of chunk.chunks!) {
      this.#takeChunk(part, at, pick, found)
      at += part.size
    }
  }

  /** Lists are kept for leaves and for the chunks right above them; higher up, joining them costs as much. */
  #addLists(chunk: Sequence, index: number, lists: (readonly string[])[]): void {
    if (chunk.size === 0 || !this.#mayMatch(chunk)) return
    const { answers } = this.#group
    const isLow = chunk.chunks === undefined || chunk.chunks[0]!.items !== undefined
    const known = isLow ? answers.listOf(chunk) : undefined
    if (known !== undefined) {
      if (known.length > 0) lists.push(known)
      return
    }
    const own: (readonly string[])[] = isLow ? [] : lists
    if (chunk.items) {
      const found: string[] = []
      this.#take({ leaf: chunk, index }, IDS, found)
      own.push(found)
    } else {
      let at = index
      for (const part of chunk.chunks!) {
        this.#addLists(part, at, own)
        at += part.size
      }
    }
    if (!isLow) return
    const list = own.length === 1 ? own[0]! : joined(own)
    answers.keepList(chunk, list)
    if (list.length > 0) lists.push(list)
  }

  #mayMatch(chunk: Sequence): boolean {
    const shapes = shapesOf(chunk)
    if (shapes === undefined) return true
    return this.#group.answers.matchesIn(shapes, () =>
      shapes.shapes.some((shape) => this.#positionsIn(shape, undefined) !== NOWHERE),
    )
  }

  #take<T>(part: Part, pick: Pick<T>, found: T[]): void {
    if (part === 'root' || part === 'seq') this.#takeTop(part, pick, found)
    else if ('leaf' in part) this.#takeLeaf(part, pick, found)
    else this.#takeUnit(part, pick, found)
  }

  #takeTop<T>(part: 'root' | 'seq', pick: Pick<T>, found: T[]): void {
    const { answers, analysis } = this.#group
    const { tree } = this.#view
    if (answers.top === undefined) {
      const scene = new Scene(tree, TOP)
      const spots = matchGroup(scene, this.#view, analysis.structural!, this.#unite)
      answers.top = { root: spots.includes(scene.spots[0]!), seq: spots.includes(scene.spots[1]!) }
    }
    if (!answers.top[part]) return
    const record = part === 'root' ? tree.root : tree.regions[1].record
    if (this.#passes(record, undefined)) found.push(pick.of(record))
  }

  #takeUnit<T>({ branch, depth }: Unit, pick: Pick<T>, found: T[]): void {
    const shape = shapeOf(branch)
    if (shape === undefined) {
      for (const record of this.#match(depth)) found.push(pick.of(record))
      return
    }
    const positions = this.#positionsIn(shape, depth)
    if (positions === NOWHERE) return
    let at = 0
    let next = 0
    eachRecord(branch, (record) => {
      if (at++ !== positions[next]) return
      next++
      if (this.#passes(record, depth)) found.push(pick.of(record))
    })
  }

  #takeLeaf<T>({ leaf, index }: Leaf, pick: Pick<T>, found: T[]): void {
    const { mark, residue } = this.#group.analysis
    const isLast = index + leaf.size === this.#seq.size
    const columns = this.#cache.columnsOf(leaf, isLast, this.#seq.size / leaf.size)
    if (mark !== undefined && !columns.marks.has(mark)) return
    if (columns.uniform !== undefined && (residue.length === 0 || this.#group.analysis.number !== undefined)) {
      this.#takeColumns(columns, this.#positionsIn(columns.uniform, undefined), pick, found)
      return
    }
    for (let i = 0; i < columns.segments.length; i++) {
      const shape = shapeOf(columns.segments[i]!)
      const depth = this.#seq.size - index - i
      if (shape === undefined) for (const record of this.#match(depth)) found.push(pick.of(record))
      else {
        const positions = this.#positionsIn(shape, undefined)
        if (positions !== NOWHERE) this.#takeRow(columns.row(i), positions, depth, pick, found)
      }
    }
  }

  #takeRow<T>(
    row: readonly NodeRecord[],
    positions: readonly number[],
    depth: number,
    pick: Pick<T>,
    found: T[],
  ): void {
    for (let i = 0; i < positions.length; i++) {
      const record = row[positions[i]!]!
      if (this.#passes(record, depth)) found.push(pick.of(record))
    }
  }

  #takeColumns<T>(columns: Columns, positions: readonly number[], pick: Pick<T>, found: T[]): void {
    const { number } = this.#group.analysis
    const rows = columns.segments.length
    const picked = positions.map((position) => pick.column(columns, position))
    if (number !== undefined) {
      const { field, low, high } = number
      const numbers = positions.map((position) => columns.numbersAt(position, field))
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < picked.length; j++) {
          const value = numbers[j]![i]!
          if (value >= low && value <= high) found.push(picked[j]![i]!)
        }
      }
    } else if (picked.length === 1) {
      for (let i = 0; i < rows; i++) found.push(picked[0]![i]!)
    } else for (let i = 0; i < rows; i++) for (let j = 0; j < picked.length; j++) found.push(picked[j]![i]!)
  }

  #passes(record: NodeRecord, depth: number | undefined): boolean {
    const { residue } = this.#group.analysis
    if (residue.length === 0) return true
    this.#probe.record = record
    this.#probe.depth = depth
    for (let i = 0; i < residue.length; i++) if (!residue[i]!.test(this.#probe, this.#view)) return false
    return true
  }

  /** A unit without a shape is matched by itself. */
  #match(depth: number): readonly NodeRecord[] {
    const scene = new Scene(this.#view.tree, extentAt(this.#seq, depth))
    return matchGroup(scene, this.#view, this.#group, this.#unite).flatMap(({ record, depth: at }) =>
      record !== undefined && at !== undefined ? record : [],
    )
  }

  #shapeOfPart(part: Part): Shape | undefined {
    if (part === 'root' || part === 'seq') return undefined
    if ('branch' in part) return shapeOf(part.branch)
    const shapes = shapesOf(part.leaf)?.shapes
    return shapes?.length === 1 ? shapes[0] : undefined
  }

  /** Where in units of this shape the group matches; the depth is that of one such unit, where it matters. */
  #positionsIn(shape: Shape, depth: number | undefined): readonly number[] {
    return this.#group.answers.positionsIn(shape, () => {
      const { tree } = this.#view
      const { structural, depths } = this.#group.analysis
      // A group that asks for depths is asked about a real unit at one of them.
      const scene =
        depths === undefined || depth === undefined
          ? this.#cache.sceneOf(shape, tree)
          : new Scene(tree, extentAt(this.#seq, depth))
      const spots = new Set(matchGroup(scene, this.#view, structural!, this.#unite))
      return positionsOf(scene, spots)
    })
  }
}

/** The indexes, within its one unit, of some spots of a scene. */
function positionsOf({ spots: all }: Scene, spots: ReadonlySet<Spot>): readonly number[] {
  const start = all.findIndex((spot) => spot.depth !== undefined)
  if (start < 0) return NOWHERE
  const positions: number[] = []
  let position = 0
  for (let i = start; i <= all[start]!.last; i++) {
    if (all[i]!.record === undefined) continue
    if (spots.has(all[i]!)) positions.push(position)
    position++
  }
  return positions.length === 0 ? NOWHERE : positions
}

class Probe implements Spot {
  record: NodeRecord | undefined = undefined
  readonly node = undefined
  readonly parent = undefined
  depth: number | undefined = undefined
  readonly order = 0
  last = 0
}

function joined(lists: readonly (readonly string[])[]): readonly string[] {
  if (lists.length === 0) return NO_IDS
  return lists.length === 1 ? lists[0]! : NO_IDS.concat(...lists)
}

function depthOfPart(part: Part): number | undefined {
  return typeof part === 'object' && 'branch' in part ? part.depth : undefined
}

function sizeOf(part: Part): number {
  return typeof part === 'object' && 'leaf' in part ? part.leaf.size : 1
}

/** One unit of a tree. */
export function extentAt(seq: Sequence, depth: number): Extent {
  return { sys: depth === -1, head: depth === 0, segments: depth > 0 ? [seq.size - depth] : NO_SEGMENT }
}

/** The indexes of the segments at some depths, in document order. */
export function segmentsOf(seq: Sequence, depths: readonly Omit<NumberRange, 'span'>[]): readonly number[] {
  if (depths.length === 1 && depths[0]!.from === depths[0]!.to) {
    const [{ from }] = depths as readonly [NumberRange]
    return from >= 1 && from <= seq.size ? [seq.size - from] : NO_SEGMENT
  }
  const found = new Set<number>()
  for (const { from, to } of depths) {
    for (let depth = Math.max(1, from); depth <= Math.min(to, seq.size); depth++) found.add(seq.size - depth)
  }
  return [...found].sort((a, b) => a - b)
}
