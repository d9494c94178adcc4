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
export { windowFor, type Window } from './arrange.js'
export { Budget } from './budget.js'
export { compileKey } from './by-key.js'
export { compileSelector, type Plan } from './compile.js'
export { selectorError } from './errors.js'
export { formatSelector } from './format.js'
export { iterateJoined, type Hit } from './joined.js'
export { rewritePosition } from './legacy-hops.js'
export { lintSelector, type Diagnostic, type LintOptions, type LintResult } from './lint.js'
export { normalizeSelector } from './normalize.js'
export { checkNames } from './options.js'
export { parseSelector, readSelector, type ParseOptions } from './parse.js'
export { sel, type SelectorScalar, type SelectorValue } from './sel.js'
export { SearchCache } from './search-cache.js'
export { selectApart, type Apart } from './apart.js'
export { countPlan, forgetPlan, iteratePlan, runPlan } from './run.js'
export { rerunOf, type Rerun } from './rerun.js'
export { suggestNames } from './suggest.js'
export { findTraps, type Trap } from './traps.js'
export { IDS, RECORDS, type Pick } from './lists.js'
