// Expiry (D24, D26) where the shape of the tree could hide something: wide containers, long chains of references, ttls as
// large as numbers go. The general law is in test/laws/lifecycle.test.ts.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { createContext, type Context, type NodeSpec } from '../index.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 24) }

describe('expiry', () => {
  it('finds what is due wherever it stands, in containers of any width (D24)', () => {
    const ttl = fc.option(fc.nat(4), { nil: null, freq: 5 })
    const groups = fc.array(fc.array(ttl, { maxLength: 150 }), { maxLength: 5 })
    fc.assert(
      fc.property(groups, (lists) => {
        const ctx = createContext({ clock: () => 1n })
        const expiry = new Map<string, number>()
        for (const list of lists) {
          const children = list.map((each): NodeSpec => ({ content: 'x', ttl: each }))
          for (const node of ctx.add(undefined, { children }).children) expiry.set(node.id, 1 + (node.ttl ?? Infinity))
        }
        for (let cycle = 1; cycle <= 6; cycle++) {
          const expected = [...expiry].flatMap(([id, end]) => (end > cycle ? [id] : []))
          expect(idsIn(ctx.commit().thread())).toEqual(expected)
          const shown = expected.map((id) => ctx.node(id, '@t0')!.ttl)
          expect(shown).toEqual(expected.map((id) => (expiry.get(id) === Infinity ? null : expiry.get(id)! - cycle)))
        }
      }),
      { ...SEED, numRuns: 30 },
    )
  })

  it('follows references as far as they go, without recursing along them (D26)', () => {
    const ctx = createContext()
    const count = 3000
    const ids = Array.from({ length: count }, (_, i) => `block:1-${i + 1}`)
    ids.forEach((_, i) => ctx.user('x', { ttl: i === 0 ? 1 : 0, refs: i + 1 < count ? [ids[i + 1]!] : [] }))
    expect(ctx.commit().thread()).toHaveLength(count)
    expect(ctx.node(ids.at(-1)!)?.ttl).toBe(0)
    // With the first one the whole chain goes, at one commit.
    expect(ctx.commit().thread()).toEqual([])
  })

  it('keeps the way up to a held node and what has not expired beside it, nothing else (D26)', () => {
    const ctx = createContext()
    const outer = ctx.add(undefined, {
      ttl: 0,
      children: [
        { content: 'expired', ttl: 0 },
        { content: 'fresh' },
        { ttl: 0, children: [{ content: 'held', ttl: 0 }, { content: 'expired too', ttl: 0 }, { content: 'beside' }] },
        { ttl: 0, children: [{ content: 'fresh, but in what goes' }] },
      ],
    })
    const inner = outer.children[2]!
    const hold = ctx.hold(inner.children[0]!.id)
    expect(contentsOf(ctx)).toEqual(['fresh', 'held', 'beside'])
    expect([outer, inner, inner.children[0]!].map(({ id }) => ctx.node(id)?.ttl)).toEqual([0, 0, 0])
    hold.release()
    expect(contentsOf(ctx)).toEqual([])
  })

  it('takes nodes that only refer to each other together (D26)', () => {
    const ctx = createContext()
    const ring = ['block:1-1', 'block:1-2', 'block:1-3']
    ring.forEach((_, i) => ctx.user(`ring ${i}`, { ttl: 0, refs: [ring[(i + 1) % 3]!] }))
    ctx.user('selfish', { ttl: 0, refs: ['block:1-4'] })
    ctx.user('stays', { refs: ['nobody'] })
    expect(contentsOf(ctx)).toEqual(['stays'])
  })

  const large = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1, 2 ** 30, 2 ** 31]
  test.each(large)('shows E - c exactly for a ttl of %i (D24)', (ttl) => {
    const ctx = createContext()
    ctx.commit()
    const { id } = ctx.user('x', { ttl })
    const shown = [1, 2, 3].map(() => ctx.commit().node(id)?.ttl)
    expect(shown).toEqual([ttl, ttl - 1, ttl - 2])
  })
})

function contentsOf(ctx: Context): readonly unknown[] {
  return ctx
    .commit()
    .thread()
    .map(({ content }) => content)
}

function idsIn(thread: readonly { id: string }[]): readonly string[] {
  return thread.map(({ id }) => id)
}
