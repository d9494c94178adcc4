// Causes of changes between two calls while one cycle is open: no snapshot holds the earlier form, so records and the nodes in place tell.

import { describe, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext, type Context, type ContextOptions, type Lens } from '../../src/index.js'

type Thought = Readonly<{ type: 'thinking'; thinking: string; signature: string }>

const send = (ctx: Context): Lens =>
  ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } }).complete().attempt_id
const reply = (ctx: Context, i: number, content: readonly Thought[] = []): void =>
  void ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } }).receive({
    role: 'assistant',
    content: [...content, { type: 'tool_use', id: `c${i}`, name: 'bash', input: { i } }],
    stop_reason: 'tool_use',
  })
const result = (ctx: Context, i: number): string => ctx.result(`c${i}`, 'many words '.repeat(40)).id
const cause = (ctx: Context, a: Lens, b: Lens): string | undefined =>
  ctx.prefix(a, b, { for: toAnthropic }).first?.cause
const removed = (ctx: Context, a: Lens, b: Lens): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ctx.diffDetailed(a, b).removed.flatMap((each) => (each.is_container ? [] : [[each.id, each.cause]])),
  )
const changed = (ctx: Context, a: Lens, b: Lens): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ctx.diffDetailed(a, b).changed.flatMap(({ id, cause }) => (id.startsWith('block:') ? [[id, cause]] : [])),
  )

const SHEDS: ContextOptions = { prune: { maxTokens: 320, results: { keep: 1 } } }

/** The same while the cycle is open and once it is closed. */
function bothWays(ctx: Context, check: () => void): void {
  check()
  ctx.commit()
  check()
}

describe('between two calls of one open cycle', () => {
  test('a shed result is shed', () => {
    const ctx = createContext(SHEDS)
    ctx.user('Look.')
    reply(ctx, 0)
    const first = result(ctx, 0)
    const a = send(ctx)
    for (const i of [1, 2]) {
      reply(ctx, i)
      result(ctx, i)
    }
    const b = send(ctx)
    expect(new TextDecoder().decode(ctx.requestOf(b))).toContain(`shed; recall ${first}]`)
    bothWays(ctx, () => {
      expect(cause(ctx, a, b)).toBe(`${first} shed in cycle 1`)
      expect(changed(ctx, a, b)).toEqual({ [first]: 'shed' })
    })
  })

  test('a result of an earlier turn is shed, and says what is in its place', () => {
    const ctx = createContext(SHEDS)
    ctx.user('Look.')
    reply(ctx, 0)
    const first = result(ctx, 0)
    ctx.commit()
    ctx.user('Go on.')
    const a = send(ctx)
    for (const i of [1, 2]) {
      reply(ctx, i)
      result(ctx, i)
    }
    const b = send(ctx)
    bothWays(ctx, () => {
      expect(cause(ctx, a, b)).toMatch(new RegExp(`^${first} shed in cycle 2, block:2-\\d+ is in its place$`))
      expect(removed(ctx, a, b)).toEqual({ [first]: 'shed' })
    })
  })

  test('a plan that was set again is superseded by the new one', () => {
    const ctx = createContext()
    ctx.user('Do it.')
    const old = ctx.set('plan', 'One thing.').id
    const a = send(ctx)
    reply(ctx, 0)
    result(ctx, 0)
    const heir = ctx.set('plan', 'Another thing.').id
    const b = send(ctx)
    expect(heir).not.toBe(old)
    bothWays(ctx, () => {
      expect(cause(ctx, a, b)).toBe(`${old} superseded in cycle 1, ${heir} is in its place`)
      expect(removed(ctx, a, b)).toEqual({ [old]: 'superseded' })
    })
  })

  test('a plan of an earlier turn is superseded, too', () => {
    const ctx = createContext()
    ctx.user('Do it.')
    const old = ctx.set('plan', 'One thing.').id
    ctx.assistant('Yes.')
    ctx.commit()
    ctx.user('Now.')
    const a = send(ctx)
    const heir = ctx.set('plan', 'Another thing.').id
    const b = send(ctx)
    bothWays(ctx, () => {
      expect(cause(ctx, a, b)).toBe(`${old} superseded in cycle 2, ${heir} is in its place`)
      expect(removed(ctx, a, b)).toEqual({ [old]: 'superseded' })
    })
  })

  test('a node that was deleted and one with its time up are no such thing', () => {
    const ctx = createContext()
    ctx.user('Do it.')
    ctx.commit()
    ctx.user('Now.')
    const note = ctx.post('for this call', { key: 'note' }).id
    const a = send(ctx)
    ctx.delete('#note')
    const b = send(ctx)
    expect(removed(ctx, a, b)).toEqual({ [note]: 'edited' })
    const clock = ctx.post('12:00', { key: 'clock', ttl: 1 }).id
    const c = send(ctx)
    ctx.commit()
    ctx.user('And now?')
    ctx.post('12:01', { key: 'clock', ttl: 1 })
    expect(removed(ctx, c, send(ctx))).toEqual({ [clock]: 'expired' })
  })
})

test('a stale thought of the open turn says which result was shed', () => {
  const ctx = createContext(SHEDS)
  const thought = (i: number): readonly Thought[] => [{ type: 'thinking', thinking: 'Hm.', signature: `c2ln${i}` }]
  ctx.user('Look.')
  reply(ctx, 0, thought(0))
  const first = result(ctx, 0)
  reply(ctx, 1, thought(1))
  result(ctx, 1)
  expect(toAnthropic(ctx).repairs.filter(({ code }) => code === 'stale-thought')).toEqual([])
  reply(ctx, 2, thought(2))
  result(ctx, 2)
  const check = (): void => {
    const [stale] = toAnthropic(ctx).repairs.filter(({ code }) => code === 'stale-thought')
    expect(stale).toMatchObject({ cause: 'shed', changed: first })
    expect(stale!.text).toContain(`The change is that of ${first} (shed in cycle 1).`)
  }
  check()
  ctx.commit()
  check()
})
