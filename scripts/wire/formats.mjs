// The formats that are compared: the types of their clients, and our tables for the parts of messages, the ends of replies and the keys of a reply.

import { DECIDED } from './decided.mjs'
import { unknownIn } from './unknown.mjs'

/**
 * `read` are keys of a reply that the adapter reads, `modules` are those of the built adapters that `known` asks for.
 *
 * @typedef {Readonly<{
 *   clients: readonly string[], imports: string, parts: string, stops: string, reply?: string, read?: readonly string[],
 *   modules: readonly string[], known: (tables: Tables) => Known,
 * }>} Format
 *
 * @typedef {Readonly<{ part(value: any): boolean, replies: { stops: Record<string, string>, id?: string, model?: string, details?: readonly string[] } }>} Known
 * @typedef {Readonly<{ format: string, what: 'part' | 'stop' | 'reply', address: string, why: string | undefined }>} Found
 * @typedef {(path: string) => any} Tables modules of the built adapters, by path
 */

/** @type {Readonly<Record<string, Format>>} */
export const FORMATS = {
  anthropic: {
    clients: ['@anthropic-ai/sdk'],
    imports: `import type * as sdk from '@anthropic-ai/sdk/resources/messages/messages.js'
      import type * as beta from '@anthropic-ai/sdk/resources/beta/messages/messages.js'`,
    parts: `sdk.ContentBlockParam | sdk.ContentBlock | beta.BetaContentBlockParam | beta.BetaContentBlock |
      { type: 'system'; message: Omit<beta.BetaSystemMessageParam, 'role' | 'content'> }`,
    stops: 'sdk.StopReason | beta.BetaStopReason',
    reply: 'beta.BetaMessage',
    read: ['type', 'role', 'content', 'stop_reason'],
    modules: ['anthropic/kinds.js', 'anthropic/read.js', 'conversation/fit.js'],
    known: (tables) => {
      const { knowsAnthropicPart, SYSTEM_KEYS } = tables('anthropic/kinds.js')
      return {
        part: (value) =>
          value.type === 'system'
            ? isKnown(tables, value.message, SYSTEM_KEYS)
            : knowsAnthropicPart({ looksInside: false, content: asReply(value) }),
        replies: tables('anthropic/read.js').REPLIES,
      }
    },
  },
  'openai-chat': {
    clients: ['openai'],
    imports: `import type * as sdk from 'openai/resources/chat/completions/completions.js'`,
    // The keys of a message and of a part go back, known or not.
    parts: `Kind<sdk.ChatCompletionContentPart | sdk.ChatCompletionContentPartRefusal | sdk.ChatCompletionMessageToolCall>
      type Kind<Part> = Part extends { type: infer Type } ? { type: Type; function: { name: string }; custom: { name: string } } : never`,
    stops: `sdk.ChatCompletion.Choice['finish_reason']`,
    reply: 'sdk.ChatCompletion',
    read: ['choices', 'object', 'created'],
    modules: ['openai/chat-read.js'],
    known: (tables) => {
      const { knowsChatPart, CHAT_REPLIES } = tables('openai/chat-read.js')
      return { part: (value) => knowsChatPart({ looksInside: false, content: value }), replies: CHAT_REPLIES }
    },
  },
  'openai-responses': {
    clients: ['openai'],
    imports: `import type * as sdk from 'openai/resources/responses/responses.js'`,
    parts: 'sdk.ResponseInputItem | sdk.ResponseOutputItem',
    stops: `sdk.Response['status'] | sdk.Response.IncompleteDetails['reason']`,
    reply: 'sdk.Response',
    read: ['object', 'status', 'output', 'output_text', 'store'],
    modules: ['openai/response-kinds.js', 'openai/response-read.js'],
    known: (tables) => {
      const { itemKind, knowsResponsesPart } = tables('openai/response-kinds.js')
      return {
        part: (value) => {
          if (itemKind(value) !== 'message') return knowsResponsesPart({ looksInside: false, content: value })
          const { type: _type, role: _role, content, ...envelope } = value
          return knowsResponsesPart({ looksInside: false, content, envelope })
        },
        replies: tables('openai/response-read.js').RESPONSES_REPLIES,
      }
    },
  },
  gemini: {
    clients: ['@google/genai'],
    imports: `import type * as sdk from '@google/genai'`,
    // Each key of a part by itself, next to a text if it is no data.
    parts: `{ [Key in keyof sdk.Part]-?: { [Own in Key]: NonNullable<sdk.Part[Own]> } }[keyof sdk.Part]`,
    stops: '`${sdk.FinishReason}`',
    reply: `Pick<sdk.GenerateContentResponse, keyof sdk.GenerateContentResponse> & Pick<sdk.Candidate, keyof sdk.Candidate>`,
    read: ['candidates', 'content', 'finishReason', 'text', 'data', 'functionCalls', 'executableCode', 'index'],
    modules: ['gemini/kinds.js', 'gemini/read.js'],
    known: (tables) => {
      const { knowsGeminiPart } = tables('gemini/kinds.js')
      return {
        part: (value) =>
          knowsGeminiPart({ looksInside: false, content: value }) ||
          knowsGeminiPart({ looksInside: false, content: { text: 'x', ...value } }),
        replies: tables('gemini/read.js').REPLIES,
      }
    },
  },
  'gemini-interactions': {
    clients: ['@google/genai'],
    imports: `import type { Interactions } from '@google/genai'`,
    parts: 'Interactions.Step',
    stops: `Interactions.Interaction['status']`,
    reply: 'Interactions.Interaction',
    read: ['object', 'status', 'steps', 'created', 'updated', 'role'],
    modules: ['gemini/interaction-kinds.js', 'gemini/interaction-read.js'],
    known: (tables) => {
      const { knowsInteractionPart } = tables('gemini/interaction-kinds.js')
      return {
        part: (value) => {
          if (value.type !== 'user_input' && value.type !== 'model_output')
            return knowsInteractionPart({ looksInside: false, content: value })
          const { type: _type, content = [], ...envelope } = value
          return knowsInteractionPart({ looksInside: false, content, envelope })
        },
        replies: tables('gemini/interaction-read.js').INTERACTION_REPLIES,
      }
    },
  },
  mistral: {
    clients: ['@mistralai/mistralai'],
    imports: `import type * as sdk from '@mistralai/mistralai/models/components'`,
    parts: 'sdk.ContentChunk',
    stops: `sdk.ChatCompletionChoice['finishReason']`,
    reply: 'sdk.ChatCompletionResponse',
    read: ['object', 'created', 'choices'],
    modules: ['mistral/kinds.js', 'mistral/read.js'],
    known: (tables) => {
      const { knowsMistralPart } = tables('mistral/kinds.js')
      return {
        part: (value) => knowsMistralPart({ looksInside: false, content: value }),
        replies: tables('mistral/read.js').REPLIES,
      }
    },
  },
  bedrock: {
    clients: ['@aws-sdk/client-bedrock-runtime'],
    imports: `import type * as sdk from '@aws-sdk/client-bedrock-runtime'`,
    parts: 'sdk.ContentBlock | sdk.SystemContentBlock',
    stops: 'sdk.StopReason',
    reply: 'sdk.ConverseResponse',
    read: ['output', 'stopReason'],
    modules: ['bedrock/kinds.js', 'bedrock/read.js'],
    known: (tables) => {
      const { knowsBedrockPart } = tables('bedrock/kinds.js')
      return {
        part: (value) => knowsBedrockPart({ looksInside: false, content: value }),
        replies: tables('bedrock/read.js').REPLIES,
      }
    },
  },
  'ai-sdk': {
    clients: ['ai', '@ai-sdk/provider-utils'],
    imports: `import type { FinishReason, ModelMessage } from 'ai'`,
    parts: `Exclude<ModelMessage['content'], string>[number]`,
    stops: 'FinishReason',
    modules: ['ai-sdk/kinds.js', 'ai-sdk/read.js'],
    known: (tables) => {
      const { knowsAiSdkPart } = tables('ai-sdk/kinds.js')
      return {
        part: (value) => knowsAiSdkPart({ looksInside: false, content: value }),
        replies: tables('ai-sdk/read.js').REPLIES,
      }
    },
  },
}

/**
 * A reply is read without its nulls.
 *
 * @param {object} block
 */
function asReply(block) {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null))
}

/**
 * @param {Tables} tables
 * @param {unknown} value
 * @param {unknown} fit
 * @returns {boolean}
 */
function isKnown(tables, value, fit) {
  return tables('conversation/fit.js').isKnown(value, fit, false)
}

/**
 * @param {string} name
 * @returns {Format}
 */
function formatNamed(name) {
  const format = FORMATS[name]
  if (format === undefined) throw new Error(`There is no format ${name}.`)
  return format
}

/** The words of a union that any other text may belong to. */
const WORDS = 'type Words<Type> = Type extends string ? (string extends Type ? never : Type) : never'

/**
 * TypeScript for each type of some formats, by name.
 *
 * @param {readonly string[]} names
 * @returns {Record<string, string>}
 */
export function sourcesOf(names) {
  const sources = names.flatMap((name) => {
    const { imports, parts, stops, reply } = formatNamed(name)
    const asked = Object.entries({ parts, stops: `Words<${stops}>`, reply }).filter(([, type]) => type !== undefined)
    return asked.map(([what, type]) => [`${name}.${what}`, `${imports}\nexport type Asked = ${type}\n${WORDS}\n`])
  })
  return Object.fromEntries(sources)
}

/**
 * Everything that a format's types have and its tables do not know.
 *
 * @param {string} name
 * @param {Readonly<Record<string, import('./types.mjs').Schema>>} schemas by the names of `sourcesOf`
 * @param {Tables} tables
 * @returns {Found[]}
 */
export function compare(name, schemas, tables) {
  const { read = [], known } = formatNamed(name)
  const { part, replies } = known(tables)
  const { stops, id, model, details = [] } = replies
  const kept = new Set([...read, id, model, ...details])
  const reply = schemas[`${name}.reply`]
  const found = /** @type {const} */ ([
    ['part', unknownIn(schemas[`${name}.parts`] ?? {}, part)],
    ['stop', unknownIn(schemas[`${name}.stops`] ?? {}, (word) => Object.hasOwn(stops, word))],
    ['reply', reply === undefined ? [] : keysOf(reply).filter((key) => !kept.has(key))],
  ])
  return found.flatMap(([what, addresses]) =>
    addresses.map((address) => ({ format: name, what, address, why: reasonFor(name, what, address) })),
  )
}

/**
 * The keys of an object.
 *
 * @param {import('./types.mjs').Schema} schema
 */
function keysOf({ $defs = {}, $ref, ...schema }) {
  const { properties = {} } = $ref === undefined ? schema : ($defs[$ref.slice('#/$defs/'.length)] ?? {})
  return Object.keys(properties)
}

/**
 * @param {string} name
 * @param {Found['what']} what
 * @param {string} address
 */
function reasonFor(name, what, address) {
  const reasons = DECIDED[name]?.[what] ?? {}
  const path = Object.keys(reasons).find((each) => address === each || address.startsWith(`${each}.`))
  return path === undefined ? undefined : reasons[path]
}
