// From the tree of a selector to functions: names are resolved here, once, so that running a selector only asks nodes.

import { zoneOfOffset, type Dialect } from '../../core/index.js'
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
} from '../../selector/index.js'
import { analyzeGroup, type Analysis } from './traits.js'
import { Answers } from '../memory/plan-memory.js'
import type { Spot } from '../match/flat-tree.js'
import { anyTypeTest, isContainerName, nameTest, shortName, typeTest } from './type-test.js'
import { compileField, numberRangeOf, seesPlace, type NumberTest, type Predicate } from './field-test.js'

/** A selector ready to run on any view of one context. */
export class Plan {
  readonly dialect: Dialect
  readonly time: TimePrefix | undefined
  readonly choices: readonly CompiledUnion[]
  readonly optional: boolean
  readonly controls: readonly Control[]
  #isSimple: boolean | undefined

  constructor(
    { dialect, time, optional, controls }: Omit<Selector, 'choices' | 'span'>,
    choices: readonly CompiledUnion[],
  ) {
    this.dialect = dialect
    this.time = time
    this.choices = choices
    this.optional = optional
    this.controls = controls
  }

  /** Whether no result has to be compared with one from another group, segment or region. */
  get isSimple(): boolean {
    return (this.#isSimple ??= isSimple(this))
  }

  /** What stands between `??`, each as a plan of its own. */
  get parts(): readonly Plan[] {
    return this.choices.length === 1 ? [this] : this.choices.map((union) => new Plan(this, [union]))
  }

  /** Whether what it selects depends on what else it finds: on a window, or on a place among siblings. */
  get isWindowed(): boolean {
    return this.controls.some(({ name }) => WINDOWS.has(name)) || this.choices.some(countsSiblings)
  }

  /** The one group, where there are no others. */
  get only(): CompiledGroup | undefined {
    return this.choices.length === 1 && this.choices[0]!.length === 1 ? this.choices[0]![0] : undefined
  }
}

export type CompiledUnion = readonly CompiledGroup[]

const WINDOWS: ReadonlySet<string> = new Set(['first', 'limit', 'skip'])

function countsSiblings(union: CompiledUnion): boolean {
  return union.some(({ steps }) =>
    steps.some(({ source, narrowings }) => {
      return (
        narrowings.some(({ kind }) => kind === 'nth') ||
        (source?.kind === 'choices' && source.choices.some(countsSiblings))
      )
    }),
  )
}

/** A chain with what can be told about it and what it has found out, both made when it is first run. */
export class CompiledGroup implements BareGroup {
  readonly scope: DepthScope | undefined
  readonly steps: readonly CompiledStep[]
  readonly isKeyed: boolean
  #analysis: Analysis | undefined
  #answers: Answers | undefined

  constructor(scope: DepthScope | undefined, steps: readonly CompiledStep[], keyed: boolean) {
    this.scope = scope
    this.steps = steps
    this.isKeyed = keyed
  }

  get analysis(): Analysis {
    return (this.#analysis ??= analyzeGroup(this))
  }

  get answers(): Answers {
    return (this.#answers ??= new Answers())
  }
}

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
export type Narrowing = Test | Readonly<{ kind: 'nth'; n: number; fromEnd: boolean }>

export type Test = Readonly<{
  kind: 'test'
  test: Predicate
  /** How much it looks at: structure, which equal shapes share; the record; or also the place and the cycle. */
  sees: 'structure' | 'record' | 'place'
  /** The one id, and the depths, that can pass. */
  id: string | undefined
  depths: readonly NumberRange[] | undefined
  /** The key (`#key`) or tag (`+tag`) that whatever passes must carry. */
  mark: string | undefined
  /** The same test as a range of a number that every record has. */
  number: NumberTest | undefined
  /** The name of a type, if it asks for nothing else and means what 1.0 means by it. */
  name: string | undefined
}>

/** Makes a plan; a selector that cannot mean anything has been refused by the parser. */
export function compileSelector(selector: Selector): Plan {
  return new Plan(selector, compileChoices(selector.choices, selector.dialect))
}

function isSimple({ choices, dialect, controls }: Plan): boolean {
  for (const control of controls) if (control.name === 'order') return false
  for (const union of choices) {
    // 0.1 sorts a union as a whole (D20).
    if (union.length > 1 && dialect === '0.1') return false
    for (const group of union) if (!group.analysis.isLocal) return false
  }
  return true
}

function compileChoices(choices: readonly Union[], dialect: Dialect): readonly CompiledUnion[] {
  return choices.length === 1
    ? [compileUnion(choices[0]!, dialect)]
    : choices.map((union) => compileUnion(union, dialect))
}

function compileUnion({ groups }: Union, dialect: Dialect): CompiledUnion {
  return groups.length === 1 ? [compileGroup(groups[0]!, dialect)] : groups.map((group) => compileGroup(group, dialect))
}

function compileGroup({ scope, steps }: Group, dialect: Dialect): CompiledGroup {
  const compiled =
    steps.length === 1 ? [compileStep(steps[0]!, dialect)] : steps.map((step) => compileStep(step, dialect))
  return new CompiledGroup(scope, compiled, dialect === '1.0' && steps.length > 0 && isKeyed(steps[steps.length - 1]!))
}

function compileStep({ reach, conditions }: Step, dialect: Dialect): CompiledStep {
  const first = conditions[0]
  if (first?.kind === 'types' && conditions.length === 1 && first.names.length === 1) {
    return typeStep(reach, shortName(first.names[0]!, dialect), dialect)
  }
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
    addNarrowings(narrowings, conditions[i]!, dialect, isInner)
  }
  return { reach, source, isZone, meetsVirtual, isInner, narrowings }
}

/** A step that asks for one type and nothing else: most steps do. */
function typeStep(reach: Step['reach'], name: string, dialect: Dialect): CompiledStep {
  return {
    reach,
    source: undefined,
    isZone: false,
    meetsVirtual: isContainerName(name),
    isInner: INNER_NAMES.has(name),
    narrowings: [typeNarrowing(name, dialect)],
  }
}

function sourceOf(condition: Condition, dialect: Dialect): Source | undefined {
  if (condition.kind === 'coordinate') return { kind: 'coordinates', coordinates: [condition.coordinate] }
  if (condition.kind === 'coordinates') return { kind: 'coordinates', coordinates: condition.coordinates }
  if (condition.kind !== 'group') return undefined
  return { kind: 'choices', choices: compileChoices(condition.choices, dialect) }
}

function addNarrowings(to: Narrowing[], condition: Condition, dialect: Dialect, isInner: boolean): void {
  switch (condition.kind) {
    case 'any':
      return
    case 'region':
      to.push(structural((spot) => spot.record?.nodeType === condition.region && isFrame(spot)))
      return
    case 'types':
      for (const name of condition.names) to.push(typeNarrowing(shortName(name, dialect), dialect))
      return
    case 'id':
      to.push(byId(condition.id))
      return
    case 'key': {
      const { key } = condition
      to.push(recordTest((spot) => spot.record?.rare?.key === key, `#${key}`))
      return
    }
    case 'tag': {
      const { tag } = condition
      to.push(recordTest((spot) => spot.record?.rare?.tags?.includes(tag) ?? false, `+${tag}`))
      return
    }
    case 'fields':
      for (const test of condition.tests) to.push(fieldNarrowing(test, dialect, isInner))
      return
    case 'zone': {
      const inZone: Predicate = (spot) => zoneOfOffset(spot.record?.offset ?? 0) === condition.zone
      to.push(isInner ? structural(inZone) : recordTest(inZone))
      return
    }
    case 'depth': {
      const ranges = mergeRanges(condition.ranges)
      const atDepth: Predicate = (spot) =>
        isSegment(spot) && ranges.some(({ from, to: end }) => spot.depth! >= from && spot.depth! <= end)
      to.push({ ...structural(atDepth), sees: 'place', depths: ranges })
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

function fieldNarrowing(test: FieldTest, dialect: Dialect, isInner: boolean): Narrowing {
  const { name, op, value } = test
  if (name === 'nodeType' && dialect === '1.0' && (op === '=' || op === '!=' || op === 'in') && value !== undefined) {
    const items = value.kind === 'list' ? value.items : [value]
    const matches = nodeTypesTest(items.flatMap((item) => (isOneText(item) ? textOf(item) : [])))
    return structural((spot) => matches(spot) === (op !== '!='))
  }
  const predicate = compileField(test)
  if (STRUCTURAL_FIELDS.has(name) || (name === 'offset' && isInner)) return structural(predicate)
  const text = op === '=' && value !== undefined && isOneText(value) ? textOf(value) : undefined
  return {
    kind: 'test',
    test: predicate,
    sees: seesPlace(name) ? 'place' : 'record',
    id: name === 'id' ? text : undefined,
    depths: undefined,
    mark: text === undefined ? undefined : markOf(name, text),
    number: numberRangeOf(test),
    name: undefined,
  }
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

/** Keys and tags are texts, also where a number is written (D21). */
function markOf(name: string, text: string): string | undefined {
  if (name === 'key') return `#${text}`
  return name === 'tag' || name === 'tags' ? `+${text}` : undefined
}

/** What a shape knows of every node; of a segment it does not know the offset. */
const STRUCTURAL_FIELDS: ReadonlySet<string> = new Set(['role', 'kind', 'type', 'nodeType'])

function byId(id: string): Test {
  return { ...structural((spot) => spot.record?.id === id), sees: 'record', id }
}

/** Types that only blocks and containers have, which never stand directly under `^seq` or the root. */
const INNER_NAMES: ReadonlySet<string> = new Set(['cont', 'mc', 'block', 'cb'])

function typeNarrowing(name: string, dialect: Dialect): Test {
  return CLASS_TESTS.get(name) ?? structural(nameTest(name, dialect), dialect === '1.0' ? name : undefined)
}

/** The six names of classes, which nearly every selector asks for. */
const CLASS_TESTS: ReadonlyMap<string, Test> = new Map(
  ['seg', 'mt', 'cont', 'mc', 'block', 'cb'].map((name) => [name, structural(typeTest(name, '1.0'), name)]),
)

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
function isKeyed({ conditions }: Step): boolean {
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

function structural(test: Predicate, name?: string): Test {
  return {
    kind: 'test',
    test,
    sees: 'structure',
    id: undefined,
    depths: undefined,
    mark: undefined,
    number: undefined,
    name,
  }
}

function recordTest(test: Predicate, mark?: string): Test {
  return { ...structural(test), sees: 'record', mark }
}
