// The second door of this room: everything that a store does with a context. A store writes down commits, restores contexts, loads
// older history, makes forks and erases. No other room needs these names.

export { forkStart } from './branch.js'
export { ContextEdits } from './edits.js'
export { EverSearch, nodesAlone, type FoundNodes } from './ever-search.js'
export { checkForget, keptElsewhere, nothingToForget, snapshotsOf } from './forget.js'
export { thinnedOut } from './lens.js'
export {
  historyWanted,
  holdHistory,
  loadAlone,
  loadSpan,
  olderBeginning,
  olderTimeline,
  unloadHistory,
  type LoadedExtras,
} from './load-history.js'
export { mutationOf } from './mutation-query.js'
export { replayOpenEdits, type Replayed } from './operations.js'
export type { AnyOptions } from './options.js'
export { joinParts, takeOver, type Parts } from './parts.js'
export { checkpointOf, historyOf, manifestOf, prepareCommit, recordsAfter, type PendingCommit } from './recording.js'
export { ContextReads } from './reads.js'
export {
  restoreContext,
  restoredStart,
  restoreFromManifest,
  Restoring,
  type RestoreOptions,
  type WrittenRecord,
} from './restore.js'
export { encodeState, prepareSave, restoreSaved, type PendingSave } from './saving.js'
export type { Start } from './start.js'
