// The readings N120 to N124 for the lifecycle and for edits, one by one.

import { createContext, type Context, type ContextOptions } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { readExport, walkExport } from '../support/context.js'

function make(options: ContextOptions = {}): Context {
  let now = 1000n
  return createContext({ clock: () => (now += 10n), ...options })
}

const said = (ctx: Context): unknown[] => ctx.thread('@t0').map(({ content }) => content)

describe('limits', () => {
  test.each([13, 14, 15])(
    'are measured after everything that leaves has left, where %i nodes are allowed (N120)',
    (maxNodes) => {
      const ctx = make({ emptySegments: 'remove', prune: { maxNodes, unmet: 'error' } })
      ctx.user('gone soon', { ttl: 1 })
      ctx.add('a heading', { zone: 'post', priority: -1, children: [] })
      for (const text of ['one', 'two', 'three']) {
        ctx.commit()
        ctx.user(text)
      }
      const { receipt } = ctx.commit()
      expect(said(ctx)).toEqual(['one', 'two', 'three'])
      expect(receipt.limits).toMatchObject([{ before: 16, after: 13 }])
      expect(receipt.removed.map(({ id }) => id).toSorted()).toEqual(ctx.diff('@t-1', '@t0').removed.toSorted())
    },
  )

  test('take empty segments before content, by nodes as by turns (N120)', () => {
    for (const unit of ['node', 'turn'] as const) {
      const ctx = make({ prune: { maxNodes: 20, unit } })
      ctx.user('the task')
      ctx.commit()
      for (let i = 0; i < 12; i++) {
        ctx.tool('chatter', { ttl: 1 })
        ctx.commit()
      }
      ctx.user('and now?')
      expect(ctx.commit().receipt.unmet).toEqual([])
      expect(said(ctx)).toEqual(['the task', 'and now?'])
    }
  })

  test('by turns pass over a turn whose call group reaches out of it (N57, N120)', () => {
    const ctx = make({ prune: { maxNodes: 18, unit: 'turn' } })
    ctx.assistant('call', { kind: 'call', data_call_id: 'c1' })
    ctx.commit()
    ctx.user('u2')
    ctx.tool('result', { kind: 'result', data_call_id: 'c1' })
    for (const text of ['plain3', 'plain4', 'plain5']) {
      ctx.commit()
      ctx.user(text)
    }
    ctx.commit()
    expect(said(ctx)).toEqual(['call', 'u2', 'result', 'plain4', 'plain5'])
  })
})

test.each([{ tags: ['seen'] }, { ttl: 9 }, { priority: 1 }, { pinned: true }])(
  'a marker stays a marker when update gives it %j (N23, N124)',
  (changes) => {
    const ctx = make()
    ctx.user('secret')
    ctx.commit()
    ctx.delete('d1 .block', { author: 'dpo', reason: 'art. 17' })
    ctx.commit()
    const [marker] = ctx.update('.redaction', changes)
    ctx.commit()
    expect(ctx.delete('d1 .block')).toEqual([])
    expect(ctx.nodes('.redaction').map(({ id }) => id)).toEqual([marker!.id])
  },
)

test('what left with or for a node that no snapshot holds has its cause (D41, N124)', () => {
  const ctx = make()
  ctx.user('u')
  const note = ctx.post('secret', { key: 'l' })
  ctx.commit()
  ctx.redact('#l', { match: 'secret' })
  ctx.set('l', 'new')
  ctx.commit()
  expect(ctx.explain(note.id).left?.cause).toBe('superseded')

  const tight = make({ prune: { maxNodes: 11 } })
  tight.user('u', { pinned: true })
  const box = tight.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'in' }] })
  tight.commit()
  tight.user('v')
  tight.commit()
  tight.delete('#box')
  tight.user('w')
  tight.commit()
  expect([box, ...box.children].map(({ id }) => tight.explain(id).left?.cause)).toEqual(['pruned', 'pruned'])
})

test('a key on two nodes of one call, the older not deeper, is refused by what is true (D29, N123)', () => {
  const ctx = make()
  for (const text of ['1', '2', '3']) {
    ctx.user(text)
    ctx.commit()
  }
  const head = ctx.post('beta head')
  ctx.insert({ content: 'beta d2' }, '(d2, end)')
  expect(() => ctx.replace("[content~'beta']", { key: 'l' })).toThrow(
    `and on ${head.id}, which is older and not deeper`,
  )
  // The advice: two calls, the older one first.
  ctx.replace("[content='beta head']", { key: 'l' })
  ctx.replace("[content='beta d2']", { key: 'l' })
  expect(ctx.nodes('d3 #l').map(({ id }) => id)).toEqual([head.id])
})

test('an earlier id is dropped at the commit at which its last reader is gone, and nothing reports that (D41, N27)', () => {
  const ctx = make()
  ctx.user('u')
  const a = ctx.post('a', { key: 'k' })
  ctx.commit()
  ctx.post('note', { key: 'note', refs: [a.id] })
  for (const content of ['b', 'c']) {
    ctx.replace('#k', { content })
    ctx.commit()
  }
  const names = (): unknown => walkExport(readExport(ctx.export('@t0')).root).flatMap((n) => n['pact:stands_for'] ?? [])
  expect(names()).toEqual([a.id])
  const { id } = ctx.nodes('#k')[0]!
  const before = [ctx.explain(id).changed, ctx.life(id).events]
  ctx.delete('#note')
  ctx.commit()
  expect(names()).toEqual([])
  expect([ctx.explain(id).changed, ctx.life(id).events]).toEqual(before)
  expect(ctx.diff('@t-1', '@t0', '#k')).toEqual({ added: [], removed: [], changed: [] })
})

test('a schedule that one call rewrites stays, also where that call gives its key to a node without cad (D46, N123)', () => {
  const ctx = make()
  ctx.post('beta', { key: 'l', cad: 2 })
  ctx.commit()
  ctx.post('beta too')
  ctx.replace("^ah .block[content~'beta']", { key: 'l', content: 'gamma' })
  ctx.commit()
  expect(ctx.nodes('^ah #l').map(({ content }) => content)).toEqual(['gamma'])
})

test('a schedule that cannot place its node warns once per cycle that was due (D46)', () => {
  const ctx = make()
  ctx.post('reminder', { key: 'k', cad: 2 })
  ctx.commit()
  ctx.system.add('taken', { key: 'k' })
  for (let i = 0; i < 4; i++) ctx.commit()
  expect(ctx.warnings.map(({ details }) => [details['kind'], details['cycle']])).toEqual([
    ['schedule-left-out', 3],
    ['schedule-left-out', 5],
  ])
})
