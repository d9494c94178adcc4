// The law of overlap (D29), on generated programs: after any sequence of writes, moves, replacements, undos and commits all
// older live instances of a key are strictly deeper than the newest. Deletion and expiry judge nothing (004 §6.4), so
// they take no part.

import fc from 'fast-check'
import { createContext, PactError, type Context, type Node, type Position } from 'pact-context'
import { expect, test } from 'vitest'

import { bySiblingRule, clockOf, walk } from '../support/context.js'
import { byId, stateOf } from '../support/editing.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

type Call = Readonly<{ isWrite: boolean; run: (ctx: Context) => unknown }>

const key = fc.constantFrom('a', 'b')
const depth = fc.integer({ min: 0, max: 5 })
const position: fc.Arbitrary<Position> = fc.oneof(
  depth.map((d) => ({ depth: d })),
  depth.map((d) => `(d${d}, end)`),
  depth.map((d) => `(d${d},)`),
  fc.constant('(d0, 0, end)'),
)
const pick = fc.nat(30)
const zone = fc.constantFrom('pre' as const, 'core' as const, 'post' as const)

const writes: fc.Arbitrary<Call['run']> = fc.oneof(
  fc.tuple(zone, key).map(
    ([to, k]) =>
      (ctx: Context) =>
        ctx.add('x', { key: k, zone: to }),
  ),
  fc.tuple(key, position).map(
    ([k, at]) =>
      (ctx: Context) =>
        ctx.insert({ content: 'x', key: k }, at),
  ),
  fc.tuple(key, key, position).map(
    ([k, j, at]) =>
      (ctx: Context) =>
        ctx.insert({ key: k, children: [{ content: 'x', key: j }] }, at),
  ),
  key.map((k) => (ctx: Context) => ctx.put(k, 'z')),
)

const others: fc.Arbitrary<Call['run']> = fc.oneof(
  fc.tuple(pick, position).map(
    ([n, at]) =>
      (ctx: Context) =>
        ctx.move(picked(ctx, n), at),
  ),
  pick.map((n) => (ctx: Context) => ctx.replace(picked(ctx, n), { content: 'y' })),
  fc.constant((ctx: Context) => ctx.undo()),
  fc.constant(turn),
  fc.constant(turn),
)

function turn(ctx: Context): void {
  ctx.user('turn')
  ctx.commit()
}

/** One of the nodes that can go somewhere, or that have a key. */
function picked(ctx: Context, n: number): string {
  const all = ctx.nodes('^seq *, ^ah *').filter((node) => node.key !== undefined || node.offset !== 0)
  return byId(all[n % (all.length || 1)]?.id ?? 'nobody')
}

test('after any sequence of edits and commits, all older live instances stand deeper than the newest (D29)', () => {
  const counts = { refused: 0, demoted: 0 }
  const call: fc.Arbitrary<Call> = fc.oneof(
    writes.map((run) => ({ isWrite: true, run })),
    others.map((run) => ({ isWrite: false, run })),
  )
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 4, maxLength: 20 }),
      fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      (calls, rejects) => {
        const ctx = createContext({ clock: clockOf(), odi: rejects ? 'reject' : 'demote' })
        for (let i = 0; i < 3; i++) turn(ctx)
        for (const { isWrite, run } of calls) {
          const [before, parents] = [stateOf(ctx), parentsIn(ctx)]
          try {
            run(ctx)
          } catch (error) {
            if (!PactError.is(error) || error.code === 'E_INTERNAL') throw error
            expect(stateOf(ctx)).toBe(before)
            counts.refused++
          }
          for (const k of ['a', 'b']) expect(offenders(ctx, k)).toEqual([])
          const elsewhere = [...parentsIn(ctx)].some(([id, parent]) => (parents.get(id) ?? parent) !== parent)
          if (isWrite && elsewhere) {
            counts.demoted++
            expect(rejects).toBe(false)
          }
        }
      },
    ),
    { seed: SEED, numRuns: 250 },
  )
  // The programs are worth something only if much was refused and much was demoted.
  expect(counts.refused).toBeGreaterThan(100)
  expect(counts.demoted).toBeGreaterThan(100)
})

function parentsIn(ctx: Context): ReadonlyMap<string, string | undefined> {
  return new Map(walk(ctx.snapshot('working').root).map(({ id, parentId }) => [id, parentId]))
}

/** Instances that are as high as the newest or higher, found by walking the whole tree. */
function offenders(ctx: Context, k: string): string[] {
  const [sys, seq, ah] = ctx.snapshot('working').root.children as [Node, Node, Node]
  const segments = seq.children.map((segment, i) => [segment, seq.children.length - i] as const)
  const instances = ([[sys, -1], [ah, 0], ...segments] as const).flatMap(([top, level]) =>
    walk(top)
      .filter((node) => node.key === k)
      .map((node) => ({ node, level })),
  )
  const newest = instances.toSorted((x, y) => bySiblingRule(ageOf(x.node), ageOf(y.node))).at(-1)
  return instances.filter((each) => each !== newest && each.level <= newest!.level).map(({ node }) => node.id)
}

function ageOf({ createdAtNs, creationIndex, id }: Node): Parameters<typeof bySiblingRule>[0] {
  return { offset: 0, createdAtNs, creationIndex, id }
}
