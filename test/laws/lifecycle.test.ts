// The engine against the naive model of test/oracle: the same random program runs on both, and after every step and
// every commit ids, order, parents, headers, ttl, thread and receipt must be the same. PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, PactError, type AddHeader, type ContentInput, type Context, type Hold } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { EditingOracle, type EditSpec, type OraclePolicy } from '../oracle/editing.js'
import { decodeJson } from '../support/json.js'
import { runs } from '../support/runs.js'

/** A node for the active head, or for `^sys`. */
type Spec = EditSpec & { region?: 'sys' }

type Step =
  | { do: 'add'; spec: Spec }
  | { do: 'hold'; pick: number }
  | { do: 'release'; pick: number }
  | { do: 'commit' }

const RUNS = runs(160)
const SEED = Number(process.env['PACT_SEED'] ?? 20261115)

/** Ids are predictable, so programs can refer to nodes that are not there yet, each other included. */
const someId = fc
  .tuple(fc.constantFrom('block', 'cont', 'seg'), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 8 }))
  .map(([name, cycle, n]) => `${name}:${cycle}-${n}`)

// freq is one in how many are left out: 2 leaves out every second, 1 all of them.
const headers = {
  ttl: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 2 }),
  priority: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
  role: fc.option(fc.constantFrom('user', 'assistant', 'tool'), { nil: undefined }),
  kind: fc.option(fc.constantFrom('text', 'call', 'result', 'reasoning'), { nil: undefined }),
  refs: fc.option(fc.array(someId, { maxLength: 2 }), { nil: undefined, freq: 2 }),
  pinned: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
  data_call_id: fc.option(
    fc.oneof(fc.constantFrom('c1', 'c2', 'c3'), fc.array(fc.constantFrom('c1', 'c2', 'c3'), { maxLength: 2 })),
    { nil: undefined, freq: 2 },
  ),
} as const

const content = fc.oneof(
  fc.constantFrom('', 'short', 'a somewhat longer text of some bytes', 'é😀'),
  fc.constantFrom({ a: [1] }, { a: [0.5, 1e21, -0.00001] }),
)

// Absent and undefined are the same to both sides, which fast-check's types cannot say.
const block = fc.record({ content, ...headers }, { requiredKeys: ['content'] }) as fc.Arbitrary<Spec>

const container: fc.Arbitrary<Spec> = fc
  .tuple(
    fc.record({ removable: fc.boolean(), ...headers }, { requiredKeys: [] }),
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: block },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.boolean(), fc.array(block, { maxLength: 2 }))
            .map(([removable, children]): Spec => ({ removable, children })),
        },
      ),
      { maxLength: 3 },
    ),
  )
  .map(([header, children]) => ({ ...header, children }) as Spec)

const place: fc.Arbitrary<Partial<Spec>> = fc.oneof(
  fc.constant({}),
  fc.constantFrom<Partial<Spec>>({ zone: 'pre' }, { zone: 'post' }, { zone: 'core' }, { region: 'sys' }),
  fc.integer({ min: -3, max: 3 }).map((offset) => ({ offset })),
  fc.integer({ min: -3, max: 3 }).map((offset) => ({ zone: 'core' as const, offset })),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(fc.oneof({ weight: 4, arbitrary: block }, { weight: 1, arbitrary: container }), place)
      .map(([spec, where]): Step => ({ do: 'add', spec: { ...spec, ...where } })),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'commit' }) },
  { weight: 1, arbitrary: fc.nat(30).map((pick): Step => ({ do: 'hold', pick })) },
  { weight: 1, arbitrary: fc.nat(5).map((pick): Step => ({ do: 'release', pick })) },
)

const limit = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 2 })
const policy = fc.option(
  fc.record(
    {
      maxNodes: limit,
      maxNodesPerSegment: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 2 }),
      maxDepth: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 2 }),
      maxTokens: fc.option(
        fc.oneof(
          fc.integer({ min: 0, max: 60 }),
          fc.record({ '^sys': fc.nat(20), '^seq': fc.nat(60), '^ah': fc.nat(20) }, { requiredKeys: [] }),
        ),
        { nil: undefined, freq: 2 },
      ),
      protectSegments: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
      unit: fc.constantFrom('turn', 'turn', 'node', undefined),
      target: fc.constantFrom(undefined, undefined, 0.3, 0.5, 0.7, 1, 'half of maxTokens'),
      unmet: fc.constantFrom('report', 'error', undefined),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined, freq: 2 },
)

const program = fc.record({
  dialect: fc.constantFrom('1.0' as const, '0.1' as const),
  prune: policy,
  emptySegments: fc.constantFrom('keep' as const, 'remove' as const),
  steps: fc.array(step, { minLength: 1, maxLength: 40 }),
  // A clock that does not move, jumps back or runs on.
  ticks: fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1, maxLength: 5 }),
})

// Longer histories that a policy always has work with (D48, D51, D55): turns of a few nodes, most of which nothing protects.

const often = <T>(value: T, rest: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: rest })

const plainSpec = fc.record({
  content: fc.constantFrom('', 'short', 'a somewhat longer text of some bytes', 'cat /a/b.md', '7001 (x9y8) a.ts.'),
  priority: often<number | undefined>(undefined, fc.integer({ min: -1, max: 2 }), 3),
  ttl: often<number | undefined>(undefined, fc.integer({ min: 1, max: 2 }), 4),
  kind: often<string | undefined>(undefined, fc.constantFrom('call', 'result', 'reasoning', 'reasoning'), 2),
  data_call_id: often<string | undefined>(undefined, fc.constantFrom('c1', 'c2'), 5),
  pinned: often<boolean | undefined>(undefined, fc.constant(true), 14),
  refs: often<string[] | undefined>(undefined, fc.array(someId, { maxLength: 1 }), 10),
  zone: often<'post' | 'core' | undefined>(undefined, fc.constantFrom('post' as const, 'core' as const), 5),
}) as fc.Arbitrary<Spec>

/** Boxes that go once they are empty, and boxes that stay and may keep a segment that nothing else is left in (N120). */
const boxSpec = fc
  .tuple(plainSpec, fc.array(plainSpec, { maxLength: 3 }), fc.boolean())
  .map(([{ content, ...header }, children, removable]): Spec => {
    const inside = children.map(({ zone: _zone, ...child }) => child)
    // Some boxes say something themselves.
    return { ...header, ...(content === 'short' ? { content } : {}), removable, children: inside }
  })

/** A turn that is soon empty but for a box in its post-context. */
const hollowTurn = fc
  .tuple(fc.integer({ min: -1, max: 1 }), fc.array(someId, { maxLength: 1 }), fc.boolean(), fc.boolean())
  .map(([priority, refs, removable, speaks]): Step[] => [
    { do: 'add', spec: { content: 'soon gone', ttl: 1 } },
    { do: 'add', spec: { zone: 'post', priority, refs, removable, children: [], ...(speaks ? { content: 'x' } : {}) } },
    { do: 'commit' },
  ])

/** Reasoning, a call and the nodes that may come between them, each with headers of its own. */
const exchange = fc
  .tuple(
    fc.constantFrom(['reasoning', 'text', 'call'], ['reasoning', 'reasoning', 'call', 'result'], ['reasoning', 'call']),
    fc.array(plainSpec, { minLength: 4, maxLength: 4 }),
  )
  .map(([kinds, specs]): Spec[] => kinds.map((kind, i) => ({ ...specs[i], kind, zone: 'core' as const })))

const turn = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 7, arbitrary: plainSpec.map((spec) => [spec]) },
        { weight: 1, arbitrary: boxSpec.map((spec) => [spec]) },
        { weight: 2, arbitrary: exchange },
      ),
      { minLength: 1, maxLength: 3, size: 'max' },
    ),
    often<Step[]>(
      [],
      fc.nat(30).map((pick): Step[] => [{ do: pick % 2 === 0 ? 'hold' : 'release', pick }]),
      8,
    ),
  )
  .map(([specs, rest]): Step[] => {
    return [...specs.flat().map((spec): Step => ({ do: 'add', spec })), ...rest, { do: 'commit' }]
  })

const thriftyProgram = fc.record({
  dialect: fc.constantFrom('1.0' as const, '0.1' as const),
  prune: fc.record({
    maxNodes: often<number | undefined>(undefined, fc.integer({ min: 12, max: 40 }), 2),
    maxNodesPerSegment: often<number | undefined>(undefined, fc.integer({ min: 2, max: 5 }), 5),
    maxDepth: often<number | undefined>(undefined, fc.integer({ min: 2, max: 6 }), 3),
    maxTokens: often<number | { '^seq': number } | undefined>(
      60,
      fc.oneof(fc.integer({ min: 20, max: 120 }), fc.record({ '^seq': fc.integer({ min: 20, max: 120 }) })),
      2,
    ),
    protectSegments: fc.constantFrom(undefined, undefined, 0, 2),
    unit: fc.constantFrom('turn' as const, 'turn' as const, 'node' as const),
    target: fc.constantFrom(undefined, 0.3, 0.5, 0.7, 'half of maxTokens' as const),
    names: fc.constantFrom(undefined, 1, 30),
    unmet: fc.constant(undefined),
  }),
  emptySegments: fc.constantFrom('keep' as const, 'remove' as const),
  steps: fc
    .array(fc.oneof({ weight: 4, arbitrary: turn }, { weight: 1, arbitrary: hollowTurn }), {
      minLength: 4,
      maxLength: 10,
      size: 'max',
    })
    .map((turns) => turns.flat()),
  ticks: fc.constantFrom([1], [50, -5, 0]),
})

describe('the lifecycle', () => {
  test('agrees with the naive model where turns are compacted and limits have targets (D27, D48, D51, D55)', () => {
    fc.assert(
      fc.property(thriftyProgram, (given) => compareRuns(given)),
      { numRuns: runs(60), seed: SEED },
    )
  })

  // Found by the law above at four times its size.
  test('takes turns again in their order when one that shares a call group loses a node (D51)', () => {
    const add = (spec: Spec): Step => ({ do: 'add', spec })
    const said = 'a somewhat longer text of some bytes'
    compareRuns({
      dialect: '1.0',
      prune: { maxDepth: 4, maxTokens: 60, protectSegments: 0, unit: 'turn' },
      emptySegments: 'keep',
      ticks: [1],
      steps: [
        add({ content: '', kind: 'reasoning', zone: 'core' }),
        add({ content: '', kind: 'text', priority: 0, zone: 'core' }),
        add({ content: '', kind: 'call', data_call_id: 'c2', zone: 'core' }),
        add({ content: '', kind: 'call', priority: 0, ttl: 1 }),
        { do: 'commit' },
        add({ content: '', kind: 'reasoning', priority: 1, data_call_id: 'c2', zone: 'post' }),
        add({ content: '' }),
        { do: 'commit' },
        add({ content: '', zone: 'post' }),
        { do: 'commit' },
        add({
          ttl: 1,
          data_call_id: 'c1',
          removable: true,
          children: [
            { content: said, kind: 'call', ttl: 1, data_call_id: 'c1' },
            { content: said, priority: 0 },
          ],
        }),
        { do: 'commit' },
        add({ content: '', kind: 'call', ttl: 1, data_call_id: 'c1' }),
        { do: 'hold', pick: 0 },
        { do: 'commit' },
        add({ content: '', kind: 'reasoning', priority: 0, zone: 'core' }),
        add({ content: '', kind: 'text', zone: 'core' }),
        add({ content: '', kind: 'call', zone: 'core' }),
        { do: 'hold', pick: 0 },
        { do: 'commit' },
      ],
    })
  })

  test('agrees with the naive model on random programs (02 §5–§8, 03, D24–D27, D36, D37)', () => {
    fc.assert(
      fc.property(program, (given) => compareRuns(given)),
      { numRuns: RUNS, seed: SEED },
    )
  })
})

type AnyProgram<A> = A extends fc.Arbitrary<infer T> ? T : never
type Program = AnyProgram<typeof program> | AnyProgram<typeof thriftyProgram>

function compareRuns({ dialect, prune, emptySegments, steps, ticks }: Program): void {
  const limits = prune === undefined ? undefined : policyOf(prune)
  const countTokens = (text: string): number => text.length
  const options = { dialect, countTokens, emptySegments, ...(limits ? { prune: limits } : {}) }
  const oracle = new EditingOracle({ ...options, clock: clockOf(ticks) })
  const ctx = createContext({ ...options, clock: clockOf(ticks) })
  const known: string[] = []
  const holds: { hold: Hold; release: () => void }[] = []
  const hashes = new Map<number, string>()
  for (const each of steps) {
    if (each.do === 'add') known.push(addToBoth(ctx, oracle, each.spec))
    else if (each.do === 'hold') {
      const id = known[each.pick % (known.length || 1)]
      if (id !== undefined && ctx.node(id) !== undefined) holds.push({ hold: ctx.hold(id), release: oracle.hold(id) })
    } else if (each.do === 'release') {
      const held = holds[each.pick % (holds.length || 1)]
      held?.hold.release()
      held?.release()
    } else commitBoth(ctx, oracle, hashes)
    expect(treeOf(ctx.export('working'))).toEqual(oracle.tree('working'))
    expect(ctx.thread()).toEqual(oracle.thread('working'))
  }
  for (const [cycle, bytes] of hashes) expect(text(ctx.export(`@c${cycle}`))).toBe(bytes)
}

/** A target in tokens is one only where the limit is a number, and more than 1. */
function policyOf({ target, ...rest }: NonNullable<Program['prune']>): OraclePolicy {
  const { maxTokens } = rest
  const tokens = typeof maxTokens === 'number' && maxTokens > 2 ? Math.ceil(maxTokens / 2) : undefined
  return withoutUndefined({ ...rest, target: typeof target === 'string' ? tokens : target }) as OraclePolicy
}

function commitBoth(ctx: Context, oracle: EditingOracle, hashes: Map<number, string>): void {
  const { cycle } = ctx
  const previewed = attempt(() => text(ctx.preview().threadBytes()))
  const before = text(ctx.export('working'))
  const expected = attempt(() => oracle.commit())
  const actual = attempt(() => ctx.commit())
  if (actual.error !== undefined) {
    expect(PactError.is(actual.error) && actual.error.code).toBe('E_BUDGET')
    expect(String(expected.error)).toContain('E_BUDGET')
    expect(text(ctx.export('working'))).toBe(before)
    expect(previewed.error).toBeDefined()
    return
  }
  expect(expected.error).toBeUndefined()
  const { removed, shed, limits, unmet } = actual.value!.receipt
  const measured = limits.map(({ kept: _kept, ...rest }) => rest)
  const left = removed.map(({ size: _size, ...rest }) => rest)
  expect({ removed: left, shed, limits: measured, unmet }).toEqual(expected.value)
  expect(treeOf(ctx.export('@t0'))).toEqual(oracle.tree(cycle))
  expect(text(ctx.threadBytes('@t0'))).toBe(previewed.value)
  expect(ctx.thread('@t0')).toEqual(oracle.thread(cycle))
  // With nothing written since, the working state is the same tree (D5).
  expect(treeOf(ctx.export('working'))).toEqual(treeOf(ctx.export('@t0')))
  hashes.set(cycle, text(ctx.export('@t0')))
}

function addToBoth(ctx: Context, oracle: EditingOracle, spec: Spec): string {
  const { region, ...own } = spec
  const id = region === 'sys' ? oracle.system.add(own) : oracle.add(own)
  const { content: value, ...header } = own
  const node =
    region === 'sys'
      ? ctx.system.add(value as ContentInput, header as AddHeader)
      : ctx.add(value as ContentInput, header as AddHeader)
  expect(node.id).toBe(id)
  return id
}

function clockOf(ticks: readonly number[]): () => bigint {
  let now = 1_700_000_000_000_000_000n
  let i = 0
  return () => (now += BigInt(ticks[i++ % ticks.length]!))
}

function attempt<T>(run: () => T): { value?: T; error?: unknown } {
  try {
    return { value: run() }
  } catch (error) {
    return { error }
  }
}

function treeOf(bytes: Uint8Array): unknown {
  return (decodeJson(text(bytes)) as { root: unknown }).root
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}
