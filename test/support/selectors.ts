// Trees of selectors for laws: the whole grammar of each dialect, and only trees that some text has. Spans are empty, since
// no text corresponds to them. Names are few, so that generated selectors have a chance to match generated nodes; the
// options replace them.

import fc, { type Arbitrary } from 'fast-check'

import type {
  Comparison,
  Condition,
  Control,
  Coordinate,
  FieldTest,
  Group,
  Literal,
  NumberRange,
  Selector,
  Step,
  TimePoint,
  TimePrefix,
  Union,
} from '../../src/selector/ast.js'
import type { Dialect } from '../../src/core/index.js'
import { isBareToken } from '../../src/selector/parse/token.js'

export type SelectorNames = Readonly<{
  types: readonly string[]
  /** Ids in dialect 0.1, keys in 1.0: any text. */
  names: readonly string[]
  /** Bare tokens. */
  tags: readonly string[]
  attributes: readonly string[]
  /** Texts to compare attributes with. */
  texts: readonly string[]
}>

export type SelectorOptions = Readonly<{
  dialect: Dialect
  names?: Partial<SelectorNames>
  /** Time prefixes to draw from; every form by default. */
  times?: Arbitrary<TimePrefix | undefined>
  /** True if a trailing `?` may come. */
  optional?: boolean
}>

const NAMES: SelectorNames = {
  types: [
    'seg',
    'cont',
    'block',
    'mt',
    'mc',
    'cb',
    'note',
    'cb:summary',
    'block:note',
    'log-1',
    'größe',
    'a:b:c',
    'x:depth',
  ],
  names: [
    'k',
    'block:1',
    'a:first',
    '1a',
    'hero banner',
    "it's",
    'back\\slash',
    'both\'"',
    '',
    'ü',
    ':x',
    'x:',
    'a.b',
    '\n',
  ],
  tags: ['audit', 'user', 'b', 'x:y', '日本', '🔥'],
  attributes: ['offset', 'ttl', 'cad', 'key', 'tag', 'nodeType', 'role', 'data_x', 'in', 'a:first', '_x', 'ephemeral'],
  texts: ['user', 'note', 'a:b', 'cb:summary', '', "it's", '"', '\\', 'ü🔥', '5', 'null', 'audit'],
}

const SPAN = { start: 0, end: 0 }

/** Selectors of a dialect. */
export function selectors({ dialect, names, times, optional = true }: SelectorOptions): Arbitrary<Selector> {
  const build = new Build(dialect, { ...NAMES, ...names })
  const choices = { bound: build.choices(true, 2), free: build.choices(false, 2) }
  const tail = { range: controls(true), plain: controls(false) }
  const optionals = optional ? fc.constantFrom(false, false, true) : fc.constant(false)
  return (times ?? fc.option(timePrefixes(), { nil: undefined })).chain((time) => {
    const hasSnapshot = time !== undefined && time.kind !== 'working' && time.kind !== 'preview'
    return fc
      .tuple(hasSnapshot ? choices.bound : choices.free, optionals, time?.kind === 'range' ? tail.range : tail.plain)
      .map(([choices, optional, controls]) => ({ dialect, time, choices, optional, controls, span: SPAN }))
  })
}

/** Every form of the time prefix. */
export function timePrefixes(): Arbitrary<TimePrefix> {
  const t: Arbitrary<TimePoint> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.integer({ min: -6, max: 2 }).map((value) => ({ kind: 't', value: value + 0 }) as const),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'oldest' } as const) },
  )
  const c: Arbitrary<TimePoint> = fc.integer({ min: 0, max: 9 }).map((value) => ({ kind: 'c', value }))
  const range = fc.oneof(fc.tuple(t, t), fc.tuple(c, c)).chain(([from, to]) =>
    fc.constantFrom('..' as const, ':' as const).map((operator) => ({
      kind: 'range' as const,
      from,
      to,
      written: 'range' as const,
      operator,
      span: SPAN,
    })),
  )
  return fc.oneof(
    fc.oneof(t, c).map((at) => ({ kind: 'at' as const, at, span: SPAN })),
    range,
    fc.constantFrom<TimePrefix>(
      { kind: 'all', span: SPAN },
      { kind: 'working', span: SPAN },
      { kind: 'preview', span: SPAN },
      {
        kind: 'range',
        from: { kind: 't', value: 0 },
        to: { kind: 'oldest' },
        written: 'history',
        operator: '..',
        span: SPAN,
      },
    ),
  )
}

function controls(isRange: boolean): Arbitrary<readonly Control[]> {
  const known = fc.record({
    order: fc.constantFrom(undefined, 'pre', 'post', 'bfs', 'path', 'turn', 'turn:asc', 'turn:desc'),
    skip: fc.constantFrom(undefined, '0', '1'),
    limit: fc.constantFrom(undefined, '0', '2', '10'),
    mode: isRange ? fc.constantFrom(undefined, 'pairwise', 'latest', 'union') : fc.constant(undefined),
  })
  const flags = fc.subarray(['unique', '*', 'vendor'])
  return fc
    .tuple(fc.option(known, { nil: {}, freq: 3 }), fc.option(flags, { nil: [], freq: 5 }), fc.boolean())
    .map(([values, names, isReversed]) => {
      const all: Control[] = [
        ...Object.entries(values).flatMap(([name, value]) =>
          value === undefined ? [] : [{ name, value, span: SPAN }],
        ),
        ...names.map((name) => ({ name, value: name === 'vendor' ? 'a.b:c' : undefined, span: SPAN })),
      ]
      return isReversed ? all.reverse() : all
    })
}

class Build {
  readonly #isNew: boolean
  readonly #names: SelectorNames

  constructor(dialect: Dialect, names: SelectorNames) {
    this.#isNew = dialect === '1.0'
    this.#names = names
  }

  choices(hasSnapshot: boolean, depth: number): Arbitrary<readonly Union[]> {
    const union = fc
      .array(this.#group(hasSnapshot, depth), { minLength: 1, maxLength: depth > 1 ? 3 : 2, size: 'max' })
      .map((groups) => ({ groups, span: SPAN }))
    return often(fc.tuple(union), fc.array(union, { minLength: 1, maxLength: this.#isNew ? 2 : 1 }))
  }

  #group(hasSnapshot: boolean, depth: number): Arbitrary<Group> {
    const free = this.#step('descendant', hasSnapshot, depth, false)
    const later = this.#step('descendant', hasSnapshot, depth, true)
    const rest = fc.array(fc.oneof(this.#step('child', hasSnapshot, depth, false), later), {
      maxLength: 2,
      size: 'max',
    })
    const plain = fc
      .tuple(free, rest)
      .map(([first, more]) => ({ scope: undefined, steps: [first, ...more], span: SPAN }))
    if (!this.#isNew) return plain
    const scoped = fc.tuple(depths(), later, rest)
    return often<Group>(
      plain,
      scoped.map(([scope, first, more]) => ({ scope, steps: [first, ...more], span: SPAN })),
    )
  }

  #step(reach: Step['reach'], hasSnapshot: boolean, depth: number, isBehindSpace: boolean): Arbitrary<Step> {
    const anywhere = this.#conditions(hasSnapshot)
    // In 1.0 a filter behind a space joins the step on its left, so no step there starts with one.
    const starts = this.#isNew && isBehindSpace ? anywhere.filter((each) => !isFilter(each)) : anywhere
    const first = fc.oneof(
      { weight: 4, arbitrary: starts },
      { weight: 2, arbitrary: fc.constantFrom<Condition>({ kind: 'any', span: SPAN }, ...regions(this.#isNew)) },
      ...(this.#isNew ? [{ weight: 2, arbitrary: this.#start(hasSnapshot, depth) }] : []),
    )
    return fc
      .tuple(first, often(fc.array(anywhere, { maxLength: 1 }), fc.array(anywhere, { maxLength: 3, size: 'max' })))
      .map(([start, rest]) => ({ reach, conditions: this.#tidy([start, ...rest]), span: SPAN }))
  }

  /** Forms that only the start of a step may have. */
  #start(hasSnapshot: boolean, depth: number): Arbitrary<Condition> {
    const one = coordinates().map((coordinate): Condition => ({ kind: 'coordinate', coordinate, span: SPAN }))
    const set = fc
      .array(coordinates(), { minLength: 1, maxLength: 3 })
      .map((each): Condition => ({ kind: 'coordinates', coordinates: each, span: SPAN }))
    if (depth === 0) return fc.oneof(one, set)
    const group = this.choices(hasSnapshot, depth - 1)
      .filter((choices) => !holdsCoordinatesOnly(choices) && !startsWithDepth(choices))
      .map((choices): Condition => ({ kind: 'group', choices, span: SPAN }))
    return fc.oneof(one, set, group)
  }

  #conditions(hasSnapshot: boolean): Arbitrary<Condition> {
    const { names, tags } = this.#names
    const named = fc.constantFrom(...names)
    const type = fc.constantFrom(...this.#names.types)
    const types = (
      this.#isNew ? often(fc.tuple(type), fc.array(type, { minLength: 1, maxLength: 3 })) : fc.tuple(type)
    ).map((names): Condition => ({ kind: 'types', names, span: SPAN }))
    const name = named.map((text): Condition =>
      this.#isNew ? { kind: 'key', key: text, span: SPAN } : { kind: 'id', id: text, span: SPAN },
    )
    const tag = fc.constantFrom(...tags).map((tag): Condition => ({ kind: 'tag', tag, span: SPAN }))
    const zone = fc
      .constantFrom('pre' as const, 'core' as const, 'post' as const)
      .map((zone): Condition => ({ kind: 'zone', zone, span: SPAN }))
    const nth = fc.integer({ min: 1, max: 3 }).map((n): Condition => ({ kind: 'nth', n, span: SPAN }))
    const rare: Arbitrary<Condition>[] = [
      fc.array(depths(), { minLength: 1, maxLength: 3 }).map((ranges) => ({ kind: 'depth', ranges, span: SPAN })),
      fc.constantFrom<Condition>({ kind: 'first', span: SPAN }, { kind: 'last', span: SPAN }),
      nth,
      fc.constant({ kind: 'region', region: '^sys', written: '.sys', span: SPAN }),
    ]
    return fc.oneof(
      { weight: 5, arbitrary: types },
      { weight: 3, arbitrary: this.#fields(hasSnapshot) },
      { weight: 2, arbitrary: zone },
      { weight: 1, arbitrary: name },
      { weight: this.#isNew ? 2 : 0, arbitrary: tag },
      { weight: 3, arbitrary: fc.oneof(...rare) },
    )
  }

  #fields(hasSnapshot: boolean): Arbitrary<Condition> {
    const form = fc.constantFrom('bracket' as const, 'brace' as const, ...(this.#isNew ? ['paren' as const] : []))
    const facets = hasSnapshot ? ['age', 'born_turn', 'depth'] : []
    const inside = this.#isNew ? ['content.a', 'data_x.0.b:c'] : []
    const name = fc.constantFrom(...this.#names.attributes, ...facets, ...inside)
    const test = fc.tuple(name, this.#question()).map(([name, rest]): FieldTest => ({ name, ...rest, span: SPAN }))
    return fc
      .tuple(form, fc.array(test, { minLength: 1, maxLength: 3 }))
      .map(([form, tests]) => ({ kind: 'fields', form, tests, span: SPAN }))
  }

  #question(): Arbitrary<Pick<FieldTest, 'op' | 'value'>> {
    const scalar = this.#scalar()
    const list = fc
      .array(scalar, { minLength: 1, maxLength: 3 })
      .map((items): Literal => ({ kind: 'list', items, span: SPAN }))
    const ask = (ops: readonly Comparison[], value: Arbitrary<Literal>) =>
      fc.record({ op: fc.constantFrom(...ops), value })
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant({ op: undefined, value: undefined }) },
      { weight: 6, arbitrary: ask(['=', '=', '!=', '<', '<=', '>', '>=', '~'], scalar) },
      { weight: 1, arbitrary: ask(['=', '!=', 'in'], list) },
    )
  }

  #scalar(): Arbitrary<Literal> {
    const { texts, tags } = this.#names
    const words = [...texts, ...tags, 'true', 'x:first'].filter((text) => isWord(text))
    return fc.oneof(
      fc
        .constantFrom('0', '1', '2', '-1', '5', '1.50', '9007199254740993')
        .map((text): Literal => literal('number', text)),
      fc.constantFrom(...texts, ...tags).map((text) => literal('string', text)),
      fc.constantFrom(...words).map((text) => literal('word', text)),
      fc.constantFrom('null', 'None').map((text) => literal('null', text)),
    )
  }

  /** Keeps what a text can say: grouped tests right behind a type, no two type conditions in a row, one in 0.1. */
  #tidy(conditions: readonly Condition[]): readonly Condition[] {
    const kept: Condition[] = []
    for (const each of conditions) {
      const last = kept.at(-1)
      if (each.kind === 'types' && last?.kind === 'types') continue
      if (!this.#isNew && isTypeToken(each) && kept.some(isTypeToken)) continue
      if (each.kind === 'fields' && each.form === 'paren' && !takesParens(last)) kept.push({ ...each, form: 'bracket' })
      else kept.push(each)
    }
    return kept
  }
}

function isTypeToken(condition: Condition): boolean {
  return condition.kind === 'types' || (condition.kind === 'region' && condition.written === '.sys')
}

function regions(isNew: boolean): readonly Condition[] {
  const names = ['^sys', '^seq', '^ah', '^root'] as const
  const plain = names.map((region): Condition => ({ kind: 'region', region, written: region, span: SPAN }))
  if (!isNew) return plain
  return [
    ...plain,
    { kind: 'region', region: '^ah', written: 'depth(0)', span: SPAN },
    { kind: 'region', region: '^sys', written: 'depth(-1)', span: SPAN },
  ]
}

function depths(): Arbitrary<NumberRange> {
  return fc
    .tuple(fc.integer({ min: -1, max: 3 }), fc.integer({ min: 0, max: 2 }))
    .map(([from, more]) => ({ from, to: from + more, span: SPAN }))
}

function coordinates(): Arbitrary<Coordinate> {
  return fc
    .tuple(depths(), fc.array(fc.integer({ min: -2, max: 3 }), { maxLength: 3 }))
    .map(([{ from, to }, offsets]) => ({ from, to, offsets: offsets.map((each) => each + 0), span: SPAN }))
}

function holdsCoordinatesOnly(choices: readonly Union[]): boolean {
  return (
    choices.length === 1 &&
    choices[0]!.groups.every(
      ({ scope, steps }) =>
        scope === undefined &&
        steps.length === 1 &&
        steps[0]!.conditions.length === 1 &&
        steps[0]!.conditions[0]!.kind === 'coordinate',
    )
  )
}

/** `( depth(0), … )` would be a position of older drafts (D44); other depths are written in parentheses of their own. */
function startsWithDepth([union]: readonly Union[]): boolean {
  const [first] = union!.groups[0]!.steps[0]!.conditions
  return union!.groups.length > 1 && first?.kind === 'region' && first.written.startsWith('depth(')
}

function isFilter({ kind }: Condition): boolean {
  return kind === 'fields' || kind === 'tag'
}

/** `.x:depth(` would be a predicate. */
function takesParens(last: Condition | undefined): boolean {
  if (last?.kind === 'region') return last.written === '.sys'
  return last?.kind === 'types' && !/:(?:depth|nth)$/.test(last.names.at(-1)!)
}

function isWord(text: string): boolean {
  return text === 'x:first' || (isBareToken(text, 'tag') && text !== 'null' && text !== 'None')
}

function literal(kind: 'number' | 'string' | 'word' | 'null', text: string): Literal {
  return { kind, text, span: SPAN }
}

function often<T>(usual: Arbitrary<T>, rare: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: rare })
}
