// A selector's tree in one line, for rows of data: every kind is spelled out, so that a row says what was understood and
// not only what was written. `/` is a descendant step, `>` a child step, `&` joins the conditions of a step.

import type { Condition, Coordinate, Group, Literal, NumberRange, Selector, Union } from '../../src/selector/ast.js'
import type { TimePoint, TimePrefix } from '../../src/selector/ast.js'

export function compactSelector({ time, choices, optional, controls }: Selector): string {
  const parts = [
    ...(time === undefined ? [] : [`${compactTime(time)} |`]),
    compactChoices(choices),
    ...(optional ? ['?'] : []),
    ...controls.map(({ name, value }) => (value === undefined ? `@${name}` : `@${name}=${value}`)),
  ]
  return parts.join(' ')
}

/** A tree as text without its spans, to compare what was understood wherever it stood. */
export function treeText(tree: Selector): string {
  return JSON.stringify(tree, (name, value: unknown) => {
    if (name === 'span') return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function compactTime(time: TimePrefix): string {
  if (time.kind === 'at') return compactPoint(time.at)
  if (time.kind !== 'range') return time.kind
  const written = time.written === 'history' ? 'history ' : ''
  return `${written}${compactPoint(time.from)} ${time.operator} ${compactPoint(time.to)}`
}

function compactPoint(point: TimePoint): string {
  return point.kind === 'oldest' ? 'oldest' : `${point.kind}(${point.value})`
}

function compactChoices(choices: readonly Union[]): string {
  return choices.map(({ groups }) => groups.map(compactGroup).join(' , ')).join(' ?? ')
}

function compactGroup({ scope, steps }: Group): string {
  const chain = steps.map(({ reach, conditions }, i) => {
    const sign = reach === 'child' ? '> ' : i > 0 ? '/ ' : ''
    return sign + conditions.map(compactCondition).join(' & ')
  })
  return [...(scope === undefined ? [] : [`scope(${compactRange(scope)})`]), ...chain].join(' ')
}

function compactCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'region':
      return condition.written === condition.region
        ? `region(${condition.region})`
        : `region(${condition.region} as ${condition.written})`
    case 'types':
      return `types(${condition.names.join(' ')})`
    case 'id':
      return `id(${condition.id})`
    case 'key':
      return `key(${condition.key})`
    case 'tag':
      return `tag(${condition.tag})`
    case 'fields': {
      const tests = condition.tests.map(({ name, op, value }) =>
        op === undefined || value === undefined ? name : `${name} ${op} ${compactLiteral(value)}`,
      )
      return `${condition.form}(${tests.join(', ')})`
    }
    case 'zone':
      return `zone(${condition.zone})`
    case 'depth':
      return `depth(${condition.ranges.map(compactRange).join(' ')})`
    case 'nth':
      return `nth(${condition.n})`
    case 'coordinate':
      return compactCoordinate(condition.coordinate)
    case 'coordinates':
      return `set(${condition.coordinates.map(compactCoordinate).join(' ')})`
    case 'group':
      return `group(${compactChoices(condition.choices)})`
    case 'any':
    case 'first':
    case 'last':
      return condition.kind
  }
}

function compactCoordinate({ from, to, offsets }: Coordinate): string {
  return `at(${[`d${compactRange({ from, to })}`, ...offsets].join(' ')})`
}

function compactRange({ from, to }: Pick<NumberRange, 'from' | 'to'>): string {
  return from === to ? String(from) : `${from}..${to}`
}

function compactLiteral(literal: Literal): string {
  return literal.kind === 'list'
    ? `list(${literal.items.map(compactLiteral).join(' ')})`
    : `${literal.kind}(${literal.text})`
}
