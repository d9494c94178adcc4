// The law of the corners that N120 to N124 settle: short programs on a context and on the naive model of editing, made of the
// calls that lead there: boxes and budgets, groups that cross turns, markers that are updated and deleted again, ids that lose
// their last reader, schedules that find no place. PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, PactError, type AddHeader, type Context, type PrunePolicy } from 'pact-context'
import { expect, test } from 'vitest'

import { EditingOracle, OracleError, type EditSpec } from '../oracle/editing.js'
import { readExport } from '../support/context.js'
import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261118)

const kinds = [
  'say',
  'brief',
  'box',
  'heading',
  'call',
  'result',
  'note',
  'write',
  'rewrite',
  'rewrite',
  'rewrite',
  'forgetNote',
  'cross',
  'mark',
  'mark',
  'touch',
  'touch',
  'hold',
  'release',
  'cadence',
  'rival',
  'commit',
  'commit',
  'commit',
] as const
const step = fc.record({ do: fc.constantFrom(...kinds), pick: fc.nat(40), priority: fc.integer({ min: -1, max: 1 }) })

const prune: fc.Arbitrary<PrunePolicy | undefined> = fc.option(
  fc.record({ maxNodes: fc.integer({ min: 9, max: 22 }), unit: fc.constantFrom('node', 'turn') }),
  { nil: undefined, freq: 3 },
)

type Step = Readonly<{ do: (typeof kinds)[number]; pick: number; priority: number }>
/** A turn of which soon only a heading is left, which goes first and leaves its segment empty. */
const hollowTurn = fc.constant<Step[]>([
  { do: 'brief', pick: 0, priority: 0 },
  { do: 'heading', pick: 0, priority: -1 },
  { do: 'commit', pick: 0, priority: 0 },
])
const SIZE = { minLength: 12, maxLength: 40, size: 'max' } as const

type Calls = Pick<EditingOracle, 'add' | 'replace' | 'delete' | 'update' | 'hold' | 'commit'> & {
  addToSystem: (spec: EditSpec) => string
}

test('a context and the naive model agree in the corners of budgets, markers, names and schedules (N27, N120, N123, N124)', () => {
  const seen = { pruned: 0, leftOut: 0, marked: 0, named: 0, dropped: 0 }
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof({ weight: 9, arbitrary: step.map((each) => [each]) }, { weight: 1, arbitrary: hollowTurn }),
        SIZE,
      ),
      prune,
      fc.constantFrom('keep', 'remove'),
      (groups, policy, emptySegments) => {
        const options = {
          emptySegments,
          countTokens: (text: string) => text.length,
          ...(policy ? { prune: policy } : {}),
        }
        const ctx = createContext({ ...options, clock: () => 1n })
        const oracle = new EditingOracle({ ...options, dialect: '1.0', clock: () => 1n } as never)
        play(ctx, oracle, groups.flat(), seen)
      },
    ),
    { numRuns: runs(120), seed: SEED },
  )
  // A law about nothing would hold as well.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0)
})

test('limits are measured after what a unit leaves empty has left too (N120)', () => {
  const plainTurn = fc.constant<Step[]>([
    { do: 'say', pick: 0, priority: 0 },
    { do: 'commit', pick: 0, priority: 0 },
  ])
  fc.assert(
    fc.property(
      fc.array(fc.oneof(hollowTurn, plainTurn), { minLength: 3, maxLength: 8 }),
      fc.integer({ min: 9, max: 24 }),
      fc.constantFrom('node' as const, 'turn' as const),
      (groups, maxNodes, unit) => {
        const options = { emptySegments: 'remove', prune: { maxNodes, unit } } as const
        const ctx = createContext({ ...options, clock: () => 1n })
        const oracle = new EditingOracle({ ...options, dialect: '1.0', clock: () => 1n })
        play(ctx, oracle, groups.flat(), { pruned: 0, leftOut: 0, marked: 0, named: 0, dropped: 0 })
      },
    ),
    { numRuns: runs(60), seed: SEED },
  )
})

function play(ctx: Context, oracle: EditingOracle, steps: readonly Step[], seen: Record<string, number>): void {
  const [ours, theirs] = [callsOf(ctx), { ...callsOfOracle(oracle) }]
  const holds: [() => void, () => void][] = []
  const ids: string[] = []
  /** The ids that the node of the key `k` has had. */
  const written: string[] = []
  for (const each of steps) {
    if (each.do === 'release') holds.splice(0, 1).forEach((pair) => pair.forEach((release) => release()))
    else if (each.do === 'hold') {
      const id = ids[each.pick % (ids.length || 1)]
      if (id !== undefined && ctx.node(id) !== undefined) holds.push([ours.hold(id), theirs.hold(id)])
    } else {
      const [mine, naive] = [ours, theirs].map((calls) => attempt(() => take(calls, each, written)))
      expect(mine!.code, each.do).toBe(naive!.code)
      if (each.do === 'commit') checkCommit(ctx, oracle, mine!.value, naive!.value, seen)
      else if (typeof mine!.value === 'string') ids.push(mine!.value)
      if (each.do === 'write' || each.do === 'rewrite') written.push(...[mine!.value ?? []].flat(2).map(String))
      if (each.do === 'touch' && mine!.code === undefined) seen['marked']!++
    }
    expect(text(ctx.export('working'))).toBe(oracle.exportText('working'))
  }
}

function take(calls: Calls, { do: what, pick, priority }: Step, written: readonly string[]): unknown {
  const id = written[pick % (written.length || 1)] ?? 'nobody'
  const depth = (pick % 3) + 1
  switch (what) {
    case 'say':
      return calls.add({ content: 'said', priority })
    case 'brief':
      return calls.add({ content: 'brief', ttl: 1 })
    case 'box':
      return calls.add({ zone: 'post', priority, removable: pick % 2 === 0, children: [] })
    case 'heading':
      return calls.add({ content: 'heading', zone: 'post', priority, children: [] })
    case 'call':
      return calls.add({ content: 'call', role: 'assistant', kind: 'call', data_call_id: `c${pick % 2}` })
    case 'result':
      return calls.add({ content: 'result', role: 'tool', kind: 'result', data_call_id: `c${pick % 2}` })
    case 'note':
      return calls.add({ content: 'note', zone: 'post', key: 'note', refs: [id], ttl: pick % 2 === 0 ? 2 : null })
    case 'write':
      return calls.add({ content: 'written', zone: 'post', key: 'k', ttl: pick % 4 === 0 ? 3 : null })
    case 'rewrite':
      return calls.replace('#k?', { content: `written ${pick}` })
    case 'forgetNote':
      return calls.delete('#note?')
    case 'cross':
      return calls.replace("[content='said']?", { key: 'k' })
    case 'mark':
      return calls.delete(`d${depth} .block?`, { author: 'dpo', reason: `${pick}` })
    case 'touch':
      return calls.update('.redaction', pick % 2 === 0 ? { tags: ['seen'] } : { ttl: 4 })
    case 'cadence':
      return calls.add({ content: 'reminder', zone: 'post', key: 'r', cad: (pick % 2) + 1, ttl: 1 })
    case 'rival':
      return pick % 3 === 0 ? calls.addToSystem({ content: 'rival', key: 'r' }) : undefined
    default:
      return calls.commit()
  }
}

function checkCommit(
  ctx: Context,
  oracle: EditingOracle,
  mine: unknown,
  naive: unknown,
  seen: Record<string, number>,
): void {
  if (mine === undefined) return
  const { removed, shed, limits, unmet } = ctx.snapshot('@t0').receipt
  const measured = limits.map(({ kept: _kept, ...rest }) => rest)
  expect({ removed: removed.map(({ size: _size, ...rest }) => rest), shed, limits: measured, unmet }).toEqual(naive)
  const document = text(ctx.export('@t0'))
  expect(document).toBe(oracle.exportText(ctx.cycle - 1))
  if (removed.length > 0) seen['pruned']!++
  const isNamed = document.includes('pact:stands_for')
  if (isNamed) seen['named']!++
  else if (ctx.cycle > 2 && text(ctx.export('@t-1')).includes('pact:stands_for')) seen['dropped']!++
  // A schedule that was due and put nothing into the head has warned of it, once.
  const { schedules } = readExport(ctx.export('@t0')) as unknown as {
    schedules: { key: string; cad: number; first_cycle: number }[]
  }
  const due = schedules.filter(({ cad, first_cycle: first }) => (ctx.cycle - first) % cad === 0)
  const missing = due.filter(({ key }) => ctx.select(`^ah #${key}`).length === 0).map(({ key }) => key)
  const warned = ctx.warnings.filter(
    ({ details }) => details['kind'] === 'schedule-left-out' && details['cycle'] === ctx.cycle,
  )
  expect(warned.map(({ details }) => details['key'])).toEqual(missing)
  seen['leftOut']! += missing.length
}

function callsOf(ctx: Context): Calls {
  const add = ({ content, ...header }: EditSpec): string => ctx.add(content as string, header as AddHeader).id
  return {
    add,
    addToSystem: ({ content, ...header }) => ctx.system.add(content as string, header as AddHeader).id,
    replace: (selector, spec) => ctx.replace(selector, spec as { content: string }).map(({ id }) => id),
    delete: (selector, options) => ctx.delete(selector, options).map(({ id }) => id),
    update: (selector, changes) => ctx.update(selector, changes).map(({ id }) => id),
    hold: (id) => {
      const hold = ctx.hold(id)
      return () => hold.release()
    },
    commit: () => ctx.commit() as never,
  }
}

function callsOfOracle(oracle: EditingOracle): Calls {
  return {
    add: (spec) => oracle.add(spec),
    addToSystem: (spec) => oracle.system.add(spec),
    replace: (selector, spec) => oracle.replace(selector, spec),
    delete: (selector, options) => oracle.delete(selector, options),
    update: (selector, changes) => oracle.update(selector, changes),
    hold: (id) => oracle.hold(id),
    commit: () => oracle.commit(),
  }
}

function attempt(run: () => unknown): { value?: unknown; code?: string } {
  try {
    return { value: run() }
  } catch (error) {
    if (PactError.is(error) || error instanceof OracleError) return { code: error.code }
    throw error
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
