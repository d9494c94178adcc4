// The properties that a schedule takes over when its node is written again (D28): the cycle it counts from, its zone, and the offset of its
// instances, which belongs to that zone alone.

import { describe, expect, test } from 'vitest'

import { clockOf, textOf } from '../../test/support/context.js'
import { createContext, importSnapshot, type Context } from '../index.js'

/** A head with one node that returns in every second cycle at offset 5 of the post-context. */
function returning(): Context {
  const ctx = createContext({ clock: clockOf() })
  ctx.user('question')
  ctx.post('plan', { key: 'plan', cad: 2, ttl: 1, offset: 5 })
  return ctx
}

/** The node in the head alone, whatever returns under its key. */
function instanceOf(ctx: Context): string {
  return `[id='${ctx.first('#plan')!.id}']`
}

/** The places of the instances that the next four cycles open with, and that the bytes of each can be read again. */
function placesOf(ctx: Context): readonly (readonly [content: unknown, offset: number])[][] {
  return [1, 2, 3, 4].map(() => {
    ctx.commit()
    const bytes = textOf(ctx.export())
    expect(textOf(importSnapshot(bytes).export())).toBe(bytes)
    return ctx.nodes('^ah > .block').map(({ content, offset }) => [content, offset] as const)
  })
}

describe('a schedule that a replacement takes over', () => {
  test('keeps the offset of its instances where the node stands in the same zone', () => {
    const ctx = returning()
    ctx.move('#plan', { parent: 'ah', offset: 7 })
    ctx.replace(instanceOf(ctx), { content: 'plan 2' })
    expect(placesOf(ctx)).toEqual([[], [['plan 2', 5]], [], [['plan 2', 5]]])
  })

  test('takes the offset that its new zone gives where the node was moved to another one', () => {
    const ctx = returning()
    ctx.move('#plan', { depth: 0, zone: 'pre' })
    ctx.replace(instanceOf(ctx), { content: 'plan 2' })
    // The offset of the post-context would fit nowhere in the pre-context: no instance would ever come.
    expect(placesOf(ctx)).toEqual([[], [['plan 2', -1]], [], [['plan 2', -1]]])
  })

  test('the same for put, which replaces the instance of the head', () => {
    const ctx = returning()
    ctx.move('#plan', { depth: 0, zone: 'pre' })
    ctx.put('plan', 'plan 2', { cad: 1 })
    expect(placesOf(ctx)).toEqual([[['plan 2', -1]], [['plan 2', -1]], [['plan 2', -1]], [['plan 2', -1]]])
  })
})
