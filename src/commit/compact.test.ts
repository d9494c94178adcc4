// Compaction by turns (D51, D55) and targets, case by case; the general law is in test/laws/lifecycle.test.ts.

import { describe, expect, test } from 'vitest'

import { clockOf } from '../../test/support/context.js'
import { createContext, PactError, type AddHeader, type Context, type ContextOptions } from '../index.js'
import { Branch, recordOf, Sequence } from '../timeline/index.js'
import { recordWith } from '../../test/support/records.js'
import { Frontier } from './pruning-queue.js'
import { countTurns, TURNS } from './turn-order.js'

/** One letter is one token. */
const LETTERS: ContextOptions = { countTokens: (text) => text.length, clock: clockOf() }

type Item = readonly [text: string, header?: AddHeader]

/** A context with a turn for every list. */
function turns(...lists: readonly (readonly Item[])[]): Context {
  const ctx = createContext(LETTERS)
  for (const items of lists) {
    for (const [text, header] of items) ctx.user(text, header)
    ctx.commit()
  }
  return ctx
}

/** The receipt of a fork with this policy after one more commit. */
function left(ctx: Context, prune: ContextOptions['prune']): unknown[] {
  const fork = ctx.fork('@t0', { prune })
  fork.commit()
  return fork.thread('@t0').map(({ content }) => content)
}

describe('compaction', () => {
  test('takes whole turns, the oldest of the lowest priority first, which is the highest of its blocks', () => {
    const ctx = turns(
      [['aa'], ['AA', { priority: 2 }]],
      [['bb', { priority: 1 }], ['BB']],
      [['cc'], ['CC', { priority: 1 }]],
      [['dd'], ['DD']],
      [['ee']],
    )
    const all = ['aa', 'AA', 'bb', 'BB', 'cc', 'CC', 'dd', 'DD', 'ee']
    const lefts = [18, 17, 13, 9].map((maxTokens) => left(ctx, { unit: 'turn', maxTokens, target: 1 }))
    expect(lefts).toEqual([
      all,
      ['aa', 'AA', 'bb', 'BB', 'cc', 'CC', 'ee'],
      ['aa', 'AA', 'cc', 'CC', 'ee'],
      ['aa', 'AA', 'ee'],
    ])
    // By nodes, the same budget takes one block of the lowest priority.
    expect(left(ctx, { unit: 'node', maxTokens: 17, target: 1 })).toEqual(all.slice(1))
    expect(left(ctx, { maxTokens: 17, target: 1 })).toEqual(all.slice(1))
  })

  test('judges maxDepth and maxNodes in the same way', () => {
    const ctx = turns([['a', { priority: 1 }]], [['b']], [['c']], [['d']])
    expect(left(ctx, { unit: 'turn', maxDepth: 3 })).toEqual(['a', 'c', 'd'])
    // Without it, maxDepth goes by the headers of the segments themselves (D27).
    expect(left(ctx, { maxDepth: 3 })).toEqual(['b', 'c', 'd'])
    expect(left(ctx, { unit: 'turn', maxNodes: ctx.count('@t0 *') - 1 })).toEqual(['a', 'c', 'd'])
  })

  test('takes a turn that holds too many nodes, and no other', () => {
    const ctx = turns([['a']], [['b'], ['B'], ['BB']], [['c']], [['d'], ['D']], [['e']])
    expect(left(ctx, { unit: 'turn', maxNodesPerSegment: 3 })).toEqual(['a', 'c', 'd', 'D', 'e'])
    expect(left(ctx, { maxNodesPerSegment: 3 })).toEqual(['a', 'B', 'BB', 'c', 'd', 'D', 'e'])
  })

  test('passes over a turn with a node that is pinned, held, referred to or tied to what stays', () => {
    const ctx = turns(
      [['pin', { pinned: true }], ['p']],
      [['named'], ['n']],
      [['held'], ['h']],
      [['call', { kind: 'call', data_call_id: 'x' }], ['t']],
      [['free'], ['f']],
      [
        ['result', { kind: 'result', data_call_id: 'x' }],
        ['r', { refs: ['block:2-1'] }],
      ],
    )
    const fork = ctx.fork('@t0', { prune: { unit: 'turn', maxNodes: ctx.count('@t0 *') - 1 } })
    const hold = fork.hold('block:3-1')
    fork.commit()
    expect(fork.thread('@t0').map(({ content }) => content)).not.toContain('free')
    expect(fork.thread('@t0')).toHaveLength(10)
    // Where no turn is free, pruning takes one node (D27), the oldest that may go.
    hold.release()
    const strict = ctx.fork('@t0', { prune: { unit: 'turn', maxNodes: ctx.count('@t0 *') - 1 } })
    for (const id of ['block:3-1', 'block:5-1']) strict.hold(id)
    expect(strict.commit().receipt.removed.map(({ id }) => id)).toEqual(['block:1-2'])
  })

  test('takes what a turn is tied to elsewhere along, and tells all of it under the limit', () => {
    const ctx = turns(
      [['call', { kind: 'call', data_call_id: 'x' }]],
      [['result', { kind: 'result', data_call_id: 'x' }], ['b']],
      [['c']],
    )
    const fork = ctx.fork('@t0', { prune: { unit: 'turn', maxDepth: 2 } })
    const { receipt } = fork.commit()
    expect(receipt.removed.map(({ id, rule }) => `${id} ${rule}`)).toEqual([
      'seg:1-2 maxDepth',
      'cont:1-0 maxDepth',
      'block:1-1 maxDepth',
      'block:2-1 maxDepth',
    ])
    expect(fork.explain('block:2-1').left).toEqual({ cycle: 4, cause: 'pruned', rule: 'maxDepth', limit: 2 })
    expect(fork.diffDetailed('@t-1', '@t0').removed.map(({ cause }) => cause)).toEqual(Array(4).fill('pruned'))
  })

  test('drops empty turns first, by turns and by nodes (D55, N120)', () => {
    const build = (prune: ContextOptions['prune']): Context => {
      const ctx = createContext({ ...LETTERS, prune })
      for (const [text, ttl] of [
        ['low', null],
        ['gone', 1],
        ['gone too', 1],
        ['c', null],
        ['d', null],
      ] as const) {
        ctx.user(text, { ttl, priority: text === 'low' ? -1 : 0 })
        ctx.commit()
      }
      return ctx
    }
    const plain = build(undefined)
    const kept = (ctx: Context): unknown[] => [
      ctx.count('@t0 .seg'),
      ...ctx.thread('@t0').map(({ content }) => content),
    ]
    expect(kept(plain)).toEqual([5, 'low', 'c', 'd'])
    expect(kept(build({ unit: 'turn', maxDepth: 4 }))).toEqual([4, 'low', 'c', 'd'])
    expect(kept(build({ unit: 'turn', maxNodes: plain.count('@t0 *') - 3 }))).toEqual([3, 'low', 'c', 'd'])
    expect(kept(build({ unit: 'turn', maxTokens: 4, protectSegments: 1 }))).toEqual([4, 'c', 'd'])
    expect(kept(build({ unit: 'turn', maxTokens: 4 }))).toEqual([3, 'c', 'd'])
    expect(kept(build({ maxNodes: plain.count('@t0 *') - 1 }))).toEqual([4, 'low', 'c', 'd'])
    expect(kept(build({ maxTokens: 4 })).slice(1)).toEqual(['c', 'd'])
  })
})

describe('a target', () => {
  const history = (): Context => turns([['aaa']], [['bbb']], [['ccc']], [['ddd']], [['eee']])
  const limitsOf = (prune: ContextOptions['prune']): unknown => {
    const [limit] = history().fork('@t0', { prune }).commit().receipt.limits
    return limit
  }

  test.each(['node', 'turn'] as const)('by %s is how far down a limit goes once it is passed', (unit) => {
    const ctx = history()
    expect(left(ctx, { unit, maxTokens: 15, target: 0.5 })).toHaveLength(5)
    expect(left(ctx, { unit, maxTokens: 14, target: 0.5 })).toEqual(['ddd', 'eee'])
    expect(left(ctx, { unit, maxTokens: 14, target: 6 })).toEqual(['ddd', 'eee'])
    expect(left(ctx, { unit, maxTokens: { '^seq': 14 }, target: 0.5 })).toEqual(['ddd', 'eee'])
    expect(left(ctx, { unit, maxDepth: 4, target: 0.5 })).toEqual(['ddd', 'eee'])
    expect(left(ctx, { unit, maxTokens: 14, target: 1 })).toHaveLength(4)
    // A number of tokens says nothing of other limits.
    expect(left(ctx, { unit, maxDepth: 4, maxTokens: 100, target: 2 })).toHaveLength(4)
  })

  test('stands in the receipt of the limits it was for', () => {
    expect(limitsOf({ maxTokens: 14, target: 0.5 })).toEqual({
      rule: 'maxTokens',
      limit: 14,
      target: 7,
      before: 15,
      after: 6,
      kept: [],
    })
    const whole = { rule: 'maxTokens', limit: 14, before: 15, after: 12, kept: [] }
    expect(limitsOf({ maxTokens: 14, target: 1 })).toEqual(whole)
  })

  test('is 0.6 for token limits and 1 for the others where none is given (D60)', () => {
    const low = { limit: 14, target: 14 * 0.6, before: 15, after: 6, kept: [] }
    expect(limitsOf({ maxTokens: 14 })).toEqual({ rule: 'maxTokens', ...low })
    expect(limitsOf({ maxTokens: { '^seq': 14 } })).toEqual({ rule: 'maxTokens ^seq', ...low })
    expect(limitsOf({ maxDepth: 4 })).toEqual({ rule: 'maxDepth', limit: 4, before: 5, after: 4, kept: [] })
    const both = history().fork('@t0', { prune: { maxDepth: 4, maxTokens: 11 } })
    expect(both.commit().receipt.limits.map(({ target }) => target)).toEqual([undefined, 11 * 0.6])
  })

  test('that is missed is no unmet limit, and no error', () => {
    const ctx = history()
    const fork = ctx.fork('@t0', {
      prune: { unit: 'turn', maxTokens: 14, target: 0.1, protectSegments: 4, unmet: 'error' },
    })
    const { receipt } = fork.commit()
    expect(receipt.limits).toEqual([
      { rule: 'maxTokens', limit: 14, target: 14 * 0.1, before: 15, after: 12, kept: [] },
    ])
    expect([receipt.unmet, fork.warnings]).toEqual([[], []])
    const unmet = ctx.fork('@t0', { prune: { maxTokens: 11, target: 0.1, protectSegments: 4 } })
    expect(unmet.commit().receipt.unmet).toEqual([{ rule: 'maxTokens', limit: 11, actual: 12 }])
    expect(unmet.warnings.map(({ details }) => details['kind'])).toEqual(['unmet-limit'])
  })

  test('where turns cannot reach it, is left to pruning', () => {
    const ctx = turns(
      [['aaa'], ['p', { pinned: true }]],
      [['bbb']],
      [['ccc'], ['q', { pinned: true }]],
      [['ddd']],
      [['e']],
    )
    // 'bbb' and 'ddd' are turns that can go; the rest down to 6 are single nodes.
    expect(left(ctx, { unit: 'turn', maxTokens: 14, target: 6 })).toEqual(['p', 'ccc', 'q', 'e'])
  })

  test('of maxNodesPerSegment concerns the turns that passed it, and no others', () => {
    const ctx = turns([['a'], ['A'], ['AA'], ['AAA']], [['b'], ['B'], ['BB']], [['c']])
    expect(left(ctx, { maxNodesPerSegment: 4, target: 0.5 })).toEqual(['AAA', 'b', 'B', 'BB', 'c'])
    // One of these that is within the limit by the time that pruning comes to it goes on down.
    const tied = turns(
      [['call', { kind: 'call', data_call_id: 'x' }], ['a'], ['pin', { pinned: true }], ['A']],
      [['result', { kind: 'result', data_call_id: 'x' }], ['b'], ['B'], ['BB']],
      [['c']],
    )
    expect(left(tied, { unit: 'turn', maxNodesPerSegment: 4, target: 0.5 })).toEqual(['pin', 'BB', 'c'])
  })

  test.each([
    [{ unit: 'segment' }, 'unit'],
    [{ unit: true }, 'unit'],
    [{ target: 0 }, 'target'],
    [{ target: -0.5 }, 'target'],
    [{ target: 1.5, maxTokens: 10 }, 'target'],
    [{ target: Number.NaN }, 'target'],
    [{ target: Infinity, maxTokens: 10 }, 'target'],
    [{ target: '0.7' }, 'target'],
    [{ target: null }, 'target'],
    [{ target: 5 }, 'target'],
    [{ target: 5, maxNodes: 10 }, 'target'],
    [{ target: 5, maxTokens: { '^seq': 10 } }, 'target'],
    [{ target: 11, maxTokens: 10 }, 'target'],
  ])('or a unit that makes no sense is E_BUDGET and named: %j (N8)', (prune, name) => {
    let error: unknown
    try {
      createContext({ prune: prune as object })
    } catch (thrown) {
      error = thrown
    }
    expect(PactError.is(error) && [error.code, error.details]).toEqual(['E_BUDGET', { name }])
  })
})

describe('the order of turns', () => {
  test('is that of a full sort, without and with the empty ones', () => {
    const made = Array.from({ length: 400 }, (_, i) => {
      const at = (i * 7919) % 400
      const block = recordWith({ id: `b${i}`, nodeClass: 'block', priority: at % 5 })
      const record = recordWith({ id: `s${i}`, nodeClass: 'seg', offset: i, createdAtNs: BigInt(at % 50) })
      const core = new Branch(recordWith({ id: `c${i}`, nodeClass: 'core' }), Sequence.fromSorted([block]))
      return {
        priority: at % 5,
        isEmpty: i % 9 === 0,
        node: new Branch(record, i % 9 === 0 ? Sequence.EMPTY : Sequence.fromSorted([core])),
      }
    })
    const segments = Sequence.fromSorted(made.map(({ node }) => node))
    const sorted = made.toSorted((a, b) => {
      const [x, y] = [recordOf(a.node), recordOf(b.node)]
      return a.priority - b.priority || Number(x.createdAtNs - y.createdAtNs) || (x.id < y.id ? -1 : 1)
    })
    const full = sorted.filter(({ isEmpty }) => !isEmpty).map(({ node }) => node.record.id)
    const all = drain(new Frontier([segments], TURNS))
    expect(all.slice(-full.length)).toEqual(full)
    expect(all).toHaveLength(400)
  })

  test('costs a commit what it takes, however long the history is', () => {
    const looks = [100, 3000].map((count) => {
      const ctx = createContext({ prune: { unit: 'turn', maxDepth: count } })
      for (let i = 0; i < count; i++) {
        ctx.user('x', { priority: i % 3 })
        ctx.commit()
      }
      const before = countTurns()
      for (let i = 0; i < 10; i++) {
        ctx.user('x')
        expect(ctx.commit().receipt.removed).toHaveLength(3)
      }
      return (countTurns() - before) / 10
    })
    expect(looks[0]).toBeGreaterThan(0)
    expect(looks[1]).toBeLessThan(2 * looks[0]! + 64)
  })
})

function drain(frontier: Frontier): readonly string[] {
  const ids: string[] = []
  for (let next = frontier.next(); next !== undefined; next = frontier.next()) ids.push(next.record.id)
  return ids
}
