// set, system.put and system.set (D52): one live instance of a key.

import { createContext, importSnapshot, type Context, type ContextOptions } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, expectRefused, textOf } from '../support/context.js'
import { byId, contents, drawn } from '../support/editing.js'

function context(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

describe.each(DIALECTS)('set, %s', (dialect) => {
  const make = (): Context => context({ dialect })
  const key = (name: string): string => `[key='${name}']`

  test('adds a first instance to the post-context of the head (D52)', () => {
    const ctx = make()
    ctx.user('u')
    const node = ctx.set('plan', 'Plan: ask')
    expect(node).toMatchObject({ key: 'plan', content: 'Plan: ask', offset: 1, parentId: 'ah' })
  })

  test('takes another zone or offset where the header says so (D52, D19)', () => {
    const ctx = make()
    expect(ctx.set('a', 'x', { zone: 'pre' }).offset).toBe(-1)
    expect(ctx.set('b', 'x', { offset: -3 }).offset).toBe(-3)
    expect(ctx.set('c', 'x', { zone: 'core', role: 'user' }).offset).toBe(0)
    expectRefused(ctx, () => ctx.set('d', 'x', { zone: 'pre', offset: 2 }), 'E_PLACEMENT_INVALID')
  })

  test('changes the one in the head in place (D52)', () => {
    const ctx = make()
    const first = ctx.set('plan', 'one', { tags: ['t'], priority: 3 })
    const second = ctx.set('plan', 'two', { zone: 'pre' })
    expect(second).toMatchObject({ id: first.id, content: 'two', tags: ['t'], priority: 3, offset: 1 })
    expect(ctx.count(`@working ${key('plan')}`)).toBe(1)
  })

  test('makes a new instance once the model has spoken since the first one (D59)', () => {
    const ctx = make()
    ctx.user('u')
    const first = ctx.set('plan', 'one', { zone: 'pre' })
    ctx.set('plan', 'two')
    expect(ctx.select(`@working ${key('plan')}`)).toEqual([first.id])
    ctx.assistant('a')
    expect(ctx.set('plan', undefined, { priority: 3 }).id).toBe(first.id)
    const second = ctx.set('plan', 'three')
    expect(second).toMatchObject({ content: 'three', priority: 0, offset: 1 })
    expect(ctx.select(`@working ${key('plan')}`)).toEqual([second.id])
    expect(ctx.set('plan', 'four').id).toBe(second.id)
    ctx.undo()
    ctx.undo()
    expect(ctx.select(`@working ${key('plan')}`)).toEqual([first.id])
  })

  test('takes every other instance out of the tree: context, sealed cores and the head (D52)', () => {
    const ctx = make()
    ctx.user('core', { key: 'plan' })
    ctx.commit()
    ctx.post('post', { key: 'plan' })
    ctx.commit()
    ctx.pre('pre', { key: 'plan' })
    ctx.commit()
    const old = ctx.select(`@t0 ${key('plan')}`)
    expect(old).toHaveLength(3)
    const node = ctx.set('plan', 'now')
    expect(ctx.select(`@working ${key('plan')}`)).toEqual([node.id])
    expect(contents(ctx)).toEqual(['now'])
    ctx.commit()
    expect(ctx.diffDetailed('@t-1', '@t0').removed).toMatchObject(old.map((id) => ({ id, cause: 'superseded' })))
    for (const id of old)
      expect(ctx.explain(id)).toMatchObject({ supersededBy: node.id, left: { cause: 'superseded' } })
    expect(ctx.count('@t0 .redaction')).toBe(0)
    expect(node.supersedes).toBeUndefined()
  })

  test('is one step of undo, and no snapshot changes (D52)', () => {
    const ctx = make()
    ctx.post('old', { key: 'plan' })
    ctx.commit()
    const before = [textOf(ctx.export('working')), textOf(ctx.export())]
    ctx.set('plan', 'new')
    expect(textOf(ctx.export())).toBe(before[1])
    expect(ctx.undo()).toBe(true)
    expect([textOf(ctx.export('working')), textOf(ctx.export())]).toEqual(before)
    expect(ctx.undo()).toBe(false)
  })

  test('is refused where the key lives in ^sys, and leaves no trace (D52, D31)', () => {
    const ctx = make()
    ctx.system.add('rules', { key: 'plan' })
    ctx.commit()
    ctx.post('p')
    expectRefused(ctx, () => ctx.set('plan', 'x'), 'E_NOT_AUTHORIZED')
  })

  test.each<[string, (ctx: Context) => unknown, string]>([
    ['no key', (ctx) => ctx.set(undefined as never, 'x'), 'E_CONTENT_INVALID'],
    ['an empty key', (ctx) => ctx.set('', 'x'), 'E_CONTENT_INVALID'],
    ['no content', (ctx) => ctx.set('new', undefined), 'E_CONTENT_INVALID'],
    ['a key in the header', (ctx) => ctx.set('a', 'x', { key: 'b' } as never), 'E_CONTENT_INVALID'],
    ['a bad ttl', (ctx) => ctx.set('plan', 'x', { ttl: -1 }), 'E_TTL_INVALID'],
    ['a bad ttl for a first one', (ctx) => ctx.set('new', 'x', { ttl: -1 }), 'E_TTL_INVALID'],
  ])('with %s is refused, and leaves no trace', (_what, run, code) => {
    const ctx = make()
    ctx.post('old', { key: 'plan' })
    ctx.commit()
    expectRefused(ctx, () => run(ctx), code)
  })
})

describe('set', () => {
  test('ends the protection of what referred to an older instance (D52)', () => {
    const ctx = context()
    const old = ctx.post('old', { key: 'plan' })
    ctx.post('note', { refs: [old.id] })
    ctx.commit()
    ctx.set('plan', 'new', { ttl: 1 })
    ctx.commit()
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['note'])
  })

  test('names the last successor where it was written twice or superseded, and none where it is gone (D41, D52)', () => {
    const ctx = context()
    const old = ctx.post('old', { key: 'plan' })
    ctx.commit()
    const node = ctx.set('plan', 'one')
    ctx.set('plan', 'two')
    expect(ctx.explain(old.id).supersededBy).toBe(node.id)
    const [other] = ctx.replace('d0 #plan', { kind: 'note' })
    expect(ctx.explain(old.id).supersededBy).toBe(other!.id)
    ctx.delete('d0 #plan')
    expect(ctx.explain(old.id)).toMatchObject({ supersededBy: undefined, left: { cause: 'edited' } })
    ctx.undo()
    expect(ctx.explain(old.id).supersededBy).toBe(other!.id)
  })

  test('takes a container with all that it holds (D52)', () => {
    const ctx = context()
    ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'a' }, { content: 'b' }] })
    ctx.commit()
    ctx.set('box', 'flat')
    ctx.commit()
    expect(drawn(ctx, '^seq', '@t0').join()).not.toContain('cont:1-0[')
    expect(contents(ctx, '@t0')).toEqual(['flat'])
    expect(ctx.diffDetailed('@t-1', '@t0').removed.every(({ cause }) => cause === 'superseded')).toBe(true)
  })

  test('gives a schedule of another shape the shape of what was set (D46, D52)', () => {
    const ctx = context()
    ctx.add(undefined, { zone: 'post', key: 'k', cad: 2, ttl: 1, children: [{ content: 'old child' }] })
    ctx.user('u')
    ctx.commit()
    ctx.set('k', 'NEW')
    expect(ctx.snapshot('working').schedules).toMatchObject([
      { cad: 2, first_cycle: 1, node: { content: 'NEW', ttl: 1 } },
    ])
    expect(textOf(ctx.export('working'))).not.toContain('old child')
  })

  test('names itself as the successor of every instance that leaves, also of one inside another (D52)', () => {
    const ctx = nested(2, 1)
    ctx.commit()
    const { id } = ctx.set('k', 'y')
    expect(['outer', 'inner'].map((old) => ctx.explain(old).supersededBy)).toEqual([id, id])
  })

  test('keeps an older instance that holds the newest, by saying so (D52)', () => {
    const ctx = nested(1, 2)
    expectRefused(ctx, () => ctx.set('k', 'y'), 'E_ODI_VIOLATION')
  })

  test('registers a cadence, and rewrites it later without starting anew (D28, D46, D52)', () => {
    const ctx = context()
    ctx.set('tip', 'one', { cad: 3, ttl: 1 })
    ctx.commit()
    ctx.set('tip', 'two')
    expect(ctx.snapshot('working').schedules).toMatchObject([
      { key: 'tip', cad: 3, first_cycle: 1, node: { content: 'two' } },
    ])
    ctx.undo()
    expect(ctx.snapshot('working').schedules).toMatchObject([{ node: { content: 'one' } }])
    ctx.set('tip', 'three', { cad: 2 })
    expect(ctx.snapshot('working').schedules).toMatchObject([{ key: 'tip', cad: 2, first_cycle: 1 }])
    ctx.commit()
    expect(ctx.nodes('d0 #tip').map(({ content }) => content)).toEqual(['three'])
  })
})

describe('system.put and system.set', () => {
  test('change the instance in ^sys in place, or add one (D52)', () => {
    const ctx = context()
    const first = ctx.system.put('rules', 'Be brief.')
    expect(first.parentId).toBe('sys')
    ctx.commit()
    expect(ctx.system.put('rules', 'Be kind.')).toMatchObject({ id: first.id, content: 'Be kind.' })
    expect(ctx.system.set('rules', 'Be both.')).toMatchObject({ id: first.id, content: 'Be both.' })
    expect(ctx.system.set('tone', 'Calm.').parentId).toBe('sys')
    expect(contents(ctx)).toEqual(['Be both.', 'Calm.'])
    ctx.commit()
    expect(contents(ctx, '@t-1')).toEqual(['Be brief.'])
  })

  test('set takes other instances out of ^sys and no others (D52)', () => {
    const ctx = importSnapshot({
      spec_version: 'PACT/1.0.0',
      root: {
        children: [
          {
            id: 'sys',
            nodeType: '^sys',
            children: [
              { id: 'a', nodeType: 'block', key: 'k', content: 'a', created_at_ns: 1 },
              { id: 'b', nodeType: 'block', key: 'k', content: 'b', created_at_ns: 2, offset: 1 },
            ],
          },
          { id: 'ah', nodeType: '^ah', children: [{ id: 'c', nodeType: 'block', key: 'k', content: 'c', offset: 1 }] },
        ],
      },
    })
    expect(ctx.system.set('k', 'x').id).toBe('b')
    expect(contents(ctx)).toEqual(['x', 'c'])
    expect(ctx.explain('a')).toMatchObject({ supersededBy: 'b', left: { cause: 'superseded' } })
  })

  test('refuse what system.add refuses (D31, D28)', () => {
    const ctx = context()
    expectRefused(ctx, () => ctx.system.put('k', 'x', { cad: 2 }), 'E_CADENCE_INVALID')
    expectRefused(ctx, () => ctx.system.set('', 'x'), 'E_CONTENT_INVALID')
    expectRefused(ctx, () => ctx.system.put('k', undefined), 'E_CONTENT_INVALID')
  })
})

describe('one key twice in one turn', () => {
  test('is refused in the first turn, with the reason and what to do instead (D29)', () => {
    const ctx = context()
    ctx.post('a', { key: 'k' })
    const error = expectRefused(ctx, () => ctx.post('b', { key: 'k' }), 'E_ODI_VIOLATION')
    for (const hint of ['put()', 'set()', 'commit()', 'no segment']) expect(error.message).toContain(hint)
    expect(ctx.put('k', 'b').content).toBe('b')
  })

  test('demotes the older one in a later turn (D29)', () => {
    const ctx = context()
    ctx.user('u')
    ctx.commit()
    const older = ctx.post('a', { key: 'k' })
    ctx.post('b', { key: 'k' })
    expect(ctx.coordinate(older.id)).toBe('(d1, 1)')
    expect(ctx.select(byId(older.id))).toEqual([older.id])
  })
})

/** A head that holds an instance of a key inside another one, made at these times. */
function nested(outerNs: number, innerNs: number): Context {
  const inner = { id: 'inner', nodeType: 'block', key: 'k', content: 'x', created_at_ns: innerNs }
  const outer = { id: 'outer', nodeType: 'cont', key: 'k', offset: 1, created_at_ns: outerNs, children: [inner] }
  const head = { id: 'ah', nodeType: '^ah', children: [outer] }
  return importSnapshot({ spec_version: 'PACT/1.0.0', root: { children: [head] } })
}
