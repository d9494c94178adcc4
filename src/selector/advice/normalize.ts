// From tree to tree: one form for selectors that can be written in several ways, with the same selection (001 §3.2, §3.5.1, §3.10; D14).

import { asCall } from '../../errors/index.js'
import { deepFreeze, type Dialect } from '../../core/index.js'
import type { Condition, FieldTest, Selector, TimePrefix } from '../ast.js'
import { checkTree } from '../format.js'
import { checkParseOptions, parseSelector, type ParseOptions } from '../parse/selector.js'
import { dropRepeated, isClassName, mapSteps, mergeTags, moveLifecycle, type StepRule } from './step-rules.js'

/**
 * Writes types as tests of nodeType, grouped tests as brackets, aliases of regions as `^…`, ranges with `..`, tags sorted
 * as `+a+b`, `ttl` and `cad` in brackets; drops tests made twice. Adds no time.
 */
export function normalizeSelector(selector: Selector | string, options: ParseOptions = {}): Selector {
  return asCall(normalizeSelector, () => {
    checkParseOptions(options)
    const tree = typeof selector === 'string' ? parseSelector(selector, options) : checkTree(selector)
    const { dialect, time } = tree
    const normal = mapSteps(tree, stepRule(dialect))
    return deepFreeze({ ...normal, time: time && normalizeTime(time) })
  })
}

function stepRule(dialect: Dialect): StepRule {
  return (conditions) => {
    const expanded = conditions.flatMap((condition, i) => expand(condition, i === 0, dialect))
    const plain = moveLifecycle(expanded).flatMap(splitBrackets)
    return dropRepeated(dialect === '1.0' ? mergeTags(plain) : plain)
  }
}

function expand(condition: Condition, isFirst: boolean, dialect: Dialect): readonly Condition[] {
  switch (condition.kind) {
    case 'region':
      // Behind other conditions only `.sys` can be written.
      return [isFirst ? { ...condition, written: condition.region } : condition]
    case 'types':
      return expandTypes(condition, dialect)
    case 'coordinate': {
      const { from, to, offsets } = condition.coordinate
      const region = from === 0 ? '^ah' : '^sys'
      if (from > 0 || to !== from || offsets.length > 0) return [condition]
      return [{ kind: 'region', region, written: region, span: condition.span }]
    }
    case 'fields':
      return [condition.form === 'paren' ? { ...condition, form: 'bracket' } : condition]
    default:
      return [condition]
  }
}

/** In 0.1 `.cb` asks for the class and `[nodeType='cb']` for the very name, so the six names stay as they are (D14). */
function expandTypes(condition: Extract<Condition, { kind: 'types' }>, dialect: Dialect): readonly Condition[] {
  return condition.names.map((name): Condition => {
    const { span } = condition
    if (dialect === '0.1' && isClassName(name)) return { ...condition, names: [name] }
    const text = dialect === '1.0' ? name.slice(name.lastIndexOf(':') + 1) : name
    const test: FieldTest = { name: 'nodeType', op: '=', value: { kind: 'string', text, span }, span }
    return { kind: 'fields', form: 'bracket', tests: [test], span }
  })
}

function splitBrackets(condition: Condition): readonly Condition[] {
  if (condition.kind !== 'fields' || condition.form !== 'bracket') return [condition]
  return condition.tests.map((test) => ({ ...condition, tests: [test], span: test.span }))
}

function normalizeTime(time: TimePrefix): TimePrefix {
  return time.kind === 'range' ? { ...time, written: 'range', operator: '..' } : time
}
