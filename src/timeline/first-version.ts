// Whether a version is how a node came, told without the versions before it, which may not be loaded (D56).

import type { Maker, NodeRecord } from '../core/index.js'

/** What one of these has made was not there before; whoever else made a version may have found one. */
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

/** False where it cannot be told. `root` is that of any snapshot of the context. */
export function isSurelyFirst(record: NodeRecord, root: NodeRecord): boolean {
  // A file may name any cycle as that of a node, also one in which that is changed later.
  return record.isFirst && (root.by === 'createContext' || BEGINNERS.has(record.by))
}
