// The selector `{ key="…" }` for any key, also one that is longer than a selector may be.

import type { Selector, Span } from './ast.js'
import { compileSelector, type Plan } from './compile.js'

const SPAN: Span = { start: 0, end: 0 }

/** Finds the nodes with a key; those down to a depth, if one is given. */
export function compileKey(key: string, deepest?: number): Plan {
  const test = { name: 'key', op: '=', value: { kind: 'string', text: key, span: SPAN }, span: SPAN } as const
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
