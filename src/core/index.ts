export { contextName, formatMark, markFrom, parseFrom, parseMark, type Mark, type WatchedFrom } from './mark.js'
export type {
  AttemptError,
  AttemptRecord,
  AttemptStatus,
  KeptAttempts,
  OpenNodes,
  SentRecord,
  SentStructure,
} from './attempt-record.js'
export { CAUSES, MAKERS, type Cause, type Maker } from './cause.js'
export {
  COMPACTED,
  compactedOf,
  COVERS,
  coversOf,
  isCovers,
  shownAttribute,
  SUMMARY,
  summaryContent,
  type Compacted,
  type CompactedNode,
  type CompactedPlace,
  type CoveredNode,
  type Covers,
} from './compacted.js'
export type {
  Checkpoint,
  CheckpointSnapshot,
  CommitRecord,
  ContextCounts,
  ContextRecord,
  LeftOutKey,
  Opening,
  TreeChange,
  Warning,
} from './commit-record.js'
export type { CountTokens, Node } from './node.js'
export type { DraftRecord, SavedEdit } from './draft-record.js'
export { isObject, type ContentInput, type JsonObject, type JsonValue } from './json.js'
export {
  isSentLens,
  type AttemptId,
  type Lens,
  className,
  classOfType,
  isRegion,
  REGIONS,
  zoneOfOffset,
  type Dialect,
  type NamedClass,
  type NodeClass,
  type Region,
  type Zone,
} from './types.js'
export {
  EMPTY_RECEIPT,
  isPruneRule,
  type CutNode,
  type PassedLimit,
  type PrunedNode,
  type PruneRule,
  type Receipt,
  type ShedNode,
  type SummaryNode,
  type UnmetLimit,
} from './receipt.js'
export { INSPECT, type Inspect, addOwn, defineGetter, ownGetters } from './own-getters.js'
export { LIMITS } from './limits.js'
export { KEPT_KEYS, keptKeys } from './kept-keys.js'
export { mediaIn, withoutMedia, type Media } from './media.js'
export {
  Mint,
  type Clock,
  type IdRequest,
  type IdSource,
  type MintCounters,
  type MintSources,
  type Stamp,
  type StampRequest,
} from './mint.js'
export { countText, labelOf, numberText, previewOf, ttlText } from './node-words.js'
export { firstIndex } from './bisect.js'
export { deepFreeze, defined, grouped } from './objects.js'
export { oneLine } from './one-line.js'
export { sqliteFile } from './store-address.js'
export { wordsPattern } from './words-pattern.js'
export { namesOfCall } from './call-names.js'
export { traceLine } from './trace-line.js'
export { isLineFor, isToolResult, SHED, shedOf, toolName, wasShed, withLine, withOriginal, type Shed } from './shed.js'
export { isHidden, visible } from './visible.js'
export { compareForPruning, compareSiblings, compareText, type PruningKey, type SiblingKey } from './order.js'
export type { ChunkSums, LeafNames, LeafPage, Manifest, PagedSnapshot, PageLink } from './pages.js'
export { DUE, STOPS, type Due, type Reported, type Stop } from './reported.js'
export {
  NEVER,
  NodeRecord,
  REDACTION,
  withTags,
  type RareHeaders,
  type RecordFields,
  Gone,
  type Version,
} from './record.js'
export { Schedules, type Schedule, type ScheduleChange, type Template } from './schedule.js'
