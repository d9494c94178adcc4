// Placements that end the prefix again and again are named, with their price; what costs a turn at most is not.

import { describe, expect, it } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext, lintPlacement, type Context } from '../../src/index.js'

function play(each: (ctx: Context, turn: number) => void, ctx: Context = createContext()): Context {
  for (let turn = 0; turn < 8; turn++) {
    each(ctx, turn)
    ctx.user(`question ${turn}`)
    ctx.assistant(`answer ${turn}`)
    ctx.commit()
  }
  return ctx
}

describe('a lint of placements', () => {
  it('names a block of ^sys that is edited each turn', () => {
    const ctx = createContext()
    ctx.system.add('memory: nothing', { key: 'memory' })
    ctx.system.add('rules')
    play((_, turn) => ctx.system.set('memory', `memory: ${'x'.repeat(turn)}`), ctx)
    const [finding, ...more] = lintPlacement(ctx)
    expect(more).toEqual([])
    expect(finding).toMatchObject({ rule: 'edited', key: 'memory', breaks: 7, commits: 7 })
    const totals = Array.from({ length: 7 }, (_, i) => ctx.tokens(`@t-${i + 1}`).total)
    expect(finding!.tokens).toBe(Math.round(totals.reduce((a, b) => a + b) / 7))
    expect(lintPlacement(ctx, { for: toAnthropic, last: 3 })).toMatchObject([{ breaks: 3, commits: 3 }])
  })

  it('names a time in ^sys', () => {
    const ctx = createContext()
    ctx.system.add('now', { key: 'now' })
    play((_, turn) => ctx.system.set('now', `It is 2025-03-0${turn + 1} 12:0${turn}.`), ctx)
    expect(lintPlacement(ctx, { last: 6 })).toMatchObject([{ rule: 'time', key: 'now', breaks: 6 }])
  })

  it('names blocks that expire in old turns', () => {
    const ctx = play((each, turn) => each.pre(`document ${turn}`, { ttl: 3 }))
    expect(lintPlacement(ctx)).toMatchObject([{ rule: 'expires', breaks: 5, commits: 7 }])
  })

  it('names a budget that is met exactly, target 1, and not the default (D60)', () => {
    const budget = (target?: number): Context =>
      play(() => {}, createContext({ prune: { maxTokens: 100, target }, countTokens: () => 10 }))
    const long = (target?: number): Context => play(() => {}, budget(target))
    const [finding] = lintPlacement(long(1))
    expect(finding).toMatchObject({ rule: 'pruned' })
    expect(finding!.text).toContain('leave prune.target out')
    expect(lintPlacement(long())).toEqual([])
  })

  it('says nothing of what stands in the newest turn, or changed once', () => {
    const ctx = play((each, turn) => {
      each.set('plan', `plan ${turn}`)
      each.pre(`document ${turn}`, { ttl: 1 })
    })
    ctx.delete("(d4) .block[role='user']")
    ctx.commit()
    expect(lintPlacement(ctx)).toEqual([])
    expect(lintPlacement(createContext())).toEqual([])
  })

  it('refuses what is no context, and no number of commits', () => {
    expect(() => lintPlacement({} as never)).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID' }))
    expect(() => lintPlacement(createContext(), { last: 0 })).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'last' } }),
    )
  })
})
