// The programs in examples/ are run as they stand, and do what they say: every request is one that its provider takes.

import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { describe, expect, it } from 'vitest'

import { runAgent } from '../../examples/agent.js'
import { runAnthropic } from '../../examples/anthropic.js'
import { REQUESTS, runDurable } from '../../examples/durable.js'
import { runOpenAI } from '../../examples/openai.js'
import { runOverHttp } from '../../examples/over-http.js'
import type { Context } from '../../src/index.js'
import { makeExampleHome } from '../support/doc-examples.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { checkOpenAIChat } from '../support/providers/openai-chat.js'

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

describe('examples/over-http.ts', () => {
  it('two programs write to one context, nothing is lost, and every cycle is told once', async () => {
    const { cycles, contents } = await runOverHttp(() => {})
    expect(cycles).toEqual([1, 2, 3, 4, 5])
    expect(contents.filter((each) => String(each).endsWith('plan.'))).toEqual(['The customer is on the pro plan.'])
    expect(contents.filter((each) => String(each).startsWith('An answer'))).toHaveLength(3)
    expect(contents[0]).toBe('You are a helpful assistant.')
  })
})

describe('examples/durable.ts', () => {
  it('is killed and goes on: every answer is told once, and every turn is there once', async () => {
    const lines: string[] = []
    const { told, kills, contents, isSound } = await withAgent((agent) => runDurable((line) => lines.push(line), agent))
    expect(kills).toBeGreaterThan(0)
    expect(isSound).toBe(true)
    // A turn may be written and its process killed before it told; it is never told twice, or told and not there.
    expect(new Set(told).size).toBe(told.length)
    expect(told.length).toBeGreaterThanOrEqual(REQUESTS.length - kills)
    expect(contents).toEqual(REQUESTS.flatMap(({ text }) => [text, `Answer to ${text.toLowerCase()}`]))
    expect(lines.at(-1)).toMatch(/^12 turns on disk, \d+ attempts; fsck says sound$/)
  })
})

/** The example as a program of its own, on the built package: older versions of Node cannot run TypeScript. */
async function withAgent<T>(work: (agent: readonly string[]) => Promise<T>): Promise<T> {
  const root = path.resolve(import.meta.dirname, '../..')
  const home = makeExampleHome(root)
  try {
    const source = fs.readFileSync(path.join(root, 'examples/durable.ts'), 'utf8')
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
    const { outputText } = ts.transpileModule(source, { compilerOptions })
    const agent = path.join(fs.realpathSync(home.folder), 'durable.mjs')
    fs.writeFileSync(agent, outputText)
    return await work([agent])
  } finally {
    home.remove()
  }
}

function expectTurn(ctx: Context): void {
  expect([ctx.snapshots().length, ctx.count("@t0 [kind='call']"), ctx.count("@t0 [kind='result']")]).toEqual([1, 2, 2])
  expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(JSON.stringify(ctx.thread('@t0').at(-1))).toContain('Rome is sunny')
}
