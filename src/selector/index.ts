export type {
  Comparison,
  Condition,
  Control,
  Coordinate,
  DepthScope,
  FieldForm,
  FieldTest,
  Group,
  Literal,
  NumberRange,
  Selector,
  Span,
  Step,
  TimePoint,
  TimePrefix,
  Union,
} from './ast.js'
export { formatSelector } from './format.js'
export { rewritePosition } from './advice/legacy-hops.js'
export { adviseEmpty } from './advice/empty.js'
export { lintSelector, type Diagnostic, type LintOptions, type LintResult } from './advice/lint.js'
export { normalizeSelector } from './advice/normalize.js'
export { type Trap } from './advice/traps.js'
export { SELECTOR_LIMITS } from './limits.js'
export { parseSelector, readSelector, type ParseOptions } from './parse/selector.js'
export { renameIds } from './advice/rename-ids.js'
export { sel, type SelectorScalar, type SelectorValue } from './sel.js'
export { selectorError } from './selector-error.js'
