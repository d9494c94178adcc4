// The structure of a segment without its ids and contents: what each node is and how it stands. Conversations repeat a
// few shapes over and over, so a selector is worked out once per shape instead of once per node. Shapes are interned;
// the table may be emptied at any time, since equal shapes that are not identical only cost a little work. Segments and
// chunks never change, so what is worked out here is kept with them; nobody pays for it who does not select.

import type { NodeRecord } from '../core/index.js'
import { Branch, recordOf, type Sequence, type TreeNode } from './sequence.js'

/** Stands for a structure; compared by identity, the key says what it is. */
export type Shape = Readonly<{ key: string }>

/** The shapes below a chunk of `^seq`; undefined where there are too many, or segments without one, to tell. */
export type Shapes = ReadonlySet<Shape> | undefined

const NO_SHAPES: ReadonlySet<Shape> = new Set<Shape>()

/** Beyond these, a segment is looked at node by node. */
const MAX_NODES = 64
const MAX_OFFSET = 64
const MAX_TEXT = 64
/** Beyond these, a chunk does not tell, and the table starts anew. */
const MAX_SET = 16
const MAX_TABLE = 4096

const table = new Map<string, Shape>()

/** The shape of a segment, or undefined for one that is too large or too odd to have one. */
export function shapeOf(segment: Branch): Shape | undefined {
  if (segment.shape === undefined) segment.shape = findShape(segment) ?? null
  return segment.shape ?? undefined
}

/** The shapes of all segments below a chunk. */
export function shapesOf(chunk: Sequence): Shapes {
  if (chunk.shapes === undefined) {
    let found: Shapes = NO_SHAPES
    for (const part of chunk.chunks ?? []) found = uniteShapes(found, shapesOf(part))
    for (const item of chunk.items ?? []) found = withShape(found, shapeOf(item as Branch))
    chunk.shapes = found ?? null
  }
  return chunk.shapes ?? undefined
}

function findShape(segment: Branch): Shape | undefined {
  if (segment.children.count >= MAX_NODES) return undefined
  const key = keyOf(segment, true)
  if (key === undefined) return undefined
  let shape = table.get(key)
  if (shape === undefined) {
    if (table.size >= MAX_TABLE) table.clear()
    shape = { key }
    table.set(key, shape)
  }
  return shape
}

function withShape(shapes: Shapes, shape: Shape | undefined): Shapes {
  if (shapes === undefined || shape === undefined) return undefined
  if (shapes.has(shape)) return shapes
  return shapes.size >= MAX_SET ? undefined : new Set([...shapes, shape])
}

/** Shares one of the two sets wherever it holds the other, so a uniform history has one set for all chunks. */
function uniteShapes(a: Shapes, b: Shapes): Shapes {
  if (a === b) return a
  if (a === undefined || b === undefined) return undefined
  if (a.size === 0) return b
  let united: Shapes = a
  for (const shape of b) united = withShape(united, shape)
  return united
}

/** All that a structural condition can see of a node and of those below it. */
function keyOf(node: TreeNode, isSegment: boolean): string | undefined {
  const record = recordOf(node)
  const type = record.rare?.attributes?.get('type')
  // A segment's offset is its place in history and says nothing about its structure.
  const offset = isSegment ? 0 : record.offset
  if (Math.abs(offset) > MAX_OFFSET || !isShort(record) || (typeof type === 'string' && type.length > MAX_TEXT))
    return undefined
  // Every text with its length, so that no text can be mistaken for what follows it.
  let key = `${record.nodeClass} ${offset} ${record.nodeType.length}:${record.nodeType}`
  if (record.role !== undefined) key += ` r${record.role.length}:${record.role}`
  if (record.kind !== undefined) key += ` k${record.kind.length}:${record.kind}`
  if (typeof type === 'string') key += ` t${type.length}:${type}`
  if (!(node instanceof Branch)) return key
  key += ' ['
  for (const child of node.children.toArray()) {
    const below = keyOf(child, false)
    if (below === undefined) return undefined
    key += `${below},`
  }
  return `${key}]`
}

function isShort({ nodeType, role, kind }: NodeRecord): boolean {
  return nodeType.length <= MAX_TEXT && (role?.length ?? 0) <= MAX_TEXT && (kind?.length ?? 0) <= MAX_TEXT
}
