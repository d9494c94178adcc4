export { contentHashOfRecord, createdAtIso } from '../codec/index.js'
export { CallGroups, type CallGroup } from './call-groups.js'
export { changeAt, listedSnapshot, replayCommit, timelineFrom } from './checkpoint.js'
export { coordinateOf } from './coordinate.js'
export { Draft } from './draft.js'
export { erasedEdits, type OpenEdits } from './open-edits.js'
export { Erasing, isErased } from './erase.js'
export { endingIn, runningFrom } from './due.js'
export { exportPieces, joinPieces, referenceText } from './encode-tree.js'
export { Fact, type Keeper } from './facts.js'
export { TreeComparer } from './compare-trees.js'
export { growTimeline } from './from-snapshot.js'
export { pageLevels, timelineFromPages, type PageLevel, type ReadPage } from './from-pages.js'
export { PageBook } from './page-book.js'
export { pagedSnapshot } from './paged-snapshot.js'
export {
  containerRecord,
  coreOf,
  headSeals,
  makeCore,
  oldestOffset,
  reparented,
  SEGMENT_GAP,
  sealingOffset,
} from './active-head.js'
export { contentHash, nodeView } from './node-view.js'
export {
  AT_ONCE,
  Branch,
  childrenOf,
  firstInsideOf,
  isPrunable,
  recordOf,
  Sequence,
  type TreeNode,
} from './sequence.js'
export { entriesOf, travellingWith, withCompacted } from './travelling.js'
export {
  holdersIn,
  nameOfTool,
  oldResults,
  shedNodes,
  shedOne,
  shedResult,
  shedVersion,
  treeWithOriginals,
} from './shedding.js'
export { causeOfHeir, hasKeyOf, leftSince } from './left-since.js'
export { heldAs, isHeld, standInOf } from './stand-in.js'
export { depthOf, lineOf, regionNameOf, sortByPlace } from './document-order.js'
export { changedTree } from './replay.js'
export { changeBetween } from './tree-change.js'
export { notLoaded, spanFrom, type Bounds } from './not-loaded.js'
export { taskOf } from './task.js'
export { Thinned } from './thinned.js'
export { Timeline } from './timeline.js'
export type { KnownVersion } from './base.js'
export { eachRecord, newTree, regionOf, walkNodes, walkRecords, type Tree } from './tree.js'
export { unsharedItems, withoutShared } from './sequence-diff.js'
export { Gone, type Version } from '../core/index.js'
export { Frame, View } from './view.js'
