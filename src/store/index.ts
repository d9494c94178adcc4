export type { EraseOptions, EraseReceipt } from './erase.js'
export type { FsckOptions, FsckProgress, FsckReport, Problem } from './fsck.js'
export type { RebaseReport } from './rebase.js'
export { openStore, type StoreOptions } from './open-store.js'
export { MemoryRows } from './memory/rows.js'
export type {
  Answer,
  AttemptRow,
  AuditRow,
  ContextRow,
  Erasure,
  ManifestRow,
  NewCommit,
  NewContext,
  Pack,
  PageRow,
  Row,
  Rows,
} from './rows.js'
export { Store, type ContextInfo, type ContextPage, type OpenListOptions, type OpenOptions } from './store.js'
export { StoredContext, type CommitAnswer, type CommitOptions, type StoredForkOptions } from './stored-context.js'
export type { StoreEvent, WatchOptions } from './watch.js'
