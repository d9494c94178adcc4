// ctx.tokens and snapshot.tokens: what is counted, how often a counter is asked, and what is remembered how long.

import { Buffer } from 'node:buffer'

import {
  createContext,
  importSnapshot,
  PactError,
  type Context,
  type ContextOptions,
  type Lens,
  type TokensOptions,
} from 'pact-context'
import { calibrated, estimate, readUsage } from 'pact-context/tokens'
import { describe, expect, test } from 'vitest'

import { contentCountsOf, MOST_CONTENTS } from '../../src/commit/tokens.js'
import { checkpointOf, restoreContext } from '../../src/context/persistence.js'
import { Context as ContextClass } from '../../src/context/index.js'
import { refusal } from '../support/refusal.js'

/** A counter that notes the texts it is asked about. */
function asking(): { count: (text: string) => number; asked: string[] } {
  const asked: string[] = []
  return { count: (text) => (asked.push(text), text.length), asked }
}

function conversation(options: ContextOptions = {}): Context {
  const ctx = createContext({ countTokens: (text) => text.length, ...options })
  ctx.system.add('You help.', { role: 'system' })
  ctx.pre('free plan', { key: 'plan', ttl: 2 })
  ctx.user('How do I pay?')
  ctx.commit()
  ctx.assistant('By card.')
  ctx.add(undefined, { zone: 'post', key: 'docs', children: [{ content: 'one' }, { content: 'three', key: 'inner' }] })
  ctx.commit()
  ctx.user('Thanks')
  return ctx
}

describe('tokens', () => {
  test('are those of the working state, in all or told apart', () => {
    const ctx = conversation()
    const total = 9 + 9 + 13 + 8 + 3 + 5 + 6
    expect(ctx.tokens()).toEqual({ total })
    expect(ctx.tokens('working', { by: 'region' })).toEqual({ total, by: { '^sys': 9, '^seq': 38, '^ah': 6 } })
    expect(ctx.tokens('working', { by: 'depth' })).toEqual({ total, by: { '-1': 9, '0': 6, '1': 16, '2': 22 } })
    expect(ctx.tokens('working', { by: 'role' })).toEqual({
      total,
      by: { system: 9, user: 19, assistant: 8, '': 17 },
    })
    expect(ctx.tokens('working', { by: 'key' })).toEqual({ total, by: { '': 36, plan: 9, docs: 3, inner: 5 } })
    const { by } = ctx.tokens(undefined, { by: 'node' })
    expect(Object.keys(by).sort()).toEqual(ctx.select('.block').toSorted())
  })

  test('of any lens, and of the snapshot itself', () => {
    const ctx = conversation()
    const totals = (['@c1', '@t0', 'working', 'preview'] as Lens[]).map((lens) => [
      ctx.tokens(lens).total,
      ctx.snapshot(lens).tokens().total,
    ])
    expect(totals).toEqual([
      [31, 31],
      [47, 47],
      [53, 53],
      [44, 44], // the plan has gone
    ])
    expect(ctx.snapshot('@c1').tokens({ by: 'region' }).by).toEqual({ '^sys': 9, '^seq': 22, '^ah': 0 })
  })

  test('are what a receipt says', () => {
    const ctx = conversation({ prune: { maxTokens: 20 } })
    const before = ctx.tokens('working').total
    const { receipt } = ctx.commit()
    expect(receipt.limits[0]).toMatchObject({ rule: 'maxTokens', after: ctx.tokens('@t0').total })
    expect(receipt.limits[0]!.before).toBeLessThanOrEqual(before)
  })

  test('have names of their own, whatever the nodes are called', () => {
    const ctx = createContext({ countTokens: () => 1 })
    ctx.user('x', { key: '__proto__' })
    ctx.user('y', { key: 'toString' })
    const { by } = ctx.tokens('working', { by: 'key' })
    expect(Object.entries(by)).toEqual([
      ['__proto__', 1],
      ['toString', 1],
    ])
    expect(Object.isFrozen(by)).toBe(true)
  })

  test.each([[null], ['role'], [[]], [{ by: 'tag' }], [{ by: null }], [{ of: 'role' }]])(
    'refuse the options %j',
    (options) => {
      const ctx = conversation()
      expect(refusal(() => ctx.tokens('working', options as TokensOptions))).toBe('E_CONTENT_INVALID')
      expect(refusal(() => ctx.snapshot().tokens(options as TokensOptions))).toBe('E_CONTENT_INVALID')
    },
  )

  test('of what a lens does not name are refused as everywhere', () => {
    expect(refusal(() => createContext().tokens('@t0'))).toBe('E_SNAPSHOT_NOT_FOUND')
  })
})

describe('a counter', () => {
  test('is asked about what is new after a commit, and not again for any way of asking', () => {
    const { count, asked } = asking()
    const ctx = createContext({ countTokens: count, prune: { maxTokens: 1e6 } })
    for (let turn = 0; turn < 200; turn++) {
      ctx.user(`question ${turn}`)
      ctx.commit()
    }
    expect(asked.length).toBe(200)
    ctx.user('one more')
    for (const lens of ['working', 'preview', '@t0', '@c7'] as Lens[]) {
      ctx.tokens(lens)
      for (const by of ['region', 'depth', 'role', 'key', 'node'] as const) ctx.tokens(lens, { by })
    }
    expect(asked.slice(200)).toEqual(['one more'])
    // In a tree of several levels, too.
    const total = asked.reduce((sum, text) => sum + text.length, 0)
    for (const by of ['region', 'depth', 'role', 'key', 'node'] as const) {
      const told = ctx.tokens('working', { by })
      expect([told.total, Object.values(told.by).reduce((sum, each) => sum + each, 0)]).toEqual([total, total])
    }
    expect(ctx.tokens('@t0', { by: 'depth' }).by).toMatchObject({
      '1': 'question 199'.length,
      '200': 'question 0'.length,
    })
  })

  test('is not asked again by forks, by a context that is opened again, or by an import', () => {
    const { count, asked } = asking()
    const options = { countTokens: count }
    const ctx = createContext(options)
    for (let turn = 0; turn < 5; turn++) {
      ctx.user(`question ${turn}`)
      ctx.commit()
    }
    const { total } = ctx.tokens('@t0')
    const others = [
      ctx.fork(),
      ctx.fork('@c5', { prune: { maxTokens: 1e6 } }),
      restoreContext(checkpointOf(ContextClass.partsOf(ctx)), [], options),
      importSnapshot(ctx.export(), options),
    ]
    expect(others.map((each) => each.tokens('@t0').total)).toEqual(others.map(() => total))
    expect(asked.length).toBe(5)
    ctx.fork('@c5', { countTokens: (text) => count(text) }).tokens('@t0')
    expect(asked.length).toBe(10)
  })

  test(`has its counts remembered of ${MOST_CONTENTS} contents at the most; a tree keeps its own`, () => {
    let asked = 0
    const countTokens = (): number => ++asked && 1
    const ctx = createContext({ countTokens })
    for (let i = 0; i < MOST_CONTENTS + 500; i++) ctx.user(`content ${i}`)
    expect(ctx.tokens().total).toBe(MOST_CONTENTS + 500)
    expect(contentCountsOf(countTokens).size).toBe(MOST_CONTENTS)
    ctx.tokens('working', { by: 'node' })
    ctx.user('content 0')
    ctx.tokens()
    // The oldest is the one that was forgotten.
    expect(asked).toBe(MOST_CONTENTS + 501)
  })

  test('that is quick has nothing remembered by content', () => {
    const ctx = createContext()
    ctx.user('x')
    ctx.tokens()
    expect(contentCountsOf(estimate).size).toBe(0)
  })

  test('leaves nothing behind of what is forgotten', () => {
    const countTokens = (text: string): number => text.length
    const ctx = createContext({ countTokens })
    ctx.user('secret')
    ctx.commit()
    expect(ctx.tokens('@t0').total).toBe(6)
    ctx.forget("[content~'secret']")
    expect(contentCountsOf(countTokens).size).toBe(0)
    expect(ctx.tokens('@t0').total).toBe(0)
  })

  test('cannot write, and what it throws is a PactError with its cause', () => {
    let write = (): unknown => undefined
    const ctx = createContext({ countTokens: () => (write(), 1) })
    ctx.user('x')
    write = () => ctx.user('y')
    expect(() => ctx.tokens()).toThrow(
      expect.objectContaining({ code: 'E_BUDGET', cause: expect.objectContaining({ code: 'E_CONFLICT' }) }),
    )
    const cause = new Error('no model')
    write = () => {
      throw cause
    }
    for (const ask of [() => ctx.tokens(), () => ctx.snapshot('working').tokens({ by: 'role' })]) {
      expect(ask).toThrow(expect.objectContaining({ code: 'E_BUDGET', cause, details: { id: 'block:1-1' } }))
    }
    write = () => undefined
    expect([ctx.tokens().total, ctx.count('.block')]).toEqual([1, 1])
  })

  test('that says itself what it needs is not talked over', () => {
    const mine = new PactError('E_BUDGET', 'Install something.')
    const ctx = createContext({
      countTokens: () => {
        throw mine
      },
    })
    ctx.user('x')
    expect(() => ctx.tokens()).toThrow(mine)
  })

  test('can be asked for in a commit listener', () => {
    const ctx = conversation()
    const totals: number[] = []
    ctx.onCommit((snapshot) => totals.push(ctx.tokens('@t0').total, snapshot.tokens().total))
    const { total } = ctx.commit().tokens()
    expect(totals).toEqual([total, total])
    expect(ctx.warnings).toEqual([])
  })

  test('that has learned is asked again, and a snapshot counts with it', () => {
    const counter = calibrated()
    const ctx = createContext({ countTokens: counter })
    for (let turn = 0; turn < 4; turn++) {
      ctx.user(`Tell me about number ${turn}. `.repeat(10 * (turn + 1)))
      ctx.commit()
      const attempt = ctx.startAttempt({ provider: 'anthropic', model: 'm', params: {}, lens: '@t0' })
      const raw = attempt.snapshot.tokens().total / counter.factor
      attempt.complete(
        readUsage({ input_tokens: 100, cache_read_input_tokens: Math.round(1.5 * raw) + 300, output_tokens: 5 }),
      )
      expect(counter.learn(attempt)).toBe(true)
    }
    expect(counter.factor).toBeCloseTo(1.5, 1)
    expect(Math.abs(counter.fixed - 400)).toBeLessThan(20)
    const plain = importSnapshot(ctx.export())
    expect(ctx.tokens('@t0').total / plain.tokens('@t0').total).toBeCloseTo(counter.factor, 1)
    expect(ctx.snapshot('@c1').tokens().total).toBeGreaterThan(plain.tokens('@t0', { by: 'depth' }).by['4']!)
  })
})

describe('base64', () => {
  test('is no text to a counter, in whatever part it stands', () => {
    const { count, asked } = asking()
    const data = Buffer.alloc(3000, 7).toString('base64')
    const ctx = createContext({ countTokens: count, prune: { maxNodes: 1, protectSegments: 0 } })
    ctx.user([
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    ])
    ctx.user(`data:image/png;base64,${data}`)
    ctx.tokens()
    expect(asked).toEqual(['[{"text":"see","type":"text"},{"image_url":{"url":""},"type":"image_url"}]', ''])
    // A receipt tells the size of what was there.
    ctx.commit()
    ctx.user('next')
    const sizes = ctx.commit().receipt.removed.map(({ size }) => size)
    expect(Math.max(...sizes)).toBeGreaterThan(4000)
  })
})
