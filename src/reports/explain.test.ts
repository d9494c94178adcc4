// Answers of explain beyond the conformance rows: the limit that took a node, and times that people can read.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot } from '../index.js'

describe('explain of a pruned node', () => {
  const ctx = createContext({ countTokens: (text) => text.length, prune: { maxTokens: 8, protectSegments: 0 } })
  const first = ctx.user('first', { ttl: 9 })
  ctx.commit()
  ctx.user('second')
  ctx.commit()

  it('names the limit, with its number, from the receipt of that cycle', () => {
    const { left, sentences } = ctx.explain(first.id)
    expect(left).toEqual({ cycle: 2, cause: 'pruned', rule: 'maxTokens', limit: 8 })
    expect(sentences).toContain('It is in no snapshot from cycle 2 on: the budget maxTokens (8) took it.')
  })

  it('also where the receipt is that of an older snapshot, of a parent context or of a preview', () => {
    ctx.commit()
    expect(ctx.explain(first.id, '@c3').left).toEqual(ctx.explain(first.id, '@c2').left)
    expect(ctx.fork().explain(first.id).left).toMatchObject({ rule: 'maxTokens', limit: 8 })
    const tight = ctx.fork('@c1', { prune: { maxTokens: { '^seq': 3 }, protectSegments: 0 } })
    tight.user('new')
    expect(tight.explain(first.id, 'preview').left).toEqual({
      cycle: 2,
      cause: 'pruned',
      rule: 'maxTokens ^seq',
      limit: 3,
    })
    expect(tight.explain(first.id).left).toBeUndefined()
  })

  it('names none for what left for another reason', () => {
    const other = createContext({ prune: { maxDepth: 1 } })
    const brief = other.user('brief', { ttl: 1 })
    other.commit()
    other.commit()
    expect(other.explain(brief.id).left).toStrictEqual({ cycle: 2, cause: 'expired' })
  })
})

describe('times in the sentences of explain', () => {
  test.each([
    [1_794_829_683_000_000_000n, 'block:1-1 was made by user() in cycle 1, at 2026-11-16 11:48:03 UTC.'],
    [1_794_829_683_999_999_998n, 'block:1-1 was made by user() in cycle 1, at 2026-11-16 11:48:03 UTC.'],
    // Clocks that count.
    [5n, 'block:1-1 was made by user() in cycle 1, at 6 ns on its clock.'],
    [61_000_000_000n, 'block:1-1 was made by user() in cycle 1, at 61000000001 ns on its clock.'],
    [86_400_000_000_000n, 'block:1-1 was made by user() in cycle 1, at 1970-01-02 00:00:00 UTC.'],
    [400_000_000_000_000_000_000n, 'block:1-1 was made by user() in cycle 1, at +014645-06-30 15:06:40 UTC.'],
  ])('%d', (now, sentence) => {
    const ctx = createContext({ clock: () => now })
    const { created, sentences } = ctx.explain(ctx.user('hi').id)
    expect(sentences[0]).toBe(sentence)
    // The data keep every digit.
    expect(created!.at).toMatch(/T\d\d:\d\d:\d\d\.\d{9}Z$/)
  })

  test.each([
    [{}, 'b was imported; it was made in cycle 1.'],
    [{ created_at_ns: 7 }, 'b was imported; it was made in cycle 1, at 7 ns on its clock.'],
    [{ created_at_iso: '2024-02-03T04:05:06Z' }, 'b was imported; it was made in cycle 1, at 2024-02-03 04:05:06 UTC.'],
    [{ created_at_iso: 'last May' }, 'b was imported; it was made in cycle 1, at last May.'],
  ])('of an import: %j', (headers, sentence) => {
    const block = { id: 'b', nodeType: 'block', content: 'hi', ...headers }
    const ctx = importSnapshot({ root: { children: [{ id: 'ah', nodeType: '^ah', children: [block] }] } })
    expect(ctx.explain('b').sentences[0]).toBe(sentence)
  })
})

test('an explanation tells what a marker stands in for before who made it and why', () => {
  const ctx = createContext()
  ctx.user('u')
  ctx.commit()
  const [marker] = ctx.delete('^seq .block', { author: 'me', reason: 'r' })
  const [, standsIn, author, reason] = ctx.explain(marker!.id).sentences
  expect([standsIn, author, reason]).toEqual([
    'It stands in for block:1-1, which earlier snapshots still hold.',
    'The author of the redaction: me.',
    'The reason: r.',
  ])
})
