// Why a node differs between two snapshots, and which call made it what it is (06 §6).

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
  'demoted',
  'cadence',
] as const

/** What happened to a node; `aged` is a running ttl, `edited` covers whatever was changed or dropped by hand. */
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

/**
 * What made a version of a node: a call, or something the engine does by itself. A node that is changed in the cycle it
 * was made in still has its maker.
 */
export type Maker = (typeof MAKERS)[number]
