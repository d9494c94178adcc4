// Chains by kinds, by values and in one segment, against the matcher alone: chains of a few steps, on a history with
// containers in containers, asked when new, asked again, and after each further commit.

import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'

import { listOf, textOf } from '../../../test/support/context.js'
import { plainly } from '../../../test/support/plainly.js'
import { createContext, importSnapshot, type Context } from '../../index.js'
import { View } from '../../timeline/index.js'
import { FlatTree } from '../match/flat-tree.js'
import { hashOf } from './text-sieve.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)

const STEPS = ['^root', '^seq', '.seg', '.cont', '.block', '.block:doc', '*', '.cont:search', "[role='user']"]
const TESTS = ['', "[data_a='x']", "[data_a!='x']", '[priority>1]', "[content~'1']", ':first', '[cycle>3]', ':depth(1)']
const step = fc
  .tuple(fc.constantFrom(...STEPS), fc.constantFrom('', '', '', ...TESTS))
  .map(([name, condition]) => `${name}${condition}`)
const further = fc.tuple(fc.constantFrom(' ', ' > '), step).map(([reach, next]) => `${reach}${next}`)
const chain = fc
  .tuple(fc.constantFrom('', '', '', 'd1 ', 'd2..d3 '), step, fc.array(further, { maxLength: 4 }))
  .map(([scope, first, rest]) => `@t0 ${scope}${first}${rest.join('')}`)

function addTurn(ctx: Context, turn: number): void {
  ctx.pre(`pre ${turn}`, { data_a: turn % 3 ? 'x' : 'y', priority: turn % 4 })
  ctx.user(`question ${turn}`)
  if (turn % 2) ctx.assistant(`answer ${turn}`, { data_a: 'x', data_b: 'z' })
  if (turn % 5 === 0) {
    const deep = { content: `deep ${turn}`, nodeType: 'block:doc' }
    const inner = { nodeType: 'cont:search', data_a: 'x', children: [deep] }
    const header = { zone: 'post', nodeType: 'cont:search', ...(turn % 10 ? {} : { data_a: 'x' }) } as const
    ctx.add(undefined, { ...header, children: [inner, { content: 'beside', data_a: 'y' }] })
  }
  ctx.commit()
}

function history(turns: number): Context {
  const ctx = createContext()
  for (let turn = 0; turn < turns; turn++) addTurn(ctx, turn)
  return ctx
}

type Exported = { root: Exported; nodeType: string; offset: number; children?: Exported[] }

/** The same turns as a file in which every third segment, the newest among them, holds its blocks without a core (D12). */
function withoutSomeCores(ctx: Context): Context {
  const document = JSON.parse(textOf(ctx.export('@t0'))) as Exported
  const segments = document.root.children![1]!.children!
  for (const [i, segment] of segments.toReversed().entries()) {
    if (i % 3 > 0) continue
    segment.children = segment.children!.flatMap((child) =>
      child.offset === 0 && child.children !== undefined ? child.children : [child],
    )
  }
  return importSnapshot(document)
}

function expectAgreement(ctx: Context, text: string): void {
  expect(ctx.select(text), text).toEqual(plainly(() => ctx.select(text)))
  expect(ctx.count(text), text).toBe(plainly(() => ctx.count(text)))
}

describe('chains', () => {
  test('find what the matcher finds: new, asked again, and after further commits', () => {
    const ctx = history(100)
    let turn = 100
    const agrees = (text: string): void => {
      for (let again = 0; again < 3; again++) {
        expectAgreement(ctx, text)
        addTurn(ctx, turn++)
      }
    }
    fc.assert(fc.property(chain, agrees), { seed: SEED, numRuns: 200, endOnFailure: true })
  })

  test('find what the matcher finds where segments have no core, in all of them and in the newest (D12)', () => {
    const ctx = withoutSomeCores(history(71))
    expect(ctx.select('@t0 d1 .cont > .block').length).toBeGreaterThan(0)
    const agrees = (text: string): void => {
      expectAgreement(ctx, text)
      expectAgreement(ctx, `${text} `)
    }
    fc.assert(fc.property(chain, agrees), { seed: SEED, numRuns: 200, endOnFailure: true })
  })

  test.each(['^seq .seg > .cont > .block', '.seg:depth(1) .block', 'd1 .block', ".cont[data_a='x'] .block"])(
    '%s sets up no rows of the segment that a commit adds',
    (selector) => {
      const ctx = history(10)
      const text = `@t0 ${selector}`
      for (let again = 0; again < 2; again++) ctx.select(text)
      addTurn(ctx, 10)
      ctx.select(text)
      addTurn(ctx, 11)
      const ofSegments = vi.spyOn(FlatTree, 'ofSegments')
      const of = vi.spyOn(FlatTree, 'of')
      const found = ctx.select(text)
      expect([ofSegments.mock.calls.length, of.mock.calls.length]).toEqual([0, 0])
      vi.restoreAllMocks()
      expect(found).toEqual(plainly(() => ctx.select(text)))
    },
  )
})

describe('a chain with one test', () => {
  // Two containers with the value, one in the other, and one with it in one without it.
  const ctx = createContext()
  for (let i = 0; i < 40; i++) {
    const inner = { nodeType: 'cont', data_a: 'x', children: [{ content: `inner ${i}` }] }
    const children = [inner, { nodeType: 'cont', children: [{ content: `plain ${i}` }] }, { content: `beside ${i}` }]
    ctx.add(undefined, { zone: 'post', nodeType: 'cont', ...(i % 2 ? { data_a: 'x' } : {}), children })
    ctx.add(undefined, { zone: 'post', nodeType: 'cont:b', data_b: 'x', priority: i % 4, children: [{ content: 'b' }] })
    ctx.add(undefined, { zone: 'post', nodeType: 'cont:b', data_b: 'x', priority: 5, children: [{ content: 'c' }] })
    ctx.user(`question ${i}`, { data_a: 'x' })
    ctx.commit()
  }

  test.each([
    ["^seq .seg > .cont[data_a='x'] > .block", 20],
    ["^seq .seg > .cont[data_a='x'] .block", 60],
    ["^seq .seg .cont[data_a='x'] > .block", 60],
    ["^seq .seg .cont[data_a='x'] .block", 80],
    ["^seq .seg > .cont > .cont[data_a='x'] > .block", 40],
    [".cont[data_a='x'] > .cont .block", 40],
    [".cont[data_a='x'] > .cont > .block", 40],
    [".cont[data_a='x'] .cont[data_a='x'] > .block", 20],
    ["^seq .cont > .cont[data_a='x'][content!='y'] > .block", 40],
    ["^seq .seg .cont[data_a='x']", 60],
    ["^seq .seg > .cont > .block[data_a='x']", 40],
    ["^seq .cont[data_a='x'] > .seg", 0],
    ["^seq .seg > .cont[data_a='x'] > .block:first", 20],
    ["^seq .cont[data_a='x']:first > .cont > .block", 40],
    ["^seq .seg > .cont[data_b='x'] > .block", 80],
    ["^seq .seg > .cont[data_b='x']:first > .block", 40],
    ["^seq .seg > .cont[data_b='x'][priority<3] > .block", 30],
    ["^seq .seg:depth(2..30) > .cont[data_b='x'] > .block", 58],
    ["^seq .seg > .cont[data_b='x'][depth<12] > .block", 22],
  ])('%s finds %i', (text, count) => {
    const found = listOf(ctx.select(`@t0 ${text}`))
    expect(found).toEqual(plainly(() => ctx.select(`@t0 ${text}`)))
    expect(found.length).toBe(count)
  })
})

describe('a node by its id', () => {
  test('is not looked for again while history only grows, and is when anything else happens', () => {
    const ctx = history(5)
    const { id } = ctx.user('later', { priority: 3 })
    const text = `@t0 .block[id='${id}'][priority=3]`
    const asked = (): readonly string[] => {
      const found = listOf(ctx.select(text))
      expect(found).toEqual(plainly(() => ctx.select(text)))
      return found
    }
    expect([asked(), asked()]).toEqual([[], []])
    ctx.commit()
    expect(asked()).toEqual([id])
    addTurn(ctx, 6)
    const find = vi.spyOn(View.prototype, 'find')
    const found = ctx.select(text)
    expect(find).not.toHaveBeenCalled()
    find.mockRestore()
    expect(found).toEqual([id])
    ctx.update(`[id='${id}']`, { priority: 4 })
    expect(asked()).toEqual([id])
    ctx.commit()
    expect(asked()).toEqual([])
    ctx.update(`[id='${id}']`, { priority: 3 })
    ctx.commit()
    expect(asked()).toEqual([id])
    ctx.delete(`[id='${id}']`)
    ctx.commit()
    expect(asked()).toEqual([])
  })
})

test('names of attributes are told apart also where their hashes are equal', () => {
  const [one, other] = namesAlike()
  const ctx = createContext()
  for (let i = 0; i < 70; i++) {
    ctx.user(`turn ${i}`, i % 2 ? { [one]: 'x' } : { [other]: 'y' })
    ctx.commit()
  }
  for (const text of [`[${one}='x']`, `[${other}='x']`, `[${one}!='x']`, `[${other}~'y']`, `[${one}~'y']`]) {
    expectAgreement(ctx, `@t0 ${text}`)
  }
  expect([ctx.count(`@t0 [${one}='x']`), ctx.count(`@t0 [${other}='x']`)]).toEqual([35, 0])
})

/** Two names with one hash: among so many there are some. */
function namesAlike(): readonly [string, string] {
  const seen = new Map<number, string>()
  for (let i = 0; ; i++) {
    const name = `data_${i.toString(36)}`
    const known = seen.get(hashOf(name))
    if (known !== undefined) return [known, name]
    seen.set(hashOf(name), name)
  }
}
