// Changing the headers that may change while a node lives, at any depth: sealed bytes do not hold them (D30, 06 §2.4).

import { PactError } from '../errors/index.js'
import { NodeRecord, withTags, type RareHeaders } from '../core/index.js'
import type { TreeNode } from '../timeline/index.js'
import type { EditSession } from './edit-session.js'
import type { Changes } from './header.js'

/** Changes every target and gives the changed nodes, in the order of the targets. */
export function updateNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  wanted: Changes,
): readonly TreeNode[] {
  const { draft } = session
  const core = wanted.ttl === undefined ? undefined : targets.find(({ nodeClass }) => nodeClass === 'core')
  if (core !== undefined) {
    const message = `${core.id} is a core, which stays as long as its segment; set the ttl of what it holds.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id: core.id })
  }
  for (const target of targets) draft.change(changedRecord(target, wanted, session))
  return targets.map(({ id }) => draft.nodeOf(draft.find(id)!))
}

function changedRecord(record: NodeRecord, changes: Changes, { draft, by }: EditSession): NodeRecord {
  const { cycle } = draft
  const { ttl, priority = record.priority, pinned, tags } = changes
  const others: RareHeaders = { ...record.rare, ...(pinned === undefined ? {} : { pinned }) }
  const rare = tags === undefined ? others : withTags(others, tags)
  return new NodeRecord({
    ...record,
    priority,
    ttl: ttl === undefined ? record.ttl : ttl,
    ttlFrom: ttl === undefined ? record.ttlFrom : cycle,
    rare,
    born: cycle,
    by: record.born === cycle ? record.by : by,
  })
}
