// Nodes that travel with a summary (D63): of the nodes that it stands for, those that no snapshot holds.

import {
  COMPACTED,
  compactedOf,
  NodeRecord,
  type Compacted,
  type CompactedNode,
  type JsonValue,
} from '../core/index.js'
import { travellingNode } from '../codec/index.js'
import { Branch, Sequence } from './sequence.js'

/** The nodes that travel with a summary, each by itself; none for any other node. */
export function travellingWith(record: NodeRecord): readonly NodeRecord[] {
  const compacted = compactedOf(record)
  if (compacted === undefined) return NONE
  let nodes = read.get(compacted)
  if (nodes === undefined)
    read.set(compacted, (nodes = compacted.nodes.flatMap((each) => travellingNode(each)?.record ?? [])))
  return nodes
}

const NONE: readonly NodeRecord[] = []
const read = new WeakMap<Compacted, readonly NodeRecord[]>()

/** True if nodes travel with a summary. */
export function hasTravelling(record: NodeRecord): boolean {
  return compactedOf(record)?.nodes.some(({ node }) => node !== undefined) === true
}

/** The summary as a container of the nodes that travel with it, for searches in its place. */
export function openedSummary(record: NodeRecord, originalOf: (record: NodeRecord) => NodeRecord): Branch {
  const inside = travellingWith(record).map(
    (each) => new NodeRecord({ ...originalOf(each), parentId: record.id, nodeClass: 'block' }),
  )
  const opened = new NodeRecord({ ...record, nodeClass: 'cont', content: undefined })
  // In the order of siblings, which need not be the one they had.
  return new Branch(
    opened,
    inside.reduce((all, each) => all.insert(each), Sequence.EMPTY),
  )
}

/** The entries of a list that belong to a summary in it, which they follow. */
export function entriesOf(nodes: readonly CompactedNode[], summary: string): readonly CompactedNode[] {
  const own = new Set([summary])
  return nodes.flatMap(({ of, ...entry }) => {
    if (of === undefined || !own.has(of)) return []
    own.add(entry.id)
    return [Object.freeze(of === summary ? entry : { ...entry, of })]
  })
}

/** A summary with its list. */
export function withCompacted(record: NodeRecord, compacted: Compacted): NodeRecord {
  const attributes = new Map([
    ...(record.rare?.attributes ?? []),
    [COMPACTED, compacted as unknown as JsonValue] as const,
  ])
  return new NodeRecord({ ...record, rare: { ...record.rare, attributes } })
}
