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
export { windowOf } from './arrange.js'
export { compileSelector, type Plan } from './compile.js'
export { selectorError } from './errors.js'
export { formatSelector } from './format.js'
export { lintSelector, type Diagnostic, type LintOptions, type LintResult } from './lint.js'
export { normalizeSelector } from './normalize.js'
export { parseSelector, type ParseOptions } from './parse.js'
export { ColumnCache } from './columns.js'
export { IDS, RECORDS, runPlan, type Pick } from './run.js'
