// The causes of changes between two snapshots, and the calls that make them (06 §6).

/** All there are. */
export const CAUSES = [
  'created',
  'aged',
  'expired',
  'pruned',
  'sealed',
  'edited',
  'moved',
  'superseded',
  'redacted',
  'shed',
  'compacted',
  'expanded',
  'demoted',
  'cadence',
] as const

/** The cause of a change to a node; `aged` is a running ttl, `edited` is any change or removal by a call. */
export type Cause = (typeof CAUSES)[number]

/** All there are. */
export const MAKERS = [
  'user',
  'assistant',
  'tool',
  'pre',
  'post',
  'add',
  'put',
  'set',
  'insert',
  'replace',
  'move',
  'delete',
  'update',
  'redact',
  'shed',
  'unshed',
  'compact',
  'expand',
  'system.add',
  'system.put',
  'system.set',
  'system.insert',
  'system.replace',
  'system.move',
  'system.delete',
  'system.update',
  'system.redact',
  'commit',
  'cadence',
  'demotion',
  'import',
  'createContext',
] as const

/** The maker of a version of a node: a call, or a stage of the engine. A node that is changed in the cycle it was made in keeps its maker. */
export type Maker = (typeof MAKERS)[number]
