// Writes a tree as text, in one spacing. Sugar and aliases stay as the tree has them, so parsing the text gives the tree again. Texts with
// the same tree get one form: `d1` as a step is `(d1)`, a range has both ends in full.

import { asCall, describe, PactError } from '../errors/index.js'
import type {
  Condition,
  Coordinate,
  FieldForm,
  FieldTest,
  Group,
  NumberRange,
  Selector,
  Step,
  TimePoint,
  TimePrefix,
  Union,
} from './ast.js'
import { formatLiteral, quoteText } from './parse/literal.js'
import { isBareToken } from './parse/token.js'

/** Writes a selector in canonical spacing; adds no time. */
export function formatSelector(selector: Selector): string {
  return asCall(formatSelector, () => format(checkTree(selector)))
}

function format({ dialect, time, choices, optional, controls }: Selector): string {
  const body = formatChoices(choices, dialect === '1.0')
  const parts = controls.map(({ name, value }) => (value === undefined ? `@${name}` : `@${name}=${value}`))
  return [...(time === undefined ? [] : [formatTime(time)]), optional ? `${body}?` : body, ...parts].join(' ')
}

/** Refuses a value that is no tree; the content of a tree is not checked. */
export function checkTree(selector: Selector): Selector {
  const given = selector as Partial<Selector> | null | undefined
  if (Array.isArray(given?.choices) && Array.isArray(given.controls)) return selector
  throw new PactError('E_SELECTOR_INVALID', `A selector tree is what parseSelector returns, not ${describe(selector)}.`)
}

/** Writes one step; `isSpaced` puts a space before braces, as only dialect 1.0 may (D22). */
export function formatStep(step: Step, isSpaced: boolean): string {
  return step.conditions
    .map((condition, i) => (i > 0 && isSpaced && isBrace(condition) ? ' ' : '') + formatCondition(condition, isSpaced))
    .join('')
}

export function formatCondition(condition: Condition, isSpaced: boolean): string {
  switch (condition.kind) {
    case 'any':
      return '*'
    case 'region':
      return condition.written
    case 'types':
      return condition.names.map((name) => `.${name}`).join('')
    case 'id':
      return `#${isBareToken(condition.id, 'id') ? condition.id : quoteText(condition.id)}`
    case 'key':
      return `#${isBareToken(condition.key, 'key') ? condition.key : quoteText(condition.key)}`
    case 'tag':
      return `+${condition.tag}`
    case 'fields':
      return formatFields(condition.form, condition.tests)
    case 'zone':
      return `:${condition.zone}`
    case 'depth':
      return `:depth(${condition.ranges.map(formatListedDepths).join(',')})`
    case 'first':
    case 'last':
      return `:${condition.kind}`
    case 'nth':
      return `:nth(${condition.n})`
    case 'coordinate':
      return formatCoordinate(condition.coordinate)
    case 'coordinates':
      return `(${condition.coordinates.map(formatCoordinate).join(', ')})`
    case 'group':
      return `( ${formatChoices(condition.choices, isSpaced)} )`
  }
}

export function formatTest({ name, op, value }: FieldTest): string {
  if (op === undefined || value === undefined) return name
  return op === 'in' ? `${name} in ${formatLiteral(value)}` : `${name}${op}${formatLiteral(value)}`
}

function formatChoices(choices: readonly Union[], isSpaced: boolean): string {
  return choices.map(({ groups }) => groups.map((group) => formatGroup(group, isSpaced)).join(', ')).join(' ?? ')
}

function formatGroup({ scope, steps }: Group, isSpaced: boolean): string {
  const chain = steps.map((step, i) => {
    const combinator = i === 0 ? '' : step.reach === 'child' ? ' > ' : ' '
    return combinator + formatStep(step, isSpaced)
  })
  return `${scope === undefined ? '' : `${formatDepths(scope)} `}${chain.join('')}`
}

function formatFields(form: FieldForm, tests: readonly FieldTest[]): string {
  const inside = tests.map(formatTest).join(', ')
  if (form === 'bracket') return `[${inside}]`
  return form === 'brace' ? `{ ${inside} }` : `(${inside})`
}

function formatCoordinate({ from, to, offsets }: Coordinate): string {
  return `(${[formatDepths({ from, to }), ...offsets].join(', ')})`
}

function formatDepths({ from, to }: Pick<NumberRange, 'from' | 'to'>): string {
  return from === to ? `d${from}` : `d${from}..d${to}`
}

/** `1-3` is the form that both editions know; with a negative depth it would be hard to read. */
function formatListedDepths({ from, to }: NumberRange): string {
  if (from === to) return String(from)
  return from < 0 ? `${from}..${to}` : `${from}-${to}`
}

function formatTime(time: TimePrefix): string {
  switch (time.kind) {
    case 'at':
      return formatPoint(time.at)
    case 'range':
      if (time.written === 'history') return '@history'
      return formatPoint(time.from) + time.operator + formatPoint(time.to)
    case 'all':
      return '@*'
    case 'working':
    case 'preview':
      return `@${time.kind}`
  }
}

function formatPoint(point: TimePoint): string {
  if (point.kind === 'oldest') return '@t-*'
  return `@${point.kind}${point.kind === 't' && point.value > 0 ? '+' : ''}${point.value}`
}

function isBrace(condition: Condition): boolean {
  return condition.kind === 'fields' && condition.form === 'brace'
}
