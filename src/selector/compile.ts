// From the tree of a selector to functions: names are resolved here, once, so that running a selector only asks nodes.

import { zoneOfOffset, type Dialect } from '../core/index.js'
import type { Shape } from '../timeline/index.js'
import type {
  Condition,
  Control,
  Coordinate,
  DepthScope,
  FieldTest,
  Group,
  NumberRange,
  Selector,
  Step,
  TimePrefix,
  Union,
} from './ast.js'
import { analyzeGroup, type Analysis } from './analyze.js'
import type { Spot } from './scene.js'
import { isContainerName, shortName, typeTest } from './type-test.js'
import { compileField, type Predicate } from './values.js'

/** A selector ready to run on any view. */
export type Plan = Readonly<{
  dialect: Dialect
  time: TimePrefix | undefined
  choices: readonly CompiledUnion[]
  optional: boolean
  controls: readonly Control[]
  /** Where in segments of a shape its groups match, as far as somebody asked. */
  positions: WeakMap<CompiledGroup, WeakMap<Shape, readonly number[]>>
}>

export type CompiledUnion = readonly CompiledGroup[]

export type CompiledGroup = BareGroup & Readonly<{ analysis: Analysis }>

/** A chain by itself. */
export type BareGroup = Readonly<{
  scope: DepthScope | undefined
  steps: readonly CompiledStep[]
  /** The last step asks for one key, so the same-key order holds (001 §3.5.2, D20). */
  isKeyed: boolean
}>

export type CompiledStep = Readonly<{
  reach: 'child' | 'descendant'
  /** What the step starts from instead of all that is in reach. */
  source: Source | undefined
  /** Whether it takes children of a segment, of `^ah` or of `^sys` on one side (D13). */
  isZone: boolean
  /** Whether a virtual core may be met on the way (D12). */
  meetsVirtual: boolean
  /** Whether it can only match below segments or regions, by its class or zone. */
  isInner: boolean
  narrowings: readonly Narrowing[]
}>

export type Source =
  | Readonly<{ kind: 'coordinates'; coordinates: readonly Coordinate[] }>
  | Readonly<{ kind: 'choices'; choices: readonly CompiledUnion[] }>

/** One condition: a test of each spot, or a choice among siblings by position (D16). */
export type Narrowing =
  | Readonly<{
      kind: 'test'
      test: Predicate
      /** Whether equal structure (see Shape) gives an equal answer. */
      isStructural: boolean
      /** The one id that can pass, and the depths that can. */
      id?: string
      depths?: readonly NumberRange[]
    }>
  | Readonly<{ kind: 'nth'; n: number; fromEnd: boolean }>

/** Makes a plan; a selector that cannot mean anything has been refused by the parser. */
export function compileSelector(selector: Selector): Plan {
  const { dialect, time, optional, controls } = selector
  const choices = selector.choices.map((union) => compileUnion(union, dialect))
  return { dialect, time, optional, controls, choices, positions: new WeakMap() }
}

function compileUnion(union: Union, dialect: Dialect): CompiledUnion {
  return union.groups.map((group) => compileGroup(group, dialect))
}

function compileGroup(group: Group, dialect: Dialect): CompiledGroup {
  const last = group.steps.at(-1)
  const compiled: BareGroup = {
    scope: group.scope,
    steps: group.steps.map((step) => compileStep(step, dialect)),
    isKeyed: dialect === '1.0' && last !== undefined && last.conditions.some(asksForOneKey),
  }
  return { ...compiled, analysis: analyzeGroup(compiled) }
}

function compileStep({ reach, conditions }: Step, dialect: Dialect): CompiledStep {
  const [first, ...rest] = conditions
  const source = first && sourceOf(first, dialect)
  const isInner = first?.kind === 'zone' || conditions.some((condition) => namesInner(condition, dialect))
  return {
    reach,
    source,
    isZone: first?.kind === 'zone',
    meetsVirtual: source?.kind === 'choices' || conditions.some((condition) => namesContainer(condition, dialect)),
    isInner,
    narrowings: (source === undefined ? conditions : rest).flatMap((condition) =>
      narrowingsOf(condition, dialect, isInner),
    ),
  }
}

function sourceOf(condition: Condition, dialect: Dialect): Source | undefined {
  if (condition.kind === 'coordinate') return { kind: 'coordinates', coordinates: [condition.coordinate] }
  if (condition.kind === 'coordinates') return { kind: 'coordinates', coordinates: condition.coordinates }
  if (condition.kind !== 'group') return undefined
  return { kind: 'choices', choices: condition.choices.map((union) => compileUnion(union, dialect)) }
}

function narrowingsOf(condition: Condition, dialect: Dialect, isInner: boolean): readonly Narrowing[] {
  switch (condition.kind) {
    case 'any':
      return []
    case 'region':
      return [structural((spot) => spot.record?.nodeType === condition.region && isFrame(spot))]
    case 'types':
      return condition.names.map((name) => structural(typeTest(name, dialect)))
    case 'id':
      return [byId(condition.id)]
    case 'key':
      return [attribute((spot) => spot.record?.rare?.key === condition.key)]
    case 'tag':
      return [attribute((spot) => spot.record?.rare?.tags?.includes(condition.tag) ?? false)]
    case 'fields':
      return condition.tests.map((test) => fieldNarrowing(test, dialect, isInner))
    case 'zone':
      return [
        { ...attribute((spot) => zoneOfOffset(spot.record?.offset ?? 0) === condition.zone), isStructural: isInner },
      ]
    case 'depth': {
      const { ranges } = condition
      return [
        {
          ...attribute(
            (spot) => isSegment(spot) && ranges.some(({ from, to }) => spot.depth! >= from && spot.depth! <= to),
          ),
          depths: ranges,
        },
      ]
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
      // Only ever first in a step, where it is the source.
      return []
  }
}

function fieldNarrowing(test: FieldTest, dialect: Dialect, isInner: boolean): Narrowing {
  const { name, op, value } = test
  if (name === 'nodeType' && dialect === '1.0' && (op === '=' || op === '!=' || op === 'in') && value !== undefined) {
    const names = (value.kind === 'list' ? value.items : [value]).map((item) => (item.kind === 'list' ? '' : item))
    const tests = names.map((item) => (item === '' || item.kind === 'null' ? () => false : nodeTypeTest(item.text)))
    return structural((spot) => tests.some((matches) => matches(spot)) === (op !== '!='))
  }
  const isStructural = STRUCTURAL_FIELDS.has(name) || (name === 'offset' && isInner)
  const narrowing = { ...attribute(compileField(test)), isStructural }
  return name === 'id' && op === '=' && value !== undefined && isOneText(value)
    ? { ...narrowing, id: textOf(value) }
    : narrowing
}

/** What a shape knows of every node; of a segment it does not know the offset. */
const STRUCTURAL_FIELDS: ReadonlySet<string> = new Set(['role', 'kind', 'type', 'nodeType'])

function byId(id: string): Narrowing {
  return { ...attribute((spot) => spot.record?.id === id), id }
}

/** Types that only blocks and containers have, which never stand directly under `^seq` or the root. */
function namesInner(condition: Condition, dialect: Dialect): boolean {
  if (condition.kind !== 'types') return false
  return condition.names.some((name) => INNER_NAMES.has(shortName(name, dialect)))
}

const INNER_NAMES: ReadonlySet<string> = new Set(['cont', 'mc', 'block', 'cb'])

/** `[nodeType='a:b']` is exact; without a colon it is the same test as `.b` (D14). */
function nodeTypeTest(name: string): (spot: Spot) => boolean {
  return name.includes(':') ? (spot) => spot.record?.nodeType === name : typeTest(name, '1.0')
}

function namesContainer(condition: Condition, dialect: Dialect): boolean {
  if (condition.kind === 'types') return condition.names.some((name) => isContainerName(shortName(name, dialect)))
  if (condition.kind !== 'fields' || dialect === '0.1') return false
  return condition.tests.some(({ name, op, value }) => {
    if (name !== 'nodeType' || (op !== '=' && op !== 'in') || value === undefined) return false
    return (value.kind === 'list' ? value.items : [value]).some(
      (item) => item.kind !== 'list' && isContainerName(item.text),
    )
  })
}

function asksForOneKey(condition: Condition): boolean {
  if (condition.kind === 'key') return true
  return (
    condition.kind === 'fields' &&
    condition.tests.some(
      ({ name, op, value }) => name === 'key' && op === '=' && value !== undefined && isOneText(value),
    )
  )
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

function structural(test: Predicate): Narrowing {
  return { kind: 'test', test, isStructural: true }
}

function attribute(test: Predicate): Extract<Narrowing, { kind: 'test' }> {
  return { kind: 'test', test, isStructural: false }
}
