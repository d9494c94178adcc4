// The selectors `{ key="…" }`, for any key, also one that is longer than a selector may be, and `{ key }`.

import type { FieldTest, Selector, Span } from '../../selector/index.js'
import { compileSelector } from './compile.js'
import type { Plan } from './plan.js'

const SPAN: Span = { start: 0, end: 0 }

/** Finds the nodes with a key, or with any key; those down to a depth, if one is given. */
export function compileKey(key: string | undefined, deepest?: number): Plan {
  const test: FieldTest =
    key === undefined
      ? { name: 'key', op: undefined, value: undefined, span: SPAN }
      : { name: 'key', op: '=', value: { kind: 'string', text: key, span: SPAN }, span: SPAN }
  const step = {
    reach: 'descendant',
    conditions: [{ kind: 'fields', form: 'brace', tests: [test], span: SPAN }],
    span: SPAN,
  } as const
  const scope = deepest === undefined ? undefined : { from: -1, to: deepest, span: SPAN }
  const selector: Selector = {
    dialect: '1.0',
    time: undefined,
    choices: [{ groups: [{ scope, steps: [step], span: SPAN }], span: SPAN }],
    optional: false,
    controls: [],
    span: SPAN,
  }
  return compileSelector(selector)
}
