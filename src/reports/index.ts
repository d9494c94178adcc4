export { apartSide, changesApart, prefixApart, type ApartSides } from './apart.js'
export { otherHalf } from './call-pair.js'
export { changeRows } from './change-rows.js'
export { cycleFacts, type CycleFacts, type FactsOptions } from './cycle-facts.js'
export { largestNodes, type CyclePane } from './cycle-pane.js'
export { explain } from './explain.js'
export type { ExplainedPlace, Explanation, Shedding } from './explanation.js'
export type { Grouping } from './group-tokens.js'
export { lifeOf, type Life, type LifeEvent } from './life.js'
export {
  contextText,
  outlineOf,
  outlineText,
  type OutlineLine,
  type OutlineOptions,
  type OutlineSpan,
  type OutlineStyle,
} from './outline.js'
export type { PartRun } from './part-tokens.js'
export { pastOf, type PastCycle } from './past.js'
export { checkPlacementOptions, placementFindings, type PlacementFinding, type PlacementOptions } from './placement.js'
export {
  comparePrefix,
  type FirstDifference,
  type ParamsTokens,
  type Prefix,
  type PrefixOptions,
  type PrefixSide,
} from './prefix.js'
export { sourceMapOf, type MappedEntry, type SourceMap } from './rendered-source.js'
export { WordSearch, type Hit } from './search.js'
export { heldBytes, measure, type ContextSize } from './size.js'
export { withoutMarks, type ReportSource, type Trees } from './source.js'
export { namesIn, type NameCount, type NameCounts } from './tree-names.js'
export { tokenMap } from './token-map.js'
export { treeRows } from './tree-rows.js'
export {
  TreeTokens,
  type SourceEntry,
  type TokensBy,
  type TokensOptions,
  type TokenTable,
  type TokenTotal,
} from './tree-tokens.js'
