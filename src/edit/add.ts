// Adding nodes to the open cycle: into the active head's zones, or into ^sys (D17, D31). Everything that can fail is
// checked before the mint is asked, and the caller keeps draft and mint only if nothing threw.

import { PactError } from '../errors/index.js'
import {
  className,
  compareSiblings,
  LIMITS,
  NodeRecord,
  type Dialect,
  type Mint,
  type Stamp,
  type StampRequest,
  type Zone,
} from '../core/index.js'
import { Branch, coreOf, makeCore, recordOf, Sequence, type Draft, type TreeNode } from '../timeline/index.js'
import { offsetOf, prepareNode, zoneFor, type NodeSpec, type Prepared } from './header.js'

/** What an edit works on: copies that the caller keeps if the edit goes through. */
export type Bench = Readonly<{ draft: Draft; mint: Mint; dialect: Dialect }>

/** How deep the parent of core content, of other context, and of system content stands once all is sealed. */
const PARENT_DEPTH = { core: 4, context: 3, sys: 2 } as const

/** Adds a node to a zone of the active head; without a zone, the offset tells which. */
export function addToHead(bench: Bench, spec: NodeSpec, zone?: Zone): TreeNode {
  const { draft, dialect } = bench
  const wanted = zoneFor(zone, offsetOf(spec))
  const parentDepth = wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context
  const node = prepareNode(spec, dialect, LIMITS.depth - parentDepth)
  const head = draft.region('^ah')
  if (wanted !== 'core') return insertNew(bench, [head], node, wanted)
  const core = coreOf(head)
  if (core !== undefined) return insertNew(bench, [head, core], node, wanted)
  const contType = className(dialect, 'cont')
  const [coreStamp, ...stamps] = stampFor(bench, [{ nodeClass: 'cont', nodeType: contType }, ...requestsOf(node)])
  const made = makeCore(draft, coreStamp!, contType)
  return insertNew(bench, [draft.region('^ah'), made], node, wanted, stamps)
}

/** Adds a node to `^sys`. */
export function addToSystem(bench: Bench, spec: NodeSpec): TreeNode {
  const node = prepareNode(spec, bench.dialect, LIMITS.depth - PARENT_DEPTH.sys)
  return insertNew(bench, [bench.draft.region('^sys')], node, 'core')
}

function insertNew(
  bench: Bench,
  path: readonly Branch[],
  node: Prepared,
  zone: Zone,
  stamps?: readonly Stamp[],
): TreeNode {
  const parent = path.at(-1)!
  const last = parent.children.last
  const offset = node.offset ?? defaultOffset(zone, last && recordOf(last).offset, bench.dialect)
  const queue = (stamps ?? stampFor(bench, requestsOf(node))).values()
  const made = makeNode(bench, node, parent.record.id, offset, queue)
  bench.draft.insert(path, made)
  return made
}

/** Where a node goes whose caller names no offset, after siblings that reach up to `highest` (D17). */
function defaultOffset(zone: Zone, highest: number | undefined, dialect: Dialect): number {
  if (zone === 'pre') return -1
  const lowest = zone === 'post' ? 1 : 0
  if (highest === undefined || (zone === 'core' && dialect === '0.1')) return lowest
  const next = Math.max(lowest, highest + 1)
  if (Number.isSafeInteger(next)) return next
  throw new PactError('E_PLACEMENT_INVALID', `No offset is free above ${highest}; name one.`, { offset: highest })
}

function stampFor({ draft, mint }: Bench, requests: readonly StampRequest[]): readonly Stamp[] {
  return mint.stamp(requests, (id) => draft.holds(id))
}

/** The nodes of a spec in the order they are made: a container before what it holds. */
function requestsOf(node: Prepared): readonly StampRequest[] {
  return node.children.length === 0 ? [node] : [node, ...node.children.flatMap(requestsOf)]
}

function makeNode(bench: Bench, node: Prepared, parentId: string, offset: number, stamps: Iterator<Stamp>): TreeNode {
  const { draft, dialect } = bench
  const stamp = stamps.next().value!
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
    ttlFrom: draft.cycle,
    role: node.role,
    kind: node.kind,
    content: node.content,
    rare: node.rare,
    born: draft.cycle,
  })
  if (node.nodeClass === 'block') return record
  let highest: number | undefined
  const made = node.children.map((child) => {
    const at = child.offset ?? defaultOffset('core', highest, dialect)
    highest = highest === undefined ? at : Math.max(highest, at)
    return makeNode(bench, child, record.id, at, stamps)
  })
  return new Branch(record, Sequence.fromSorted(made.sort((a, b) => compareSiblings(recordOf(a), recordOf(b)))))
}
