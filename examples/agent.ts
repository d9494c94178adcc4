// The loop that every agent runs, on a store: ask, run the tools, save, until the model has ended its turn. Claude, OpenAI and Gemini answer one
// question each, in one conversation. Killed anywhere, it goes on where it was: here it runs as a process of its own, which is killed again and
// again (SIGKILL), until all questions are answered. `node examples/agent.ts` in a clone that is built (Node 22.18 or later).
//
// The models are scripted by `fetch`, so it runs without keys. Leave `scriptedFetch` out, and it asks the real ones.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { toAnthropic } from 'pact-context/anthropic'
import { toGemini } from 'pact-context/gemini'
import { toOpenAIResponses } from 'pact-context/openai'
import { openStore, type OpenOptions, type StoredContext } from 'pact-context/store'

type Print = (line: string) => void

/** Tools: the description that models get, and the function. */
const TOOLS = [
  { name: 'weather', description: 'The weather in a city', properties: { city: { type: 'string' } } },
  { name: 'book', description: 'Books a train', properties: { city: { type: 'string' } } },
]
export type Handlers = Readonly<Record<string, (given: Readonly<Record<string, unknown>>) => Promise<unknown>>>
export const HANDLERS: Handlers = {
  weather: async ({ city }) => `${String(city)}: ${String(city).length % 2 === 0 ? 'sunny' : 'rain'}`,
  book: async ({ city }) => ({ booked: city, seat: '12A' }),
}

/** Asks a model for its next reply and takes it into the context. */
type Ask = (ctx: StoredContext) => Promise<unknown>

/** The models, each by its own client. `attempt.body` is the whole request; `receive` takes the reply in. */
function modelsOver(fetch: typeof globalThis.fetch): Readonly<Record<'claude' | 'openai' | 'gemini', Ask>> {
  const anthropic = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
  const openai = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 })
  // This client has no option for it.
  globalThis.fetch = fetch
  const google = new GoogleGenAI({ apiKey: 'none' })
  const schemaOf = ({ properties }: (typeof TOOLS)[number]) => ({ type: 'object' as const, properties })
  return {
    claude: async (ctx) => {
      const tools = TOOLS.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: schemaOf(tool),
      }))
      const params = { model: 'claude-sonnet-5-5', max_tokens: 4096, tools }
      const attempt = ctx.startAttempt({ for: toAnthropic, params })
      return attempt.receive(await anthropic.messages.create(attempt.body))
    },
    openai: async (ctx) => {
      const tools = TOOLS.map((tool) => ({
        type: 'function' as const,
        name: tool.name,
        description: tool.description,
        parameters: schemaOf(tool),
        strict: false,
      }))
      const attempt = ctx.startAttempt({ for: toOpenAIResponses, params: { model: 'gpt-5', store: false, tools } })
      return attempt.receive(await openai.responses.create(attempt.body))
    },
    gemini: async (ctx) => {
      const functionDeclarations = TOOLS.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parametersJsonSchema: schemaOf(tool),
      }))
      const params = { model: 'gemini-3-pro', config: { tools: [{ functionDeclarations }] } }
      const attempt = ctx.startAttempt({ for: toGemini, params, options: { form: 'sdk' } })
      return attempt.receive(await google.models.generateContent(attempt.body))
    },
  }
}

/** Questions as a queue or a web hook gives them, each with an id of its own, and the model that answers. */
export const QUESTIONS = [
  { id: 'request-1', text: 'Shall I go to Rome or Oslo?', model: 'claude' },
  { id: 'request-2', text: 'Shall I go to Lima or Turin?', model: 'openai' },
  { id: 'request-3', text: 'Shall I go to Bern or Porto?', model: 'gemini' },
] as const

/** The agent. Everything that a turn has brought so far is saved after each step; `due` says from the tree alone what comes next. */
export async function workOn(
  file: string,
  { fetch = scriptedFetch, handlers = HANDLERS, options = {} }: Parts = {},
  print: Print = () => {},
): Promise<Uint8Array> {
  const models = modelsOver(fetch)
  const store = await openStore(`sqlite:${file}`)
  try {
    const ctx = await store.open('support-42', { prune: { maxTokens: 100_000, results: { keep: 6 } }, ...options })
    if (ctx.count('^sys .block') === 0) ctx.system.add('You are a travel agent. Look the weather up, then book.')
    for (const { id, text, model } of QUESTIONS) {
      // A committed question is not asked again.
      if ((await ctx.answerTo(id)) !== undefined) continue
      if (ctx.due() === 'user') ctx.user(text)
      while (ctx.due() !== 'nothing') {
        for (const call of ctx.openCalls()) {
          ctx.result(call, await runTool(handlers, call.name, call.arguments))
          await ctx.save()
        }
        await models[model](ctx)
        await ctx.save()
        print(`${id}: ${model} replied, next is ${ctx.due()}`)
      }
      await ctx.commit({ key: id })
    }
    return ctx.export('@t0')
  } finally {
    await store.close()
  }
}

/** Parts that a test replaces. */
type Parts = Readonly<{ fetch?: typeof globalThis.fetch; handlers?: Handlers; options?: OpenOptions }>

/** A tool may be called twice if the process dies between the call and the save, so a tool with effects needs a key of its own. */
async function runTool(handlers: Handlers, name: string, given: unknown): Promise<string> {
  const result = await handlers[name]?.((given ?? {}) as Readonly<Record<string, unknown>>)
  return typeof result === 'string' ? result : JSON.stringify(result ?? 'There is no such tool.')
}

/** Runs the agent until it is done, and kills it now and then. Gives the tree at the end, and how often it was killed. */
export async function runAgent(
  print: Print = (line) => console.log(line),
  agent: readonly string[] = [import.meta.filename],
  kills = 4,
): Promise<Readonly<{ tree: string; killed: number; isSound: boolean }>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-agent-'))
  const file = path.join(folder, 'agent.db')
  try {
    let killed = 0
    // Anywhere after its first reply, and before its next one or the one after.
    while (await wasKilled([...agent, file], killed < kills ? Math.random() * 60 : Infinity, print)) {
      killed += 1
      print('killed')
    }
    const tree = Buffer.from(await workOn(file)).toString()
    const store = await openStore(`sqlite:${file}`)
    const { ok: isSound } = await store.fsck()
    await store.close()
    print(`killed ${killed} times; fsck says ${isSound ? 'sound' : 'damaged'}`)
    return { tree, killed, isSound }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** One life of the agent, which ends some milliseconds after its first line; true if it was killed before it was done. */
function wasKilled(command: readonly string[], after: number, print: Print): Promise<boolean> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  let isSpeaking = false
  child.stdout.on('data', (chunk: Buffer) => {
    print(chunk.toString().trimEnd())
    if (!isSpeaking && after < Infinity) setTimeout(() => child.kill('SIGKILL'), after)
    isSpeaking = true
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true)
      else if (code === 0) resolve(false)
      else reject(new Error(`The agent ended with ${signal ?? code}.`))
    })
  })
}

type Call = Readonly<{ id: string; name: string; city: string }>
type Said = Readonly<{ calls: readonly Call[]; text: string }>

/** The scripted reply to a request: the model looks two cities up at once, books one of them, and ends. */
function saysTo(request: string): Said {
  const questions = [...request.matchAll(/Shall I go to (\w+) or (\w+)\?/g)]
  const [, one = '', two = ''] = questions.at(-1) ?? []
  const ids = [0, 1, 2].map((at) => `call_${questions.length}_${at}`)
  if (!request.includes(ids[0]!)) {
    const calls = [one, two].map((city, at) => ({ id: ids[at]!, name: 'weather', city }))
    return { calls, text: 'Let me look.' }
  }
  if (!request.includes(ids[2]!)) return { calls: [{ id: ids[2]!, name: 'book', city: one }], text: '' }
  return { calls: [], text: `You are booked to ${one}.` }
}

/** The servers of all three providers, as far as this example needs them. */
export const scriptedFetch: typeof globalThis.fetch = async (to, init) => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  const url = to instanceof Request ? to.url : String(to)
  const said = saysTo(init?.body as string)
  if (url.includes('/messages')) return Response.json(claudeReply(said))
  return Response.json(url.includes('/responses') ? openaiReply(said) : geminiReply(said))
}

function claudeReply({ calls, text }: Said): object {
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, city }) => ({ type: 'tool_use', id, name, input: { city } })),
  ]
  const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5' }
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  return { ...about, content, stop_reason, usage: { input_tokens: 60, output_tokens: 12 } }
}

function openaiReply({ calls, text }: Said): object {
  const said = { type: 'output_text', text, annotations: [] }
  const output = [
    ...(text === '' ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [said] }]),
    ...calls.map(({ id, name, city }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify({ city }),
      status: 'completed',
    })),
  ]
  return { id: 'resp_1', status: 'completed', output, usage: { input_tokens: 60, output_tokens: 12 } }
}

function geminiReply({ calls, text }: Said): object {
  const parts = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, name, city }) => ({ functionCall: { id, name, args: { city } } })),
  ]
  const usageMetadata = { promptTokenCount: 60, candidatesTokenCount: 12 }
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata }
}

if (process.argv[1] === import.meta.filename) {
  const file = process.argv[2]
  if (file === undefined) await runAgent()
  else await workOn(file, { options: { clock: () => 0n } }, (line) => process.stdout.write(`${line}\n`))
}
