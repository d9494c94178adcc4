// delete (004 §6.4, D30): nodes that no snapshot holds, and nodes at depth 0 or in `^sys`, are dropped; in history a marker replaces them.

import { checkNames, describe, invalid } from '../errors/index.js'
import { className, NodeRecord, REDACTION, type JsonValue } from '../core/index.js'
import { childrenOf, heldAs, recordOf, walkRecords, type Draft, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { endSchedules } from './cadence.js'
import { dropSummariesOf } from './covering.js'
import { outermost } from './demotion.js'
import { superseding } from './replace.js'
import { endScheduled, type ScheduledHit } from './scheduled.js'
import { depthIn } from './resolve-position.js'

/** The author and reason of a deletion: written into the markers. */
export type DeleteOptions = Readonly<{ author?: string | undefined; reason?: string | undefined }>

/** Deletes every target; gives the dropped nodes and the markers, in the order of the targets. Schedules end (D46). */
export function deleteNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  options: DeleteOptions,
  scheduled: readonly ScheduledHit[] = [],
): readonly TreeNode[] {
  return rehearsed(session, (trial) => {
    endScheduled(trial, scheduled)
    return deleteEach(trial, targets, options)
  })
}

/** Deletes inside an edit that is already rehearsed, without the schedules that are targets themselves. */
export function deleteEach(
  session: EditSession,
  targets: readonly NodeRecord[],
  options: DeleteOptions,
): readonly TreeNode[] {
  const { draft } = session
  const nodes = outermost(draft, targets).map((target) => draft.nodeOf(target))
  const contents = nodes.flatMap(contentsOf).filter((node) => !isMarker(draft, recordOf(node)))
  dropSummariesOf(draft, contents)
  return contents.flatMap((node) => deleteNode(session, node, options))
}

/** Checks the options of a deletion; gives a copy, so that what was checked is what is written. */
export function checkDeleteOptions(options: unknown): DeleteOptions {
  checkNames(options, ['author', 'reason'], '{ reason }')
  const given = { ...options }
  checkAuthorship(given)
  return given
}

/** Checks who did something and why. */
export function checkAuthorship({ author, reason }: Readonly<{ author?: unknown; reason?: unknown }>): void {
  for (const [name, value] of Object.entries({ author, reason })) {
    if (value !== undefined && typeof value !== 'string') {
      throw invalid(name, `${name} must be a string, not ${describe(value)}.`)
    }
  }
}

/** The attributes for author and reason. */
export function authorshipOf({ author, reason }: DeleteOptions): readonly (readonly [string, string])[] {
  return [
    ...(author === undefined ? [] : [['data_author', author] as const]),
    ...(reason === undefined ? [] : [['data_reason', reason] as const]),
  ]
}

/** Segments and cores are never deleted themselves; their content is. */
function contentsOf(node: TreeNode): readonly TreeNode[] {
  const { nodeClass } = recordOf(node)
  return nodeClass === 'seg' || nodeClass === 'core' ? Array.from(childrenOf(node)).flatMap(contentsOf) : [node]
}

/** A marker stays as it is: deleting it again would lose its author and reason. */
function isMarker(draft: Draft, record: NodeRecord): boolean {
  return record.isMarker && depthIn(draft, record) > 0
}

/** Deletes a node; gives the dropped ones and the markers. */
function deleteNode(session: EditSession, node: TreeNode, options: DeleteOptions): readonly TreeNode[] {
  const { draft } = session
  const target = recordOf(node)
  endSchedules(draft, node)
  if (depthIn(draft, target) <= 0) return [draft.remove(target, 'edited')]
  if (heldAs(draft, target) === undefined) {
    // No snapshot holds it, but its content may come from one: history does not lose a node without a marker (D43).
    if (!holdsCommitted(draft, node)) return [draft.remove(target, 'edited')]
    const children = Array.from(childrenOf(node)).filter((child) => !isMarker(draft, recordOf(child)))
    return children.flatMap((child) => deleteNode(session, child, options))
  }
  const marker = superseding(session, target, markerFor(session, target, options))
  draft.supersede(target, marker, 'redacted')
  return [marker]
}

/** True if a snapshot holds anything in it, or a node that it stands in for. */
function holdsCommitted(draft: Draft, node: TreeNode): boolean {
  for (const record of walkRecords(node)) if (heldAs(draft, record) !== undefined) return true
  return false
}

function markerFor({ draft, dialect }: EditSession, target: NodeRecord, options: DeleteOptions): NodeRecord {
  const attributes = new Map<string, JsonValue>()
  const callId = target.rare?.attributes?.get('data_call_id')
  if (callId !== undefined) attributes.set('data_call_id', callId)
  for (const [name, value] of authorshipOf(options)) attributes.set(name, value)
  const iso = target.rare?.createdAtIso
  return new NodeRecord({
    ...target,
    nodeClass: 'block',
    nodeType: `${className(dialect, 'block')}${REDACTION}`,
    priority: 0,
    ttl: null,
    ttlFrom: draft.cycle,
    kind: undefined,
    content: '',
    rare: { ...(attributes.size === 0 ? {} : { attributes }), ...(iso === undefined ? {} : { createdAtIso: iso }) },
  })
}
