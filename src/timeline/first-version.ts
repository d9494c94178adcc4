// A provably first version of a node needs no older history, which may not be loaded (D56).

import type { Maker, NodeRecord } from '../core/index.js'

/** A node that one of these made is new. Other makers may have changed an older version. */
const BEGINNERS: ReadonlySet<Maker> = new Set<Maker>([
  'user',
  'assistant',
  'tool',
  'pre',
  'post',
  'add',
  'insert',
  'system.add',
  'system.insert',
  'commit',
  'cadence',
])

/** True if the version is provably the first of its node. `root` is that of any snapshot of the context. */
export function isSurelyFirst(record: NodeRecord, root: NodeRecord): boolean {
  // A file may name any cycle as that of a node, also one in which that is changed later.
  return record.isFirst && (root.by === 'createContext' || BEGINNERS.has(record.by))
}
