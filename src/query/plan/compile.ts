// From the syntax tree of a selector to a plan: names are resolved here, once, so that running a selector only asks nodes.

import { zoneOfOffset, type Dialect, type Region } from '../../core/index.js'
import type {
  Condition,
  FieldTest,
  Group as GroupText,
  NumberRange,
  Selector,
  Step as StepText,
  Union as UnionText,
} from '../../selector/index.js'
import { clueOf, compileField, markClue, seesPlace, valueTest } from './field-test.js'
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
import { anyTypeTest, CLASS_NAMES, isContainerName, shortName, typeTest } from './type-test.js'

/** Makes a plan; a selector that cannot mean anything has been refused by the parser. */
export function compileSelector({ dialect, time, choices, optional, controls }: Selector): Plan {
  return planOf({ dialect, time, choices: compileChoices(choices, dialect), optional, controls })
}

// Every new text comes through here, and most have one group of a few steps: loops and exact lists, no chains of calls.

function compileChoices(choices: readonly UnionText[], dialect: Dialect): readonly Union[] {
  if (choices.length === 1) return [compileUnion(choices[0]!, dialect)]
  return choices.map((union) => compileUnion(union, dialect))
}

function compileUnion({ groups }: UnionText, dialect: Dialect): Union {
  if (groups.length === 1) return unionOf([compileGroup(groups[0]!, dialect)])
  return unionOf(groups.map((group) => compileGroup(group, dialect)))
}

function compileGroup({ scope, steps }: GroupText, dialect: Dialect): Group {
  const compiled =
    steps.length === 1 ? [compileStep(steps[0]!, dialect)] : steps.map((step) => compileStep(step, dialect))
  return groupOf(scope, compiled, dialect === '1.0' && isKeyed(steps[steps.length - 1]!))
}

function compileStep({ reach, conditions }: StepText, dialect: Dialect): Step {
  const first = conditions[0]!
  const source = sourceOf(first, dialect)
  const isZone = first.kind === 'zone'
  let isInner = isZone
  let meetsVirtual = source?.kind === 'choices'
  const found: Narrowing[] = []
  for (const condition of conditions) {
    if (condition.kind === 'types') {
      for (const name of condition.names) {
        const short = shortName(name, dialect)
        const known = CLASS_TYPES.get(short)
        found.push(known === undefined ? testOf('kind', typeTest(short, dialect)) : known.test)
        isInner ||= known?.isInner === true
        meetsVirtual ||= known?.isContainer === true
      }
    } else {
      meetsVirtual ||= condition.kind === 'fields' && namesContainer(condition.tests, dialect)
      addNarrowings(found, condition, dialect)
    }
  }
  // A list that grew has room for seventeen.
  const narrowings = found.length === 1 ? [found[0]!] : found.slice()
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
      to.push(REGION_TESTS[condition.region])
      return
    case 'id': {
      const { id } = condition
      to.push(testOf('record', (spot) => spot.record?.id === id, undefined, id))
      return
    }
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
      const { zone } = condition
      const { low, high } = ZONES[zone]
      const inZone: Predicate = (spot) => zoneOfOffset(spot.record?.offset ?? 0) === zone
      to.push(testOf('record', inZone, { kind: 'number', field: 'offset', low, high, isAge: false }))
      return
    }
    case 'depth': {
      const ranges = mergeRanges(condition.ranges)
      const atDepth: Predicate = (spot) =>
        isSegment(spot) && ranges.some(({ from, to: end }) => spot.depth! >= from && spot.depth! <= end)
      to.push(testOf('place', atDepth, undefined, undefined, ranges))
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
    case 'types':
    case 'coordinate':
    case 'coordinates':
    case 'group':
    // Types are seen to by the step; the others are only ever first in one, where they are its source.
  }
}

/**
 * The six names that stand for a class are in most selectors and mean the same in each. Containers and blocks never stand
 * directly under `^seq` or the root, which makes a step that names them an inner one.
 */
const CLASS_TYPES: ReadonlyMap<string, Readonly<{ test: Test; isInner: boolean; isContainer: boolean }>> = new Map(
  CLASS_NAMES.map((name) => {
    const test = Object.freeze(testOf('kind', typeTest(name, '1.0')))
    return [name, { test, isInner: name !== 'seg' && name !== 'mt', isContainer: isContainerName(name) }]
  }),
)

const REGION_TESTS: Readonly<Record<Region | '^root', Test>> = {
  '^sys': regionTest('^sys'),
  '^seq': regionTest('^seq'),
  '^ah': regionTest('^ah'),
  '^root': regionTest('^root'),
}

function regionTest(region: string): Test {
  return Object.freeze(testOf('kind', (spot) => spot.record?.nodeType === region && isFrame(spot)))
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
  const accepts = valueTest(test)
  const predicate = compileField(test, accepts)
  if (KIND_FIELDS.has(name)) return testOf('kind', predicate)
  const isId = name === 'id' && op === '=' && value !== undefined && isOneText(value)
  return testOf(
    seesPlace(name) ? 'place' : 'record',
    predicate,
    clueOf(test, accepts),
    isId ? textOf(value) : undefined,
  )
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

/** `[nodeType='a:b']` is exact; without a colon it is the same test as `.b` (D14). */
function nodeTypesTest(names: readonly string[]): (spot: Spot) => boolean {
  const exact = new Set(names.filter((name) => name.includes(':')))
  const isNamed = anyTypeTest(names.filter((name) => !name.includes(':')))
  return (spot) => (spot.record !== undefined && exact.has(spot.record.nodeType)) || isNamed(spot)
}

function namesContainer(tests: readonly FieldTest[], dialect: Dialect): boolean {
  return dialect === '1.0' && tests.some(namesContainerType)
}

function namesContainerType({ name, op, value }: FieldTest): boolean {
  if (name !== 'nodeType' || (op !== '=' && op !== 'in') || value === undefined) return false
  const items = value.kind === 'list' ? value.items : [value]
  return items.some((item) => item.kind !== 'list' && isContainerName(item.text))
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

function testOf(
  sees: Test['sees'],
  test: Predicate,
  clue?: Test['clue'],
  id?: Test['id'],
  depths?: Test['depths'],
): Test {
  return { kind: 'test', test, sees, id, depths, clue }
}
