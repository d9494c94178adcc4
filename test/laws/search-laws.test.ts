// The search by shapes, columns and kept lists against the matcher alone, on histories of many leaves that grow, shrink
// and change shape between the questions. `@order=pre` asks for the order that a plain chain has anyway, and is answered
// by the matcher over the whole tree; so both texts must give the same.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createContext, type Context } from 'pact-context'

import { listOf } from '../support/context.js'
import { runs } from '../support/runs.js'
import { plainly } from '../support/plainly.js'
import { expectSame } from '../support/same.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)
const RUNS = runs(8)

/** Plain chains: unions, `??` and keyed steps have orders of their own. */
const SELECTORS = [
  '*',
  '.seg',
  '.block',
  '.nothing',
  '.cont > .block',
  '^seq .seg > .cont > .block',
  '^ah .block',
  '^sys .block',
  '.block:summary',
  '.any:summary',
  '.log',
  '.entry',
  '.t3',
  '.part',
  '.mc',
  ".block[role='assistant']",
  ".seg .block[role='tool'][kind='result']",
  '.block[priority>=5]',
  '.block[priority<2][cycle>20]',
  '.cont > .block:first',
  '.cont > .block:last[priority=3]',
  ':pre',
  '^seq :post .block',
  '.block +rag',
  '+nobody',
  '.block[tag=hot]',
  '.block[ttl<=1]',
  '.block[ttl=null][priority>8]',
  '.block[cycle=7]',
  '.seg[offset>0]',
  '.block[data_n>3]',
  'd1 .block',
  'd0 .block',
  'd-1 .block',
  'd2..d40 .block[role=user]',
  'd1..d3 .seg',
  '^seq .seg:depth(1) .block',
  '.seg:depth(3,5-9) > .cont',
  '.seg:depth(2)[cycle>1] .block',
  '.seg:depth(1-500) .block[priority=0]',
  '.group .block',
  '.group > .group',
]

/** One turn: how many blocks of which kind, and what is odd about it. */
const turnArbitrary = fc.record({
  blocks: fc.array(fc.constantFrom('user', 'assistant', 'tool'), { maxLength: 3 }),
  pre: fc.constantFrom(0, 0, 1),
  post: fc.constantFrom(0, 0, 1),
  priority: fc.nat(9),
  odd: fc.constantFrom(
    'none',
    'none',
    'none',
    'none',
    'none',
    'summary',
    'rag',
    'ttl',
    'group',
    'large',
    'type',
    'dotted',
  ),
})

type Turn = typeof turnArbitrary extends fc.Arbitrary<infer T> ? T : never

function addTurn(ctx: Context, { blocks, pre, post, priority, odd }: Turn): void {
  if (pre > 0) ctx.pre('before', { priority, ...(odd === 'rag' ? { tags: ['rag', 'hot'] } : {}) })
  for (const [i, role] of blocks.entries()) {
    ctx.add(`${role} ${i}`, {
      zone: 'core',
      role,
      priority: (priority + i) % 10,
      ...(role === 'tool' ? { kind: 'result', data_n: priority } : {}),
      ...(odd === 'ttl' ? { ttl: 3 } : {}),
      ...(odd === 'type' ? { type: `t${priority}` } : {}),
      ...(odd === 'dotted' ? { nodeType: i === 0 ? 'block:log.entry' : 'block:mc.seg', type: 'part.of' } : {}),
    })
  }
  if (odd === 'summary') ctx.pre('so far', { nodeType: 'block:summary' })
  if (odd === 'group') {
    const inner = { children: [{ content: 'deep', role: 'user', priority }], nodeType: 'cont:group' }
    ctx.add(undefined, { zone: 'post', nodeType: 'cont:group', children: [inner, { content: 'x' }] })
  }
  // More nodes than a shape may have.
  if (odd === 'large') for (let i = 0; i < 70; i++) ctx.user(`part ${i}`, { priority: i % 10 })
  if (post > 0) ctx.post('after', { priority, key: 'kb', ttl: 2 })
  ctx.commit()
}

function expectAgreement(ctx: Context, text: string): void {
  const ids = listOf(ctx.select(text))
  expectSame(
    ids,
    plainly(() => ctx.select(text)),
    text,
  )
  expectSame(ctx.select(`${text} @order=pre`), ids, text)
  expectSame(ctx.count(`${text} @unique`), ids.length, text)
  expectSame(
    Array.from(ctx.iterate(text), ({ id }) => id),
    ids,
    text,
  )
  expectSame(ctx.first(text)?.id, ids[0], text)
  expectSame(ctx.select(`${text} @skip=1 @limit=2`), ids.slice(1, 3), text)
}

describe('searching unit by unit', () => {
  test('finds what the matcher finds, after every few commits of a changing history (04 §3)', () => {
    const cases = fc.record({
      turns: fc.array(turnArbitrary, { minLength: 60, maxLength: 110 }),
      maxNodes: fc.constantFrom(undefined, 150, 400),
    })
    fc.assert(
      fc.property(cases, ({ turns, maxNodes }) => {
        const ctx = createContext({ prune: { maxNodes } })
        ctx.system.add('rules', { priority: 5 })
        for (const [i, turn] of turns.entries()) {
          addTurn(ctx, turn)
          if (i % 29 !== 7) continue
          ctx.user('open', { priority: 6 })
          for (const selector of SELECTORS) {
            for (const prefix of ['@t0 ', '@t-5 ', '']) expectAgreement(ctx, `${prefix}${selector}`)
          }
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
  })

  test('finds what the matcher finds in thousands of segments, and again after each further one', () => {
    const ctx = createContext()
    const usual: Turn = { blocks: ['user', 'assistant'], pre: 1, post: 0, priority: 0, odd: 'none' }
    const turns = fc.sample(turnArbitrary, { numRuns: 40, seed: SEED })
    // Leaves of one shape, with a few odd ones between them towards the end.
    for (let i = 0; i < 2_500; i++) {
      addTurn(ctx, i > 1_500 && i % 211 === 0 ? turns[i % 40]! : { ...usual, priority: i % 10 })
    }
    // The same question on one new snapshot after another: what is kept of the last answer serves the next.
    for (const [i, selector] of SELECTORS.entries()) {
      const text = `@t0 ${selector}`
      for (let again = 0; again < 4; again++) {
        addTurn(ctx, again < 3 ? usual : turns[i % 40]!)
        const ids = ctx.select(text)
        expect(ids, text).toEqual(plainly(() => ctx.select(text)))
      }
      expectAgreement(ctx, text)
    }
  })

  test('keeps the order of a shared key while the history grows (001 §3.5.2)', () => {
    const ctx = createContext()
    const ids: string[] = []
    for (let i = 0; i < 80; i++) {
      ctx.user(`turn ${i}`)
      // A key of its own depth each time: the older one is deeper.
      if (i % 9 === 0) ids.push(ctx.post('doc', { key: 'kb' }).id)
      ctx.commit()
      expect(ctx.select('@t0 #kb')).toEqual(ids)
      expect(ctx.count('@t0 #kb')).toBe(ids.length)
    }
  })

  test('finds what the matcher finds when asked after every commit, edit and preview of a changing history', () => {
    const asked = [
      '.nothing',
      '.block:summary',
      '+rag',
      '^ah',
      '^ah .block',
      '.block[priority>=5]',
      'd1 .block',
      '#kb',
      '.cont[priority=0] > .block[data_n>2]',
      "[content~'user']",
      '.block[role=user], .block:summary, +rag',
      '.nothing ?? .block:summary ?? .seg',
      '.block @order=turn:desc @limit=3',
      '#kb @order=turn:desc @first',
      '.block[role=tool] @order=turn @skip=1',
      '.block, .cont @order=pre',
      '[age<3]',
      // Tests that no memo may keep: they depend on the depth or on the cycle of the view.
      '[depth>3]',
      '.block[depth=40]',
      '[ttl<=1]',
      '[ttl=2]',
      '[ephemeral]',
    ]
    const cases = fc.record({
      turns: fc.array(turnArbitrary, { minLength: 40, maxLength: 70 }),
      maxNodes: fc.constantFrom(undefined, 150),
      changed: fc.array(fc.nat(60), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(cases, ({ turns, maxNodes, changed }) => {
        const ctx = createContext({ prune: { maxNodes } })
        const check = (prefix: string): void => {
          for (const selector of asked) {
            // Facets need a snapshot.
            if (/\[(?:age|depth)/.test(selector) && !prefix.startsWith('@t')) continue
            const text = `${prefix}${selector}`
            const found = listOf(ctx.select(text))
            expectSame(Object.isFrozen(found), true, text)
            expectSame(
              found,
              plainly(() => ctx.select(text)),
              text,
            )
            expectSame(ctx.count(text), found.length, text)
          }
        }
        ctx.system.add('rules', { priority: 5 })
        for (const [i, turn] of turns.entries()) {
          addTurn(ctx, turn)
          check('@t0 ')
          if (changed.includes(i)) ctx.update('.block[priority=3]?', { priority: 7 })
          if (i % 7 === 3) {
            ctx.pre('note', { nodeType: 'block:summary', tags: ['rag'] })
            check('')
            check('@preview ')
            if (i % 2 === 0) ctx.undo()
            check('')
          }
          if (i % 11 === 5) check('@t-1 ')
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
  })
})
