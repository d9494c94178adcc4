// From the syntax tree of a selector to a plan: names are resolved here, once, so that running a selector only asks nodes.

import { zoneOfOffset, type Dialect, type NodeRecord, type Region } from '../../core/index.js'
import type {
  Condition,
  FieldTest,
  Group as GroupText,
  NumberRange,
  Selector,
  Step as StepText,
  Union as UnionText,
} from '../../selector/index.js'
import { compileField, seesPlace } from './field-test.js'
import type { Group, Narrowing, Plan, Predicate, Source, Step, Test, Union } from './plan.js'
import { groupOf, planOf, stepOf, unionOf } from './traits.js'
import { anyTypeTest, CLASS_NAMES, isContainerName, shortName, typeTest, type TypeTest } from './type-test.js'

/** Makes a plan; a selector that cannot mean anything has been refused by the parser. */
export function compileSelector({ dialect, time, choices, optional, controls }: Selector): Plan {
  return planOf({ dialect, time, choices: compileChoices(choices, dialect), optional, controls })
}

function compileChoices(choices: readonly UnionText[], dialect: Dialect): readonly Union[] {
  return choices.map(({ groups }) => unionOf(groups.map((group) => compileGroup(group, dialect))))
}

function compileGroup({ scope, steps }: GroupText, dialect: Dialect): Group {
  const compiled = steps.map((step) => compileStep(step, dialect))
  return groupOf(scope, compiled, dialect === '1.0' && isKeyed(steps.at(-1)!))
}

function compileStep({ reach, conditions }: StepText, dialect: Dialect): Step {
  const first = conditions[0]!
  const source = sourceOf(first, dialect)
  const isZone = first.kind === 'zone'
  const names = conditions.flatMap((condition) =>
    condition.kind === 'types' ? condition.names.map((name) => shortName(name, dialect)) : [],
  )
  const meetsVirtual =
    source?.kind === 'choices' ||
    names.some(isContainerName) ||
    conditions.some((each) => namesContainer(each, dialect))
  const isInner = isZone || names.some((name) => INNER_NAMES.has(name))
  const narrowings = conditions.flatMap((condition) => narrowingsOf(condition, dialect))
  return stepOf({ reach, source, isZone, meetsVirtual, isInner }, narrowings)
}

/** Containers and blocks are never directly under `^seq` or the root, so a step that names them is an inner one. */
const INNER_NAMES: ReadonlySet<string> = new Set(CLASS_NAMES.filter((name) => name !== 'seg' && name !== 'mt'))

function sourceOf(condition: Condition, dialect: Dialect): Source | undefined {
  if (condition.kind === 'coordinate') return { kind: 'coordinates', coordinates: [condition.coordinate] }
  if (condition.kind === 'coordinates') return { kind: 'coordinates', coordinates: condition.coordinates }
  if (condition.kind !== 'group') return undefined
  return { kind: 'choices', choices: compileChoices(condition.choices, dialect) }
}

function narrowingsOf(condition: Condition, dialect: Dialect): readonly Narrowing[] {
  switch (condition.kind) {
    case 'any':
      return []
    case 'types':
      return condition.names.map((name) => testOf(typeTest(shortName(name, dialect), dialect)))
    case 'region':
      return [regionTest(condition.region)]
    case 'id': {
      const { id } = condition
      return [testOf((record) => record?.id === id, { id })]
    }
    case 'key': {
      const { key } = condition
      return [testOf((record) => record?.rare?.key === key)]
    }
    case 'tag': {
      const { tag } = condition
      return [testOf((record) => record?.hasTag(tag) ?? false)]
    }
    case 'fields':
      return condition.tests.map((test) => fieldNarrowing(test, dialect))
    case 'zone': {
      const { zone } = condition
      return [testOf((record) => zoneOfOffset(record?.offset ?? 0) === zone)]
    }
    case 'depth': {
      const ranges = mergeRanges(condition.ranges)
      const atDepth: Predicate = (record, _view, depth) =>
        record?.nodeClass === 'seg' && ranges.some(({ from, to }) => depth! >= from && depth! <= to)
      return [testOf(atDepth, { sees: 'place', depths: ranges })]
    }
    case 'first':
      return [{ kind: 'nth', n: 1, fromEnd: false }]
    case 'last':
      return [{ kind: 'nth', n: 1, fromEnd: true }]
    case 'nth':
      return [{ kind: 'nth', n: condition.n, fromEnd: false }]
    case 'coordinate':
    case 'coordinates':
    case 'group':
      // These are only ever first in a step, where they are its source.
      return []
  }
}

function regionTest(region: Region | '^root'): Test {
  return testOf((record) => record?.nodeType === region && isFrame(record))
}

function fieldNarrowing(test: FieldTest, dialect: Dialect): Narrowing {
  const { name, op, value } = test
  if (name === 'nodeType' && dialect === '1.0' && (op === '=' || op === '!=' || op === 'in') && value !== undefined) {
    const items = value.kind === 'list' ? value.items : [value]
    const matches = nodeTypesTest(items.flatMap((item) => (isOneText(item) ? oneText(item) : [])))
    return testOf((record) => matches(record) === (op !== '!='))
  }
  const isId = name === 'id' && op === '=' && value !== undefined && isOneText(value)
  const sees = seesPlace(name) ? 'place' : 'record'
  return testOf(compileField(test), { sees, id: isId ? oneText(value) : undefined })
}

/** Ranges in order, none touching another: a text of a thousand ranges names no segment twice. */
function mergeRanges(ranges: readonly NumberRange[]): readonly NumberRange[] {
  if (ranges.length < 2) return ranges
  const merged: NumberRange[] = []
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || range.from > last.to + 1) merged.push(range)
    else if (range.to > last.to) merged[merged.length - 1] = { ...last, to: range.to }
  }
  return merged
}

/** `[nodeType='a:b']` is exact; without a colon it is the same test as `.b` (D14). */
function nodeTypesTest(names: readonly string[]): TypeTest {
  const exact = new Set(names.filter((name) => name.includes(':')))
  const isNamed = anyTypeTest(names.filter((name) => !name.includes(':')))
  return (record) => (record !== undefined && exact.has(record.nodeType)) || isNamed(record)
}

function namesContainer(condition: Condition, dialect: Dialect): boolean {
  return condition.kind === 'fields' && dialect === '1.0' && condition.tests.some(namesContainerType)
}

function namesContainerType({ name, op, value }: FieldTest): boolean {
  if (name !== 'nodeType' || (op !== '=' && op !== 'in') || value === undefined) return false
  const items = value.kind === 'list' ? value.items : [value]
  return items.some((item) => item.kind !== 'list' && isContainerName(item.text))
}

/** A step is keyed if it asks for one key. */
function isKeyed({ conditions }: StepText): boolean {
  for (const condition of conditions) {
    if (condition.kind === 'key') return true
    if (condition.kind === 'fields' && condition.tests.some(asksForOneKey)) return true
  }
  return false
}

function asksForOneKey({ name, op, value }: FieldTest): boolean {
  return name === 'key' && op === '=' && value !== undefined && isOneText(value)
}

function isOneText(value: NonNullable<FieldTest['value']>): boolean {
  return value.kind !== 'list' && value.kind !== 'null'
}

function oneText(value: NonNullable<FieldTest['value']>): string {
  return value.kind === 'list' ? '' : value.text
}

function isFrame({ nodeClass }: NodeRecord): boolean {
  return nodeClass === 'region' || nodeClass === 'root'
}

function testOf(test: Predicate, more: Partial<Pick<Test, 'sees' | 'id' | 'depths'>> = {}): Test {
  return { kind: 'test', test, sees: more.sees ?? 'record', id: more.id, depths: more.depths }
}
