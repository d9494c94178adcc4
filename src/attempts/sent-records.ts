// The nodes in the record of an attempt, each by itself, since the tree that they were sent in may be gone. The other texts of the record are
// the content of a block with the id of the attempt.

import type { SentRecord, Dialect, JsonObject, NodeRecord } from '../core/index.js'
import { decodeSnapshot, fieldsOf, specVersionOf } from '../codec/index.js'
import { newTree } from '../timeline/index.js'
import { wordsOf } from './erased-attempt.js'

export function sentRecords(record: SentRecord, dialect: Dialect): readonly NodeRecord[] {
  const { attempt_id: id, nodes, structure, cycle_id: cycle } = record
  const words = wordsOf(record)
  const beside = words === undefined ? [] : [{ id, nodeType: 'block', offset: 1, content: words }]
  return [...nodes, ...(structure?.nodes ?? []), ...beside].flatMap((node) => recordOf(node, cycle, dialect) ?? [])
}

/** Undefined for the root and the regions, which hold nothing of their own. */
function recordOf(node: JsonObject, cycle: number, dialect: Dialect): NodeRecord | undefined {
  const { root, regions } = newTree()
  const type = node['nodeType'] as string
  if (type === root.nodeType || regions.some(({ record }) => record.nodeType === type)) return undefined
  const own = Object.fromEntries(Object.entries(node).filter(([name]) => !OF_ITS_TREE.has(name)))
  const children = regions.map(({ record }) => {
    const isHere = record.nodeType === (type.startsWith('seg') ? '^seq' : '^ah')
    return { ...Object.fromEntries(fieldsOf(record, null)), children: isHere ? [inside(own)] : [] }
  })
  const document = {
    spec_version: specVersionOf(dialect),
    cycle,
    root: { ...Object.fromEntries(fieldsOf(root, null)), children },
  }
  return decodeSnapshot(document, dialect).byId.get(node['id'] as string)
}

/** A removable container, such as a reply with several parts, is in the core: directly under the head it would be read as the core itself. */
function inside(node: JsonObject): JsonObject {
  return node['removable'] === true ? { id: `${node['id'] as string}~`, offset: 1, children: [node] } : node
}

/** Names that a document checks against its other nodes. */
const OF_ITS_TREE: ReadonlySet<string> = new Set(['supersedes', 'pact:stands_for', 'pact:emptied'])
