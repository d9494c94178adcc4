export type { TokenHunk } from './token-diff.js'
export { diffContent, type ContentDiff, type ContentDiffSummary } from './content-diff.js'
export { modeOf, pairSelector } from './pair-selector.js'
export { compareApart, type Branched } from './compare-apart.js'
export { compareFrom, sidesOf, type ChangedNode, type Direction, type Selection, diffViews } from './compare.js'
export { deltaOf, diffDetailed } from './detailed-diff.js'
export { reasonOfArrival, reasonOfChange, reasonOfLeaving, type Reason } from './reason.js'
export { loggedChanges, type LoggedChange } from './log.js'
export type { PatchOperation } from './json-patch.js'
export { checkRangeOptions, diffRange, type RangeOptions, type RangeSide } from './range-diff.js'
export type {
  BlockChange,
  DetailedChange,
  DetailedDiff,
  Diff,
  DiffBlock,
  DiffCause,
  DiffSide,
  InferredMove,
  Materialized,
  ParentChange,
  PlacedNode,
  RangeDiffLatestResult,
  RangeFault,
  RangeLimits,
  ScheduleChanges,
  SnapshotRef,
  ValueChange,
} from './diff-types.js'
