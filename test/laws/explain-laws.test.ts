// The law of forecasts (N122): in random programs, where nothing is edited any more and no limit is set, a node leaves in the
// cycle that `explain` says, and stays where `explain` names none. PACT_RUNS and PACT_SEED widen it.

import fc from 'fast-check'
import { createContext, PactError, type Context } from 'pact-context'
import { expect, test } from 'vitest'

import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261118)
const AHEAD = 7

const step = fc.record({
  do: fc.constantFrom(
    'add',
    'add',
    'box',
    'box',
    'nest',
    'into',
    'update',
    'replace',
    'delete',
    'hold',
    'commit',
    'commit',
  ),
  pick: fc.nat(30),
  refs: fc.array(fc.nat(30), { maxLength: 2 }),
  ttl: fc.option(fc.nat(3), { nil: null, freq: 2 }),
  flag: fc.boolean(),
})

test('a node leaves when explain says, and stays where it says nothing (D24, D26, N122)', () => {
  const seen = { ttl: 0, kept: 0, empty: 0, late: 0 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 8, maxLength: 35 }), fc.constantFrom('keep', 'remove'), (steps, empty) => {
      const ctx = createContext({ clock: () => 1n, emptySegments: empty })
      for (const each of steps) take(ctx, each)
      check(ctx, seen)
    }),
    { numRuns: runs(150), seed: SEED },
  )
  // A law about nothing would hold as well.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0)
})

function take(
  ctx: Context,
  { do: what, pick, refs, ttl, flag }: typeof step extends fc.Arbitrary<infer T> ? T : never,
): void {
  const ids = liveIds(ctx)
  const idAt = (n: number): string => ids[n % ids.length] ?? 'nobody'
  const header = { ttl, refs: refs.map(idAt) }
  const target = `[id='${idAt(pick)}']`
  try {
    if (what === 'commit') ctx.commit()
    else if (what === 'add') ctx.post('x', header)
    else if (what === 'box') {
      const children = [
        { content: 'a', ttl: pick % 4 },
        { content: 'b', refs: [idAt(pick + 1)] },
      ]
      ctx.add(undefined, { zone: 'post', ...header, removable: flag, children: flag ? children.slice(0, 1) : children })
    } else if (what === 'nest') {
      const inner = { removable: true, refs: header.refs, children: [{ content: 'c', ttl: pick % 3 }] }
      ctx.add(undefined, { zone: 'post', removable: true, children: [inner] })
    } else if (what === 'into') ctx.insert({ content: 'y', ...header }, { parent: idAt(pick) })
    else if (what === 'update') ctx.update(target, { ttl })
    else if (what === 'replace') ctx.replace(target, { content: 'z' })
    else if (what === 'delete') ctx.delete(target)
    else ctx.hold(idAt(pick))
  } catch (error) {
    // A place where the node is not allowed, an id that is gone: such a call does nothing.
    if (!(error instanceof PactError) || error.code === 'E_INTERNAL') throw error
  }
}

function check(ctx: Context, seen: { ttl: number; kept: number; empty: number; late: number }): void {
  const { cycle } = ctx
  // The core of the head may never be sealed, and what becomes of it then no ttl tells.
  const cores = new Set(ctx.select('^ah > .cont[offset=0]'))
  const explained = liveIds(ctx)
    .filter((id) => !cores.has(id))
    .map((id) => ctx.explain(id))
  const snapshots = Array.from({ length: AHEAD }, () => ctx.commit())
  for (const { id, expires, empties, outlives, keptBy, sentences } of explained) {
    const leaves = expires?.cycle ?? empties?.cycle
    const first = snapshots.findIndex((snapshot) => snapshot.node(id) === undefined)
    const expected = leaves === undefined || leaves >= cycle + AHEAD ? undefined : leaves
    expect(first === -1 ? undefined : cycle + first, sentences.join(' ')).toBe(expected)
    expect(outlives === undefined, id).toBe(keptBy.keeper === undefined)
    if (expires !== undefined && outlives !== undefined) seen.late++
    else if (expires !== undefined) seen.ttl++
    else if (empties !== undefined) seen.empty++
    else if (outlives !== undefined) seen.kept++
    // A named node is there for as long as the node stays.
    if (keptBy.keeper?.by === 'ref' && expires === undefined && empties === undefined) {
      expect(snapshots.at(-1)!.node(keptBy.keeper.id), keptBy.keeper.id).toBeDefined()
    }
  }
}

function liveIds(ctx: Context): readonly string[] {
  return ctx.nodes('*').flatMap(({ id, nodeType }) => (nodeType.startsWith('^') ? [] : [id]))
}
