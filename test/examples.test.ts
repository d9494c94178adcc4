// The programs in examples/ are run as they stand, and do what they say: every request is one that its provider takes.

import { describe, expect, it } from 'vitest'

import { runAgent } from '../examples/agent.js'
import { runAnthropic } from '../examples/anthropic.js'
import { runOpenAI } from '../examples/openai.js'
import type { Context } from '../src/index.js'
import { checkAnthropic } from './support/providers/anthropic.js'
import { checkOpenAIChat } from './support/providers/openai-chat.js'

describe('examples/agent.ts', () => {
  it('keeps its budget, one plan and no old document, and most of each request is as before', async () => {
    const lines: string[] = []
    const ctx = await runAgent((line) => lines.push(line))
    expect(ctx.snapshots()).toHaveLength(12)
    expect(ctx.attempts().map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 'completed'))
    for (let cycle = 1; cycle <= 12; cycle += 1) {
      const lens = `@c${cycle}` as const
      expect(ctx.tokens(lens).total).toBeLessThanOrEqual(500)
      expect([ctx.count(`${lens} #plan`), ctx.count(`${lens} +rag`), ctx.count(`${lens} #customer`)]).toEqual([1, 1, 1])
    }
    expect(lines.filter((line) => line.startsWith('  sent'))).toHaveLength(24)
    const cuts = lines.filter((line) => line.includes('the budget took'))
    expect(cuts.length).toBeGreaterThan(0)
    expect(cuts.length).toBeLessThan(4)
    // What is new stands at the end; only the first requests, and those after a cut, share less than half.
    const shares = lines.flatMap((line) => /: (\d+) % as before/.exec(line)?.[1] ?? []).map(Number)
    expect(shares.filter((share) => share < 50).length).toBeLessThanOrEqual(2 + cuts.length)
    expect(lines.at(-1)).toMatch(/^24 attempts, \d+ tokens in$/)
  })
})

describe('the plain clients', () => {
  it('examples/openai.ts sends what Chat Completions takes, and takes in what it says', async () => {
    const { ctx, sent } = await runOpenAI(() => {})
    expect(sent).toHaveLength(2)
    for (const body of sent) expect(checkOpenAIChat(JSON.parse(body))).toEqual([])
    expectTurn(ctx)
  })

  it('examples/anthropic.ts sends what Claude takes, and takes in what it says', async () => {
    const { ctx, sent } = await runAnthropic(() => {})
    expect(sent).toHaveLength(2)
    for (const body of sent) expect(checkAnthropic(JSON.parse(body))).toEqual([])
    expect(sent[1]).toContain('"signature":"c2lnbmVk"')
    expectTurn(ctx)
  })
})

function expectTurn(ctx: Context): void {
  expect([ctx.snapshots().length, ctx.count("@t0 [kind='call']"), ctx.count("@t0 [kind='result']")]).toEqual([1, 2, 2])
  expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(JSON.stringify(ctx.thread('@t0').at(-1))).toContain('Rome is sunny')
}
