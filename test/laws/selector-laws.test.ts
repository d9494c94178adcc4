// Laws of `select`, on generated trees: two ways to write one thing select alike, windows are slices, coordinates lead
// back, reading changes nothing, and any text at all gives a result or an error that points into it, for bounded work.
// PACT_SEED changes the seed, PACT_RUNS the number of worlds of each law.

import fc, { type Arbitrary } from 'fast-check'
import {
  createContext,
  formatSelector,
  importSnapshot,
  lintSelector,
  normalizeSelector,
  PactError,
  parseSelector,
  type Context,
  type Dialect,
  type Group,
  type RangeDiffLatestResult,
  type SelectOptions,
  type Selector,
} from 'pact-context'
import { afterAll, describe, expect, test, vi } from 'vitest'

import badRows from '../../src/selector/parse/invalid.cases.json' with { type: 'json' }
import rows from '../../src/selector/parse/parse.cases.json' with { type: 'json' }
import { selectorArbitrary, worldArbitraryOf } from '../oracle/selector-arbitrary.js'
import { fillFixture } from '../oracle/selector-fixture.js'
import type { OracleTree, OracleWorld } from '../oracle/selector.js'
import { DIALECTS, idsOf, refusal, textOf, walk, listOf } from '../support/context.js'
import { selectors, timePrefixes } from '../support/selectors.js'
import { pairs, runs } from '../support/runs.js'

/** Counts of the engine: the nodes it says it looks at, and how often one is asked for its type or an attribute. */
const work = vi.hoisted(() => ({ visits: 0, asked: 0 }))

vi.mock(import('../../src/query/match/visits.js'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    Visits: class extends original.Visits {
      override spend(visits: number): void {
        super.spend(visits)
        work.visits += visits
      }
    },
  }
})

vi.mock(import('../../src/query/plan/field-test.js'), async (importOriginal) => {
  const original = await importOriginal()
  return { ...original, compileField: (...args) => counted(original.compileField(...args)) }
})

vi.mock(import('../../src/query/plan/type-test.js'), async (importOriginal) => {
  const original = await importOriginal()
  return { ...original, typeTest: (...args) => counted(original.typeTest(...args)) }
})

const SEED = Number(process.env['PACT_SEED'] ?? 20261115)
const WORLDS = runs(24)
const RUNS = { numRuns: WORLDS, seed: SEED, endOnFailure: process.env['PACT_SHRINK'] === undefined }

const SPAN = { start: 0, end: 0 }

/** Names that generated trees have. */
const NAMES = {
  types: ['seg', 'cont', 'block', 'mt', 'mc', 'cb', 'summary', 'note', 'cb:summary', 'block:note', 'custom:note'],
  names: ['note', 'policy', 'hero banner', 'k:first', '007'],
  tags: ['audit', 'rag', 'user', 'z', 'a:b'],
  attributes: ['offset', 'ttl', 'cad', 'key', 'tag', 'nodeType', 'role', 'kind', 'data_n', 'status', 'ephemeral'],
  texts: ['user', 'note', 'cb:summary', 'text', 'ok', '5', ''],
}

const SCRAPS = [
  ...'.#+*^@:()[]{}<>=!~,?\'"\\ \t\n-_0123456789adtcx|&;/$%',
  ...'.. ?? @t @c @* @t-* @history @working @limit= @order= d1 d-1 depth( :depth( :nth( :first :pre'.split(' '),
  ...'cont[ seg c@ *:block within( .block null [a=1] [ttl<=1] {a} \u00a0 \ud800 🔥 é \0'.split(' '),
  ' in ',
  '@t0 ',
  '^seq ',
  ', * ',
  '.cont > ',
]

describe('aliases', () => {
  test.each([
    ['^ah', 'depth(0)', 'd0'],
    ['^sys', 'depth(-1)', 'd-1'],
  ])('%s, %s and %s select alike as first steps, whatever follows (D10)', (...aliases) => {
    const joints = fc.constantFrom(' ', ' > ', ' ')
    const attached = fc.constantFrom('', '', '[offset=0]', '{ offset<=0 }', ':first', ':core', '+audit', ':nth(2)')
    const cases = worldsWith('1.0', (world) => fc.tuple(attached, joints, chainsOf(world)))
    let matching = 0
    fc.assert(
      fc.property(cases, ({ ctx, drawn }) => {
        for (const [extra, joint, chain] of drawn) {
          for (const tail of [extra, `${extra}${joint}${chain}`]) {
            const [first, ...others] = aliases.map((alias) => ask(ctx, `@t0 ${alias}${tail}`))
            for (const other of others) expect(other, `${aliases.join()} ${tail}`).toEqual(first)
            if (Array.isArray(first) && first.length > 0) matching++
          }
        }
      }),
      RUNS,
    )
    expect(matching).toBeGreaterThan(WORLDS)
  })

  test.each(DIALECTS)('.. and : are one operator of ranges: one meaning, one normal form, %s (D7)', (dialect) => {
    const ranges = selectors({ dialect, times: timePrefixes().filter((time) => time.kind === 'range') })
    fc.assert(
      fc.property(ranges, (tree) => {
        const [dots, colon] = (['..', ':'] as const).map((operator) => {
          const time = { ...tree.time!, operator, written: 'range' } as Selector['time']
          return parseSelector(formatSelector({ ...tree, time }), { dialect })
        })
        expect(meaningOf(colon!)).toEqual(meaningOf(dots!))
        expect(formatSelector(normalizeSelector(colon!))).toBe(formatSelector(normalizeSelector(dots!)))
      }),
      { ...RUNS, numRuns: WORLDS * 5 },
    )
  })

  test(".cb:summary and [nodeType='cb:summary'] select alike in 0.1, for every namespaced type (04 §3.2)", () => {
    const around = fc.tuple(
      fc.constantFrom('', '^seq ', '^ah ', '.mt > ', '.mc > ', '* ', '.mt:depth(1-2) '),
      fc.constantFrom('', '[ttl]', ':first', ':core', "[role='user']", ' *'),
    )
    let matching = 0
    fc.assert(
      fc.property(
        worldsWith('0.1', () => around),
        ({ ctx, drawn }) => {
          const types = walk(ctx.snapshot().root).map((node) => node.nodeType)
          const names = [...new Set([...types, 'cb:none'])].filter(isTypeToken)
          for (const [before, after] of drawn) {
            for (const name of names) {
              const found = listOf(ctx.select(`${before}.${name}${after}`))
              expect(ctx.select(`${before}[nodeType='${name}']${after}`), before + name + after).toEqual(found)
              matching += Math.min(1, found.length)
            }
          }
        },
      ),
      RUNS,
    )
    expect(matching).toBeGreaterThan(WORLDS)
  })
})

describe.each(DIALECTS)('one selection in several forms, %s', (dialect) => {
  test('a union holds each node once: in document order in 0.1, group by group in 1.0 (D20)', () => {
    const cases = worldsWith(dialect, (world) => fc.array(chainsOf(world), { minLength: 2, maxLength: 4 }))
    let repeated = 0
    fc.assert(
      fc.property(cases, ({ ctx, drawn }) => {
        const inOrder = idsOf(walk(ctx.snapshot().root))
        for (const groups of drawn) {
          const lists = groups.map((group) => ask(ctx, `@t0 ${group}`))
          if (!lists.every(Array.isArray)) continue
          const joined = [...new Set(lists.flat())]
          const expected = dialect === '1.0' ? joined : inOrder.filter((id) => joined.includes(id))
          expect(ask(ctx, `@t0 ${groups.join(', ')}`), groups.join(', ')).toEqual(expected)
          if (joined.length < lists.flat().length) repeated++
        }
      }),
      RUNS,
    )
    expect(repeated).toBeGreaterThan(WORLDS / 4)
  })

  test('a selector selects the same as its printed, normalized and linted forms (001 §3.2, D14, D22)', () => {
    let [matching, fixes] = [0, 0]
    fc.assert(
      fc.property(questions(dialect), ({ ctx, drawn }) => {
        for (const text of drawn) {
          const tree = tryParse(text, dialect)
          if (tree === undefined) continue
          const expected = ask(ctx, text)
          const { fixed } = lintSelector(text, { dialect })
          const forms = {
            printed: formatSelector(tree),
            normal: formatSelector(normalizeSelector(tree)),
            ...(fixed === undefined ? {} : { fixed }),
          }
          for (const [name, form] of Object.entries(forms)) {
            expect(ask(ctx, form), `${name} form of ${text}: ${form}`).toEqual(expected)
          }
          if (Array.isArray(expected) && expected.length > 0) matching++
          if (fixed !== undefined) fixes++
        }
      }),
      RUNS,
    )
    expect(matching).toBeGreaterThan(WORLDS)
    expect(fixes).toBeGreaterThan(WORLDS / 10)
  })

  test('skip and limit are slices, count is the length, first is the first of nodes (D23)', () => {
    const sizes = fc.tuple(fc.nat(4), fc.oneof(fc.nat(5), fc.constant(Infinity)))
    const cases = worldsWith(dialect, (world) =>
      fc.tuple(selectorArbitrary(world, dialect, { errors: false }), sizes, sizes),
    )
    fc.assert(
      fc.property(cases, ({ ctx, drawn }) => {
        for (const [text, [skip, limit], [atSkip, atLimit]] of drawn) {
          const all = ask(ctx, text)
          if (!Array.isArray(all)) continue
          const part = all.slice(skip, skip + limit)
          expect(ask(ctx, text, { skip, limit }), text).toEqual(part)
          expect(ctx.count(text, { skip, limit }), text).toBe(part.length)
          expect(ctx.count(text), text).toBe(all.length)
          expect(idsOf(ctx.nodes(text, { skip, limit })), text).toEqual(part)
          expect(ctx.first(text)?.id, text).toBe(all[0])
          expect(ctx.first(text, { skip })?.id, text).toBe(all[skip])
          if (/@(?:skip|limit|first)/.test(text)) continue
          // The controls first, then the options.
          const controls = `@skip=${atSkip}${atLimit === Infinity ? '' : ` @limit=${atLimit}`}`
          const shown = all.slice(atSkip, atSkip + atLimit)
          expect(ask(ctx, `${text} ${controls}`), text).toEqual(shown)
          expect(ask(ctx, `${text} ${controls}`, { skip, limit }), text).toEqual(shown.slice(skip, skip + limit))
        }
      }),
      RUNS,
    )
  })

  test('a selector that cannot be read fails over an empty context as over a full one (D40)', () => {
    const empty = createContext({ dialect })
    const full = importSnapshot(documentOf(bigTree()), { dialect })
    for (const { selector, error: code, pos } of badRows.filter((row) => row.dialect === dialect)) {
      for (const ctx of [empty, full]) {
        for (const call of ['select', 'nodes', 'count', 'first'] as const) {
          const error = refusal(() => ctx[call](selector))
          expect([error.code, error.details['pos']], selector).toEqual([code, pos])
        }
      }
    }
  })
})

describe('from 0.1 to 1.0', () => {
  test('the migrated form of a selector selects the same on the same tree, in the same order (001, migration)', () => {
    let [matching, migrated] = [0, 0]
    fc.assert(
      fc.property(questions('0.1'), ({ ctx, drawn }) => {
        for (const text of drawn) {
          if (tryParse(text, '0.1') === undefined) continue
          const { fixed } = lintSelector(text, { migrate: true })
          if (fixed === undefined) continue
          const expected = ask(ctx, text)
          expect(ask(ctx, fixed, { dialect: '1.0' }), `${text} became ${fixed}`).toEqual(expected)
          migrated++
          if (Array.isArray(expected) && expected.length > 0) matching++
        }
      }),
      RUNS,
    )
    expect(migrated).toBeGreaterThan(WORLDS)
    expect(matching).toBeGreaterThan(WORLDS / 2)
  })
})

describe('coordinates', () => {
  test('coordinate(id) selects exactly that node, for every node (D17)', () => {
    fc.assert(
      fc.property(
        worldsWith('1.0', () => fc.constant('')),
        ({ ctx }) => {
          for (const { id } of walk(ctx.snapshot().root)) {
            const text = ctx.coordinate(id)
            expect(ctx.select(text), text).toEqual([id])
            expect(ctx.select(`@t0 ${ctx.coordinate(id, '@t0')}`), text).toEqual([id])
          }
        },
      ),
      RUNS,
    )
  })
})

describe.each(DIALECTS)('purity, %s', (dialect) => {
  test('no select shows in bytes, ids, times or later results; results are frozen (04 §1)', () => {
    const cases = worldsWith(dialect, (world) =>
      fc.tuple(selectorArbitrary(world, dialect), fc.constantFrom('select', 'nodes', 'count', 'first')),
    )
    fc.assert(
      fc.property(cases, ({ ctx, tree, drawn }) => {
        const twin = importSnapshot(documentOf(tree), { dialect, clock: () => 5n })
        const read = importSnapshot(documentOf(tree), { dialect, clock: () => 5n })
        for (const each of [twin, read]) each.pre('open edit')
        const before = bytesOf(read)
        const answers = drawn.map(([text, call]) => {
          if (call !== 'select') ask(read, text, {}, call)
          return ask(read, text)
        })
        ask(read, '@preview *')
        expect(drawn.map(([text]) => ask(read, text))).toEqual(answers)
        expect(bytesOf(read)).toEqual(before)
        // Nothing was used up: the next id, time and snapshot are those of a context that never was asked.
        for (const each of [twin, read]) each.commit()
        expect(read.user('next')).toEqual(twin.user('next'))
        expect(bytesOf(read)).toEqual(bytesOf(twin))
        for (const [text] of drawn) {
          if (!Array.isArray(ask(ctx, text))) continue
          const found = [ctx.select(text), ctx.nodes(text), ...ctx.nodes(text)]
          expect(found.every(Object.isFrozen), text).toBe(true)
        }
      }),
      { ...RUNS, numRuns: Math.ceil(WORLDS / 2) },
    )
  })
})

describe('any text', () => {
  const STRINGS = pairs(7_200)
  /**
   * Spots set up, spots looked at and questions asked are together at most 4 × (nodes + length of the text) × (steps,
   * conditions and tests + 1): linear in the tree for any selector.
   */
  const VISITS = 4

  const full = importSnapshot(documentOf(bigTree()), { dialect: '1.0' })
  const nodes = full.count('*')
  const asked = DIALECTS.flatMap((dialect) => {
    const { cycle, tree } = fillFixture({ spec_version: 'PACT/1.0.0', cycle: 4, root: bigTree() })
    const world = { dialect, snapshots: [{ cycle, tree }], working: tree }
    return fc.sample(selectorArbitrary(world, dialect), { seed: SEED, numRuns: 150 })
  })
  const texts = [...asked, ...[...rows, ...badRows].map(({ selector }) => selector)]
  const random = fc.oneof(
    fc.array(fc.constantFrom(...SCRAPS), { maxLength: 24 }).map((scraps) => scraps.join('')),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  // A few lists of edits are empty, so that some texts stay as they are.
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...SCRAPS)), { maxLength: 3 })
  const mutated = fc.noBias(fc.tuple(fc.constantFrom(...texts), edits)).map(([text, list]) =>
    list.reduce((each, [place, cut, scrap]) => {
      const at = place % (each.length + 1)
      return each.slice(0, at) + scrap + each.slice(at + cut)
    }, text),
  )
  let slowest = { ms: 0, text: '' }
  let found = 0

  afterAll(() => {
    const { ms, text } = slowest
    console.log(
      `any text: ${found} of ${STRINGS} found something; slowest ${ms.toFixed(1)} ms: ${JSON.stringify(text)}`,
    )
  })

  test.each([
    ['random', random, 0.4],
    ['mutated', mutated, 0.6],
  ] as const)('that is %s gives a list, or a PactError with its place, for bounded visits', (_, strings, share) => {
    const faults = new Set<string>()
    fc.assert(
      fc.property(strings, fc.constantFrom(...DIALECTS), (text, dialect) => {
        const start = performance.now()
        forgetWork()
        const fault = tryOne(text, dialect)
        const ms = performance.now() - start
        if (ms > slowest.ms) slowest = { ms, text }
        if (fault !== undefined) faults.add(`${fault}: ${JSON.stringify(text)} (${dialect})`)
      }),
      { ...RUNS, numRuns: Math.ceil(STRINGS * share) },
    )
    expect([...faults].toSorted((a, b) => a.length - b.length).slice(0, 5)).toEqual([])
  })

  /** The fault of the answer; undefined if it is right. */
  function tryOne(text: string, dialect: Dialect): string | undefined {
    let result: RangeDiffLatestResult | readonly string[]
    try {
      result = full.select(text, { dialect })
    } catch (error) {
      if (!PactError.is(error)) return `It failed without a PactError: ${String(error)}`
      return refusalFault(error, text, dialect)
    }
    const snapshots = 'diffs' in result ? result.snapshots.length : 1
    if ('diffs' in result ? result.diffs.length > 0 : result.length > 0) found++
    const tree = parseSelector(text, { dialect })
    const bound = VISITS * (nodes * snapshots + text.length) * (partsOf(tree) + 1)
    const visits = work.visits + work.asked
    return visits <= bound ? undefined : `${visits} visits, more than ${bound}`
  }

  test('the longest texts stay within the bound of visits, too', () => {
    const scraps = [
      '.block,',
      '.block ',
      '* ',
      '* > ',
      '[ttl]',
      '*:first,',
      ':core ',
      '(* ',
      '((d1,0)),',
      '{a=1} ?? *, ',
    ]
    for (const dialect of DIALECTS) {
      for (const scrap of scraps) {
        for (const length of [30, 1_000, 16_000]) {
          const text = `*${scrap.startsWith('[') ? '' : ' '}${scrap.repeat(Math.ceil(length / scrap.length))}*`
          forgetWork()
          const closed = text + ')'.repeat(text.split('(').length - text.split(')').length)
          expect(tryOne(closed, dialect), closed.slice(0, 60)).toBeUndefined()
        }
      }
    }
  })
})

/** Counts how often a test is asked. */
function counted<A extends unknown[]>(test: (...args: A) => boolean): (...args: A) => boolean {
  return (...args) => {
    work.asked++
    return test(...args)
  }
}

function forgetWork(): void {
  work.visits = 0
  work.asked = 0
}

/** A trailing `?` is a fault of the text like any other (D23, D40); a missing snapshot is none, ranges come later. */
function refusalFault({ code, details }: PactError, text: string, dialect: Dialect): string | undefined {
  if (code === 'E_SNAPSHOT_NOT_FOUND') return undefined
  const tree = tryParse(text, dialect)
  if (tree?.time?.kind === 'range') return undefined
  const { pos, token } = details as { pos: number; token: string }
  if (!/^E_(?:SELECTOR|DEPTH|SNAPSHOT_RANGE)_/.test(code)) return `The code is ${code}`
  if (!(pos >= 0 && pos <= text.length)) return `${code} has no place in the text`
  return text.startsWith(token, pos) ? undefined : `The token ${token} does not stand at ${pos}`
}

/** Steps and tests of a selector, parentheses and coordinates included. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own =
    Number('conditions' in value) + Number('kind' in value) + Number('op' in value) + Number('offsets' in value)
  return Object.values(value).reduce<number>((sum, each) => sum + partsOf(each), own)
}

/** A tree without spans and without the operator of its range. */
function meaningOf(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (name, value: unknown) => (name === 'span' || name === 'operator' ? undefined : value)),
  )
}

type Case<T> = Readonly<{ ctx: Context; tree: OracleTree; drawn: readonly T[] }>

/** A context whose one snapshot is a generated tree, and eight things drawn for it. */
function worldsWith<T>(dialect: Dialect, draw: (world: OracleWorld) => Arbitrary<T>): Arbitrary<Case<T>> {
  return worldArbitraryOf({ dialect }).chain(({ working, snapshots }) => {
    const cycle = snapshots.at(-1)?.cycle ?? 1
    const world = { dialect, snapshots: [{ cycle, tree: working }], working }
    return fc.array(draw(world), { minLength: 8, maxLength: 8 }).map((drawn) => {
      const ctx = importSnapshot({ cycle, root: working }, { dialect, clock: () => 1n })
      return { ctx, tree: working, drawn }
    })
  })
}

/** Selectors that mostly match, and selectors of the whole grammar. */
function questions(dialect: Dialect): Arbitrary<Case<string>> {
  const times = fc.constantFrom<Selector['time']>(undefined, { kind: 'at', at: { kind: 't', value: 0 }, span: SPAN })
  const any = selectors({ dialect, times, optional: false, names: NAMES }).map(formatSelector)
  return worldsWith(dialect, (world) =>
    fc.oneof({ weight: 3, arbitrary: selectorArbitrary(world, dialect) }, { weight: 1, arbitrary: any }),
  )
}

/** Single chains, without a time and without controls. */
function chainsOf(world: OracleWorld): Arbitrary<string> {
  return selectorArbitrary(world, world.dialect, { errors: false }).map((text) => {
    const { dialect, choices, span } = parseSelector(text, { dialect: world.dialect })
    const group: Group = { ...choices[0]!.groups[0]!, scope: undefined }
    const time: Selector['time'] = { kind: 'at', at: { kind: 't', value: 0 }, span }
    const tree: Selector = { dialect, time, choices: [{ groups: [group], span }], optional: false, controls: [], span }
    return formatSelector(tree).replace(/^@t0 /, '')
  })
}

function ask(
  ctx: Context,
  text: string,
  options: SelectOptions = {},
  call: 'select' | 'nodes' | 'count' | 'first' = 'select',
): unknown {
  try {
    return ctx[call](text, options)
  } catch (error) {
    if (PactError.is(error)) return { error: error.code }
    throw error
  }
}

function tryParse(text: string, dialect: Dialect): Selector | undefined {
  try {
    return parseSelector(text, { dialect })
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}

function bytesOf(ctx: Context): readonly string[] {
  const { cycle } = ctx
  const lenses = ['@t0', 'working'] as const
  return [String(cycle), ...lenses.flatMap((lens) => [textOf(ctx.export(lens)), textOf(ctx.threadBytes(lens))])]
}

function isTypeToken(name: string): boolean {
  return /^[a-z]+(?::[a-z]+)+$/.test(name) && !/:(?:pre|core|post|first|last)/.test(name)
}

function documentOf(root: OracleTree): object {
  return { cycle: 4, root }
}

/** About 300 nodes: twelve turns with context on both sides, nested containers, keys, tags and attributes. */
function bigTree(): OracleTree {
  let made = 0
  const block = (offset: number, more: object = {}): object => {
    const n = made++
    const tags = n % 3 === 0 ? { tags: ['audit', 'user'].slice(n % 2) } : {}
    const key = n % 5 === 0 ? { key: ['k', 'note', 'hero banner'][n % 3] } : {}
    const nodeType = ['block', 'block:note', 'cb:summary', 'block'][n % 4]!
    return { id: `b${n}`, nodeType, offset, ttl: n % 4 === 0 ? n % 7 : null, role: 'user', ...tags, ...key, ...more }
  }
  const cont = (offset: number, children: object[]): object => ({
    id: `c${made++}`,
    nodeType: 'cont',
    offset,
    children,
  })
  const turn = (i: number): object[] => [
    ...[-2, -1, -1].map((offset) => block(offset, { data_x: i })),
    ...(i % 3 === 0
      ? Array.from({ length: 16 }, () => block(0))
      : [cont(0, [...Array.from({ length: 12 }, (_, at) => block(at)), cont(12, [block(0), cont(1, [block(0)])])])]),
    ...[1, 2].map((offset) => block(offset, { data_x: String(i) })),
  ]
  const segments = Array.from({ length: 12 }, (_, i) => ({
    id: `s${i}`,
    nodeType: 'seg',
    offset: i,
    children: turn(i),
  }))
  const regions = [
    { id: 'sys', nodeType: '^sys', children: [block(0), block(1)] },
    { id: 'seq', nodeType: '^seq', children: segments },
    { id: 'ah', nodeType: '^ah', children: turn(13) },
  ]
  return { id: 'root', nodeType: '^root', children: regions }
}
