// Adding nodes to the open cycle: into the active head's zones, or into ^sys (D17, D31). Everything that can fail is
// checked before the mint is asked, and the caller keeps draft and mint only if nothing threw.

import { compareSiblings, LIMITS, NodeRecord, type Dialect, type Mint, type Zone } from '../core/index.js'
import { Branch, coreOf, makeCore, recordOf, Sequence, type Draft, type TreeNode } from '../timeline/index.js'
import { prepareNode, zoneFor, type NodeSpec, type Prepared } from './header.js'

/** What an edit works on: copies that the caller keeps if the edit goes through. */
export type Bench = Readonly<{ draft: Draft; mint: Mint; dialect: Dialect }>

/** How deep the parent of core content, of other context, and of system content stands once all is sealed. */
const PARENT_DEPTH = { core: 4, context: 3, sys: 2 } as const

/** Adds a node to a zone of the active head; without a zone, the offset tells which. */
export function addToHead(bench: Bench, spec: NodeSpec, zone?: Zone): TreeNode {
  const { draft, mint, dialect } = bench
  const wanted = zoneFor(zone, spec.offset)
  const parentDepth = wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context
  const node = prepareNode(spec, dialect, LIMITS.depth - parentDepth)
  if (wanted !== 'core') return insertNew(bench, [draft.region('^ah')], node, wanted)
  const core = coreOf(draft.region('^ah')) ?? makeCore(draft, mint, dialect)
  return insertNew(bench, [draft.region('^ah'), core], node, wanted)
}

/** Adds a node to `^sys`. */
export function addToSystem(bench: Bench, spec: NodeSpec): TreeNode {
  const node = prepareNode(spec, bench.dialect, LIMITS.depth - PARENT_DEPTH.sys)
  return insertNew(bench, [bench.draft.region('^sys')], node, 'core')
}

function insertNew(bench: Bench, path: readonly Branch[], node: Prepared, zone: Zone): TreeNode {
  const parent = path.at(-1)!
  const last = parent.children.last
  const offset = node.offset ?? defaultOffset(zone, last && recordOf(last).offset, bench.dialect)
  const made = makeNode(bench, node, parent.record.id, offset)
  bench.draft.insert(path, made)
  return made
}

/** Where a node goes whose caller names no offset, after siblings that reach up to `highest` (D17). */
function defaultOffset(zone: Zone, highest: number | undefined, dialect: Dialect): number {
  if (zone === 'pre') return -1
  if (zone === 'post') return Math.max(0, highest ?? 0) + 1
  return dialect === '0.1' || highest === undefined ? 0 : highest + 1
}

function makeNode(bench: Bench, node: Prepared, parentId: string, offset: number): TreeNode {
  const { draft, mint, dialect } = bench
  const stamp = mint.stamp(node.nodeClass, node.nodeType, (id) => draft.holds(id))
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
    return makeNode(bench, child, record.id, at)
  })
  return new Branch(record, Sequence.fromSorted(made.sort((a, b) => compareSiblings(recordOf(a), recordOf(b)))))
}
