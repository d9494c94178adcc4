// Adding nodes to the open cycle: into the active head's zones, or into ^sys (D17, D31). This is the path that every
// message takes, so what nobody's key can forbid is done at once, without a rehearsal.

import { className, type Stamp, type Template, type Zone } from '../core/index.js'
import { coreOf, makeCore, recordOf, type Branch, type TreeNode } from '../timeline/index.js'
import { rehearsed, type Bench } from './bench.js'
import { checkCadencePlace, noteWrites } from './cadence.js'
import { prepareNode, type NodeSpec } from './header.js'
import { above, checkHeight, heightOf, makeNode, nextOffset, PARENT_DEPTH, recordsOf, requestsOf } from './make.js'
import { isKeyFree, keepOrder } from './overlap.js'
import { zoneFor } from './zone.js'

/** Adds a node to a zone of the active head; without a zone, the offset tells which. */
export function addToHead(bench: Bench, spec: NodeSpec, zone?: Zone): TreeNode {
  const node = prepareNode(spec, bench.dialect)
  const wanted = zoneFor(zone, node.offset)
  checkHeight(heightOf(node), wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context)
  if (!hasKey(node)) return intoHead(bench, node, wanted)
  const isSafe = node.children.length === 0 && isKeyFree(bench.draft, node.rare!.key!)
  return isSafe ? noted(bench, node, wanted) : rehearsed(bench, (trial) => noted(trial, node, wanted))
}

/** The same inside an edit that is rehearsed already. */
export function writeToHead(bench: Bench, node: Template, zone: Zone | undefined): TreeNode {
  const wanted = zoneFor(zone, node.offset)
  checkHeight(heightOf(node), wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context)
  return noted(bench, node, wanted)
}

function noted(bench: Bench, node: Template, zone: Zone): TreeNode {
  const made = intoHead(bench, node, zone)
  keepOrder(bench, recordsOf(made), true)
  noteWrites(bench, made, recordsOf(made), node.offset)
  return made
}

/** Adds a node to `^sys`. */
export function addToSystem(bench: Bench, spec: NodeSpec): TreeNode {
  const node = prepareNode(spec, bench.dialect)
  return rehearsed(bench, (trial) => writeToSystem(trial, node))
}

/** The same inside an edit that is rehearsed already. */
export function writeToSystem(bench: Bench, node: Template): TreeNode {
  checkHeight(heightOf(node), PARENT_DEPTH.sys)
  const made = insertNew(bench, [bench.draft.region('^sys')], node, 'core')
  checkCadencePlace(bench, made)
  keepOrder(bench, recordsOf(made), true)
  return made
}

function hasKey({ rare, children }: Template): boolean {
  return rare?.key !== undefined || children.some(hasKey)
}

function intoHead(bench: Bench, node: Template, zone: Zone): TreeNode {
  const { draft, dialect } = bench
  const head = draft.region('^ah')
  if (zone !== 'core') return insertNew(bench, [head], node, zone)
  const core = coreOf(head)
  if (core !== undefined) return insertNew(bench, [head, core], node, zone)
  const contType = className(dialect, 'cont')
  const [coreStamp, ...stamps] = bench.stamp([{ nodeClass: 'cont', nodeType: contType }, ...requestsOf(node)])
  const made = makeCore(draft, coreStamp!, contType, bench.by)
  return insertNew(bench, [draft.region('^ah'), made], node, zone, stamps)
}

function insertNew(
  bench: Bench,
  path: readonly Branch[],
  node: Template,
  zone: Zone,
  stamps?: readonly Stamp[],
): TreeNode {
  const parent = path.at(-1)!
  const last = parent.children.last
  const highest = last && recordOf(last).offset
  const offset = node.offset ?? defaultOffset(zone, highest, bench)
  const made = makeNode(bench, node, parent.record.id, offset, (stamps ?? bench.stamp(requestsOf(node))).values())
  bench.draft.insert(path, made)
  return made
}

/** Where a node goes whose caller names no offset, after siblings that reach up to `highest` (D17). */
function defaultOffset(zone: Zone, highest: number | undefined, { dialect }: Bench): number {
  if (zone === 'pre') return -1
  return zone === 'post' ? above(Math.max(0, highest ?? 0)) : nextOffset(highest, dialect)
}
