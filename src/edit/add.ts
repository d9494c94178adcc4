// Adding nodes to the open cycle: into the active head's zones, or into ^sys (D17, D31). Every message takes this path, so a node that no
// key can forbid is added at once, without a rehearsal.

import { className, type Template, type Zone } from '../core/index.js'
import { coreOf, makeCore, recordOf, type Branch, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { checkCadencePlace, noteWrites } from './cadence.js'
import {
  above,
  checkHeight,
  heightOf,
  makeNode,
  nextOffset,
  PARENT_DEPTH,
  recordsOf,
  requestsOf,
  Stamps,
} from './make-node.js'
import { isKeyFree, keepOrder } from './demotion.js'
import { zoneFor } from './zone.js'

/** Adds a node to a zone of the active head; without a zone, the offset decides. */
export function addToHead(session: EditSession, node: Template, zone?: Zone): TreeNode {
  const wanted = zoneFor(zone, node.offset)
  checkHeight(heightOf(node), wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context)
  if (!hasKey(node)) return intoHead(session, node, wanted)
  const isSafe = node.children.length === 0 && isKeyFree(session.draft, node.rare!.key!)
  return isSafe ? noted(session, node, wanted) : rehearsed(session, (trial) => noted(trial, node, wanted))
}

/** Adds to the head inside an edit that is already rehearsed. */
export function writeToHead(session: EditSession, node: Template, zone: Zone | undefined): TreeNode {
  const wanted = zoneFor(zone, node.offset)
  checkHeight(heightOf(node), wanted === 'core' ? PARENT_DEPTH.core : PARENT_DEPTH.context)
  return noted(session, node, wanted)
}

function noted(session: EditSession, node: Template, zone: Zone): TreeNode {
  const made = intoHead(session, node, zone)
  keepOrder(session, recordsOf(made), true)
  noteWrites(session, made, recordsOf(made), node.offset)
  return made
}

/** Adds a node to `^sys`. */
export function addToSystem(session: EditSession, node: Template): TreeNode {
  if (hasKey(node)) return rehearsed(session, (trial) => writeToSystem(trial, node))
  checkHeight(heightOf(node), PARENT_DEPTH.sys)
  return intoSystem(session, node)
}

/** Adds to `^sys` inside an edit that is already rehearsed. */
export function writeToSystem(session: EditSession, node: Template): TreeNode {
  checkHeight(heightOf(node), PARENT_DEPTH.sys)
  const made = intoSystem(session, node)
  checkCadencePlace(session, made)
  keepOrder(session, recordsOf(made), true)
  return made
}

function intoSystem(session: EditSession, node: Template): TreeNode {
  return insertNew(session, [session.draft.region('^sys')], node, 'core')
}

function hasKey({ rare, children }: Template): boolean {
  return rare?.key !== undefined || children.some(hasKey)
}

function intoHead(session: EditSession, node: Template, zone: Zone): TreeNode {
  const { draft, dialect } = session
  const head = draft.region('^ah')
  if (zone !== 'core') return insertNew(session, [head], node, zone)
  const core = coreOf(head)
  if (core !== undefined) return insertNew(session, [head, core], node, zone)
  const contType = className(dialect, 'cont')
  const stamps = new Stamps(session.stamp([{ nodeClass: 'cont', nodeType: contType }, ...requestsOf(node)]))
  const made = makeCore(draft, stamps.next(), contType, session.by)
  return insertNew(session, [draft.region('^ah'), made], node, zone, stamps)
}

function insertNew(
  session: EditSession,
  path: readonly Branch[],
  node: Template,
  zone: Zone,
  stamps?: Stamps,
): TreeNode {
  const parent = path.at(-1)!
  const last = parent.children.last
  const highest = last && recordOf(last).offset
  const offset = node.offset ?? defaultOffset(zone, highest, session)
  const made = makeNode(session, node, parent.record.id, offset, stamps)
  session.draft.insert(path, made)
  return made
}

/** The offset of a node whose caller names none, after siblings up to offset `highest` (D17). */
function defaultOffset(zone: Zone, highest: number | undefined, { dialect }: EditSession): number {
  if (zone === 'pre') return -1
  return zone === 'post' ? above(Math.max(0, highest ?? 0)) : nextOffset(highest, dialect)
}
