export { forkStart } from './branch.js'
export type { CommitListener } from './commit-listeners.js'
export { Context, type ForkOptions } from './context.js'
export { createContext, importSnapshot, importSnapshotAsync } from './create.js'
export { ContextEdits, type AnyContext } from './edits.js'
export type { Hold } from './hold.js'
export type { Lens } from '../core/index.js'
export {
  checkForget,
  findEver,
  keptElsewhere,
  nothingToForget,
  type ForgetReceipt,
  type Found,
  type FoundEver,
} from './forget.js'
export { eraseFromAttempt, mutedAttempt } from '../attempts/index.js'
export type { DeleteOptions } from '../edit/index.js'
export {
  historyWanted,
  holdHistory,
  knownRecords,
  loadAlone,
  loadSpan,
  olderBeginning,
  olderTimeline,
  unloadHistory,
  type HistoryWanted,
  type LoadedExtras,
} from './load-history.js'
export type { AnyOptions, ContextOptions, ListOptions } from './options.js'
export { applyOperations, replayOpenEdits, replayOperations, type Replayed } from './operations.js'
export { joinParts, takeOver, type Attempt, type Parts } from './parts.js'
export type { PastCycle } from './past.js'
export { exportChunks } from './pieces.js'
export type { SourceEntry } from './node-tokens.js'
export { lintPlacement, type PlacementFinding, type PlacementOptions } from './placement.js'
export type { FirstDifference, Prefix, PrefixOptions } from './prefix.js'
export { renderSource, type RenderSource } from './render-source.js'
export {
  checkpointOf,
  historyOf,
  manifestOf,
  prepareCommit,
  recordsAfter,
  type PendingCommit,
  type WrittenHistory,
} from './recording.js'
export type { RequestOfOptions } from './request-of.js'
export { ContextReads } from './reads.js'
export {
  restoreContext,
  restoredStart,
  restoreFromManifest,
  startFromManifest,
  type RestoreOptions,
  type WrittenRecord,
} from './restore.js'
export type { SelectOptions } from './select-options.js'
export type { SnapshotsOptions } from './snapshot-list.js'
export type { RangeResults, SelectResult } from './select-result.js'
export { Snapshot } from './snapshot.js'
export type { Start } from './start.js'
export type { SystemRegion } from './system-region.js'
export type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './token-report.js'
export { ADAPTER, type Received, type ReceivedCall, type ReceiveOptions } from './receive.js'
