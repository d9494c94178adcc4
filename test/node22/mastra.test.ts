// examples/mastra.ts on Mastra's own agent, and Mastra's TokenLimiter with the same script.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Agent } from '@mastra/core/agent'
import { TokenLimiterProcessor } from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { pactProcessor, runMastra } from '../../examples/mastra.js'
import { openStore, type Store } from '../../src/store/index.js'
import { o200k } from '../../src/tokens/index.js'
import { checkModelMessages } from '../support/providers/model-messages.js'

type PactProcessor = ReturnType<typeof pactProcessor>
type Prompt = MockLanguageModelV3['doGenerateCalls'][number]['prompt']
type Reply = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>> extends { stream: ReadableStream<infer Part> } ? Part : never

const LIMIT = 800
const CITIES = 'Rome Oslo Lima Bern Cairo Quito Delhi Seoul'.split(' ')
const CALLS = 2

const questionOf = (city: string): string => `Is it a good week for a trip to ${city}, by train if it can be?`
const answerOf = (city: string): string => `Now is a good time for ${city}.`
const idOf = (city: string, at: number): string => `${city}-${at}`

/** Asks for the weather of the city twice, one call after the other, and then answers. It knows of a call if the prompt has its result. */
function replyTo(prompt: Prompt): Reply {
  const city = cityOf(prompt)
  const looked = resultsIn(prompt).filter((id) => id.startsWith(city)).length
  const isDone = looked >= CALLS
  return {
    content: isDone
      ? [{ type: 'text', text: answerOf(city) }]
      : [
          {
            type: 'tool-call',
            toolCallId: idOf(city, looked + 1),
            toolName: 'weather',
            input: JSON.stringify({ city }),
          },
        ],
    finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
    warnings: [],
  }
}

function scripted(prompts: Prompt[], dies: (prompt: Prompt) => boolean = () => false): MockLanguageModelV3 {
  const reply = (prompt: Prompt): Reply => {
    if (dies(prompt)) throw new Error('killed')
    prompts.push(prompt)
    return replyTo(prompt)
  }
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => reply(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = reply(prompt)
      const parts = content.flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: part.text },
              { type: 'text-end', id: '1' },
            ]
          : [part as StreamPart],
      )
      const finish: StreamPart = { type: 'finish', finishReason, usage }
      return {
        stream: convertArrayToReadableStream<StreamPart>([{ type: 'stream-start', warnings: [] }, ...parts, finish]),
      }
    },
  })
}

/** The city of the newest question. */
function cityOf(prompt: Prompt): string {
  return [...JSON.stringify(prompt).matchAll(/trip to (\w+),/g)].at(-1)?.[1] ?? 'nowhere'
}

type Part = Readonly<Record<string, unknown>>

function partsOf(prompt: Prompt): readonly Part[] {
  return prompt.flatMap(({ content }): readonly object[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  ) as readonly Part[]
}

function resultsIn(prompt: Prompt): readonly string[] {
  return partsOf(prompt).flatMap((part) => (part['type'] === 'tool-result' ? [part['toolCallId'] as string] : []))
}

/** Counted from the prompt itself: what is said, the arguments and the results. */
function tokensOf(prompt: Prompt): number {
  const said = ({ text, input, output }: Part): string => {
    if (typeof text === 'string') return text
    return output === undefined ? JSON.stringify(input) : String((output as Part)['value'])
  }
  return partsOf(prompt).reduce((sum, part) => sum + o200k(said(part)), 0)
}

const weather = (words: number) =>
  createTool({
    id: 'weather',
    description: 'The weather in a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    execute: async (input) => `${(input as { city: string }).city}: ${'sunny '.repeat(words)}`,
  })

type Processors = Readonly<{
  inputProcessors: (PactProcessor | TokenLimiterProcessor)[]
  outputProcessors: PactProcessor[]
}>

function agentOf(model: MockLanguageModelV3, words: number, processors: Processors) {
  return new Agent({
    id: 'travel',
    name: 'Travel',
    instructions: 'You are a travel agent.',
    // Mastra has types of its own for models of this version; they differ from those of `ai` 7 in optional fields.
    model: model as never,
    tools: { weather: weather(words) },
    ...processors,
  })
}

function pactAgent(store: Store, model: MockLanguageModelV3, words = 60) {
  const processor = pactProcessor(store, { countTokens: o200k, prune: { maxTokens: LIMIT, unit: 'turn' } })
  return agentOf(model, words, { inputProcessors: [processor], outputProcessors: [processor] })
}

const chat = () => ({ requestContext: new RequestContext([['chat', 'trip']]) })

/** Every message that any cycle of the chat has, once. */
async function everSaid(store: Store): Promise<readonly string[]> {
  const ctx = await store.open('trip')
  const cycles = Array.from({ length: ctx.snapshots().length }, (_, at) => at + 1)
  const said = cycles.flatMap((cycle) => ctx.thread(`@c${cycle}`))
  return [...new Map(said.map((node) => [node.id, `${node.role}: ${JSON.stringify(node.content)}`])).values()]
}

describe('examples/mastra.ts', () => {
  let folder = ''
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-'))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))
  const open = () => openStore(`sqlite:${path.join(folder, 'agent.db')}`)

  it('sends valid prompts within the budget, and the store has all of the conversation, over restarts', async () => {
    const prompts: Prompt[] = []
    for (const [at, city] of CITIES.entries()) {
      // Each turn is a process of its own.
      const store = await open()
      const agent = pactAgent(store, scripted(prompts))
      const text =
        at % 2 === 0
          ? (await agent.generate(questionOf(city), chat())).text
          : await (
              await agent.stream(questionOf(city), chat())
            ).text
      expect(text).toBe(answerOf(city))
      await store.close()
    }
    expect(prompts).toHaveLength(CITIES.length * (CALLS + 1))
    for (const [at, prompt] of prompts.entries()) {
      const city = CITIES[Math.floor(at / (CALLS + 1))]!
      expect(checkModelMessages({ messages: prompt.slice(1) })).toEqual([])
      expect(tokensOf(prompt)).toBeLessThanOrEqual(LIMIT)
      expect(prompt[0]).toMatchObject({ role: 'system', content: 'You are a travel agent.' })
      // The turn that runs is there with all its results.
      expect(JSON.stringify(prompt)).toContain(questionOf(city))
      expect(resultsIn(prompt).filter((id) => id.startsWith(city))).toHaveLength(at % (CALLS + 1))
    }
    // Earlier turns are there as long as there is room.
    expect(Math.max(...prompts.map(tokensOf))).toBeGreaterThan(LIMIT / 3)
    expect(JSON.stringify(prompts[CALLS + 1])).toContain(answerOf(CITIES[0]!))
    expect(JSON.stringify(prompts.at(-1))).not.toContain(CITIES[0])
    const store = await open()
    const said = await everSaid(store)
    for (const city of CITIES) {
      const ofCity = said.filter((each) => each.includes(city))
      expect(ofCity.map((each) => each.split(':')[0])).toEqual([
        'user',
        ...Array.from({ length: CALLS }, () => ['assistant', 'tool']).flat(),
        'assistant',
      ])
    }
    await store.close()
  })

  it('goes on after a kill in the middle of a turn, with the calls and results that were saved', async () => {
    const prompts: Prompt[] = []
    const store = await open()
    const killed = path.join(folder, 'killed')
    const dying = scripted(prompts, (prompt) => {
      const dies = resultsIn(prompt).length === 1
      // The database as it is while the request is under way.
      if (dies) {
        const files = fs.readdirSync(folder).filter((file) => file.startsWith('agent.db'))
        for (const file of files) fs.cpSync(path.join(folder, file), path.join(killed, file))
      }
      return dies
    })
    await expect(
      pactAgent(store, dying).generate(questionOf('Rome'), { ...chat(), modelSettings: { maxRetries: 0 } }),
    ).rejects.toThrow('killed')
    await store.close()
    const again = await openStore(`sqlite:${path.join(killed, 'agent.db')}`)
    await pactAgent(again, scripted(prompts)).generate(`${questionOf('Rome')} Go on.`, chat())
    expect(prompts.map(resultsIn)).toEqual([[], ['Rome-1'], ['Rome-1', 'Rome-2']])
    for (const prompt of prompts) expect(checkModelMessages({ messages: prompt.slice(1) })).toEqual([])
    await again.close()
  })

  it('keeps a running call whose result is larger than the budget; TokenLimiter drops it, and the model asks again', async () => {
    const ours: Prompt[] = []
    const store = await open()
    await pactAgent(store, scripted(ours), LIMIT).generate(questionOf('Rome'), { ...chat(), maxSteps: 5 })
    expect(ours.map(resultsIn)).toEqual([[], ['Rome-1'], ['Rome-1', 'Rome-2']])
    await store.close()

    const theirs: Prompt[] = []
    const limited = agentOf(scripted(theirs), LIMIT, {
      inputProcessors: [new TokenLimiterProcessor({ limit: LIMIT })],
      outputProcessors: [],
    })
    await limited.generate(questionOf('Rome'), { maxSteps: 5 })
    expect(theirs.map(resultsIn)).toEqual([[], [], [], [], []])
  })

  it('runs as it is', async () => {
    const lines: string[] = []
    await runMastra('memory:', (line) => lines.push(line))
    expect(lines.filter((line) => line.startsWith('Now is'))).toHaveLength(5)
    expect(lines.at(-2)).toMatch(/^ {2}sent system (?:user assistant tool assistant )*user assistant tool$/)
  })
})
