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
import type { Violation } from '../violations.js'

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

/** The faults of a context's request for a format whose unknown parts are left out: by types and rules. */
export function strictFaults(ctx: Context, name: FormatName, pick: number): readonly string[] {
  const { options, types, rules } = JUDGES[name]
  const chosen = options[pick % options.length]!
  const request = { ...ADAPTERS[name].to(ctx, { ...chosen, unknown: 'drop' }) }
  const found = [...types(request), ...rules(request, chosen).map(({ text }) => text)]
  return found.map((fault) => `${name} ${JSON.stringify(chosen)}: ${fault}`)
}

/** The faults of a request as it is by default, by the rules of sequence. One with the bytes of the strict request is judged there. */
export function usualFaults(ctx: Context, name: FormatName, pick: number): readonly string[] {
  const { options, rules } = JUDGES[name]
  const chosen = options[pick % options.length]!
  const usual = ADAPTERS[name].to(ctx, chosen)
  const strict = ADAPTERS[name].to(ctx, { ...chosen, unknown: 'drop' })
  if (isDeepStrictEqual({ ...usual }, { ...strict })) return []
  const found = rules({ ...usual }, chosen).filter(({ rule }) => !FORM.has(rule))
  return found.map(({ text }) => `${name} ${JSON.stringify(chosen)} by default: ${text}`)
}

function schemaFaults(request: object): readonly string[] {
  const { messages } = request as { messages: readonly unknown[] }
  return messages.flatMap((message, at) => {
    const checked = modelMessageSchema.safeParse(message)
    return checked.success ? [] : [`messages[${at}]: ${checked.error.message}`]
  })
}
