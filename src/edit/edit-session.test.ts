// Edits are rehearsed (D37), and a rehearsal leaves nothing that slows the next one down (G9).

import { afterEach, describe, expect, test, vi } from 'vitest'

import { createContext, type Context } from '../index.js'

describe('edits of one open cycle', () => {
  afterEach(() => vi.restoreAllMocks())

  const calls: readonly (readonly [name: string, call: (ctx: Context, i: number) => unknown])[] = [
    ['system.add', (ctx, i) => ctx.system.add(`rule ${i}`)],
    ['system.add with a key', (ctx, i) => ctx.system.add(`rule ${i}`, { key: `key-${i}` })],
    ['add', (ctx, i) => ctx.add(undefined, { zone: 'post', key: `key-${i}`, children: [{ content: 'x' }] })],
    ['insert', (ctx, i) => ctx.insert({ content: `note ${i}`, key: `key-${i}` }, '(d1, end)')],
    ['replace', (ctx, i) => ctx.replace('.first', { content: `now ${i}` })],
  ]

  // A map does not forget the places of a name that has left until it grows, and looks past all of them for that name.
  test.each(calls)('%s: no name comes into a map and leaves it again and again (G9)', (_name, call) => {
    const ctx = createContext({ clock: () => 1n })
    ctx.user('committed')
    ctx.commit()
    ctx.post('first', { type: 'first' })
    call(ctx, 0)
    const times = new Map<Map<unknown, unknown>, Map<unknown, number>>()
    const leave = Map.prototype.delete
    const left: [Map<unknown, unknown>, unknown][] = []
    vi.spyOn(Map.prototype, 'delete').mockImplementation(function (this: Map<unknown, unknown>, name: unknown) {
      left.push([this, name])
      return leave.call(this, name)
    })
    for (let i = 1; i <= 50; i++) call(ctx, i)
    vi.restoreAllMocks()
    for (const [map, name] of left) {
      const names = times.get(map) ?? new Map<unknown, number>()
      times.set(map, names.set(name, (names.get(name) ?? 0) + 1))
    }
    const most = [...times.values()].flatMap((names) => [...names.values()])
    expect(Math.max(0, ...most)).toBeLessThan(2)
  })
})
