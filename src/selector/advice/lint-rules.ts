// The linter's rules for a selector that can be read. Each looks at one step; a rule that can change the step says how, and
// the change selects the same.

import type { Dialect } from '../../core/index.js'
import type { Condition, Selector, Step } from '../ast.js'
import { formatCondition, formatStep } from '../format.js'
import type { Diagnostic } from './lint.js'
import { CONTROLS } from '../names.js'
import { isClassName, isLifecycle, mapSteps, mergeTags, moveLifecycle, stepsIn, type GroupStep } from './step-rules.js'
import { suggestNames } from '../../errors/index.js'
import { isBareToken } from '../parse/token.js'
import { findTraps } from './traps.js'

/** Lists the advice on a selector, which has been read from `text`, from left to right. */
export function findAdvice(selector: Selector, text: string): readonly Diagnostic[] {
  const { dialect, choices, controls } = selector
  const traps = findTraps(selector, text).map(({ rule, message, span }): Diagnostic => {
    return { code: rule, severity: 'warning', message, ...span }
  })
  const steps = Array.from(stepsIn(choices)).flatMap((each) => adviseStep(each, dialect))
  const names = controls.flatMap(({ name, span }): readonly Diagnostic[] => {
    if (name === '*' || CONTROLS.includes(name)) return []
    const near = suggestNames(name, CONTROLS)
    const hint = near === undefined ? '' : ` Did you mean "@${near}"?`
    return [
      { code: 'unknown-control', severity: 'info', message: `"@${name}" is kept and has no effect.${hint}`, ...span },
    ]
  })
  return [...steps, ...traps, ...names].sort((a, b) => a.start - b.start)
}

/** Makes every change that the rules know. */
export function followAdvice(selector: Selector): Selector {
  const { dialect } = selector
  return mapSteps(selector, (conditions) => {
    const moved = moveLifecycle(conditions)
    return dialect === '1.0' ? mergeTags(moved.map(shortenTypes)) : moved
  })
}

function adviseStep({ step, group, index }: GroupStep, dialect: Dialect): readonly Diagnostic[] {
  const rules = dialect === '1.0' ? [adviseBraces, adviseTypes, adviseKeys, adviseInside] : [adviseBraces]
  return [
    ...step.conditions.flatMap((condition) => rules.flatMap((rule) => rule(condition))),
    ...(index === 0 && group.scope === undefined ? adviseZone(step) : []),
    ...(dialect === '1.0' ? adviseTags(step) : []),
  ]
}

/** 001 §10: lifecycle tests belong in brackets. */
function adviseBraces(condition: Condition): readonly Diagnostic[] {
  if (condition.kind !== 'fields' || condition.form !== 'brace' || !condition.tests.some(isLifecycle)) return []
  const names = [...new Set(condition.tests.filter(isLifecycle).map(({ name }) => `"${name}"`))].join(' and ')
  const fix = moveLifecycle([condition])
    .map((each) => formatCondition(each, false))
    .join('')
  const message = `Tests of ${names} belong in brackets: [ … ].`
  return [{ code: 'lifecycle-in-braces', severity: 'warning', message, ...condition.span, fix }]
}

/** D13: attached to a type, the predicate tests the node's own offset, inside cores too. */
function adviseZone(step: Step): readonly Diagnostic[] {
  const [first, ...rest] = step.conditions
  if (first?.kind !== 'types') return []
  const type = formatCondition(first, false)
  return rest.flatMap((condition): readonly Diagnostic[] => {
    if (condition.kind !== 'zone' || condition.zone === 'core') return []
    const zone = `:${condition.zone}`
    const where = condition.zone === 'pre' ? 'Pre-context' : 'Post-context'
    const message = `"${type}${zone}" tests each node's own offset, inside cores too. ${where} is "^seq ${zone} ${type}".`
    return [{ code: 'zone-without-parent', severity: 'info', message, ...condition.span }]
  })
}

/** D18: `.base:type` is sugar for `.type`. */
function adviseTypes(condition: Condition): readonly Diagnostic[] {
  if (condition.kind !== 'types') return []
  const name = condition.names.find((each) => each.includes(':'))
  if (name === undefined) return []
  const fix = formatCondition(shortenTypes(condition), false)
  const isFixed = fix !== formatCondition(condition, false)
  const message = `".${name}" is old sugar for ".${name.slice(name.lastIndexOf(':') + 1)}"; the part before the colon is not tested.`
  return [{ code: 'type-sugar', severity: 'warning', message, ...condition.span, ...(isFixed ? { fix } : {}) }]
}

/** D2: in 1.0 `#x` is never an id. */
export function adviseKeys(condition: Condition): readonly Diagnostic[] {
  if (condition.kind !== 'key' || !/^(?:seg|cont|block|mt|mc|cb):/.test(condition.key)) return []
  const message = `"#" asks for a key, never for an id. An id is { id='${condition.key}' }.`
  return [{ code: 'key-like-id', severity: 'info', message, ...condition.span }]
}

/** D53: no other reader of the language knows these names. */
function adviseInside(condition: Condition): readonly Diagnostic[] {
  if (condition.kind !== 'fields') return []
  return condition.tests.flatMap(({ name, span }): readonly Diagnostic[] => {
    if (!name.includes('.')) return []
    const message = `"${name}" looks inside an attribute, an extension of pact-context to the language.`
    return [{ code: 'dotted-name', severity: 'info', message, ...span }]
  })
}

/** 001 §3.10: tags are written together, in alphabetical order. */
function adviseTags(step: Step): readonly Diagnostic[] {
  const before = formatStep(step, true)
  const fix = formatStep({ ...step, conditions: mergeTags(step.conditions) }, true)
  if (fix === before) return []
  const message = 'Write tags together in alphabetical order, as +a+b.'
  return [{ code: 'tag-order', severity: 'info', message, ...step.span, fix }]
}

/** `.block:note` as `.note`, where that asks the same: the six names and `.sys` mean something of their own. */
function shortenTypes(condition: Condition): Condition {
  if (condition.kind !== 'types') return condition
  const names = condition.names.map((name) => {
    const short = name.slice(name.lastIndexOf(':') + 1)
    return isClassName(short) || short === 'sys' || !isBareToken(short, 'type') ? name : short
  })
  return { ...condition, names }
}
