// The selector `{ key="…" }` for any key, also one that is longer than a selector may be.

import type { Selector, Span } from './ast.js'
import { compileSelector, type Plan } from './compile.js'

const SPAN: Span = { start: 0, end: 0 }

/** Finds the nodes with a key. */
export function compileKey(key: string): Plan {
  const test = { name: 'key', op: '=', value: { kind: 'string', text: key, span: SPAN }, span: SPAN } as const
  const step = {
    reach: 'descendant',
    conditions: [{ kind: 'fields', form: 'brace', tests: [test], span: SPAN }],
    span: SPAN,
  } as const
  const selector: Selector = {
    dialect: '1.0',
    time: undefined,
    choices: [{ groups: [{ scope: undefined, steps: [step], span: SPAN }], span: SPAN }],
    optional: false,
    controls: [],
    span: SPAN,
  }
  return compileSelector(selector)
}
