// move (004 §6.3, D30): parent and offset change, everything else stays. Between `^sys` and the rest a node that a snapshot
// holds becomes a new one, because no id may be seen on both sides (02 §2.3).

import { PactError } from '../errors/index.js'
import { NodeRecord, type Stamp, type StampRequest } from '../core/index.js'
import { Branch, childrenOf, isHeld, recordOf, regionNameOf, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { checkHeight, depthToBe, heightOf, inOrder, placedAt, recordsOf } from './make-node.js'
import { keepOrder, outermost } from './demotion.js'
import { Placing, splice } from './choose-offset.js'
import type { ParsedPosition } from './position.js'
import { checkAuthority, isInSealedCore, resolve, sealedCore, type Reach } from './resolve-position.js'

/** Moves every target, in document order; gives the moved nodes. */
export function moveNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  position: ParsedPosition,
  reach: Reach,
): readonly TreeNode[] {
  if (targets.length === 0) return []
  return rehearsed(session, (trial) => {
    const { draft } = trial
    checkAuthority(trial, position, reach)
    const moved = outermost(draft, targets)
    for (const record of moved) checkMovable(trial, record)
    const ids = new Set(moved.map(({ id }) => id))
    const target = resolve(trial, position, {}, reach, ids)
    const { id: containerId } = target.kind === 'splice' ? splice(trial, target.depth) : target.container
    const container = draft.find(containerId)!
    const isCrossing =
      (regionNameOf(draft, draft.find(moved[0]!.id)!) === '^sys') !== (regionNameOf(draft, container) === '^sys')
    const nodes = moved
      .map(({ id }) => draft.lift(draft.find(id)!, 'moved'))
      .map((node) => (isCrossing ? renewed(trial, node) : node))
    const placing = target.kind === 'splice' ? undefined : new Placing(trial, target, nodes.length)
    const placed = nodes.map((node, i) => {
      checkHeight(heightOf(node), depthToBe(draft, container))
      // In the core of a new segment the nodes stay in order by their offsets.
      const each = placedAt(node, containerId, placing?.next(recordOf(node)) ?? i, trial)
      draft.insert(draft.pathTo(containerId), each)
      return each
    })
    keepOrder(trial, placed.flatMap(recordsOf), false)
    return placed.map((node) => draft.nodeOf(draft.find(recordOf(node).id)!))
  })
}

function checkMovable(session: EditSession, record: NodeRecord): void {
  const { draft } = session
  const { id, nodeClass } = record
  if (nodeClass === 'seg') {
    const message = `${id} is a segment, whose place is its place in history; move what it holds.`
    throw new PactError('E_SEGMENT_MOVE', message, { id })
  }
  if (isInSealedCore(draft, record)) throw sealedCore(session, record)
  if (nodeClass === 'core') {
    throw new PactError('E_PLACEMENT_INVALID', `${id} is the core of the active head; move what it holds.`, { id })
  }
}

/** The same subtree, with a new node for everything that a snapshot holds. */
function renewed(session: EditSession, top: TreeNode): TreeNode {
  const held = recordsOf(top).filter((record) => isHeld(session.draft, record))
  const stamps = session.stamp(held.map(requestFor))
  const byId = new Map(held.map(({ id }, i) => [id, stamps[i]!]))
  return withStamps(session, top, recordOf(top).parentId!, byId)
}

function requestFor({ nodeClass, nodeType }: NodeRecord): StampRequest {
  return { nodeClass: nodeClass === 'block' ? 'block' : 'cont', nodeType }
}

function withStamps(
  session: EditSession,
  node: TreeNode,
  parentId: string,
  stamps: ReadonlyMap<string, Stamp>,
): TreeNode {
  const old = recordOf(node)
  const stamp = stamps.get(old.id)
  const record = stamp === undefined && parentId === old.parentId ? old : renewedRecord(session, old, parentId, stamp)
  if (!(node instanceof Branch)) return record
  const children = Array.from(childrenOf(node), (child) => withStamps(session, child, record.id, stamps))
  return new Branch(record, inOrder(children), node.everHeld)
}

function renewedRecord(session: EditSession, old: NodeRecord, parentId: string, stamp: Stamp | undefined): NodeRecord {
  if (stamp === undefined) return old.movedTo(parentId, session.draft.cycle)
  const { supersedes: _supersedes, standsFor: _standsFor, createdAtIso: _createdAtIso, ...rest } = old.rare ?? {}
  const rare = Object.keys(rest).length === 0 ? undefined : rest
  return new NodeRecord({ ...old, ...stamp, parentId, rare, born: session.draft.cycle, by: session.by })
}
