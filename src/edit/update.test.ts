// Headers that may change while a node lives: which, of whom, and what a commit makes of it (D24, D30, D31, 06 §2.4).

import { describe, expect, test } from 'vitest'

import { createContext, importSnapshot, type Changes, type Context } from '../index.js'
import { PactError } from '../errors/index.js'

function contextOf(): Context {
  let now = 0n
  const ctx = createContext({ clock: () => (now += 1_000n) })
  ctx.system.add('rules', { key: 'rules' })
  ctx.user('first', { tags: ['a'] })
  ctx.post('doc', { ttl: 3, key: 'kb' })
  ctx.commit()
  ctx.user('second')
  return ctx
}

function refusal(act: () => unknown): PactError {
  try {
    act()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

describe('update', () => {
  test('changes ttl, priority, pinned and tags at any depth, and nothing else', () => {
    const ctx = contextOf()
    const before = ctx.threadBytes()
    const [doc] = ctx.update('#kb', { ttl: null, priority: 7, pinned: true, tags: ['rag', 'kept'] })
    expect(doc).toMatchObject({
      ttl: null,
      priority: 7,
      pinned: true,
      tags: ['rag', 'kept'],
      key: 'kb',
      content: 'doc',
    })
    expect(ctx.select('+rag')).toEqual([doc!.id])
    expect(ctx.update('.block[role=user]', { priority: 2 }).map(({ content }) => content)).toEqual(['first', 'second'])
    expect(ctx.threadBytes()).toEqual(before)
    // The snapshot keeps its version.
    expect(ctx.node(doc!.id, '@t0')).toMatchObject({ ttl: 3, priority: 0, pinned: false, tags: [] })
    expect(ctx.diff('@t0', 'working').changed).toContainEqual({
      id: doc!.id,
      fields: ['ttl', 'priority', 'tags', 'pinned'],
    })
    expect(ctx.diffDetailed('@t0', 'working', '#kb').changed[0]).toMatchObject({ cause: 'edited', cycle: 2 })
  })

  test('counts a ttl anew from the open cycle, and shows it as given until the commit (D24)', () => {
    const ctx = contextOf()
    const [doc] = ctx.update('#kb', { ttl: 2 })
    expect(doc!.ttl).toBe(2)
    ctx.commit()
    expect(ctx.node(doc!.id, '@t0')?.ttl).toBe(2)
    ctx.commit()
    expect(ctx.node(doc!.id, '@t0')?.ttl).toBe(1)
    ctx.commit()
    expect(ctx.node(doc!.id, '@t0')).toBeUndefined()
    ctx.update('.block[role=user]', { ttl: 0 })
    expect(ctx.count('.block[role=user]')).toBe(2)
    ctx.commit()
    expect(ctx.count('@t0 .block[role=user]')).toBe(0)
  })

  test('decides what pruning takes next (D27)', () => {
    let now = 0n
    const ctx = createContext({ clock: () => (now += 1n), prune: { maxNodes: 12, protectSegments: 0 } })
    for (let i = 0; i < 3; i++) {
      ctx.user(`turn ${i}`)
      ctx.commit()
    }
    const [first] = ctx.select('@t0 .block')
    ctx.update(`{ id="${first}" }`, { pinned: true })
    for (let i = 3; i < 7; i++) {
      ctx.user(`turn ${i}`)
      ctx.commit()
    }
    expect(ctx.select('@t0 .block')).toContain(first)
    expect(ctx.snapshot().receipt.removed.map(({ id }) => id)).not.toContain(first)
  })

  test('is one step to take back, and changes nothing when it is refused', () => {
    const ctx = contextOf()
    const before = ctx.export('working')
    ctx.update('^ah .block?', { priority: 3 })
    expect(ctx.undo()).toBe(true)
    expect(ctx.export('working')).toEqual(before)
    expect(ctx.update('.nobody?', { priority: 3 })).toEqual([])
    const refused: readonly [selector: string, changes: Changes | Record<string, unknown>, code: string][] = [
      ['.nobody', { priority: 1 }, 'E_NODE_NOT_FOUND'],
      ['@t0 .block', { priority: 1 }, 'E_SELECTOR_INVALID'],
      ['.block[', { priority: 1 }, 'E_SELECTOR_INVALID'],
      ['#rules', { priority: 1 }, 'E_NOT_AUTHORIZED'],
      ['*', { priority: 1 }, 'E_NOT_AUTHORIZED'],
      ['^ah', { priority: 1 }, 'E_PLACEMENT_INVALID'],
      ['^root', { pinned: true }, 'E_PLACEMENT_INVALID'],
      ['.cont:core', { ttl: 1 }, 'E_PLACEMENT_INVALID'],
      ['#kb', { ttl: -1 }, 'E_TTL_INVALID'],
      ['#kb', { ttl: 1.5 }, 'E_TTL_INVALID'],
      ['#kb', { priority: 'high' }, 'E_CONTENT_INVALID'],
      ['#kb', { pinned: 1 }, 'E_CONTENT_INVALID'],
      ['#kb', { tags: 'rag' }, 'E_CONTENT_INVALID'],
      ['#kb', { role: 'user' }, 'E_CONTENT_INVALID'],
      ['#kb', {}, 'E_CONTENT_INVALID'],
    ]
    for (const [selector, changes, code] of refused) {
      expect(refusal(() => ctx.update(selector, changes)).code, selector).toBe(code)
      expect(ctx.export('working'), selector).toEqual(before)
    }
  })

  test('works on imported trees and survives export and import', () => {
    const ctx = contextOf()
    ctx.update('#kb', { tags: ['x'], pinned: false })
    ctx.commit()
    const again = importSnapshot(ctx.export())
    expect(again.export()).toEqual(ctx.export())
    again.update('#kb', { priority: -4 })
    expect(again.first('#kb')?.priority).toBe(-4)
  })
})
