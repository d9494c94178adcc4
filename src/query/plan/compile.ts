// From the syntax tree of a selector to a plan: names are resolved here, once, so that running a selector only asks nodes.

import { zoneOfOffset, type Dialect } from '../../core/index.js'
import type {
  Condition,
  FieldTest,
  Group as GroupText,
  NumberRange,
  Selector,
  Step as StepText,
  Union as UnionText,
} from '../../selector/index.js'
import { clueOf, compileField, markClue, seesPlace } from './field-test.js'
import {
  KEY,
  TAGS,
  type Group,
  type Narrowing,
  type Plan,
  type Predicate,
  type Source,
  type Spot,
  type Step,
  type Test,
  type Union,
} from './plan.js'
import { groupOf, planOf, stepOf, unionOf } from './traits.js'
import { anyTypeTest, isContainerName, shortName, typeTest } from './type-test.js'

/** Makes a plan; a selector that cannot mean anything has been refused by the parser. */
export function compileSelector({ dialect, time, choices, optional, controls }: Selector): Plan {
  return planOf({ dialect, time, choices: compileChoices(choices, dialect), optional, controls })
}

function compileChoices(choices: readonly UnionText[], dialect: Dialect): readonly Union[] {
  return choices.map(({ groups }) => unionOf(groups.map((group) => compileGroup(group, dialect))))
}

function compileGroup({ scope, steps }: GroupText, dialect: Dialect): Group {
  const compiled = steps.map((step) => compileStep(step, dialect))
  return groupOf(scope, compiled, dialect === '1.0' && steps.length > 0 && isKeyed(steps[steps.length - 1]!))
}

function compileStep({ reach, conditions }: StepText, dialect: Dialect): Step {
  const first = conditions[0]
  const source = first && sourceOf(first, dialect)
  const isZone = first?.kind === 'zone'
  let isInner = isZone
  let meetsVirtual = source?.kind === 'choices'
  for (const condition of conditions) {
    if (condition.kind === 'types') {
      for (const name of condition.names) {
        const short = shortName(name, dialect)
        isInner ||= INNER_NAMES.has(short)
        meetsVirtual ||= isContainerName(short)
      }
    } else meetsVirtual ||= condition.kind === 'fields' && namesContainer(condition.tests, dialect)
  }
  const narrowings: Narrowing[] = []
  for (let i = source === undefined ? 0 : 1; i < conditions.length; i++) {
    addNarrowings(narrowings, conditions[i]!, dialect)
  }
  return stepOf({ reach, source, isZone, meetsVirtual, isInner, narrowings })
}

function sourceOf(condition: Condition, dialect: Dialect): Source | undefined {
  if (condition.kind === 'coordinate') return { kind: 'coordinates', coordinates: [condition.coordinate] }
  if (condition.kind === 'coordinates') return { kind: 'coordinates', coordinates: condition.coordinates }
  if (condition.kind !== 'group') return undefined
  return { kind: 'choices', choices: compileChoices(condition.choices, dialect) }
}

function addNarrowings(to: Narrowing[], condition: Condition, dialect: Dialect): void {
  switch (condition.kind) {
    case 'any':
      return
    case 'region':
      to.push(testOf('kind', (spot) => spot.record?.nodeType === condition.region && isFrame(spot)))
      return
    case 'types':
      for (const name of condition.names) to.push(testOf('kind', typeTest(shortName(name, dialect), dialect)))
      return
    case 'id':
      to.push({ ...testOf('record', (spot) => spot.record?.id === condition.id), id: condition.id })
      return
    case 'key': {
      const { key } = condition
      to.push(testOf('record', (spot) => spot.record?.rare?.key === key, markClue(KEY, key)))
      return
    }
    case 'tag': {
      const { tag } = condition
      const hasTag: Predicate = (spot) => spot.record?.rare?.tags?.includes(tag) ?? false
      to.push(testOf('record', hasTag, markClue(TAGS, tag)))
      return
    }
    case 'fields':
      for (const test of condition.tests) to.push(fieldNarrowing(test, dialect))
      return
    case 'zone': {
      const inZone: Predicate = (spot) => zoneOfOffset(spot.record?.offset ?? 0) === condition.zone
      to.push(testOf('record', inZone, { kind: 'number', field: 'offset', ...ZONES[condition.zone], isAge: false }))
      return
    }
    case 'depth': {
      const ranges = mergeRanges(condition.ranges)
      const atDepth: Predicate = (spot) =>
        isSegment(spot) && ranges.some(({ from, to: end }) => spot.depth! >= from && spot.depth! <= end)
      to.push({ ...testOf('place', atDepth), depths: ranges })
      return
    }
    case 'first':
      to.push({ kind: 'nth', n: 1, fromEnd: false })
      return
    case 'last':
      to.push({ kind: 'nth', n: 1, fromEnd: true })
      return
    case 'nth':
      to.push({ kind: 'nth', n: condition.n, fromEnd: false })
      return
    case 'coordinate':
    case 'coordinates':
    case 'group':
    // Only ever first in a step, where it is the source.
  }
}

/** The offsets of each zone. */
const ZONES = {
  pre: { low: -Infinity, high: -1 },
  core: { low: 0, high: 0 },
  post: { low: 1, high: Infinity },
} as const

function fieldNarrowing(test: FieldTest, dialect: Dialect): Narrowing {
  const { name, op, value } = test
  if (name === 'nodeType' && dialect === '1.0' && (op === '=' || op === '!=' || op === 'in') && value !== undefined) {
    const items = value.kind === 'list' ? value.items : [value]
    const matches = nodeTypesTest(items.flatMap((item) => (isOneText(item) ? textOf(item) : [])))
    return testOf('kind', (spot) => matches(spot) === (op !== '!='))
  }
  const predicate = compileField(test)
  if (KIND_FIELDS.has(name)) return testOf('kind', predicate)
  const text = op === '=' && value !== undefined && isOneText(value) ? textOf(value) : undefined
  const id = name === 'id' ? text : undefined
  return { ...testOf(seesPlace(name) ? 'place' : 'record', predicate, clueOf(test)), id }
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

/** What is part of the kind of a node: see match/kinds.ts. */
const KIND_FIELDS: ReadonlySet<string> = new Set(['role', 'kind', 'type', 'nodeType'])

/** Types that only blocks and containers have, which never stand directly under `^seq` or the root. */
const INNER_NAMES: ReadonlySet<string> = new Set(['cont', 'mc', 'block', 'cb'])

/** `[nodeType='a:b']` is exact; without a colon it is the same test as `.b` (D14). */
function nodeTypesTest(names: readonly string[]): (spot: Spot) => boolean {
  const exact = new Set(names.filter((name) => name.includes(':')))
  const isNamed = anyTypeTest(names.filter((name) => !name.includes(':')))
  return (spot) => (spot.record !== undefined && exact.has(spot.record.nodeType)) || isNamed(spot)
}

function namesContainer(tests: readonly FieldTest[], dialect: Dialect): boolean {
  if (dialect === '0.1') return false
  return tests.some(({ name, op, value }) => {
    if (name !== 'nodeType' || (op !== '=' && op !== 'in') || value === undefined) return false
    return (value.kind === 'list' ? value.items : [value]).some(
      (item) => item.kind !== 'list' && isContainerName(item.text),
    )
  })
}

/** Whether a step asks for one key. */
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

function textOf(value: NonNullable<FieldTest['value']>): string {
  return value.kind === 'list' ? '' : value.text
}

function isFrame({ record }: Spot): boolean {
  return record?.nodeClass === 'region' || record?.nodeClass === 'root'
}

function isSegment({ record }: Spot): boolean {
  return record?.nodeClass === 'seg'
}

function testOf(sees: Test['sees'], test: Predicate, clue?: Test['clue']): Test {
  return { kind: 'test', test, sees, id: undefined, depths: undefined, clue }
}
