// Schedules hold content too (D46): what changes or deletes nodes also reaches what will come again.

import {
  createContext,
  importSnapshot,
  type Context,
  type ContextOptions,
  type NodeSpec,
  type Warning,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, expectRefused, textOf } from '../support/context.js'
import { contents } from '../support/editing.js'

function context(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

/** A node that is in cycles 1, 4, 7 … and in none of the snapshots between. */
function recurring(header: Parameters<Context['pre']>[1] = {}): Context {
  const ctx = context()
  ctx.user('u')
  ctx.pre('my secret', { key: 'k', cad: 3, ttl: 1, ...header })
  ctx.commit()
  ctx.commit()
  return ctx
}

function schedules(ctx: Context): readonly unknown[] {
  return ctx.snapshot('working').schedules
}

function until(ctx: Context, cycle: number): Context {
  while (ctx.cycle < cycle) ctx.commit()
  return ctx
}

describe('delete', () => {
  test('ends a schedule that no node shows, and undo brings it back (D46)', () => {
    const ctx = recurring()
    const before = textOf(ctx.export('working'))
    expect(ctx.delete("*[content~'secret']")).toEqual([])
    expect(textOf(ctx.export('working'))).not.toContain('secret')
    expect(ctx.undo()).toBe(true)
    expect(textOf(ctx.export('working'))).toBe(before)
    ctx.delete("*[content~'secret']")
    expect(contents(until(ctx, 4))).toEqual(['u'])
  })

  test.each([
    ['by key', '#k'],
    ['by zone', '^ah :pre .block'],
    ['by depth', 'd0 .block'],
    ['by coordinate', '(d0, -1)'],
    ['by a range of headers', '*[ttl=1][cad=3]'],
    ['by the cycle it would be made in', '[cycle=3]'],
  ])('finds it %s, as if it stood in the head now (D46)', (_how, selector) => {
    const ctx = recurring()
    expect(ctx.delete(selector)).toEqual([])
    expect(schedules(ctx)).toEqual([])
  })

  test.each([['d1 *'], ['^ah :post .block'], ["*[content~'nobody']"], ['(d0, -2)'], ['^sys *']])(
    'passes it over where %s means something else (D46)',
    (selector) => {
      const ctx = recurring()
      ctx.delete(`${selector}?`)
      expect(schedules(ctx)).toHaveLength(1)
    },
  )

  test('finds what stands inside it (D46)', () => {
    const ctx = context()
    ctx.user('u')
    ctx.add(undefined, { zone: 'post', key: 'k', cad: 2, ttl: 1, children: [{ content: 'my secret' }] })
    ctx.commit()
    ctx.commit()
    ctx.delete('d0 *?')
    expect(schedules(ctx)).toEqual([])
  })

  test('of an instance in history ends its schedule (D28, D46)', () => {
    const ctx = recurring({ ttl: 4 })
    ctx.delete("d1..d2 *[content~'secret']")
    expect(schedules(ctx)).toEqual([])
  })

  test('of what stands in an instance ends the schedule that would bring it back (D46)', () => {
    for (const edit of ['delete', 'redact'] as const) {
      const ctx = context()
      ctx.add(undefined, { key: 'k', cad: 2, zone: 'post', children: [{ content: 'my secret' }] })
      ctx.user('u')
      ctx.commit()
      if (edit === 'delete') ctx.delete("^seq *[content~'secret']")
      else ctx.redact('^seq .block', { match: 'secret' })
      for (let i = 0; i < 3; i++) ctx.commit()
      expect(textOf(ctx.export('working'))).not.toContain('secret')
    }
  })

  test('takes the first of its choices that a node or a schedule answers (D23, D46)', () => {
    const ctx = recurring()
    ctx.delete('#k ?? .block')
    expect(schedules(ctx)).toEqual([])
    expect(contents(ctx)).toEqual(['u'])
  })

  test.each([['^ah .block @first'], ['^ah .block:last'], ['^ah .block @limit=1'], ['^ah .block:nth(1)']])(
    'with a window means a node that is there, and a schedule only where none is: %s (D46)',
    (selector) => {
      const ctx = recurring()
      ctx.user('v')
      expect(ctx.delete(selector)).toHaveLength(1)
      expect(schedules(ctx)).toHaveLength(1)
      expect(ctx.delete(selector)).toEqual([])
      expect(schedules(ctx)).toEqual([])
    },
  )

  test('of something else is refused where neither a node nor a schedule is meant (D46)', () => {
    const ctx = recurring()
    expectRefused(ctx, () => ctx.delete('#other'), 'E_NODE_NOT_FOUND')
  })
})

describe('replace', () => {
  test('rewrites a schedule, and its count goes on (D46)', () => {
    const ctx = recurring()
    expect(ctx.replace('#k', { content: 'public', tags: ['t'] })).toEqual([])
    expect(schedules(ctx)).toMatchObject([
      { key: 'k', cad: 3, first_cycle: 1, node: { content: 'public', tags: ['t'] } },
    ])
    expect(contents(until(ctx, 4))).toEqual(['u', 'public'])
  })

  test('changes the instance in history and what will come alike (D46)', () => {
    const ctx = recurring({ ttl: 9 })
    expect(ctx.replace('#k', { content: 'public' })).toHaveLength(1)
    expect(textOf(ctx.export('working'))).not.toContain('secret')
    expect(schedules(ctx)).toMatchObject([{ first_cycle: 1 }])
  })

  test('gives another key and cadence (D46)', () => {
    const ctx = recurring()
    ctx.replace('#k', { key: 'other', cad: 2 })
    expect(schedules(ctx)).toMatchObject([{ key: 'other', cad: 2, first_cycle: 1 }])
    expect(ctx.nodes('d0 #other')).toHaveLength(0)
    expect(until(ctx, 5).nodes('d0 #other')).toHaveLength(1)
  })

  test('of the instance alone starts the count anew, as a write does (D28, N25)', () => {
    const ctx = context()
    const node = ctx.pre('a', { key: 'k', cad: 3 })
    ctx.commit()
    until(ctx, 4)
    const [instance] = ctx.nodes('d0 #k')
    ctx.replace(`[id='${instance!.id}']`, { content: 'b' })
    expect(node.id).not.toBe(instance!.id)
    expect(schedules(ctx)).toMatchObject([{ first_cycle: 4, node: { content: 'b' } }])
  })

  test('cannot make what returns deeper than a tree may be (D33, D46)', () => {
    const nested = (levels: number): Readonly<{ children: readonly NodeSpec[] }> => {
      return { children: levels === 1 ? [] : [nested(levels - 1)] }
    }
    const ctx = recurring()
    expectRefused(ctx, () => ctx.replace('#k', nested(125)), 'E_PLACEMENT_INVALID')
    expect(ctx.replace('#k', nested(124))).toEqual([])
    expect(importSnapshot(ctx.commit().export()).snapshot('@t0').schedules).toHaveLength(1)
  })

  test('cannot give one key to two schedules, or a cadence to a child (D46)', () => {
    const ctx = recurring()
    ctx.post('x', { key: 'l', cad: 3, ttl: 1 })
    until(ctx, 5)
    expectRefused(ctx, () => ctx.replace('#k, #l', { key: 'm' }), 'E_ODI_VIOLATION')
    const boxed = context()
    boxed.add(undefined, { zone: 'post', key: 'box', cad: 5, ttl: 1, children: [{ content: 'in', tags: ['t'] }] })
    boxed.commit()
    boxed.commit()
    expectRefused(boxed, () => boxed.replace('+t', { cad: 2 }), 'E_CADENCE_INVALID')
    boxed.replace('+t', { content: 'other' })
    expect(schedules(boxed)).toMatchObject([{ node: { children: [{ content: 'other' }] } }])
  })
})

describe('redact', () => {
  test('rewrites a schedule that no node shows (D46, D54)', () => {
    const ctx = recurring()
    expect(ctx.redact("*[content~'secret']", { match: 'secret', reason: 'r' })).toEqual([])
    expect(schedules(ctx)).toMatchObject([{ first_cycle: 1, node: { content: 'my [redacted]', data_reason: 'r' } }])
    expect(textOf(ctx.export('working'))).not.toContain('secret')
    expect(ctx.undo()).toBe(true)
    expect(textOf(ctx.export('working'))).toContain('secret')
  })

  test('of an instance, wherever it stands, does the same to its schedule (D46)', () => {
    for (const isInHead of [true, false]) {
      const ctx = context()
      const node = ctx.pre('my secret', { key: 'k', cad: 3 })
      ctx.user('u')
      if (!isInHead) ctx.commit()
      ctx.redact(`[id='${node.id}']`, { match: 'secret' })
      expect(schedules(ctx)).toMatchObject([{ first_cycle: 1, node: { content: 'my [redacted]' } }])
      expect(textOf(ctx.export('working'))).not.toContain('secret')
    }
  })

  test('leaves a schedule without an occurrence as it is, and is no step then (D54)', () => {
    const ctx = recurring()
    expect(ctx.redact('#k', { match: 'nothing of the kind' })).toEqual([])
    expect(ctx.undo()).toBe(false)
  })

  test('does not bring back a schedule that signed reasoning has ended in the same call (D46, D54)', () => {
    const ctx = context()
    ctx.pre('hm secret', { key: 'k', cad: 3, kind: 'reasoning', data_signature: 's' })
    ctx.user('u')
    ctx.commit()
    ctx.redact('#k', { match: 'secret' })
    expect(schedules(ctx)).toEqual([])
  })

  test('ends the schedule of signed reasoning (D46, D54)', () => {
    const ctx = context()
    ctx.pre('hm secret', { key: 'k', cad: 3, ttl: 1, kind: 'reasoning', data_signature: 's' })
    ctx.user('u')
    ctx.commit()
    ctx.commit()
    ctx.redact('#k', { match: 'secret' })
    expect(schedules(ctx)).toEqual([])
  })
})

describe('a schedule that cannot place its instance', () => {
  test('warns, once for each cycle that was due (D46)', () => {
    const told: Warning[] = []
    const ctx = context({ onWarning: (warning) => told.push(warning) })
    ctx.user('u')
    ctx.post('tip', { key: 'k', cad: 2, ttl: 1 })
    ctx.commit()
    const rule = ctx.system.add('rule', { key: 'k' })
    for (let i = 0; i < 4; i++) ctx.commit()
    expect(told.map(({ details }) => [details['kind'], details['key'], details['cycle']])).toEqual([
      ['schedule-left-out', 'k', 3],
      ['schedule-left-out', 'k', 5],
    ])
    expect(told[0]!.details['ids']).toEqual([rule.id])
    expect(told[0]!.message).toContain('ctx.system.replace()')
    expect(ctx.warnings).toEqual(told)
    ctx.preview()
    expect(ctx.warnings).toHaveLength(2)
  })

  test('warns in a fork and in an import that open such a cycle, too (D46)', () => {
    const ctx = context()
    ctx.user('u')
    ctx.post('tip', { key: 'k', cad: 2, ttl: 1 })
    ctx.commit()
    ctx.system.add('rule', { key: 'k' })
    ctx.commit()
    expect(ctx.fork().warnings).toMatchObject([{ details: { kind: 'schedule-left-out', cycle: 3 } }])
    expect(importSnapshot(ctx.export()).warnings).toMatchObject([{ details: { kind: 'schedule-left-out', cycle: 3 } }])
  })
})
