// The public surface of `pact-context`, as API.md fixes it.

export { ERROR_CODES, PactError, type ErrorCode, type ErrorDetails } from './errors/index.js'
export {
  compareSiblings,
  type Clock,
  type Dialect,
  type IdRequest,
  type IdSource,
  type JsonObject,
  type JsonValue,
  type Node,
  type PrunedNode,
  type PruneRule,
  type Receipt,
  type Region,
  type SiblingKey,
  type UnmetLimit,
  type Warning,
  type Zone,
} from './core/index.js'
export { canonicalJson } from './codec/index.js'
export type { ContentInput, CustomName, Header, NodeSpec } from './edit/index.js'
export type { CountTokens, PrunePolicy } from './commit/index.js'
export type { ThreadItem } from './thread/index.js'
export { contentHash } from './timeline/index.js'
export {
  formatSelector,
  lintSelector,
  normalizeSelector,
  parseSelector,
  type Comparison,
  type Condition,
  type Control,
  type Coordinate,
  type DepthScope,
  type Diagnostic,
  type FieldForm,
  type FieldTest,
  type Group,
  type LintOptions,
  type LintResult,
  type Literal,
  type NumberRange,
  type ParseOptions,
  type Selector,
  type Span,
  type Step,
  type TimePoint,
  type TimePrefix,
  type Union,
} from './selector/index.js'
export {
  createContext,
  importSnapshot,
  type AddHeader,
  type Context,
  type ContextOptions,
  type ForkOptions,
  type Hold,
  type Lens,
  type RoleHeader,
  type SelectOptions,
  type Snapshot,
  type SnapshotRef,
  type SystemRegion,
} from './context/index.js'
