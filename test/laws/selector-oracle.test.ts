// The engine's selectors against the naive evaluator of test/oracle, which shares no code with it: generated worlds and
// selectors of both dialects. PACT_PAIRS, PACT_WIDER and PACT_SEED widen it; a failing seed prints itself.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { decodeSnapshot } from '../../src/codec/index.js'
import { Queries } from '../../src/context/query.js'
import { PactError } from '../../src/errors/index.js'
import { growTimeline, Thinned, View } from '../../src/timeline/index.js'
import { selectorArbitrary, worldArbitraryOf } from '../oracle/selector-arbitrary.js'
import { answer } from '../support/answer.js'
import { oracleSelect, type OracleTree, type OracleWorld } from '../oracle/selector.js'
import { pairs } from '../support/runs.js'

const PAIRS = pairs(3_600)
const SEED = Number(process.env['PACT_SEED'] ?? 20261115)

describe.each(['1.0', '0.1'] as const)('select in dialect %s', (dialect) => {
  test('agrees with the naive evaluator on generated trees and selectors (04, D2–D23)', () => {
    // One world for several selectors: setting it up costs more than asking it.
    const cases = worldArbitraryOf({ dialect }).chain((world) =>
      fc.tuple(fc.constant(world), fc.array(selectorArbitrary(world, dialect), { minLength: 8, maxLength: 8 })),
    )
    fc.assert(
      fc.property(cases, ([world, selectors]) => {
        const views = viewsOf(world)
        const queries = queriesOf(world, views)
        for (const [i, selector] of selectors.entries()) {
          const ids = answer(() => queries.ids(selector))
          expect(ids, selector).toEqual(expected(world, selector))
          // Every other one is enough for the calls that give the same in another form.
          if (i % 2 === 0) expectOtherCalls(queries, selector, ids)
          else if (!selector.trimStart().startsWith('@')) expectOnSnapshots(queries, world, views, selector)
        }
      }),
      { numRuns: Math.ceil(PAIRS / 16), seed: SEED, endOnFailure: process.env['PACT_SHRINK'] === undefined },
    )
  })
})

/** Whatever `ids` gives or throws, the other calls give or throw too. */
function expectOtherCalls(queries: Queries, selector: string, ids: unknown): void {
  const known = Array.isArray(ids) ? (ids as readonly string[]) : undefined
  // A text that differs by a space has an answer of its own, which is not known yet.
  expect(
    answer(() => [String(queries.count(`${selector} `))]),
    selector,
  ).toEqual(known === undefined ? ids : [String(known.length)])
  expect(
    answer(() => Array.from(queries.iterate(selector), ({ id }) => id)),
    selector,
  ).toEqual(ids)
  expect(
    answer(() => queries.nodes(selector).map(({ id }) => id)),
    selector,
  ).toEqual(ids)
  expect(
    answer(() => [queries.first(selector)?.id ?? '']),
    selector,
  ).toEqual(known === undefined ? ids : [known[0] ?? ''])
}

/** A snapshot's own calls: one compiled selector for one tree after another. */
function expectOnSnapshots(
  queries: Queries,
  world: OracleWorld,
  views: ReadonlyMap<number, View>,
  selector: string,
): void {
  for (const [cycle, view] of views) {
    expect(
      answer(() => queries.ids(selector, undefined, view)),
      selector,
    ).toEqual(expected(world, `@c${cycle} ${selector}`))
  }
}

function expected(world: OracleWorld, selector: string): unknown {
  return answer(() => oracleSelect(world, selector))
}

function viewsOf(world: OracleWorld): ReadonlyMap<number, View> {
  return new Map(world.snapshots.map(({ cycle, tree }) => [cycle, viewOf(tree, cycle, world)]))
}

function queriesOf(world: OracleWorld, views: ReadonlyMap<number, View>): Queries {
  const newest = world.snapshots.map(({ cycle }) => cycle).toSorted((a, b) => b - a)
  const working = viewOf(world.working, (newest[0] ?? 0) + 1, world)
  return new Queries({
    dialect: world.dialect,
    rangesAreDiffs: true,
    still: () => working,
    get bounds() {
      if (newest.length === 0) return undefined
      const oldest = newest.at(-1)!
      return { newest: newest[0]!, oldest, first: oldest, isBacked: false, islands: new Map(), thinned: Thinned.NONE }
    },
    newest: views.get(newest[0] ?? -1),
    at: (cycle) => views.get(cycle),
    warn: () => {},
    of: (lens) => {
      if (lens === 'working') return working
      const [, kind, value] = /^@([tc])([+-]?\d+)$/.exec(lens) ?? []
      const view = kind === 'c' ? views.get(Number(value)) : views.get(newest[-Number(value)] ?? -1)
      if (view === undefined) throw new PactError('E_SNAPSHOT_NOT_FOUND', lens)
      return view
    },
  })
}

/** The tree as a snapshot of its own, so that its ttls read as they are printed. */
function viewOf(tree: OracleTree, cycle: number, { dialect }: OracleWorld): View {
  const { timeline } = growTimeline(decodeSnapshot({ cycle, root: tree }, dialect))
  return View.ofSnapshot(timeline, cycle)
}
