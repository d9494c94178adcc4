// Claude's prompt cache: the automatic mark, the least lengths of models, and what its marks read on recorded conversations.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { leastCached, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'
import { checkAnthropic } from '../support/providers/anthropic.js'

function asked(question = 'Hi'): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user(question)
  return ctx
}

describe("cache: { at: 'auto' }", () => {
  it.each<[object, object]>([
    [{ at: 'auto' }, { type: 'ephemeral' }],
    [
      { at: 'auto', ttl: '1h' },
      { type: 'ephemeral', ttl: '1h' },
    ],
  ])('%j leaves the mark to Claude', (cache, mark) => {
    const { breakpoints, ...request } = toAnthropic(asked(), { cache })
    expect(request.cache_control).toEqual(mark)
    expect(JSON.stringify(request.messages)).not.toContain('cache_control')
    expect(breakpoints).toEqual([])
    expect(checkAnthropic(request)).toEqual([])
  })

  it('is behind the messages, so requests only add', () => {
    const ctx = asked()
    const first = JSON.stringify(toAnthropic(ctx, { cache: { at: 'auto' } }).messages)
    ctx.assistant('Hello.')
    ctx.commit()
    ctx.user('And?')
    expect(JSON.stringify(toAnthropic(ctx, { cache: { at: 'auto' } }).messages).startsWith(first.slice(0, -1))).toBe(
      true,
    )
  })

  it.each<[string, (ctx: Context) => unknown]>([
    ['the AI SDK', (ctx) => toModelMessages(ctx, { cache: { at: 'auto' as 'end' } })],
    ['Chat Completions', (ctx) => toOpenAIChat(ctx, { cache: { at: 'auto' as 'end' } })],
  ])('is refused by %s', (_name, to) => {
    expect(() => to(asked())).toThrow(/stable, end or a list of node ids/)
  })
})

describe('the least length of a model', () => {
  it.each<[string, number | undefined]>([
    ['claude-opus-5', 512],
    ['claude-sonnet-5-5', 512],
    ['claude-fable-5-1', 512],
    ['claude-sonnet-5', 1024],
    ['claude-opus-4-8', 1024],
    ['claude-opus-4-7', 2048],
    ['claude-3-5-haiku-20241022', 2048],
    ['claude-haiku-4-5-20251001', 4096],
    ['anthropic/claude-opus-4.6', 4096],
    ['eu.anthropic.claude-opus-4-6-v1:0', 4096],
    ['gpt-5.6', undefined],
  ])('of %s is %s', (model, least) => {
    expect(leastCached(model)).toBe(least)
  })

  it('is told with every mark that comes too early', () => {
    const ctx = asked('x'.repeat(4 * 600))
    const leasts = (model: string): unknown[] =>
      toAnthropic(ctx, { cache: { model } }).breakpoints.map(({ least }) => least)
    expect(leasts('claude-opus-5')).toEqual([512, undefined])
    expect(leasts('claude-haiku-4-5')).toEqual([4096, 4096])
    expect(leasts('another-model')).toEqual([undefined, undefined])
    expect(toAnthropic(ctx, { cache: true }).breakpoints[0]).not.toHaveProperty('least')
  })
})

interface Shares {
  markShares(engine: object): readonly Readonly<{ shares: readonly Readonly<{ read: number; same: number }>[] }>[]
  tableOf(rows: readonly object[]): string
}

it('the marks read nearly all that is the same, as docs/caching.md says', async () => {
  const script = path.resolve(import.meta.dirname, '../../scripts/cache-marks.mjs')
  const { markShares, tableOf } = (await import(script)) as Shares
  const rows = markShares({ createContext, toAnthropic })
  for (const { read, same } of rows.flatMap(({ shares }) => shares)) expect(read).toBeGreaterThan(same - 0.025)
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/caching.md'), 'utf8')
  expect(page.replaceAll(/ +\|/g, ' |').replaceAll(/\| *-+ */g, '|---')).toContain(tableOf(rows))
})
