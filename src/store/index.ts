export type { EraseOptions, EraseReceipt } from './erase.js'
export type { FsckOptions, FsckProgress, FsckReport, Problem } from './fsck.js'
export type { MoveProgress } from './family-copy.js'
export type { MoveOptions, MoveReceipt } from './move.js'
export type { RebaseReport } from './fault.js'
export type { Keep, RetainOptions, RetainProgress, RetainReceipt } from './retain.js'
export { openCatalog, type Catalog, type ContextInfo, type ContextPage } from './catalog.js'
export type { StoreOptions } from './open-rows.js'
export { openStore } from './open-store.js'
export { MemoryRows } from './memory/rows.js'
export type {
  Answer,
  Arrived,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  Erasure,
  LostContext,
  ManifestRow,
  DraftRow,
  NewCommit,
  NewContext,
  NewSave,
  Pack,
  PageRow,
  Row,
  Rows,
} from './rows.js'
export { Store, type ContextState, type OpenListOptions, type OpenOptions } from './store.js'
export type { DraftInfo, SavedDraft } from './drafts.js'
export { StoredContext } from './stored-context.js'
export type { CommitAnswer, CommitOptions, StoredForkOptions } from './stored-services.js'
export type { StoreEvent, StoreWatch, WatchedFrom, WatchOptions } from './watch.js'
