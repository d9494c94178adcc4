// Why a node differs between two snapshots: every change has one of these reasons (06 §6).

/** What happened to a node; `aged` is a running ttl, `edited` covers whatever was changed or dropped by hand. */
export type Cause =
  | 'created'
  | 'aged'
  | 'expired'
  | 'pruned'
  | 'sealed'
  | 'edited'
  | 'moved'
  | 'superseded'
  | 'redacted'
  | 'demoted'
  | 'cadence'
