// Cadence (D28): writing a node with `cad` into the active head makes its key return; the commit that opens a due cycle
// puts a fresh instance into the head.

import { PactError } from '../errors/index.js'
import { zoneOfOffset, type NodeRecord, type Zone } from '../core/index.js'
import { eachRecord, Frame, lineOf, recordOf, type Draft, type TreeNode } from '../timeline/index.js'
import { idsOf, rehearsed, type EditSession } from './edit-session.js'
import { recordsOf, templateOf } from './make-node.js'
import { keepOrder } from './demotion.js'
import { placeNew } from './choose-offset.js'
import { depthIn, resolve } from './resolve-position.js'

/** Refuses a cadence anywhere but in the active head. */
export function checkCadencePlace(session: EditSession, node: TreeNode): void {
  const { draft } = session
  const record = recordOf(node)
  if (record.rare?.cad === undefined || depthIn(draft, record) === 0) return
  const message = 'Only a node of the active head can return; put it there, or leave cad out.'
  throw new PactError('E_CADENCE_INVALID', message, { name: 'cad', ...idsOf(session, { id: record }) })
}

/**
 * Takes note of keys that a call has written at depth 0: the schedule of the top node's key is replaced if it has `cad`,
 * every other written key's ends. `offset` is the one that later instances take, where the caller named it.
 */
export function noteWrites(
  { draft }: EditSession,
  top: TreeNode,
  written: Iterable<NodeRecord>,
  offset: number | undefined,
): void {
  const record = recordOf(top)
  if (depthIn(draft, record) !== 0) return
  let { schedules } = draft.tree
  for (const { id, rare, instanceKey: key } of written) {
    if (key === undefined) continue
    const cad = rare?.cad
    if (id !== record.id || cad === undefined) {
      schedules = schedules.without(key)
      continue
    }
    const zone = zoneInHead(draft, record)
    schedules = schedules.with({
      key,
      cad,
      firstCycle: draft.cycle,
      zone,
      offset,
      node: templateOf(top, new Frame(draft.tree, draft.cycle, true)),
    })
  }
  if (schedules !== draft.tree.schedules) draft.schedule(schedules)
}

/** The zone of the active head that a node is in, by itself or with its container. */
function zoneInHead(draft: Draft, record: NodeRecord): Zone {
  const [, child] = lineOf(draft, record)
  return zoneOfOffset(child!.offset)
}

/** The offset of the instances of a replaced node, as long as it is in the same zone. */
export function keptOffset(draft: Draft, record: NodeRecord): number | undefined {
  const { key } = record.rare ?? {}
  const before = key === undefined ? undefined : draft.tree.schedules.get(key)
  if (before === undefined || depthIn(draft, record) !== 0) return undefined
  return before.zone === zoneInHead(draft, record) ? before.offset : undefined
}

/** Ends the schedule of a key whose instance in the head has got another key. */
export function endSchedule(draft: Draft, record: NodeRecord, key: string | undefined): void {
  if (key === undefined || draft.tree.schedules.get(key) === undefined || depthIn(draft, record) !== 0) return
  draft.schedule(draft.tree.schedules.without(key))
}

/** Ends the schedules of all keys that leave with a deleted node, and of the containers around it: they would bring it back. */
export function endSchedules(draft: Draft, node: TreeNode): void {
  if (draft.tree.schedules.size === 0) return
  let { schedules } = draft.tree
  const end = ({ instanceKey }: NodeRecord): void => {
    if (instanceKey !== undefined) schedules = schedules.without(instanceKey)
  }
  for (const record of lineOf(draft, recordOf(node))) end(record)
  eachRecord(node, end)
  if (schedules !== draft.tree.schedules) draft.schedule(schedules)
}

/** A schedule that was due and could not put its node in, and why. */
export type LeftOut = Readonly<{ key: string; error: PactError }>

/**
 * Opens a cycle: puts an instance of every due schedule into the head, by key. An instance that overlap forbids, or that finds no
 * offset, is left out this time. Gives the draft without an undo step, since undo takes back calls only.
 */
export function openCycle(session: EditSession): Readonly<{ draft: Draft; leftOut: readonly LeftOut[] }> {
  const { draft } = session
  const due = draft.tree.schedules.dueIn(draft.cycle)
  const leftOut: LeftOut[] = []
  if (due.length === 0) return { draft, leftOut }
  for (const { key, zone, offset, node } of due) {
    draft.mark()
    try {
      rehearsed(session, (trial) => {
        const target = resolve(trial, { kind: 'depth', depth: 0, zone }, { offset }, 'ordinary')
        keepOrder(trial, recordsOf(placeNew(trial, node, target)), true)
      })
      draft.keep()
    } catch (error) {
      draft.rollback()
      // A clock or an id source that fails is no reason of the tree's.
      if (!PactError.is(error) || (error.code !== 'E_ODI_VIOLATION' && error.code !== 'E_PLACEMENT_INVALID'))
        throw error
      leftOut.push({ key, error })
    }
  }
  return { draft: draft.copy(), leftOut }
}
