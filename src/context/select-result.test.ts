// The type that the compiler gives `select`, and its value (D7, D23): each list below is checked as types by tsc, and
// row by row at run time.

import { describe, expect, expectTypeOf, test } from 'vitest'

import {
  createContext,
  importSnapshot,
  type Context,
  type ContextOptions,
  type ListOptions,
  type RangeDiffLatestResult,
  type RangeResults,
  type SelectResult,
} from '../index.js'

type Ids = readonly string[]

/** The result of every text of a list, by its text, so that the compiler can name the one that is wrong. */
type Results<S extends string, R extends RangeResults = 'diff'> = { [Text in S]: SelectResult<Text, R> }

/** Every form of D7, and bodies that look like something else. */
const RANGES = [
  '@t0..@t-3 .block',
  '@t-3..@t0 .block',
  '@t-3..0 .block',
  '@t-5..-1 .block',
  '@t-5:-1 .block',
  '@t-3:@t0 .block',
  '@t+1..@t-1 .block',
  '@t1..-1 .block',
  '@t0..@t-* .block',
  '@t0:-* .block',
  '@t-*..@t0 .block',
  '@t-*:-1 .block',
  '@t-*..-* .block',
  '@c1..@c3 .block',
  '@c3:9 .block',
  '@c3..1 .block',
  '@c3:@c1 .block',
  '@t0..@t-01 .block',
  '@history .block',
  '@history.block',
  '@history #key',
  '@t0..@t-1.block',
  '@t0..@t-1[ttl<=1]',
  '@t0..@t-1{ttl=1}',
  '@t0..@t-1(d1, 0)',
  '@t0:-1^seq .block',
  '  @t0..@t-1 .block',
  '\n\t@t0..@t-1\r\n.block',
  '@t0..@t-1 d1..d3 .block',
  '@t0..@t-1 .seg:depth(1) .block',
  '@t0..@t-1 .block @limit=3',
  '@t0..@t-1 .block @mode=pairwise',
  '@t0..@t-1 .block @mode=latest',
  '@history .block @skip=1 @mode=latest',
] as const

const LISTS = [
  '.block',
  '*',
  ' .block',
  '#key',
  '^ah .block',
  'd1..d3 .block',
  '(d1, 0)',
  '.seg:depth(1..3)',
  '.seg:depth(1)',
  '.block:summary',
  "[role='@t0..@t-1']",
  '.block @limit=1',
  '@t0 .block',
  '@t0.block',
  '@t0 .seg:depth(1)',
  '@t0 .seg:depth(1..2)',
  '@t0 .block:summary',
  '@t0 d1..d3 .block',
  '@t0(d1, 0)',
  '@t0{ttl=1}',
  "@t0 [role='@t0..@t-1']",
  '@t-1 .block',
  '@t-* .block',
  '@t-* .seg:depth(1)',
  '@t-* d1..d2 .block',
  '@c3 .block',
  '@c3.block',
  '@c3.block:summary',
  '@c3 .seg:depth(1..2)',
  '@* .x',
  '@* .seg:depth(1..2)',
  '@* d1..d2 .block',
  '@working .x',
  '@working .seg:depth(1..2)',
  '@preview .x',
  '@preview d1..d2 .block',
  '@t0 .block @custom=a:b',
  '@t0..@t-1 .block @mode=union',
  '@history .block @mode=union',
  '@c3:9 .block @limit=2 @mode=union',
  ' @t-3..@t0 d1..d3 .block @mode=union @skip=1',
] as const

/** Quoted text may hold what looks like a control, so these may be either; here is what they are. */
const EITHER = {
  "@history .block[kind='x'] @mode=union": 'list',
  '@history .block{kind="@mode=union"}': 'range',
  "@t0..@t-1 [role='a'] @mode=union": 'list',
} as const

describe('select on literal selectors', () => {
  test.each(RANGES)('%j is a range result (D7)', (selector) => {
    expectTypeOf<Results<(typeof RANGES)[number]>>().toEqualTypeOf<
      Record<(typeof RANGES)[number], RangeDiffLatestResult>
    >()
    expectTypeOf<Results<(typeof RANGES)[number], 'list'>>().toEqualTypeOf<Record<(typeof RANGES)[number], Ids>>()
    expect(kindOf(turns().select(selector))).toBe('range')
    expect(kindOf(turns({ selectRangeReturnsDiff: false }).select(selector))).toBe('list')
  })

  test.each(LISTS)('%j is a list of ids (D5, D8, D23)', (selector) => {
    expectTypeOf<Results<(typeof LISTS)[number]>>().toEqualTypeOf<Record<(typeof LISTS)[number], Ids>>()
    expectTypeOf<Results<(typeof LISTS)[number], 'list'>>().toEqualTypeOf<Record<(typeof LISTS)[number], Ids>>()
    expect(kindOf(turns().select(selector))).toBe('list')
    expect(kindOf(turns({ selectRangeReturnsDiff: false }).select(selector))).toBe('list')
  })

  test.each(Object.entries(EITHER))('%j may be either to the compiler, and is a %s (D23)', (selector, kind) => {
    expectTypeOf<Results<keyof typeof EITHER>>().toEqualTypeOf<
      Record<keyof typeof EITHER, RangeDiffLatestResult | Ids>
    >()
    expect(kindOf(turns().select(selector))).toBe(kind)
  })

  test('the calls say what the type says', () => {
    const ctx = turns()
    expectTypeOf(ctx.select('@t-5..-1 .block')).toEqualTypeOf<RangeDiffLatestResult>()
    expectTypeOf(ctx.select('@history .block', { maxSnapshots: 2 })).toEqualTypeOf<RangeDiffLatestResult>()
    expectTypeOf(ctx.select('@t0 .block')).toEqualTypeOf<Ids>()
    expectTypeOf(ctx.select('@history .block @mode=union', { limit: 2 })).toEqualTypeOf<Ids>()
    expectTypeOf(ctx.rangeDiffLatest('@history .block')).toEqualTypeOf<RangeDiffLatestResult>()
    expectTypeOf(ctx.snapshot().select('.block')).toEqualTypeOf<Ids>()
    // No cast, no test: this is how it is meant to be used.
    expect(ctx.select('@t-1..@t0 .block').diffs).toHaveLength(1)
    expect(ctx.select('@t0 .block').length).toBeGreaterThan(0)
  })
})

describe('select on ranges that are easily misread', () => {
  // A range of depths behind `:` is no operator, and `-0` and leading zeros are numbers.
  const WRONG = ['@t0:-2 d1..d3 .block', '@c1:3 .seg:depth(1..2)', '@t-0..@t-1 .block', '@c01:2 .block'] as const
  type Wrong = (typeof WRONG)[number]

  test.each(WRONG)('%j is a range result (D7)', (selector) => {
    expectTypeOf<Results<Wrong>>().toEqualTypeOf<Record<Wrong, RangeDiffLatestResult>>()
    expect(kindOf(turns().select(selector))).toBe('range')
  })
})

describe('select on other texts', () => {
  test('a text known at run time gives either, told apart by diffs', () => {
    const ctx = turns()
    for (const selector of ['@history .block', '.block']) {
      const text: string = selector
      const found = ctx.select(text)
      expectTypeOf(found).toEqualTypeOf<RangeDiffLatestResult | Ids>()
      if ('diffs' in found) expectTypeOf(found).toEqualTypeOf<RangeDiffLatestResult>()
      else expectTypeOf(found).toEqualTypeOf<Ids>()
      expect('diffs' in found).toBe(selector.startsWith('@history'))
    }
    expectTypeOf<SelectResult<string>>().toEqualTypeOf<RangeDiffLatestResult | Ids>()
    expectTypeOf<SelectResult<string, 'list'>>().toEqualTypeOf<Ids>()
  })

  test('a union of literals gives the union of their results', () => {
    const ctx = turns()
    const ask = (selector: '@t0 .block' | '@history .block'): RangeDiffLatestResult | Ids => {
      const found = ctx.select(selector)
      expectTypeOf(found).toEqualTypeOf<RangeDiffLatestResult | Ids>()
      return found
    }
    expect([kindOf(ask('@t0 .block')), kindOf(ask('@history .block'))]).toEqual(['list', 'range'])
    expectTypeOf<SelectResult<'@t0 .a' | '@c3.b'>>().toEqualTypeOf<Ids>()
    expectTypeOf<SelectResult<'@t0..@t-1 .a' | '@history .b'>>().toEqualTypeOf<RangeDiffLatestResult>()
    expectTypeOf<SelectResult<never>>().toEqualTypeOf<never>()
  })

  test('a text with a hole in it may be either, as far as the hole can decide', () => {
    const ctx = turns()
    const ask = (hole: string): unknown => {
      expectTypeOf(ctx.select(`@t0 .${'block' as 'block' | 'seg'}`)).toEqualTypeOf<Ids>()
      expectTypeOf(ctx.select(`${hole} .block`)).toEqualTypeOf<RangeDiffLatestResult | Ids>()
      expectTypeOf(ctx.select(`@t0${hole} .block`)).toEqualTypeOf<RangeDiffLatestResult | Ids>()
      expectTypeOf(ctx.select(`@history .block ${hole}`)).toEqualTypeOf<RangeDiffLatestResult | Ids>()
      return [`${hole} .block`, `@t0${hole} .block`, `@history .block ${hole}`].map((text) => kindOf(ctx.select(text)))
    }
    expect(ask('')).toEqual(['list', 'list', 'range'])
    expect(kindOf(ctx.select('@history .block @mode=union'))).toBe('list')
    expect(kindOf(ctx.select('@t0..@t-1 .block'))).toBe('range')
  })
})

describe('select on templates', () => {
  type Ranges = [
    `@t-3..@t0 .x[role='${string}']`,
    `@history .block[key='${string}']`,
    `@c1..@c${number} .block`,
    `@t-${number}..@t0 .block`,
    `@c${bigint}:9 .block`,
    `  @t0:-1 .block[data_n>${number}] @limit=${number}`,
    `@t0..@t-1 .block{ key='${string}', role='${string}' }`,
    `@t-*..@t0 (d1, ${number})`,
    `@history #${number}`,
  ]
  type Lists = [
    `@t0 .block[key='${string}']`,
    `.block[key='${string}']`,
    `.${string}`,
    ` #${string}`,
    `@t-${number} .block`,
    `@c${number} ${string}`,
    `@t0 ${string}`,
    `@t-* .x${string}`,
    `@* .block[key=${string}]`,
    `@working ${string}`,
    `@preview .${string}`,
    `d${number} .block`,
    `@t0.block:${string}`,
    `@c3[key='${string}']`,
    `@history .block @mode=union @limit=${number}`,
  ]
  type Open = [
    string,
    `${string} .x`,
    ` ${string}`,
    `@${string} .x`,
    `@t${string} .x`,
    `@t0${string} .x`,
    `@t0.${string}`,
    `@t-${string}`,
    `@hist${string} .x`,
    `@work${string}`,
    `@history .x ${string}`,
    `@history .x[key='${string}'] ${string}`,
    `@t-1..@t0 .${string}`,
    `@history .x[key='${string}'] @mode=union`,
  ]
  type All<Texts extends readonly string[]> = { [I in keyof Texts]: SelectResult<Texts[I]> }
  type Each<Texts extends readonly string[], Result> = { [I in keyof Texts]: Result }

  test('a fixed time prefix decides, whatever is put in behind it (D7)', () => {
    expectTypeOf<All<Ranges>>().toEqualTypeOf<Each<Ranges, RangeDiffLatestResult>>()
    expectTypeOf<All<Lists>>().toEqualTypeOf<Each<Lists, Ids>>()
    expectTypeOf<All<Open>>().toEqualTypeOf<Each<Open, RangeDiffLatestResult | Ids>>()
    expectTypeOf<SelectResult<`@history .x[key='${string}']`, 'list'>>().toEqualTypeOf<Ids>()
  })

  test('the calls say what the type says', () => {
    const ctx = turns()
    const ask = (text: string, n: number): unknown[] => {
      expectTypeOf(ctx.select(`@t-3..@t0 .block[role='${text}']`)).toEqualTypeOf<RangeDiffLatestResult>()
      expectTypeOf(ctx.select(`@t-${n}..@t0 .block`)).toEqualTypeOf<RangeDiffLatestResult>()
      expectTypeOf(ctx.select(`@t0 .block[role='${text}']`)).toEqualTypeOf<Ids>()
      expectTypeOf(ctx.select(`@c${n} .block`)).toEqualTypeOf<Ids>()
      expectTypeOf(ctx.select(`.${text} .x`)).toEqualTypeOf<Ids>()
      return [
        ctx.select(`@t-3..@t0 .block[role='${text}']`),
        ctx.select(`@t-${n}..@t0 .block`),
        ctx.select(`@t0 .block[role='${text}']`),
        ctx.select(`@c${n} .block`),
        ctx.select(`.${text} .x`),
      ]
    }
    expect(ask('user', 2).map(kindOf)).toEqual(['range', 'range', 'list', 'list', 'list'])
  })
})

describe('the setting selectRangeReturnsDiff', () => {
  test('false makes lists of all, and forks keep it (D23)', () => {
    const flat = createContext({ selectRangeReturnsDiff: false })
    flat.user('a')
    flat.commit()
    expectTypeOf(flat).toEqualTypeOf<Context<'list'>>()
    expectTypeOf(flat.select('@history .block')).toEqualTypeOf<Ids>()
    expectTypeOf(flat.select('@t0 .block')).toEqualTypeOf<Ids>()
    expectTypeOf<SelectResult<string, 'list'>>().toEqualTypeOf<Ids>()
    expectTypeOf(flat.rangeDiffLatest).returns.toEqualTypeOf<RangeDiffLatestResult>()
    expectTypeOf(flat.fork()).toEqualTypeOf<Context<'list'>>()
    expectTypeOf(flat.fork('working').select('@history .block')).toEqualTypeOf<Ids>()
    for (const ctx of [flat, flat.fork(), flat.fork('working').fork('preview')]) {
      expect(kindOf(ctx.select('@history .block'))).toBe('list')
      expect(kindOf(ctx.rangeDiffLatest('@history .block'))).toBe('range')
    }
  })

  test('of an import is that of a new context (D23)', () => {
    const text = turns().export()
    expectTypeOf(importSnapshot(text)).toEqualTypeOf<Context>()
    expectTypeOf(importSnapshot(text, { selectRangeReturnsDiff: true })).toEqualTypeOf<Context>()
    expectTypeOf(importSnapshot(text, { selectRangeReturnsDiff: false })).toEqualTypeOf<Context<'list'>>()
    expect(kindOf(importSnapshot(text).select('@history .block'))).toBe('range')
    expect(kindOf(importSnapshot(text, { selectRangeReturnsDiff: false }).select('@history .block'))).toBe('list')
  })

  test('can be set anew for a fork, and the compiler follows (D23)', () => {
    const [flat, diffs] = [createContext({ selectRangeReturnsDiff: false }), turns()]
    flat.commit()
    expectTypeOf(diffs.fork('@t0', { selectRangeReturnsDiff: false })).toEqualTypeOf<Context<'list'>>()
    expectTypeOf(flat.fork('@t0', { selectRangeReturnsDiff: true })).toEqualTypeOf<Context>()
    expectTypeOf(flat.fork('@t0', { id: 'b' })).toEqualTypeOf<Context<'list'>>()
    expect(kindOf(diffs.fork('@t0', { selectRangeReturnsDiff: false }).select('@history .block'))).toBe('list')
    expect(kindOf(flat.fork('@t0', { selectRangeReturnsDiff: true }).select('@history .block'))).toBe('range')
  })

  test('known at run time only leaves both open (D23)', () => {
    const options: ListOptions = { selectRangeReturnsDiff: false }
    const ctx = createContext(options)
    ctx.commit()
    expectTypeOf(ctx).toEqualTypeOf<Context<RangeResults>>()
    expectTypeOf(ctx.select('@history .block')).toEqualTypeOf<RangeDiffLatestResult | Ids>()
    expectTypeOf(ctx.fork('@t0', options)).toEqualTypeOf<Context<RangeResults>>()
    // @ts-expect-error What may say false is no ContextOptions, so that these always give diffs.
    expectTypeOf(options).toExtend<ContextOptions>()
    expect(kindOf(ctx.select('@history .block'))).toBe('list')
  })

  test('is true where it is not given, and forks keep that too (D23)', () => {
    expectTypeOf(createContext()).toEqualTypeOf<Context>()
    expectTypeOf(createContext({ selectRangeReturnsDiff: true })).toEqualTypeOf<Context>()
    expectTypeOf(createContext({ id: 'a', dialect: '0.1' })).toEqualTypeOf<Context>()
    expectTypeOf(turns().fork('@t0', { id: 'b' })).toEqualTypeOf<Context>()
    expect(kindOf(turns().fork('preview').select('@history .block'))).toBe('range')
    expect(kindOf(turns({ selectRangeReturnsDiff: undefined }).select('@history .block'))).toBe('range')
  })
})

function turns(options: ContextOptions | ListOptions = {}): Context {
  const ctx = createContext(options as ContextOptions)
  for (let cycle = 1; cycle <= 4; cycle++) {
    ctx.user(`turn ${cycle}`)
    ctx.commit()
  }
  return ctx
}

function kindOf(found: unknown): 'range' | 'list' | 'neither' {
  if (Array.isArray(found)) return 'list'
  return typeof found === 'object' && found !== null && 'diffs' in found ? 'range' : 'neither'
}
