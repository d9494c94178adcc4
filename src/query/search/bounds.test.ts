// The memos of the query room have bounds, each with a name. These tests go beyond them. They count, and never measure time.

import { describe, expect, test } from 'vitest'

import { plainly } from '../../../test/support/plainly.js'
import { decodeSnapshot } from '../../codec/index.js'
import { createContext, type Context } from '../../index.js'
import { growTimeline, View } from '../../timeline/index.js'
import { Visits } from '../match/visits.js'
import { PartMemo } from '../memory/part-memo.js'
import { compile, KnownSelectors, MAX_ANSWERS, MAX_SELECTORS, SPARE_IDS } from './known-selectors.js'
import { idsOfPlan, iteratePlan } from './run.js'

const WHOLE = { skip: 0, limit: Infinity }

function history(turns: number): Context {
  const ctx = createContext()
  for (let i = 0; i < turns; i++) {
    ctx.user(`question ${i}`)
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

describe('known selectors', () => {
  test(`are at most ${MAX_SELECTORS} of a dialect, the recently used among them`, () => {
    const known = new KnownSelectors()
    const used = known.read('.block', '1.0', false)
    for (let i = 0; i < 3 * MAX_SELECTORS; i++) {
      known.read(`.type${i}`, '1.0', false)
      expect(known.read('.block', '1.0', false)).toBe(used)
    }
    expect(known.countOf('1.0')).toBe(MAX_SELECTORS)
    expect(known.countOf('0.1')).toBe(0)
  })

  test(`hold at most ${MAX_ANSWERS} answers`, () => {
    const known = new KnownSelectors()
    const view = viewOf(history(3))
    for (let i = 0; i < 4 * MAX_ANSWERS; i++) {
      known.idsIn(known.read(`.block[priority<${i + 1}]`, '1.0', true), view, WHOLE, Visits.unlimited())
      expect(known.held.answers).toBeLessThanOrEqual(MAX_ANSWERS)
    }
    expect(known.held.answers).toBe(MAX_ANSWERS)
  })

  test('hold at most two ids for every node and some more, and one answer in any case', () => {
    const known = new KnownSelectors()
    const turns = 1200
    const view = viewOf(history(turns))
    const most = SPARE_IDS + 2 * view.tree.regions[1].children.count
    let highest = 0
    for (let i = 0; i < 100; i++) {
      const each = known.read(`.block[priority<${i + 1}]`, '1.0', true)
      expect(known.idsIn(each, view, WHOLE, Visits.unlimited()).length).toBe(2 * turns)
      highest = Math.max(highest, known.held.ids)
    }
    expect(highest).toBeLessThanOrEqual(most)
    expect(highest).toBeGreaterThan(most / 2)
  })

  test('hold nothing where remembering is off', () => {
    const known = new KnownSelectors()
    const view = viewOf(history(3))
    plainly(() => {
      const each = known.read('.block', '1.0', true)
      expect(known.idsIn(each, view, WHOLE, Visits.unlimited()).length).toBe(6)
    })
    expect([known.held.answers, known.countOf('1.0')]).toEqual([0, 0])
  })
})

describe('the memo of parts', () => {
  test('spares every part that was searched before', () => {
    const known = new KnownSelectors()
    const each = known.read('.block', '1.0', true)
    const view = viewOf(history(100))
    const visits = (): number => {
      const budget = new Visits('')
      idsOfPlan(view, each.plan, budget, each.memos)
      return budget.visits
    }
    expect(visits()).toBeGreaterThan(300)
    // One look for each of three leaves and four segments, and the rows before and behind history.
    expect(visits()).toBeLessThan(20)
  })

  test('drops entries of parts that no tree has any more', () => {
    const memo = new PartMemo<string>()
    const plan = compile('.block', '1.0', true)
    for (let i = 0; i < 20; i++) {
      const view = viewOf(history(80))
      idsOfPlan(view, plan, Visits.unlimited(), [memo])
    }
    // Three leaves' worth of parts, 160 ids; twice that and the spare entries is the bound.
    expect(memo.size).toBeLessThan(2 * (160 + 80) + 64)
  })
})

describe('a search', () => {
  test('goes no further than the first leaf for a caller who stops there', () => {
    const budget = new Visits('')
    const plan = compile(".block[content~'0']", '1.0', true)
    iteratePlan(viewOf(history(200)), plan, budget).next()
    expect(budget.visits).toBeGreaterThan(0)
    expect(budget.visits).toBeLessThan(10 + 32 * 5)
  })
})
