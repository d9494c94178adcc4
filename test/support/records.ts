// A record by itself, for tests of what lies below contexts: a plain block of cycle 1 unless fields say otherwise.

import { NodeRecord, type RecordFields } from '../../src/core/index.js'

export function recordWith(fields: Partial<RecordFields>): NodeRecord {
  const { cycle = 1 } = fields
  return new NodeRecord({
    id: 'n',
    parentId: 'parent',
    nodeClass: 'block',
    nodeType: 'block',
    offset: 0,
    createdAtNs: 0n,
    creationIndex: 0,
    cycle,
    priority: 0,
    ttl: null,
    ttlFrom: cycle,
    role: undefined,
    kind: undefined,
    content: undefined,
    rare: undefined,
    born: cycle,
    by: 'add',
    ...fields,
  })
}
