// Nodes whose ttl ends in a given cycle. The sum `due` of a chunk is the earliest end of a ttl below it, and stays
// at that of a node that is kept beyond its ttl. So a chunk with such nodes also remembers the earliest end after those:
// worked out when first asked for, and shared by every snapshot that shares the chunk. A commit opens what it has made
// itself and what something ends in, however many nodes wait elsewhere.

import { NEVER, type NodeRecord } from '../core/index.js'
import { childrenOf, recordOf, type Sequence, type TreeNode } from './sequence.js'

/** The earliest end of a ttl in this cycle or later. */
export function dueFrom(sequence: Sequence, cycle: number): number {
  if (sequence.due >= cycle) return sequence.due
  const { later } = sequence
  if (later !== undefined && later.from <= cycle && cycle <= later.due) return later.due
  let due = NEVER
  for (const chunk of sequence.chunks ?? []) due = Math.min(due, dueFrom(chunk, cycle))
  for (const item of sequence.items ?? []) {
    const { expiry } = recordOf(item)
    due = Math.min(due, expiry >= cycle ? expiry : NEVER, dueFrom(childrenOf(item), cycle))
  }
  sequence.later = { from: cycle, due }
  return due
}

/** The nodes whose ttl ends in this cycle or later. */
export function* runningFrom(sequence: Sequence, cycle: number): Generator<NodeRecord, void, undefined> {
  if (dueFrom(sequence, cycle) === NEVER) return
  for (const chunk of sequence.chunks ?? []) yield* runningFrom(chunk, cycle)
  for (const item of sequence.items ?? []) {
    const record = recordOf(item)
    if (record.expiry >= cycle && record.expiry < NEVER) yield record
    yield* runningFrom(childrenOf(item), cycle)
  }
}

/** The nodes whose ttl ends in this cycle, without those inside another one of them. */
export function* endingIn(sequence: Sequence, cycle: number): Generator<TreeNode, void, undefined> {
  if (dueFrom(sequence, cycle) !== cycle) return
  for (const chunk of sequence.chunks ?? []) yield* endingIn(chunk, cycle)
  for (const item of sequence.items ?? []) {
    if (recordOf(item).expiry === cycle) yield item
    else yield* endingIn(childrenOf(item), cycle)
  }
}
