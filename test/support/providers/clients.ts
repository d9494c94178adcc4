// Judges that run the providers' own clients, with a fetch that goes nowhere: they give back the bytes that a client would
// put on the wire, and say where these are not the bytes of the request as it was given.
//
// The changes that clients make to a request, in the pinned versions:
// - openai and @anthropic-ai/sdk write the parameters as they are, keys in the order given, by JSON.stringify, and check nothing.
// - @anthropic-ai/sdk wants `max_tokens`; the beta client writes the same body.
// - @google/genai takes `systemInstruction` within `config`, writes it behind `contents` and an empty `generationConfig` behind
//   that; it rebuilds contents and parts key by key in an order of its own and **drops every key it does not know, snake_case
//   ones too**; it writes what is below a part as it is, but for calls, which it rebuilds as well.

import { isDeepStrictEqual } from 'node:util'

import Anthropic from '@anthropic-ai/sdk'
import { BedrockRuntimeClient, ConverseCommand, type ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI, type GenerateContentParameters, type Interactions } from '@google/genai'
import { HTTPClient, Mistral } from '@mistralai/mistralai'
import type { ChatCompletionRequest } from '@mistralai/mistralai/models/components'
import OpenAI from 'openai'

import { isKeyed, type Keyed } from './violations.js'

export type Judgement = Readonly<{
  /** Empty where the client sent what was given. */
  errors: readonly string[]
  /** The body as sent; absent where the client refused. */
  sent?: string
}>

const MODEL = 'test-model'
const MAX_TOKENS = 16

export async function judgeWithOpenAI(request: unknown): Promise<Judgement> {
  const body = { model: MODEL, ...(request as Keyed) }
  return judge(body, JSON.stringify, (fetch) => {
    return openai(fetch).chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming)
  })
}

export async function judgeWithResponses(request: unknown): Promise<Judgement> {
  const body = { model: MODEL, ...(request as Keyed) }
  return judge(body, JSON.stringify, (fetch) => {
    return openai(fetch).responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming)
  })
}

export async function judgeWithAnthropic(request: unknown): Promise<Judgement> {
  const body = { model: MODEL, max_tokens: MAX_TOKENS, ...(request as Keyed) }
  return judge(body, JSON.stringify, (fetch) => {
    const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch })
    return client.messages.create(body as unknown as Anthropic.MessageCreateParamsNonStreaming)
  })
}

export async function judgeWithGemini(request: unknown): Promise<Judgement> {
  const { systemInstruction, ...contents } = request as Keyed
  const isTold = Object.hasOwn(request as Keyed, 'systemInstruction')
  const config = isTold ? { config: { systemInstruction } } : {}
  const given = { ...contents, ...(isTold ? { systemInstruction, generationConfig: {} } : {}) }
  return judge(
    given,
    (body) => JSON.stringify(asGeminiWrites(body)),
    (fetch) => {
      return withGlobalFetch(fetch, () => {
        const client = new GoogleGenAI({ apiKey: 'none' })
        return client.models.generateContent({
          model: MODEL,
          ...contents,
          ...config,
        } as unknown as GenerateContentParameters)
      })
    },
  )
}

export async function judgeWithInteractions(request: unknown): Promise<Judgement> {
  const body = { model: MODEL, ...(request as Keyed) }
  return judge(body, undefined, (fetch) => {
    return withGlobalFetch(fetch, () => {
      const client = new GoogleGenAI({ apiKey: 'none' })
      return client.interactions.create(body as unknown as Interactions.CreateModelInteractionParamsNonStreaming)
    })
  })
}

/** The client checks every message by its schemas, spells keys as the API does, and says what messages leave open. */
export async function judgeWithMistral(request: unknown): Promise<Judgement> {
  const body = { model: MODEL, ...(request as Keyed) }
  const bodies: unknown[] = []
  const fetcher = async (input: unknown): Promise<Response> => {
    bodies.push(await (input as Request).json())
    return new Response('{}', { status: 418 })
  }
  const client = new Mistral({
    apiKey: 'none',
    httpClient: new HTTPClient({ fetcher }),
    retryConfig: { strategy: 'none' },
  })
  try {
    await client.chat.complete(body as unknown as ChatCompletionRequest)
  } catch (error) {
    if (bodies.length === 0) return { errors: [String(error)] }
  }
  const { messages } = bodies[0] as { messages: readonly Keyed[] }
  const sent = JSON.stringify(messages.map(withoutDefaults))
  const given = JSON.stringify(spelledAsSent((request as { messages: unknown }).messages))
  const isSame = isDeepStrictEqual(JSON.parse(sent), JSON.parse(given))
  return { errors: isSame ? [] : [`What was sent is not what was given: ${sent}`], sent }
}

/** Without what the client adds by itself. */
function withoutDefaults({ prefix, tool_calls: calls, ...message }: Keyed): Keyed {
  const made = (calls as readonly Keyed[] | null | undefined)?.map(({ index: _index, ...call }) => call)
  return {
    ...message,
    ...(prefix === true ? { prefix } : {}),
    ...(made === undefined ? {} : { tool_calls: made }),
  }
}

const SNAKE = /^(?:toolCalls|toolCallId|imageUrl|documentUrl|documentName|inputAudio|fileId|referenceIds)$/

function spelledAsSent(value: unknown, key = ''): unknown {
  if (key === 'arguments') return value
  if (Array.isArray(value)) return value.map((each) => spelledAsSent(each))
  if (!isKeyed(value)) return value
  const spelled = (name: string): string =>
    SNAKE.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name
  const entries = Object.entries(value).filter(
    ([name, each]) => name !== 'index' && !(name === 'prefix' && each === false),
  )
  return Object.fromEntries(entries.map(([name, each]) => [spelled(name), spelledAsSent(each, name)]))
}

/** The client writes its own types, bytes as base64, and drops what it does not know. */
export async function judgeWithBedrock(request: unknown): Promise<Judgement> {
  const bodies: string[] = []
  const requestHandler = {
    handle: ({ body }: { body: unknown }): Promise<never> => {
      bodies.push(typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array))
      return Promise.reject(new Error('no network'))
    },
  }
  const client = new BedrockRuntimeClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
    requestHandler: requestHandler as never,
  })
  const input = { modelId: MODEL, ...(request as object) } as unknown as ConverseCommandInput
  try {
    await client.send(new ConverseCommand(input))
  } catch (error) {
    if (bodies.length === 0) return { errors: [String(error)] }
  }
  const sent = bodies[0]!
  const isSame = isDeepStrictEqual(JSON.parse(sent), JSON.parse(JSON.stringify(request)))
  return { errors: isSame ? [] : [`What was sent is not what was given: ${sent}`], sent }
}

// ---- What @google/genai writes

const CONTENT_KEYS = ['parts', 'role']
const PART_KEYS = [
  'mediaResolution',
  'toolCall',
  'toolResponse',
  'audioTranscription',
  'codeExecutionResult',
  'executableCode',
  'fileData',
  'functionCall',
  'functionResponse',
  'inlineData',
  'text',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
  'mediaProcessing',
  'speechMetadata',
]
const CALL_KEYS = ['args', 'id', 'name']

/** The request with the keys in the client's order. Nothing is left out here, so that what the client drops is a difference. */
function asGeminiWrites(body: unknown): unknown {
  const content = (value: unknown): unknown => ordered(value, CONTENT_KEYS, { parts: eachOf(part) })
  const part = (value: unknown): unknown => {
    return ordered(value, PART_KEYS, { functionCall: (call) => ordered(call, CALL_KEYS, {}) })
  }
  return ordered(body, ['contents', 'systemInstruction'], { contents: eachOf(content), systemInstruction: content })
}

function ordered(
  value: unknown,
  keys: readonly string[],
  inner: Readonly<Record<string, (value: unknown) => unknown>>,
): unknown {
  if (!isKeyed(value)) return value
  const known = keys.filter((key) => Object.hasOwn(value, key))
  const others = Object.keys(value).filter((key) => !keys.includes(key))
  const result = {}
  for (const key of [...known, ...others]) {
    // A key may be `__proto__`.
    Object.defineProperty(result, key, { value: inner[key]?.(value[key]) ?? value[key], enumerable: true })
  }
  return result
}

function eachOf(of: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? value.map(of) : value)
}

// ---- A client without a network

type Fetch = (url: unknown, init?: { body?: unknown }) => Promise<Response>

function openai(fetch: Fetch): OpenAI {
  return new OpenAI({ apiKey: 'none', maxRetries: 0, fetch })
}

async function judge(
  given: Keyed,
  write: ((body: Keyed) => string) | undefined,
  send: (fetch: Fetch) => Promise<unknown>,
): Promise<Judgement> {
  const bodies: string[] = []
  const fetch: Fetch = async (url, init) => {
    bodies.push(url instanceof Request ? await url.text() : String(init?.body))
    const reply = { id: 'x', status: 'completed', steps: [], choices: [], output: [], content: [], candidates: [] }
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } })
  }
  try {
    await send(fetch)
  } catch (error) {
    return { errors: [String(error)] }
  }
  const [sent] = bodies
  if (sent === undefined || bodies.length > 1) return { errors: [`The client sent ${bodies.length} requests.`] }
  const errors = []
  if (write !== undefined && sent !== write(given)) errors.push(`The client sent other bytes than ours: ${sent}`)
  // Values that JSON leaves out or writes otherwise are the same in both, so they are looked for by themselves.
  if (!isDeepStrictEqual(JSON.parse(sent), given)) errors.push(`What was sent is not what was given: ${sent}`)
  return { errors, sent }
}

let turn: Promise<unknown> = Promise.resolve()

/** This client knows no other fetch than the global one, so its calls wait for each other. */
function withGlobalFetch<T>(fetch: Fetch, call: () => Promise<T>): Promise<T> {
  const mine = turn.then(async () => {
    const { fetch: real } = globalThis
    globalThis.fetch = fetch
    try {
      return await call()
    } finally {
      globalThis.fetch = real
    }
  })
  turn = mine.catch(() => undefined)
  return mine
}
