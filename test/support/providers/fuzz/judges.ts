// The options that the fuzz renders with, and the judges of what comes out: the types of the providers' clients, and the rules of sequence.

import { isDeepStrictEqual } from 'node:util'

import { modelMessageSchema } from 'ai'

import { ADAPTERS } from '../../../../src/adapters/index.js'
import type { FormatName } from '../../../../src/formats/index.js'
import type { Context } from '../../../../src/index.js'
import { checkAnthropic } from '../anthropic.js'
import { checkBedrock } from '../bedrock.js'
import { checkGemini } from '../gemini.js'
import { checkGeminiInteractions } from '../gemini-interactions.js'
import { checkMistral } from '../mistral.js'
import { checkModelMessages } from '../model-messages.js'
import { checkOpenAIChat } from '../openai-chat.js'
import { checkOpenAIResponses } from '../openai-responses.js'
import { typeFaults } from '../request-types.js'
import { isKeyed, type Violation } from '../violations.js'

type Row = Readonly<{
  options: readonly Readonly<Record<string, unknown>>[]
  /** By the types of the client, strictly. */
  types: (request: object) => readonly string[]
  /** By the provider's documents. */
  rules: (request: object, options: Readonly<Record<string, unknown>>) => readonly Violation[]
}>

const PLACED = { blocks: { place: 'thread', before: '<{key}>', after: '</>' } }
const SYSTEM = { blocks: { role: 'system' } }

export const JUDGES: Readonly<Record<FormatName, Row>> = {
  anthropic: {
    options: [
      {},
      { cache: true },
      { cache: { at: 'end', ttl: '1h' } },
      { thinking: 'all' },
      { thinking: 'off' },
      { systemMessages: 'user', cache: true },
      { expiry: 'clear-at' },
      PLACED,
      { ...SYSTEM, cache: true },
    ],
    types: (request) => typeFaults('anthropic-beta', request),
    rules: (request, { systemMessages }) => checkAnthropic(request, { midSystem: systemMessages !== 'user' }),
  },
  'openai-chat': {
    options: [{}, { cache: true }, { cache: { key: 'k' } }, PLACED, SYSTEM, { blocks: { role: 'developer' } }],
    types: (request) => typeFaults('openai-chat', request),
    rules: (request) => checkOpenAIChat(request),
  },
  'openai-responses': {
    options: [{}, { cache: true }, { store: false }, { store: false, cache: { key: 'k' } }, PLACED, SYSTEM],
    types: (request) => typeFaults('openai-responses', request),
    rules: (request, { store }) => checkOpenAIResponses(request, { store: store !== false }),
  },
  gemini: {
    options: [{}, { signatures: 'all' }, { signatures: 'none' }, PLACED],
    types: (request) => typeFaults('gemini', request),
    rules: (request, { signatures }) => checkGemini(request, { signatures: signatures === 'all' }),
  },
  'gemini-interactions': {
    options: [{}, PLACED],
    types: (request) => typeFaults('gemini-interactions', request),
    rules: (request) => checkGeminiInteractions(request),
  },
  mistral: {
    options: [{}, PLACED, SYSTEM],
    types: (request) => typeFaults('mistral', request),
    rules: (request) => checkMistral(request),
  },
  bedrock: {
    options: [{}, { thinking: 'all' }, { thinking: 'off' }, PLACED],
    types: (request) => typeFaults('bedrock', request),
    rules: (request) => checkBedrock(request),
  },
  'ai-sdk': {
    options: [{}, { cache: true }, { thinking: 'off' }, { systemMessages: 'user' }, PLACED, SYSTEM],
    types: (request) => schemaFaults(request),
    rules: (request, { systemMessages }) =>
      checkModelMessages(request, { systemInMessages: systemMessages !== 'user' }),
  },
}

/** Rules about the form of a part. Parts that the same provider sent and no type has yet go back by default, and break only these. */
const FORM: ReadonlySet<string> = new Set(['shape', 'kind', 'part', 'unknown-key', 'part-data', 'role'])

/**
 * The faults of a context's requests for a format: of the one without unknown parts by types and rules, and of the usual one by rules of sequence, if the
 * two differ.
 */
export function faultsOf(ctx: Context, name: FormatName, pick: number): readonly string[] {
  const { options, types, rules } = JUDGES[name]
  const chosen = options[pick % options.length]!
  const strict = { ...ADAPTERS[name].to(ctx, { ...chosen, unknown: 'drop' }) }
  const usual = { ...ADAPTERS[name].to(ctx, chosen) }
  const found = [...types(strict), ...rules(strict, chosen).map(({ text }) => text), ...brokenBytes(strict)]
  if (!isDeepStrictEqual(usual, strict)) {
    const sequence = rules(usual, chosen).filter(({ rule }) => !FORM.has(rule))
    found.push(...sequence.map(({ text }) => `by default: ${text}`))
  }
  return found.map((fault) => `${name} ${JSON.stringify(chosen)}: ${fault}`)
}

function schemaFaults(request: object): readonly string[] {
  const { messages } = request as { messages: readonly unknown[] }
  return messages.flatMap((message, at) => {
    const checked = modelMessageSchema.safeParse(message)
    return checked.success ? [] : [`messages[${at}]: ${checked.error.message}`]
  })
}

/** Media whose bytes are no base64, in any format: every provider refuses them. */
export function brokenBytes(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const [, bytes] = /^data:[^,]{0,200};base64,(.*)$/s.exec(value) ?? []
    return isBase64(bytes ?? '') ? [] : [`a data URL is no base64: ${value.slice(0, 80)}`]
  }
  if (Array.isArray(value)) return value.flatMap((each) => brokenBytes(each))
  if (!isKeyed(value)) return []
  const { type, data, file_data: file } = value
  const isMedia =
    type !== 'text' && ['media_type', 'mime_type', 'mimeType', 'mediaType', 'format'].some((key) => key in value)
  const given = [isMedia ? data : undefined, file].filter((each) => typeof each === 'string')
  const broken = given.filter((each) => !/^(?:data|https?):/.test(each) && !isBase64(each))
  const own = broken.map((each) => `${String(type)} has bytes that are no base64: ${each.slice(0, 80)}`)
  return [...own, ...Object.values(value).flatMap((each) => brokenBytes(each))]
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_=\-\s]*$/.test(text)
}
