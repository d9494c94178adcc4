// Lenses (D5) by rows: which tree each one reads, and what is no lens at all.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, PactError, type Context, type Lens, type SnapshotsOptions } from '../index.js'

describe('a lens', () => {
  const rows: readonly (readonly [lens: string, cycle: number])[] = [
    ['@t0', 3],
    ['@t-0', 3],
    ['@t-1', 2],
    ['@t-2', 1],
    ['@c1', 1],
    ['@c3', 3],
    ['working', 4],
    ['preview', 4],
  ]
  test.each(rows)('%s reads the tree of cycle %i (D5)', (lens, cycle) => {
    const ctx = threeTurns()
    expect(ctx.snapshot(lens as Lens).cycle).toBe(cycle)
    expect(ctx.snapshot(lens as Lens).ref).toEqual({ kind: 'c', value: cycle, label: `@c${cycle}`, cycle })
  })

  const missing = ['@t-3', '@t-9', '@t1', '@t+1', '@c0', '@c4', '@c99', '@t-999999999999999', '@c9999999999999999']
  test.each(missing)('%s names no snapshot: E_SNAPSHOT_NOT_FOUND (D5)', (lens) => {
    expect(refusal(threeTurns(), lens)).toEqual({
      code: 'E_SNAPSHOT_NOT_FOUND',
      details: { lens, oldest: 1, newest: 3 },
    })
    expect(refusal(createContext(), lens)).toEqual({ code: 'E_SNAPSHOT_NOT_FOUND', details: { lens } })
  })

  test.each(['@t0', '@t-0', '@c1'])('%s is E_SNAPSHOT_NOT_FOUND before the first commit (D5)', (lens) => {
    expect(refusal(createContext(), lens)?.code).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  const bad = [
    '',
    '@',
    't0',
    '@t',
    '@c',
    '@t-',
    '@t--1',
    '@t0.5',
    '@t1e1',
    '@c-1',
    '@c+1',
    '@T0',
    '@x1',
    ' @t0',
    '@t0 ',
    '@t0\n',
    '@t０',
    '@*',
    '@t-*',
    '@history',
    '@t-1..@t0',
    '@t0 .block',
    '@working',
    '@preview',
    'Working',
    'latest',
    '__proto__',
  ]
  test.each(bad)('%j is none: E_SELECTOR_INVALID (D5)', (lens) => {
    expect(refusal(threeTurns(), lens)).toEqual({ code: 'E_SELECTOR_INVALID', details: { token: lens, pos: 0 } })
    expect(refusal(createContext(), lens)?.code).toBe('E_SELECTOR_INVALID')
  })

  test.each([5, null, true, {}, []])('%j is none either, though no text', (lens) => {
    expect(refusal(threeTurns(), lens)?.code).toBe('E_SELECTOR_INVALID')
  })

  it('means the same to every call that takes one (D5)', () => {
    const calls: readonly (readonly [string, (ctx: Context, lens: Lens) => unknown])[] = [
      ['snapshot', (ctx, lens) => ctx.snapshot(lens)],
      ['node', (ctx, lens) => ctx.node('root', lens)],
      ['coordinate', (ctx, lens) => ctx.coordinate('root', lens)],
      ['thread', (ctx, lens) => ctx.thread(lens)],
      ['threadBytes', (ctx, lens) => ctx.threadBytes(lens)],
      ['export', (ctx, lens) => ctx.export(lens)],
      ['referenceBytes', (ctx, lens) => ctx.referenceBytes(lens)],
      ['fork', (ctx, lens) => ctx.fork(lens)],
    ]
    for (const [name, call] of calls) {
      const codes = ['@t-9', '@t?', '@c2'].map((lens) => codeOf(() => call(threeTurns(), lens as Lens)))
      expect([name, ...codes]).toEqual([name, 'E_SNAPSHOT_NOT_FOUND', 'E_SELECTOR_INVALID', undefined])
    }
  })

  it('left out is the working state for reading and @t0 for taking along (D5)', () => {
    const ctx = threeTurns()
    ctx.user('open')
    expect(ctx.thread()).toEqual(ctx.thread('working'))
    expect(ctx.threadBytes()).toEqual(ctx.threadBytes('working'))
    expect(ctx.node('ah')?.children).toHaveLength(1)
    expect(ctx.coordinate('seg:3-2')).toBe('(d1)')
    expect(ctx.snapshot().cycle).toBe(3)
    expect(ctx.export()).toEqual(ctx.export('@t0'))
    expect(ctx.referenceBytes()).toEqual(ctx.referenceBytes('@t0'))
    expect(ctx.fork().node('ah')?.children).toHaveLength(0)
  })

  it('shows a tree that never changes afterwards, the working state included', () => {
    const ctx = threeTurns()
    ctx.user('open', { ttl: 1 })
    const stills = (['@t0', '@t-1', 'working', 'preview'] as const).map((lens) => ctx.snapshot(lens))
    const before = stills.map((still) => JSON.stringify([still, still.thread(), still.node('ah')]))
    ctx.system.add('rule')
    ctx.user('more')
    ctx.commit()
    ctx.commit()
    expect(stills.map((still) => JSON.stringify([still, still.thread(), still.node('ah')]))).toEqual(before)
  })
})

describe('snapshots()', () => {
  it('lists all of them, newest first, as refs (D39)', () => {
    expect(threeTurns().snapshots()).toEqual([
      { kind: 't', value: 0, label: '@t0', cycle: 3 },
      { kind: 't', value: -1, label: '@t-1', cycle: 2 },
      { kind: 't', value: -2, label: '@t-2', cycle: 1 },
    ])
    expect(createContext().snapshots()).toEqual([])
  })

  it('starts at the cycle of an import, which is @t0 (D5, D6)', () => {
    const ctx = importSnapshot({ cycle: 12, root: {} })
    expect(ctx.snapshots()).toEqual([{ kind: 't', value: 0, label: '@t0', cycle: 12 }])
    ctx.commit()
    expect(ctx.snapshots().map(({ label, cycle }) => [label, cycle])).toEqual([
      ['@t0', 13],
      ['@t-1', 12],
    ])
    expect(refusal(ctx, '@c11')).toMatchObject({ details: { oldest: 12, newest: 13 } })
  })

  it('gives a page of them: so many, before a cycle', () => {
    const ctx = importSnapshot({ cycle: 12, root: {} })
    for (let i = 0; i < 5; i++) ctx.commit()
    const all = ctx.snapshots()
    expect(all).toHaveLength(6)
    for (const limit of [undefined, 0, 1, 4, 6, 100, Infinity]) {
      for (const before of [undefined, 0, 12, 13, 16, 18, 99, Infinity]) {
        const earlier = all.filter(({ cycle }) => cycle < (before ?? Infinity))
        expect(ctx.snapshots({ limit, before })).toEqual(earlier.slice(0, limit))
      }
    }
    expect(createContext().snapshots({ limit: 5, before: 3 })).toEqual([])
  })

  test.each<[name: string, options: unknown]>([
    ['limit', { limit: -1 }],
    ['limit', { limit: '5' }],
    ['before', { before: 1.5 }],
    ['before', { before: null }],
    ['Limit', { Limit: 5 }],
  ])('refuses %s as %j', (name, options) => {
    expect(() => threeTurns().snapshots(options as SnapshotsOptions)).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name } }) as Error,
    )
  })

  it('gives labels that are lenses', () => {
    const ctx = threeTurns()
    for (const { label, cycle } of ctx.snapshots()) expect(ctx.snapshot(label as Lens).cycle).toBe(cycle)
  })
})

function threeTurns(): Context {
  const ctx = createContext()
  for (const turn of ['one', 'two', 'three']) {
    ctx.user(turn)
    ctx.commit()
  }
  return ctx
}

function refusal(ctx: Context, lens: unknown): { code: string; details: object } | undefined {
  try {
    ctx.snapshot(lens as Lens)
  } catch (error) {
    if (PactError.is(error)) return { code: error.code, details: error.details }
    throw error
  }
  return undefined
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error.code
    throw error
  }
  return undefined
}
