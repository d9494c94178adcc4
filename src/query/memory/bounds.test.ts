// What selectors remember has bounds, each with a name; here they are met. Counted, never timed.

import { describe, expect, test, vi } from 'vitest'

import { plainly } from '../../../test/support/plainly.js'
import { decodeSnapshot } from '../../codec/index.js'
import { createContext, type Context } from '../../index.js'
import { growTimeline, Timeline, View } from '../../timeline/index.js'
import { FlatTree } from '../match/flat-tree.js'
import { kindChain, type KindChain } from '../match/kind-chain.js'
import { MANY, MAX_SETS, type Kinds, type KindSet } from '../match/kinds.js'
import { RightKinds } from '../match/right-kinds.js'
import { Visits } from '../search/visits.js'
import { IDS, iteratePlan, runPlan } from '../search/run.js'
import { leavesOf } from '../search/search.js'
import { FlatTrees, SPARE_ROWS } from './flat-trees.js'
import { compile, KnownSelectors, MAX_ANSWERS, MAX_SELECTORS, SPARE_IDS } from './known-selectors.js'

const WHOLE = { skip: 0, limit: Infinity }

function history(turns: number): Context {
  const ctx = createContext()
  for (let i = 0; i < turns; i++) {
    ctx.user(`question ${i}`, { tags: [`t${i}`] })
    ctx.assistant(`answer ${i}`)
    ctx.commit()
  }
  return ctx
}

/** The newest snapshot of a context, as a tree that shares nothing with it. */
function viewOf(ctx: Context): View {
  const { timeline } = growTimeline(decodeSnapshot(ctx.export('@t0'), '1.0'))
  return View.ofSnapshot(timeline, timeline.newest!)
}

/** Every snapshot of a history that nobody asked anything. */
function viewsOf(turns: number): readonly View[] {
  const append = vi.spyOn(Timeline.prototype, 'take')
  plainly(() => history(turns))
  const timeline = append.mock.contexts.at(-1) as Timeline
  append.mockRestore()
  return Array.from({ length: turns }, (_, i) => View.ofSnapshot(timeline, i + 1))
}

describe('known selectors', () => {
  test(`are ${MAX_SELECTORS} of a dialect at the most, those in use among them`, () => {
    const known = new KnownSelectors()
    const used = known.read('.block', '1.0', false)
    for (let i = 0; i < 3 * MAX_SELECTORS; i++) {
      known.read(`.type${i}`, '1.0', false)
      expect(known.read('.block', '1.0', false)).toBe(used)
    }
    expect(known.ofDialect('1.0').size).toBe(MAX_SELECTORS)
    expect(known.ofDialect('0.1').size).toBe(0)
  })

  test(`hold ${MAX_ANSWERS} answers at the most`, () => {
    const known = new KnownSelectors()
    const view = viewOf(history(3))
    for (let i = 0; i < 4 * MAX_ANSWERS; i++) {
      const each = known.read(`.block[priority<${i + 1}]`, '1.0', true)
      for (let again = 0; again < 3; again++) known.idsIn(each, view, WHOLE, Visits.unlimited())
      expect(known.held.answers).toBeLessThanOrEqual(MAX_ANSWERS)
    }
    expect(known.held.answers).toBe(MAX_ANSWERS)
  })

  test('hold no more ids than two of every node and some more, and one answer in any case', () => {
    const known = new KnownSelectors()
    const turns = 1200
    const view = viewOf(history(turns))
    const most = SPARE_IDS + 2 * view.tree.regions[1].children.count
    let highest = 0
    for (let i = 0; i < 100; i++) {
      const each = known.read(`.block[priority<${i + 1}]`, '1.0', true)
      for (let again = 0; again < 2; again++) {
        expect(known.idsIn(each, view, WHOLE, Visits.unlimited()).length).toBe(2 * turns)
      }
      highest = Math.max(highest, known.held.ids)
    }
    expect(known.held.ids).toBeLessThanOrEqual(most)
    expect(highest).toBeGreaterThan(MAX_ANSWERS * 2 * turns * 0.9)
  })

  test('are not there at all where remembering is off', () => {
    const known = new KnownSelectors()
    const view = viewOf(history(3))
    plainly(() => {
      const each = known.read('.block', '1.0', true)
      for (let again = 0; again < 3; again++) expect(known.idsIn(each, view, WHOLE, Visits.unlimited()).length).toBe(6)
    })
    expect([known.held.answers, known.ofDialect('1.0').size]).toEqual([0, 0])
  })
})

describe('flat trees', () => {
  test('of leaves have the rows of two trees and some more at the most: what came first is dropped', () => {
    const ctx = history(100)
    const trees = new FlatTrees()
    const plan = compile('.block', '1.0', true)
    const views = Array.from({ length: 50 }, () => viewOf(ctx))
    for (const view of views) {
      runPlan(view, plan, trees, Visits.unlimited(), IDS)
      expect(trees.rows).toBeLessThanOrEqual(2 * view.tree.regions[1].children.count + SPARE_ROWS)
    }
    expect(trees.rows).toBeGreaterThan(SPARE_ROWS / 2)
    const isKept = ({ tree }: View): boolean => [...tree.regions[1].children.leaves()][0]!.facts !== undefined
    expect([isKept(views[0]!), isKept(views.at(-1)!)]).toEqual([false, true])
  })

  test('of the last leaf, which the next commit replaces, stay with no snapshot', () => {
    const view = viewOf(history(70))
    runPlan(view, compile('.block', '1.0', true), new FlatTrees(), Visits.unlimited(), IDS)
    const leaves = [...view.tree.regions[1].children.leaves()]
    expect(leaves.map(({ facts }) => facts !== undefined)).toEqual([true, true, false])
  })

  test('of leaves that commits leave behind are there before anybody asks, and of the last one not', () => {
    const trees = new FlatTrees()
    const sizes = viewsOf(70).map(({ tree }) => {
      trees.settle(tree)
      return trees.rows
    })
    expect([sizes[31], sizes[32]! > 32 * 4, sizes[33] === sizes[32], sizes[64]]).toEqual([
      0,
      true,
      true,
      2 * sizes[32]!,
    ])
  })

  test('are not set up by reading ahead, nor by who stops at the first leaf', () => {
    const view = viewOf(history(200))
    const trees = new FlatTrees()
    expect([trees.fetch(leavesOf(view.tree.regions[1].children), 0), trees.rows]).toEqual([0, 0])
    iteratePlan(view, compile(".block[content~'0']", '1.0', true), trees, Visits.unlimited()).next()
    expect([trees.rows > 0, trees.rows < 2 + 32 * 5]).toEqual([true, true])
  })

  test('keep the rows of four sets of kinds', () => {
    const flat = FlatTree.of(viewOf(history(2)).tree)
    const setOf = (...codes: readonly number[]): KindSet => {
      return {
        has: Uint8Array.from({ length: flat.kinds.size }, (_, code) => (codes.includes(code) ? 1 : 0)),
        isEmpty: false,
      }
    }
    // Segments, cores, and the blocks of two roles.
    const sets = [4, 5, 6, 7].map((code) => setOf(code))
    const lists = sets.map((set) => flat.rowsOf(set))
    expect(lists.map(({ length }) => length)).toEqual([2, 2, 2, 2])
    expect(sets.map((set, i) => flat.rowsOf(set) === lists[i])).toEqual([true, true, true, true])
    flat.rowsOf(setOf(4, 5))
    expect(flat.rowsOf(sets[1]!)).toBe(lists[1])
    expect(flat.rowsOf(sets[0]!)).not.toBe(lists[0])
    expect(flat.rowsOf(sets[0]!)).toEqual(lists[0])
  })
})

describe('kinds', () => {
  /** The tables of the leaves of a history whose turns have so many types, each many times. */
  function tablesOf(types: number): readonly Kinds[] {
    const ctx = createContext()
    for (let i = 0; i < 200; i++) {
      ctx.user(`question ${i}`, { type: `t${i % types}` })
      ctx.commit()
    }
    const { tree } = viewOf(ctx)
    const trees = new FlatTrees()
    return [...tree.regions[1].children.leaves()].map((leaf) => trees.ofLeaf(leaf, tree).flat.kinds)
  }

  test('are one table for all leaves, until that has many', () => {
    expect(new Set(tablesOf(3)).size).toBe(1)
    const tables = [...new Set(tablesOf(200))]
    expect(tables.length).toBeGreaterThan(1)
    // What a leaf brings stays together.
    for (const { size } of tables) expect(size).toBeLessThanOrEqual(MANY + 32 * 3)
  })

  test('tell sixteen sets apart at the most, each by one object', () => {
    const [kinds] = tablesOf(30)
    const view = viewOf(history(1))
    const setOf = (type: string): KindSet => {
      return kinds!.passing(compile(`.block.${type}`, '1.0', true).only!.steps[0]!.kindTests, view)
    }
    const first = setOf('t0')
    expect(setOf('t0')).toBe(first)
    for (let i = 1; i <= MAX_SETS; i++) setOf(`t${i}`)
    expect(setOf('t0')).not.toBe(first)
    expect(setOf('t0')).toEqual(first)
  })

  test('tell sixteen chains apart at the most, each by one object', () => {
    const [kinds] = tablesOf(30)
    const view = viewOf(history(1))
    const chainOf = (type: string): KindChain => {
      const { steps, traits } = compile(`.seg .cont > .${type}`, '1.0', true).only!
      return new RightKinds(view).chain(steps, traits.lead, kinds!)
    }
    const first = chainOf('block')
    expect(chainOf('block')).toBe(first)
    for (let i = 1; i <= MAX_SETS; i++) {
      const sets = Array.from({ length: 3 + i }, () => first.sets[0]!)
      kinds!.sameChain(
        kindChain(
          sets,
          sets.map(() => true),
        ),
      )
    }
    expect(chainOf('block')).not.toBe(first)
    expect(chainOf('block')).toEqual(first)
  })
})
