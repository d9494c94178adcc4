// Conversations and replies that were handed to the wrong adapter. Formats look alike, and an adapter would take a message of another one and lose its
// calls. Each format has signs that no other format has; a message with a foreign sign and none of its own is refused by name.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { invalid, isRecord, type PactError } from '../../errors/index.js'
import type { FormatName } from '../../formats/index.js'
import type { MessageSpec } from './import-messages.js'
import { isObject } from './plain-json.js'

type Keyed = Readonly<Record<string, unknown>>

/** A message: its keys, and the parts in it. Parts of a `content` and those of `parts` are told apart. */
type Seen = Readonly<{ keys: Keyed; parts: readonly Keyed[]; isOfParts: boolean }>

type Signs = Readonly<{
  what: string
  calls: Readonly<{ from: string; receive: string }>
  /** True for a conversation that has its messages under a key of its own. */
  conversation?(keys: Keyed): boolean
  message(seen: Seen): boolean
  /** True for the object around the message of a reply. */
  reply?(keys: Keyed): boolean
}>

const SIGNS: Readonly<Record<FormatName, Signs>> = {
  'openai-chat': {
    what: 'OpenAI chat message',
    calls: { from: 'fromOpenAIChat', receive: 'receiveOpenAIChat' },
    message: ({ keys }) => ['tool_calls', 'tool_call_id', 'function_call'].some((key) => isGiven(keys[key])),
    reply: ({ choices, object }) => object === 'chat.completion' || (isListed(choices) && !choices.some(isCamel)),
  },
  'openai-responses': {
    what: 'OpenAI Responses item',
    calls: { from: 'fromOpenAIResponses', receive: 'receiveOpenAIResponses' },
    conversation: ({ input }) => isListed(input) && !input.some((item) => isStep(item) || hasParts(item)),
    message: ({ keys, parts }) =>
      parts.some((part) => isWord(part['type'], RESPONSES) && !isStep(part)) ||
      (keys['type'] === 'message' && parts.some(isOutput)),
    reply: ({ object, output }) => object === 'response' || object === 'response.compaction' || isListed(output),
  },
  anthropic: {
    what: 'Claude message',
    calls: { from: 'fromAnthropic', receive: 'receiveAnthropic' },
    message: ({ parts }) => parts.some(({ type, signature }) => isWord(type, CLAUDE) || isThought(type, signature)),
    // A message of Responses has the same type, and texts of its own.
    reply: ({ type, content, stop_reason: stop }) =>
      isListed(content) && (stop !== undefined || (type === 'message' && !content.some(isOutput))),
  },
  gemini: {
    what: 'Gemini content',
    calls: { from: 'fromGemini', receive: 'receiveGemini' },
    conversation: ({ contents }) => contents !== undefined,
    // Parts of UI messages of the AI SDK have a type.
    message: ({ keys, parts, isOfParts }) =>
      (isOfParts && parts.every(({ type }) => type === undefined)) ||
      keys['role'] === 'model' ||
      parts.some((part) => hasKey(part, GEMINI)),
    reply: ({ candidates, promptFeedback }) => isListed(candidates) || isRecord(promptFeedback),
  },
  'gemini-interactions': {
    what: 'step of a Gemini interaction',
    calls: { from: 'fromGeminiInteractions', receive: 'receiveGeminiInteractions' },
    conversation: ({ input, steps }) => [input, steps].some((list) => isListed(list) && list.some(isStep)),
    message: ({ parts }) => parts.some(isStep),
    reply: (keys) => isInteraction(keys) || typeof keys['event_type'] === 'string',
  },
  'ai-sdk': {
    what: 'ModelMessage of the AI SDK',
    calls: { from: 'fromModelMessages', receive: 'receiveModelMessages' },
    message: ({ parts }) => parts.some(({ type }) => isWord(type, AI_SDK)),
    reply: ({ response, responseMessages, steps, ...keys }) =>
      isListed(responseMessages) ||
      (isListed(steps) && !isInteraction({ steps, ...keys })) ||
      (isRecord(response) && isListed(response['messages'])),
  },
  mistral: {
    what: 'Mistral message',
    calls: { from: 'fromMistral', receive: 'receiveMistral' },
    message: ({ keys }) => ['toolCalls', 'toolCallId'].some((key) => isGiven(keys[key])),
    // The REST API spells its replies as OpenAI does.
    reply: ({ choices }) => isListed(choices),
  },
  bedrock: {
    what: 'message of Bedrock',
    calls: { from: 'fromBedrock', receive: 'receiveBedrock' },
    message: ({ parts, isOfParts }) => !isOfParts && parts.some((part) => hasKey(part, BEDROCK)),
    reply: ({ output, stopReason, contentBlockDelta, messageStop }) =>
      (isRecord(output) && isRecord(output['message'])) ||
      typeof stopReason === 'string' ||
      isRecord(contentBlockDelta) ||
      isRecord(messageStop),
  },
}

/** Formats whose messages the format takes, too. */
const ALSO: Readonly<Partial<Record<FormatName, readonly FormatName[]>>> = { mistral: ['openai-chat'] }

const RESPONSES =
  /^(?:function_call(?:_output)?|custom_tool_call(?:_output)?|input_(?:text|image|file)|output_text|item_reference|mcp_call|web_search_call|computer_call(?:_output)?)$/
const CLAUDE =
  /^(?:tool_use|tool_result|server_tool_use|redacted_thinking|(?:mcp|web|bash|code|text)_\w*tool_(?:use|result))$/
const STEPS =
  /^(?:user_input|model_output|thought|function_result|(?:code_execution|mcp_server_tool|google_\w+|url_context|retrieval|processing)_(?:call|result))$/
const AI_SDK = /^(?:tool-call|tool-result|tool-approval-request|tool-approval-response)$/
const GEMINI: readonly string[] = ['functionCall', 'functionResponse', 'inlineData', 'fileData']
/** A text of Bedrock has no type. */
const BEDROCK: readonly string[] = ['toolUse', 'toolResult', 'reasoningContent', 'cachePoint', 'text']

function isWord(type: unknown, words: RegExp): boolean {
  return typeof type === 'string' && words.test(type)
}

/** A step of an interaction. OpenAI has calls of functions with the same name, with a `call_id` and their arguments as text. */
function isStep(step: unknown): boolean {
  if (!isRecord(step)) return false
  const { type, arguments: given, call_id: callId } = step
  return isWord(type, STEPS) || (type === 'function_call' && callId === undefined && isRecord(given))
}

function isOutput(part: unknown): boolean {
  return isRecord(part) && (part['type'] === 'output_text' || part['type'] === 'refusal')
}

/** True for a content of Gemini, and for a UI message of the AI SDK. */
function hasParts(item: unknown): boolean {
  return isRecord(item) && isListed(item['parts'])
}

/** Results of the AI SDK have steps, too, and no status. */
function isInteraction({ object, status, steps }: Keyed): boolean {
  return object === 'interaction' || (isListed(steps) && typeof status === 'string')
}

/** A thought of Claude; chunks of Mistral have the same type, and a list in them. */
function isThought(type: unknown, signature: unknown): boolean {
  return type === 'thinking' && typeof signature === 'string'
}

function hasKey(part: Keyed, keys: readonly string[]): boolean {
  return part['type'] === undefined && keys.some((key) => part[key] !== undefined)
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
}

function isListed(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** True for a choice in the spelling of Mistral's client. */
function isCamel(choice: unknown): boolean {
  return isRecord(choice) && 'finishReason' in choice
}

/** Refuses messages that are another format's; `messages` are as the format has read them. */
export function checkOwnMessages(messages: readonly MessageSpec[], format: string): void {
  for (const [at, message] of messages.entries()) {
    const other = otherThan(format, (signs) => signs.message(seenIn(message)))
    if (other !== undefined) throw foreign(`Message ${at}`, SIGNS[other], 'from')
  }
  for (const [at, message] of messages.entries()) checkHasContent(message, `Message ${at}`)
}

/** Refuses a message that has its content under the key of another form, where this format would read none. */
function checkHasContent({ form, format, envelope }: MessageSpec, what: string): void {
  if (form !== 'absent') return
  if (format === 'gemini' && envelope['content'] !== undefined) {
    throw invalid('conversation', `${what} has content and no parts; a content of Gemini is { role, parts }.`, {
      reason: 'foreign',
    })
  }
  if (format !== 'gemini' && Array.isArray(envelope['parts'])) {
    throw foreign(what, UI_MESSAGE, 'from')
  }
}

/** Explains why a conversation cannot be read, if another format has such conversations. */
export function foreignConversation(conversation: unknown, format: string): PactError | undefined {
  const given: unknown = Array.isArray(conversation) ? { messages: conversation } : conversation
  if (!isRecord(given)) return undefined
  const list = [given['messages'], given['input']].find((each) => isListed(each)) ?? []
  const messages = list.slice(0, FEW).filter(isRecord).map(seenOf)
  const other = otherThan(format, (signs) => signs.conversation?.(given) === true || messages.some(signs.message))
  return other && foreign('The conversation', SIGNS[other], 'from')
}

/** Refuses a reply that is another format's. */
export function checkOwnReply(reply: unknown, format: string): void {
  // The result of streamText has getters, and reading one of them starts the stream. A message and a reply in JSON have none.
  if (isRecord(reply) && format === 'ai-sdk' && !isPlain(reply)) return
  const pieces = (Array.isArray(reply) ? reply.slice(0, FEW) : [reply]).filter(isRecord)
  if (pieces.some(isUIMessage)) throw foreign('The reply', UI_MESSAGE, 'receive')
  const seen = pieces.map((piece) => ({ piece, seen: seenOf(piece) }))
  const other = otherThan(format, (signs) =>
    seen.some(({ piece, seen: said }) => signs.reply?.(piece) === true || signs.message(said)),
  )
  if (other !== undefined) throw foreign('The reply', SIGNS[other], 'receive')
}

/** A message of `useChat` has parts with a type in the place of a content. */
function isUIMessage({ role, content, parts }: Keyed): boolean {
  if (role !== 'assistant' || content !== undefined || !isListed(parts)) return false
  return parts.some((part) => isRecord(part) && isGiven(part['type']))
}

const UI_MESSAGE: Pick<Signs, 'what' | 'calls'> = {
  what: 'UI message of the AI SDK',
  calls: { from: 'fromUIMessages', receive: 'fromUIMessages' },
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The number of pieces of a stream that are looked at. */
const FEW = 8

/** The format that has the sign, if this one has none. */
function otherThan(format: string, has: (signs: Signs) => boolean): FormatName | undefined {
  const known = SIGNS as Readonly<Record<string, Signs>>
  if (!Object.hasOwn(known, format)) return undefined
  const own = [format, ...(ALSO[format as FormatName] ?? [])]
  if (own.some((name) => has(known[name]!))) return undefined
  return Object.keys(SIGNS).find((name) => has(known[name]!)) as FormatName | undefined
}

function foreign(
  what: string,
  { what: looks, calls }: Pick<Signs, 'what' | 'calls'>,
  call: 'from' | 'receive',
): PactError {
  const article = /^[AEIO]/.test(looks) ? 'an' : 'a'
  const name = call === 'from' ? 'conversation' : 'reply'
  return invalid(name, `${what} looks like ${article} ${looks}; use ${calls[call]}.`, {
    reason: 'foreign',
    use: calls[call],
  })
}

function seenOf(keys: Keyed): Seen {
  const { content, parts, type } = keys
  const list = Array.isArray(content) ? content : Array.isArray(parts) ? parts : []
  const itself = typeof type === 'string' ? [keys] : []
  return { keys, parts: [...itself, ...list.filter(isRecord)], isOfParts: Array.isArray(parts) }
}

function seenIn({ role, format, form, envelope, body }: MessageSpec): Seen {
  const values: readonly JsonValue[] = 'parts' in body ? body.parts.map(({ content }) => content) : listOf(body.content)
  const { parts, ...rest } = seenOf({ role, ...envelope })
  // The role of Gemini's model is an assistant's in a context.
  return {
    ...rest,
    parts: [...values.filter(isObject), ...parts],
    isOfParts: rest.isOfParts || (format === 'gemini' && form !== 'absent'),
  }
}

function listOf(content: JsonValue): readonly JsonValue[] {
  return Array.isArray(content) ? (content as readonly JsonObject[]) : [content]
}
