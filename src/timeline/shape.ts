// The structure of a segment (or of `^sys` or `^ah`) without its ids and contents: what each node is and how it stands.
// Conversations repeat a few shapes over and over, so a selector is worked out once per shape instead of once per node.
// Shapes and sets of shapes are interned, so that both compare by identity; the tables may be emptied at any time, since
// equal shapes that are not identical only cost a little work. Segments and chunks never change, so what is worked out
// here is kept with them; nobody pays for it who does not select.

import { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, Noted, recordOf, Sequence, type TreeNode } from './sequence.js'

/** Stands for a structure; compared by identity. */
export type Shape = Readonly<{
  /** Tells shapes apart, and gives sets of them one order. */
  serial: number
  /** A branch of this shape, with nothing in it but structure. */
  model: Branch
  /** The records of the model in document order, and how many children each has; NO_BRANCH for none. */
  records: readonly NodeRecord[]
  sizes: readonly number[]
  /** The set of this shape alone. */
  alone: ShapeSet
}> & {
  /** How many units were found to have it. */
  uses: number
  /** The indexes of the records that answer to each name of a type, once a selector has asked for one. */
  names: ReadonlyMap<string, readonly number[]> | undefined
}

/** Some shapes; compared by identity. */
export class ShapeSet {
  /** By serial. */
  readonly shapes: readonly Shape[]
  readonly #next = new Map<Shape, ShapeSet>()

  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes
  }

  /** This set and one more shape; undefined where there are too many to tell. */
  with(shape: Shape): ShapeSet | undefined {
    if (this.shapes.includes(shape)) return this
    if (this.shapes.length >= MAX_SET) return undefined
    let next = this.#next.get(shape)
    if (next === undefined) {
      next = internSet([...this.shapes, shape].sort((x, y) => x.serial - y.serial))
      if (this.#next.size >= MAX_SET) this.#next.clear()
      this.#next.set(shape, next)
    }
    return next
  }
}

/** Beyond these, a segment is looked at node by node. */
const MAX_NODES = 64
const MAX_OFFSET = 64
const MAX_TEXT = 64
/** Beyond this, a chunk does not tell. */
const MAX_SET = 32
/** Beyond these, the tables start anew: they belong to the process, and contexts come and go. */
const MAX_MODELLED = 20_000
const MAX_SETS = 2_000

/** Instead of a number of children: a block, which is no branch. */
const NO_BRANCH = -1

const NO_SHAPES = new ShapeSet([])
const shapes = new Map<string, Shape>()
const sets = new Map<string, ShapeSet>()
let serial = 0
/** How many nodes the models in the table have. */
let modelled = 0
/** The shapes seen last: comparing with one of them is faster than writing down a key. */
const recent: Shape[] = []
const MAX_RECENT = 4

function internSet(members: readonly Shape[]): ShapeSet {
  const key = members.map((shape) => shape.serial).join()
  let set = sets.get(key)
  if (set === undefined) {
    if (sets.size >= MAX_SETS) sets.clear()
    sets.set(key, (set = new ShapeSet(members)))
  }
  return set
}

/** The shape of a branch, or undefined for one that is too large or too odd to have one. */
export function shapeOf(branch: Branch): Shape | undefined {
  if (branch.shape === undefined) {
    branch.shape = findShape(branch) ?? null
    if (branch.shape !== null) branch.shape.uses++
  }
  return branch.shape ?? undefined
}

/** Works out the shape of a child just added, where somebody asks after every commit: its records are at hand now. */
export function shapeNewest({ shapes: noted }: Sequence): void {
  if (noted instanceof Noted && noted.newest instanceof Branch) shapeOf(noted.newest)
}

/** The shapes of all segments below a chunk; undefined where there are too many, or segments without one, to tell. */
export function shapesOf(chunk: Sequence): ShapeSet | undefined {
  const keeper = chunk.shapes instanceof Noted ? chunk.shapes : chunk
  if (keeper.shapes === undefined) {
    keeper.shapes = (chunk.items ? shapesOfItems(chunk) : shapesOfChunks(chunk)) ?? null
  }
  return (keeper.shapes as ShapeSet | null) ?? undefined
}

function shapesOfItems({ items }: Sequence): ShapeSet | undefined {
  let found: ShapeSet | undefined = NO_SHAPES
  let last: Shape | undefined
  for (const item of items!) {
    const shape = shapeOf(item as Branch)
    if (shape === undefined) return undefined
    if (shape === last) continue
    last = shape
    found = found === NO_SHAPES ? shape.alone : found.with(shape)
    if (found === undefined) return undefined
  }
  return found
}

function shapesOfChunks({ chunks }: Sequence): ShapeSet | undefined {
  let found: ShapeSet | undefined = NO_SHAPES
  for (const chunk of chunks!) {
    const shapes = shapesOf(chunk)
    if (shapes === undefined) return undefined
    if (shapes === found) continue
    if (found === NO_SHAPES) found = shapes
    else for (const shape of shapes.shapes) found = found?.with(shape)
    if (found === undefined) return undefined
  }
  return found
}

function findShape(branch: Branch): Shape | undefined {
  if (branch.children.count >= MAX_NODES) return undefined
  for (let i = 0; i < recent.length; i++) {
    const shape = recent[i]!
    if (endOf(branch, shape, 0) === 0) continue
    // The next segment is likely to be alike, so it is compared with this one first.
    recent[i] = recent[0]!
    recent[0] = shape
    return shape
  }
  const key = keyOf(branch, true)
  if (key === undefined) return undefined
  let shape = shapes.get(key)
  if (shape === undefined) {
    if (modelled > MAX_MODELLED) forgetShapes()
    shape = newShape(modelOf(branch) as Branch)
    modelled += branch.children.count + 1
    shapes.set(key, shape)
  }
  if (recent.length >= MAX_RECENT) recent.pop()
  recent.unshift(shape)
  return shape
}

function forgetShapes(): void {
  shapes.clear()
  sets.clear()
  recent.length = 0
  modelled = 0
}

function newShape(model: Branch): Shape {
  const records: NodeRecord[] = []
  const sizes: number[] = []
  addRecords(model, records)
  addSizes(model, sizes)
  const shape: { -readonly [K in keyof Shape]: Shape[K] } = {
    serial: serial++,
    model,
    records,
    sizes,
    alone: NO_SHAPES,
    uses: 0,
    names: undefined,
  }
  shape.alone = new ShapeSet([shape])
  return shape
}

/** Adds the records of a subtree in document order; only for small ones, such as have a shape. */
export function addRecords(node: TreeNode, to: NodeRecord[]): void {
  if (!(node instanceof Branch)) {
    to.push(node)
    return
  }
  to.push(node.record)
  const children = node.children.toArray()
  for (let i = 0; i < children.length; i++) addRecords(children[i]!, to)
}

/** Adds the records at some positions of a subtree, in document order. */
export function addRecordsAt(branch: Branch, positions: readonly number[], to: NodeRecord[]): void {
  addFrom(branch, 0, positions, to.length, to)
}

/** `before` is how many records were there at the start; gives the position after the subtree. */
function addFrom(
  branch: Branch,
  start: number,
  positions: readonly number[],
  before: number,
  to: NodeRecord[],
): number {
  if (positions[to.length - before] === start) to.push(branch.record)
  let at = start + 1
  const children = branch.children.toArray()
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!
    if (child instanceof Branch) at = addFrom(child, at, positions, before, to)
    else if (positions[to.length - before] === at++) to.push(child)
  }
  return at
}

function addSizes(node: TreeNode, to: number[]): void {
  to.push(node instanceof Branch ? node.children.size : NO_BRANCH)
  for (const child of childrenOf(node)) addSizes(child, to)
}

/**
 * Compares a branch and what is below it with the nodes of a shape from some index on; nodes agree whose keys are equal.
 * Gives the index after them; 0 where they differ.
 */
function endOf(branch: Branch, shape: Shape, at: number): number {
  const { records, sizes } = shape
  if (sizes[at] !== branch.children.size || !areAlike(branch.record, records[at]!)) return 0
  // A segment's offset is its place in history and says nothing about its structure.
  if (at > 0 && branch.record.offset !== records[at]!.offset) return 0
  const children = branch.children.toArray()
  let end = at + 1
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!
    if (child instanceof Branch) {
      end = endOf(child, shape, end)
      if (end === 0) return 0
    } else {
      const wanted = records[end]!
      if (sizes[end] !== NO_BRANCH || child.offset !== wanted.offset || !areAlike(child, wanted)) return 0
      end++
    }
  }
  return end
}

/** Whether two records agree in all that a structural condition can see, but for their offset. */
function areAlike(a: NodeRecord, b: NodeRecord): boolean {
  if (a.nodeClass !== b.nodeClass || a.nodeType !== b.nodeType || a.role !== b.role || a.kind !== b.kind) return false
  return (a.rare === undefined && b.rare === undefined) || typeOf(a) === typeOf(b)
}

/** All that a structural condition can see of a node and of those below it, as a text. */
function keyOf(node: TreeNode, isTop: boolean): string | undefined {
  const record = recordOf(node)
  const type = typeOf(record)
  const offset = isTop ? 0 : record.offset
  if (Math.abs(offset) > MAX_OFFSET || !isShort(record) || type === ODD) return undefined
  // Every text with its length, so that no text can be mistaken for what follows it.
  let key = `${record.nodeClass} ${offset} ${record.nodeType.length}:${record.nodeType}`
  if (record.role !== undefined) key += ` r${record.role.length}:${record.role}`
  if (record.kind !== undefined) key += ` k${record.kind.length}:${record.kind}`
  if (type !== undefined) key += ` t${type.length}:${type}`
  if (!(node instanceof Branch)) return key
  key += ' ['
  for (const child of node.children.toArray()) {
    const below = keyOf(child, false)
    if (below === undefined) return undefined
    key += `${below},`
  }
  return `${key}]`
}

/** A copy with the structure alone: a shape must not keep anybody's content alive. */
function modelOf(node: TreeNode): TreeNode {
  const record = recordOf(node)
  const type = typeOf(record)
  const model = new NodeRecord({
    ...record,
    id: '',
    parentId: undefined,
    ttl: null,
    content: undefined,
    rare: type === undefined ? undefined : { attributes: new Map([['type', type]]) },
  })
  if (!(node instanceof Branch)) return model
  return new Branch(model, Sequence.fromSorted(childrenOf(node).toArray().map(modelOf)))
}

/** The `type` attribute, which imports may give any value; what is no short text gives no shape. */
function typeOf({ rare }: NodeRecord): string | undefined {
  const type = rare?.attributes?.get('type')
  if (type === undefined || (typeof type === 'string' && type.length <= MAX_TEXT)) return type
  return ODD
}

/** Longer than any text that a model holds, so it equals none of them. */
const ODD = ' '.repeat(MAX_TEXT + 1)

function isShort({ nodeType, role, kind }: NodeRecord): boolean {
  return nodeType.length <= MAX_TEXT && (role?.length ?? 0) <= MAX_TEXT && (kind?.length ?? 0) <= MAX_TEXT
}
