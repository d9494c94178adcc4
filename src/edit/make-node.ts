// Making nodes: from a template with new identities, and as new versions of existing nodes.

import { PactError } from '../errors/index.js'
import {
  compareSiblings,
  LIMITS,
  NodeRecord,
  COMPACTED,
  SHED,
  withOriginal,
  type Dialect,
  type RareHeaders,
  type Stamp,
  type StampRequest,
  type Template,
} from '../core/index.js'
import { ERASED, STOP } from '../codec/index.js'
import {
  Branch,
  childrenOf,
  eachRecord,
  lineOf,
  recordOf,
  Sequence,
  type Draft,
  type Frame,
  type TreeNode,
} from '../timeline/index.js'
import type { EditSession } from './edit-session.js'

/** The nodes of a template in the order they are made: a container before its children. */
export function requestsOf(node: Template): readonly StampRequest[] {
  return node.children.length === 0 ? [node] : [node, ...node.children.flatMap(requestsOf)]
}

/** Stamps that are handed out one by one; an iterator makes an object for each. */
export class Stamps {
  readonly #stamps: readonly Stamp[]
  #given = 0

  constructor(stamps: readonly Stamp[]) {
    this.#stamps = stamps
  }

  next(): Stamp {
    return this.#stamps[this.#given++]!
  }
}

/** Makes a node with its children; nothing holds it yet. */
export function makeNode(
  session: EditSession,
  node: Template,
  parentId: string,
  offset: number,
  stamps: Stamps = new Stamps(session.stamp(requestsOf(node))),
): TreeNode {
  const stamp = stamps.next()
  const record = new NodeRecord({
    id: stamp.id,
    parentId,
    nodeClass: node.nodeClass,
    nodeType: node.nodeType,
    offset,
    createdAtNs: stamp.createdAtNs,
    creationIndex: stamp.creationIndex,
    cycle: stamp.cycle,
    priority: node.priority,
    ttl: node.ttl,
    ttlFrom: session.draft.cycle,
    role: node.role,
    kind: node.kind,
    content: node.content,
    rare: node.rare,
    born: session.draft.cycle,
    by: session.by,
  })
  if (node.nodeClass === 'block') return record
  return new Branch(record, makeChildren(session, node.children, record.id, stamps))
}

/** Makes the children of a container. */
export function makeChildren(
  session: EditSession,
  templates: readonly Template[],
  parentId: string,
  stamps: Stamps = new Stamps(session.stamp(templates.flatMap(requestsOf))),
): Sequence {
  const offsets = offsetsOf(templates, session.dialect)
  return inOrder(templates.map((child, i) => makeNode(session, child, parentId, offsets[i]!, stamps)))
}

/** The offsets that the children of a container take, named or not (D17). */
function offsetsOf(templates: readonly Template[], dialect: Dialect): readonly number[] {
  let highest: number | undefined
  return templates.map(({ offset }) => {
    const at = offset ?? nextOffset(highest, dialect)
    highest = highest === undefined ? at : Math.max(highest, at)
    return at
  })
}

/** The children of a template as those of a node would be written down: with their offsets, in order. */
export function laidOut(templates: readonly Template[], dialect: Dialect): readonly Template[] {
  const offsets = offsetsOf(templates, dialect)
  return templates
    .map((child, i) => ({
      ...child,
      offset: offsets[i]!,
      rare: rareOfTemplate(child.rare, child.nodeClass === 'block'),
      children: laidOut(child.children, dialect),
    }))
    .sort((a, b) => a.offset - b.offset)
}

/** Siblings as a sequence. */
export function inOrder(nodes: readonly TreeNode[]): Sequence {
  return Sequence.fromSorted(nodes.toSorted((a, b) => compareSiblings(recordOf(a), recordOf(b))))
}

/** The offset of a child without one in a container without zones, after children up to offset `highest` (D17). */
export function nextOffset(highest: number | undefined, dialect: Dialect): number {
  return highest === undefined || dialect === '0.1' ? 0 : above(Math.max(-1, highest))
}

/** The next integer. */
export function above(offset: number): number {
  if (offset < Number.MAX_SAFE_INTEGER) return offset + 1
  throw new PactError(
    'E_PLACEMENT_INVALID',
    `No offset is free above ${offset}; name another one, or move the nodes there.`,
    { offset },
  )
}

/** The previous integers. */
export function below(offset: number, count: number): number {
  if (offset - count >= Number.MIN_SAFE_INTEGER) return offset - count
  throw new PactError('E_PLACEMENT_INVALID', `No offset is free below ${offset}; name one.`, { offset })
}

/** A node as it can be made again, without its offset; its ttl is the one that the frame shows, as an export has it. */
export function templateOf(node: TreeNode, frame: Frame): Template {
  // A node that returns is whole, also if its instance was shed (D61).
  const record = withOriginal(recordOf(node))
  const { nodeClass, nodeType, priority, role, kind, content, rare } = record
  return {
    nodeClass: nodeClass === 'block' ? 'block' : 'cont',
    nodeType,
    offset: undefined,
    ttl: frame.ttlOf(record),
    priority,
    role,
    kind,
    content,
    rare: rareOfTemplate(rare, nodeClass === 'block'),
    children: Array.from(childrenOf(node), (child) => {
      const { rare: below, ...template } = templateOf(child, frame)
      // A child returns with its container; an import may have given it a cadence of its own.
      const { cad: _cad, ...rest } = below ?? {}
      return { ...template, rare: Object.keys(rest).length === 0 ? undefined : rest, offset: recordOf(child).offset }
    }),
  }
}

/** The headers for a node that gets another content: it is not erased any more (D56), not shed (D61), and no reply that was cut off. */
export function withNewContent(rare: RareHeaders | undefined): RareHeaders | undefined {
  return without(rare, [ERASED, SHED, STOP])
}

/** A container has no line in place of its content, and stands for no other nodes. */
export function withoutOriginals(rare: RareHeaders | undefined): RareHeaders | undefined {
  return without(rare, [SHED, COMPACTED])
}

function without(rare: RareHeaders | undefined, names: readonly string[]): RareHeaders | undefined {
  if (rare?.attributes === undefined || !names.some((name) => rare.attributes!.has(name))) return rare
  const { attributes, ...rest } = rare
  const others = new Map([...attributes].filter(([name]) => !names.includes(name)))
  return others.size === 0 ? rest : { ...rest, attributes: others }
}

/** The headers that another node can share: all except those about the origin of this one. */
export function rareOfTemplate(had: RareHeaders | undefined, isBlock: boolean): RareHeaders | undefined {
  const rare = without(had, [ERASED, COMPACTED])
  if (rare === undefined) return undefined
  const { supersedes: _supersedes, standsFor: _standsFor, createdAtIso: _createdAtIso, removable, ...rest } = rare
  const kept = removable === undefined || isBlock ? rest : { ...rest, removable }
  return Object.keys(kept).length === 0 ? undefined : kept
}

/** A node with everything under it, under another parent and at another place. */
export function placedAt(
  node: TreeNode,
  parentId: string,
  offset: number,
  session: Pick<EditSession, 'draft' | 'by'>,
): TreeNode {
  const record = recordOf(node)
  const { cycle } = session.draft
  // For a node made in this cycle, being made is still the more important event.
  const by = session.draft.isCommitted(record.id) ? session.by : record.by
  const placed = new NodeRecord({ ...record, parentId, offset, born: cycle, by })
  return node instanceof Branch ? node.withRecord(placed) : placed
}

/** The depth of the parent of core content, of other context, and of system content once everything is sealed. */
export const PARENT_DEPTH = { core: 4, context: 3, sys: 2 } as const

/** Refuses nodes that would make the tree too deep, under a parent at the given depth. */
export function checkHeight(height: number, parentDepth: number): void {
  if (parentDepth + height <= LIMITS.depth) return
  const message = `A tree may not be deeper than ${LIMITS.depth} nodes.`
  throw new PactError('E_PLACEMENT_INVALID', message, { name: 'children' })
}

/** The depth of a container, now and once the active head is sealed. */
export function depthToBe(draft: Draft, container: NodeRecord): number {
  const line = lineOf(draft, container)
  // The root is above the line; sealing puts a segment between the head and its content.
  return 1 + line.length + (line[0]!.nodeType === '^ah' ? 1 : 0)
}

/** The number of levels of nodes. */
export function heightOf(node: TreeNode | Template): number {
  if (node instanceof NodeRecord) return 1
  let highest = 0
  for (const child of node.children) highest = Math.max(highest, heightOf(child))
  return 1 + highest
}

/** All records of a subtree, parents first. */
export function recordsOf(node: TreeNode): readonly NodeRecord[] {
  if (childrenOf(node).size === 0) return [recordOf(node)]
  const records: NodeRecord[] = []
  eachRecord(node, (record) => records.push(record))
  return records
}
