export { forkStart } from './branch.js'
export type { CommitListener } from './commit-listeners.js'
export { glanceAt, measure, type ContextGlance, type ContextSize } from './context-state.js'
export { cycleFacts, LastRendering, type CycleFacts } from './cycle-facts.js'
export { largestNodes, type CyclePane } from './cycle-pane.js'
export type { PartRun } from './part-tokens.js'
export { namesIn, type NameCounts, type NameCount } from './tree-names.js'
export { treeRows, type ShownRow, type TreeRows } from './tree-rows.js'
export { otherHalf } from './call-pair.js'
export { renderedSource, type MappedEntry } from './rendered-source.js'
export { Context, type ForkOptions } from './context.js'
export { createContext, importSnapshot, importSnapshotAsync } from './create.js'
export { ContextEdits, type AnyContext } from './edits.js'
export type { Hold } from './hold.js'
export { canonicalJson, parseJson } from '../codec/index.js'
export { CAUSES, oneLine } from '../core/index.js'
export type {
  AttemptRecord,
  Cause,
  ContentInput,
  Dialect,
  JsonObject,
  JsonValue,
  Lens,
  Node,
  Receipt,
} from '../core/index.js'
export { diffContent, type DetailedDiff, type SnapshotRef } from '../diff/index.js'
export type { OutlineLine, OutlineOptions } from '../outline/index.js'
export type { Breakpoint, ThreadItem } from '../thread/index.js'
export type { Explanation, Life } from '../explain/index.js'
export {
  checkForget,
  findEver,
  keptElsewhere,
  nothingToForget,
  type ForgetReceipt,
  type Found,
  type FoundEver,
} from './forget.js'
export { eraseFromAttempt, mutedAttempt, type AttemptInput } from '../attempts/index.js'
export type {
  AddHeader,
  Changes,
  DeleteOptions,
  Header,
  InsertSpec,
  Operation,
  Position,
  RedactData,
  Replacement,
  RoleHeader,
} from '../edit/index.js'
export { lintSelector, suggestNames, type LintResult } from '../selector/index.js'
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
export { thinnedOut } from './lens.js'
export { contextName, formatMark, markFrom, parseFrom, parseMark, type Mark, type WatchedFrom } from './mark.js'
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
export type { DiffOptions, SelectOptions } from './select-options.js'
export { sizedPrefix, type SizedPrefix } from './sized-prefix.js'
export type { SnapshotsOptions } from './snapshot-list.js'
export type { RangeResults, SelectResult } from './select-result.js'
export { Snapshot } from './snapshot.js'
export type { Start } from './start.js'
export type { SystemRegion } from './system-region.js'
export type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './token-report.js'
export { ADAPTER, type Received, type ReceivedCall, type ReceiveOptions } from './receive.js'
