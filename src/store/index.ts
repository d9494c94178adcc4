export type { FsckOptions, FsckProgress, FsckReport, Problem } from './fsck.js'
export { openStore, type StoreOptions } from './open-store.js'
export { MemoryRows } from './memory/rows.js'
export type {
  Answer,
  AttemptRow,
  ContextKey,
  ContextRow,
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
