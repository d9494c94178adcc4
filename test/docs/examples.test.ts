// The programs in examples/ are run as they are, and do what they say: every request is one that its provider takes.
// examples/mastra.ts and examples/pi.ts are run in test/node22, since their packages need Node 22.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { HANDLERS, QUESTIONS, runAgent, scriptedFetch, workOn } from '../../examples/agent.js'
import { runAiSdk } from '../../examples/ai-sdk.js'
import { runAnthropic } from '../../examples/anthropic.js'
import { REQUESTS, runDurable } from '../../examples/durable.js'
import { runOpenAI } from '../../examples/openai.js'
import { runOverHttp } from '../../examples/over-http.js'
import type { Context } from '../../src/index.js'
import { makeExampleHome } from '../support/doc-examples.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { checkGemini } from '../support/providers/gemini.js'
import { checkOpenAIChat } from '../support/providers/openai-chat.js'
import { checkOpenAIResponses } from '../support/providers/openai-responses.js'

describe('examples/agent.ts', () => {
  const { fetch } = globalThis
  let folder = ''
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-'))
  })
  afterEach(() => {
    globalThis.fetch = fetch
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const options = { clock: () => 0n }

  /** The agent, which dies at the nth thing that it waits for: a reply of a model or a result of a tool, before it or after it. */
  function dying(at: number, after: boolean, bodies: string[] = []): Parameters<typeof workOn>[1] {
    let waited = 0
    const watch = async <T>(work: () => Promise<T>): Promise<T> => {
      const isLast = waited++ === at
      if (isLast && !after) throw new Error('killed')
      const result = await work()
      if (isLast) throw new Error('killed')
      return result
    }
    const handlers = Object.fromEntries(
      Object.entries(HANDLERS).map(([name, run]) => [
        name,
        (given: Readonly<Record<string, unknown>>) => watch(() => run(given)),
      ]),
    )
    const noting: typeof globalThis.fetch = (to, init) => {
      bodies.push(init?.body as string)
      return watch(() => scriptedFetch(to, init))
    }
    return { fetch: noting, handlers, options }
  }

  async function undisturbed(): Promise<Readonly<{ tree: string; bodies: readonly string[] }>> {
    const bodies: string[] = []
    const tree = await workOn(path.join(folder, 'undisturbed.db'), dying(Infinity, false, bodies))
    return { tree: Buffer.from(tree).toString(), bodies }
  }

  it('sends what each provider takes, and answers every question with its tools', async () => {
    const { tree, bodies } = await undisturbed()
    const checks = [checkAnthropic, checkOpenAIResponses, checkGemini] as const
    expect(bodies).toHaveLength(9)
    for (const [at, body] of bodies.entries()) expect(checks[Math.floor(at / 3)]!(JSON.parse(body))).toEqual([])
    for (const { text } of QUESTIONS) expect(tree).toContain(text)
    expect(tree.split('You are booked to').length - 1).toBe(QUESTIONS.length)
    expect(tree.split('"kind":"result"').length - 1).toBe(9)
  })

  it('ends in the same tree wherever it dies, and never asks again for a reply that was saved', async () => {
    const { tree } = await undisturbed()
    for (let at = 0; at < 18; at += 1) {
      for (const after of at % 3 === 0 ? [false, true] : [true]) {
        const file = path.join(folder, `${at}-${after}.db`)
        const bodies: string[] = []
        const died = await workOn(file, dying(at, after, bodies)).catch(() => undefined)
        expect(died).toBeUndefined()
        const again = await workOn(file, dying(Infinity, false, bodies))
        expect(Buffer.from(again).toString(), `${at} ${after}`).toBe(tree)
        // Only the request that died is sent again.
        expect(bodies.length - 9).toBeLessThanOrEqual(1)
      }
    }
  })

  it('is killed at random by its parent, and ends in the same tree', async () => {
    const { tree } = await undisturbed()
    const lines: string[] = []
    const run = (agent: readonly string[]): ReturnType<typeof runAgent> => runAgent((line) => lines.push(line), agent)
    const ended = await withAgent('agent', run)
    expect(ended).toEqual({ tree, killed: expect.any(Number), isSound: true })
    expect(ended.killed, lines.join('\n')).toBeGreaterThan(0)
  })
})

describe('examples/ai-sdk.ts', () => {
  it('keeps its budget, one plan and no old document, and most of each request is as before', async () => {
    const lines: string[] = []
    const ctx = await runAiSdk((line) => lines.push(line))
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
    // New text is at the end; only the first requests, and those after a cut, share less than half.
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
    const { told, kills, contents, isSound } = await withAgent('durable', (agent) =>
      runDurable((line) => lines.push(line), agent),
    )
    expect(kills).toBeGreaterThan(0)
    expect(isSound).toBe(true)
    // A turn may be written and its process killed before the answer; it is never reported twice, or reported and missing.
    expect(new Set(told).size).toBe(told.length)
    expect(told.length).toBeGreaterThanOrEqual(REQUESTS.length - kills)
    expect(contents).toEqual(REQUESTS.flatMap(({ text }) => [text, `Answer to ${text.toLowerCase()}`]))
    expect(lines.at(-1)).toMatch(/^12 turns on disk, \d+ attempts; fsck says sound$/)
  })
})

describe('examples/chat.ts', () => {
  it('is killed in the middle of an answer, and the next server goes on with it', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-'))
    const servers: ChildProcess[] = []
    try {
      await withAgent('chat', async ([agent]) => {
        const start = async (delay: number): Promise<string> => {
          const args = [agent!, path.join(folder, 'chats.db'), String(delay)]
          const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
          servers.push(server)
          const [line] = (await once(server.stdout, 'data')) as [Buffer]
          return String(line).trim()
        }
        // Its second step does not end.
        const first = await start(10_000_000)
        const message = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Is Rome sunny?' }] }
        const body = JSON.stringify({ id: 'trip', message })
        const cut = await fetch(`${first}/api/chat`, { method: 'POST', body })
        const reader = cut.body!.pipeThrough(new TextDecoderStream()).getReader()
        for (let text = ''; !text.includes('"finish-step"');) text += (await reader.read()).value ?? ''
        servers[0]!.kill('SIGKILL')
        await reader.cancel().catch(() => undefined)

        const url = await start(0)
        const stored = (await (await fetch(`${url}/api/chat/trip`)).json()) as { parts: object[] }[]
        expect(stored.map(({ parts }) => parts.length)).toEqual([1, 2])
        expect(await (await fetch(`${url}/api/chat/trip/stream`)).text()).toContain('"finish"')
        const messages = (await (await fetch(`${url}/api/chat/trip`)).json()) as { parts: { type: string }[] }[]
        const types = ['step-start', 'tool-weather', 'step-start', 'text']
        expect(messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([['text'], types])
        expect(messages[1]!.parts).toMatchObject([
          {},
          { output: 'Rome: sunny, 24 degrees' },
          {},
          { text: 'It is sunny in Rome.' },
        ])
        expect((await fetch(`${url}/api/chat/trip/stream`)).status).toBe(204)
      })
    } finally {
      for (const server of servers) server.kill('SIGKILL')
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** The example as a program of its own, on the built package: older versions of Node cannot run TypeScript. */
async function withAgent<T>(name: string, work: (agent: readonly string[]) => Promise<T>): Promise<T> {
  const root = path.resolve(import.meta.dirname, '../..')
  const home = makeExampleHome(root)
  try {
    const source = fs.readFileSync(path.join(root, `examples/${name}.ts`), 'utf8')
    const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
    const { outputText } = ts.transpileModule(source, { compilerOptions })
    const agent = path.join(fs.realpathSync(home.folder), `${name}.mjs`)
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
