// The work of selectors, counted in visits, never in time: what `@*` costs, what `maxVisits` bounds, and that a call
// which was refused leaves nothing behind.

import { createContext, PactError, type Context, type SelectOptions } from 'pact-context'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { SELECTOR_LIMITS } from '../../src/selector/limits.js'
import { View } from '../../src/timeline/view.js'
import { clockOf, refusal } from '../support/context.js'

const work = vi.hoisted(() => ({ visits: 0 }))

vi.mock(import('../../src/query/match/visits.js'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    Visits: class extends original.Visits {
      override spend(visits: number): void {
        work.visits += visits
        super.spend(visits)
      }
    },
  }
})

beforeEach(() => {
  work.visits = 0
})

describe('over all snapshots', () => {
  const [short, long] = [history(1000), history(4000)]

  test.each([
    '@* .block',
    "@* [content~'zz']",
    "@* [id='block:3-0']",
    "@* .block[role='user'], .cont",
    '@* ^seq .block:first',
    '@* .nothing ?? .cont > .block',
    '@* .block @order=turn:desc @limit=5',
    '@t-*..@t0 .block @mode=union',
    "@t-*..@t0 {key='k'} @mode=union",
  ])('%s costs the newest answer and what left, not snapshots × nodes (G4)', (selector) => {
    const [few, many] = [short, long].map((ctx) => visitsOf(() => ctx.select(selector))) as [number, number]
    // Each commit changes about five nodes, and each of them may be looked at in a segment of about as many.
    expect(few).toBeLessThan(1000 * 40)
    expect(many).toBeLessThan(few * 4.5)
  })

  test('looks for no node in the snapshot before the commit that it came with', () => {
    const ctx = createContext({ clock: clockOf() })
    for (let i = 0; i < 50; i++) {
      ctx.user(`question ${i}`)
      ctx.commit()
    }
    const find = vi.spyOn(View.prototype, 'find')
    expect(ctx.select('@* .nothing')).toEqual([])
    const looks = find.mock.calls.length
    find.mockRestore()
    expect(looks).toBeLessThan(50)
  })

  test('the first of them costs what the newest snapshot costs', () => {
    expect(visitsOf(() => long.first('@* .block'))).toBeLessThan(200)
    expect(visitsOf(() => long.select('@* .block', { limit: 3 }))).toBeLessThan(200)
  })

  test.each(['@* [ttl<=1]', '@* .seg:last', '@* [age<3]', '@t-*..@t0 .seg:last @mode=union'])(
    '%s, which each snapshot must be asked for, ends where maxVisits says (G4)',
    (selector) => {
      const error = refusal(() => short.select(selector, { maxVisits: 10_000 }))
      expect(error.code).toBe('E_SELECTOR_TOO_LARGE')
      expect(work.visits).toBeLessThan(30_000)
    },
  )
})

describe('maxVisits', () => {
  const ctx = history(100)
  const old = ctx.snapshot('@t0')

  test.each([
    ['select', '@t0 .block[content~"e"] ', (options: SelectOptions) => ctx.select('@t0 .block[content~"e"] ', options)],
    ['nodes', '@t0 .block', (options: SelectOptions) => ctx.nodes('@t0 .block', options)],
    ['count', '@* .block', (options: SelectOptions) => ctx.count('@* .block', options)],
    ['first', '@* [ttl=77]', (options: SelectOptions) => ctx.first('@* [ttl=77]', options)],
    ['iterate', '.seg:last', (options: SelectOptions) => [...ctx.iterate('.seg:last', options)]],
    [
      'rangeDiffLatest',
      '@t-*..@t0 .seg:last',
      (options: SelectOptions) => ctx.rangeDiffLatest('@t-*..@t0 .seg:last', options),
    ],
    ['snapshot.select', '.cont > .block', (options: SelectOptions) => old.select('.cont > .block', options)],
    ['snapshot.nodes', '.block, .cont', (options: SelectOptions) => old.nodes('.block, .cont', options)],
    ['snapshot.count', '[ttl=77]', (options: SelectOptions) => old.count('[ttl=77]', options)],
    ['snapshot.first', '[ttl=78]', (options: SelectOptions) => old.first('[ttl=78]', options)],
    ['snapshot.iterate', '.block:last', (options: SelectOptions) => [...old.iterate('.block:last', options)]],
  ] as const)('bounds %s: %s', (_, selector, ask) => {
    const error = refusal(() => ask({ maxVisits: 3 }))
    expect(error.code).toBe('E_SELECTOR_TOO_LARGE')
    expect(error.message).toContain('maxVisits')
    expect(error.details).toMatchObject({ maxVisits: 3, selector, pos: 0 })
    expect(error.details['visits']).toBeGreaterThan(3)
    // Refusing has changed nothing: with enough, or any number, of visits the answer is there.
    for (const maxVisits of [100_000, Infinity]) {
      expect(JSON.stringify(ask({ maxVisits }))).toBe(JSON.stringify(ask({})))
    }
  })

  test('comes from a generator when it gets there, not before', () => {
    const nodes = ctx.iterate('@* .block', { maxVisits: 150 })
    expect(nodes.next().value?.nodeType).toBe('block')
    expect(refusal(() => [...nodes]).code).toBe('E_SELECTOR_TOO_LARGE')
  })

  test.each([-1, 1.5, NaN, '7', null, 2 ** 60])('refuses %s', (maxVisits) => {
    const options = { maxVisits } as SelectOptions
    for (const ask of [
      () => ctx.select('.block', options),
      () => ctx.iterate('.block', options),
      () => ctx.rangeDiffLatest('@t-1..@t0 .block', options),
      () => ctx.select('@t-1..@t0 .block @mode=union', options),
    ]) {
      const error = refusal(ask)
      expect([error.code, error.details]).toEqual(['E_SELECTOR_INVALID', { name: 'maxVisits' }])
    }
  })

  test('a refused call leaves later answers right, also of a selector that is asked again and again', () => {
    const asked = history(40)
    const selectors = ['@t0 .block', "@t0 .block[role='user']", "@t0 {key='k'}", '@t0 .cont > .block', '@t0 d1 .block']
    for (let i = 0; i < 30; i++) {
      turn(asked, i)
      for (const selector of selectors) {
        if (i % 3 === 1) tryToAsk(asked, selector, { maxVisits: i % 2 })
        const expected = createdAnew(asked, selector)
        expect(asked.select(selector), `${selector} after ${i}`).toEqual(expected)
      }
    }
  })

  test('is 50 million where a call says nothing', () => {
    expect(SELECTOR_LIMITS.visits).toBe(50_000_000)
    const limits = SELECTOR_LIMITS as { visits: number }
    limits.visits = 1000
    try {
      const error = refusal(() => ctx.select('@* .seg:last'))
      expect(error.code).toBe('E_SELECTOR_TOO_LARGE')
      expect(error.details['maxVisits']).toBe(1000)
      expect(ctx.select('@* .seg:last', { maxVisits: Infinity }).length).toBe(100)
    } finally {
      limits.visits = 50_000_000
    }
  })
})

/** Turns of which every tenth has a note that is gone two cycles later, and every seventh edits an older one. */
function history(commits: number): Context {
  const ctx = createContext({ clock: clockOf() })
  for (let i = 0; i < commits; i++) turn(ctx, i)
  return ctx
}

function turn(ctx: Context, i: number): void {
  if (i % 10 === 0) ctx.pre(`note ${i}`, { ttl: 2, key: 'k' })
  ctx.user(`question ${i}`)
  ctx.assistant(`answer ${i}`)
  ctx.commit()
  if (i % 7 === 3) ctx.replace('d1 .block:last', { content: `better ${i}` })
}

function visitsOf(ask: () => unknown): number {
  work.visits = 0
  ask()
  return work.visits
}

function tryToAsk(ctx: Context, selector: string, options: SelectOptions): void {
  try {
    ctx.select(selector, options)
  } catch (error) {
    if (!PactError.is(error)) throw error
  }
}

/** The answer of a context to a new question. */
function createdAnew(ctx: Context, selector: string): unknown {
  return ctx.fork('@t0').select(selector)
}
