// A node of the open cycle that stands in for another one, which leaves (D30, D41).

import { NodeRecord, type Stamp } from '../core/index.js'
import type { Draft } from './draft.js'

/** The headers for another node of this cycle, which stands in for the node that the snapshots hold. */
export function standInOf(
  draft: Draft,
  target: NodeRecord,
  headers: NodeRecord,
  { id, cycle }: Stamp,
  by: NodeRecord['by'],
): NodeRecord {
  const { supersedes: _supersedes, standsFor: _standsFor, ...rest } = headers.rare ?? {}
  const supersedes = heldAs(draft, target)
  const earlier = earlierNames(draft, target, supersedes)
  const rare = {
    ...rest,
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(earlier.length === 0 ? {} : { standsFor: Object.freeze(earlier) }),
  }
  return new NodeRecord({ ...headers, id, cycle, rare, born: draft.cycle, by })
}

/**
 * The other ids by which references to the target mean the node in its place (D41), oldest first: all ids that it had in the last
 * snapshot, and of those given in this cycle the newest, since a text may be rewritten thousands of times.
 */
function earlierNames(draft: Draft, target: NodeRecord, supersedes: string | undefined): readonly string[] {
  const { standsFor: before = NO_NAMES, supersedes: replaced } = target.rare ?? {}
  const names = [...before, ...(replaced === undefined ? [] : [replaced]), target.id].filter((id) => id !== supersedes)
  if (names.length <= MOST_NEW_NAMES) return names
  const held = supersedes === undefined ? undefined : draft.timeline.find(supersedes, draft.cycle - 1)
  const old = new Set(held?.names)
  const fresh = names.filter((id) => !old.has(id)).slice(-MOST_NEW_NAMES)
  return [...names.filter((id) => old.has(id)), ...fresh]
}

const NO_NAMES: readonly string[] = []
const MOST_NEW_NAMES = 16

/** The id under which the snapshots hold a node, or the node that it stands in for. */
export function heldAs(draft: Draft, record: NodeRecord): string | undefined {
  return isHeld(draft, record) ? record.id : record.rare?.supersedes
}

/** True if the last snapshot has this node, or has a summary in its place from which it came back (D63): it is older than the open cycle then. */
export function isHeld(draft: Draft, { id, cycle }: NodeRecord): boolean {
  return cycle < draft.cycle || draft.isCommitted(id)
}
