// Chat Completions messages as a context takes them, and replies. A text is a block, parts and calls are a container of blocks, and the other keys of a
// message are in its envelope. A tool call is a part, and so are the older `function_call` (as `{ function_call }`) and a refusal.

import { invalid } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, checkMessages, checkRequest } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import { type Form, type ReadPart, derivedId } from '../conversation/neutral.js'
import {
  callPart,
  type PartOrigin,
  type PartReader,
  textIn,
  textRow,
  typedReader,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, type Usage, usageOf } from '../conversation/reported.js'
import { formOf, heldContent } from '../conversation/specs.js'
import type { KnowsPart } from '../conversation/wire.js'

/** One of these has a part that does not name its type. */
export const CHAT_UNTYPED: readonly string[] = ['function', 'function_call']

const readTyped = typedReader('openai-chat', {
  text: textRow('text', true),
  refusal: textRow('refusal', true),
  image_url: readMedia,
  input_audio: readMedia,
  file: readMedia,
})

const KNOWN: ReadonlySet<unknown> = new Set(['text', 'refusal', 'image_url', 'input_audio', 'file'])

/** True if a part is of a known kind, or a call; keys are kept anyway. */
export const knowsChatPart: KnowsPart = ({ content }) =>
  !isObject(content) || KNOWN.has(content['type']) || readChatPart(content, undefined)?.kind === 'call'

export const readChatPart: PartReader = (value, kind) => {
  const { type, id, function_call: older } = value
  const called = isObject(older) ? older : type === 'custom' ? value['custom'] : value['function']
  if (!isObject(called) || typeof called['name'] !== 'string') return readTyped(value, kind)
  const given = called[type === 'custom' ? 'input' : 'arguments']
  const call = callPart({ raw: value, shape: 'openai-chat' }, id, called['name'], given, true)
  return type === 'custom' ? { ...call, isFreeText: true } : call
}

function readMedia(value: JsonObject, common: PartOrigin): ReadPart | undefined {
  const type = value['type'] as string
  const held = value[type]
  if (!isObject(held)) return undefined
  const { url, data, format, file_data: file, file_id: id, filename } = held
  const media = { kind: 'media', ...common, filename: undefined } as const
  if (type === 'image_url' && typeof url === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(url)
    return { ...media, source, mediaType }
  }
  if (type === 'input_audio' && typeof data === 'string') {
    return { ...media, source: { kind: 'base64', data }, mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav' }
  }
  if (type === 'file' && typeof file === 'string') {
    return { ...media, ...bytesOf(file), filename: typeof filename === 'string' ? filename : undefined }
  }
  // A file that the provider has already means nothing to others.
  return type === 'file' && typeof id === 'string' ? { kind: 'other', ...common } : undefined
}

/** A request as `fromOpenAIChat` takes it; other keys than `messages` are ignored. */
export type OpenAIChatInput = Readonly<{ messages: readonly object[] }>

/** The messages of a request as a context takes them. */
export function readChatRequest(request: OpenAIChatInput): readonly MessageSpec[] {
  const { messages } = checkRequest(request, '{ messages: […] }')
  return chatSpecs(checkMessages(messages, 'messages'))
}

/** Leading system texts go into `^sys`; what comes behind a user's message stays where it is. */
function chatSpecs(messages: readonly JsonObject[]): readonly MessageSpec[] {
  const reader = new ChatReader()
  const leading = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return messages.map((message, at) => reader.spec(message, leading < 0 || at < leading))
}

class ChatReader {
  /** The older calls have no ids; their results come right behind them. */
  #olderCalls = 0
  #olderId: string | undefined

  spec(message: JsonObject, isSystem: boolean): MessageSpec {
    const { role, content, ...others } = message
    const isNamed = typeof role === 'string' && role !== ''
    const envelope = isNamed || role === undefined ? others : { role, ...others }
    const about = {
      role: isNamed ? role : undefined,
      isSystem,
      startsTurn: role === 'user',
      format: 'openai-chat',
    } as const
    if (role === 'tool' || role === 'function') return { ...about, ...this.#result(content, envelope, role) }
    const form = formOf(content)
    const { calls, said, envelope: rest } = role === 'assistant' ? this.#assistant(envelope, form) : NONE(envelope)
    const parts = [
      ...(form === 'list' ? listed(content as readonly JsonValue[]) : textual(content, form)),
      ...said,
      ...calls,
    ]
    if (form === 'list' || calls.length + said.length > 0) return { ...about, form, envelope: rest, body: { parts } }
    return {
      ...about,
      form: form === 'text' ? undefined : form,
      envelope: rest,
      body: { content: heldContent(content) },
    }
  }

  #result(
    content: JsonValue | undefined,
    envelope: JsonObject,
    role: 'tool' | 'function',
  ): Pick<MessageSpec, 'form' | 'envelope' | 'body'> {
    const form = formOf(content)
    const { tool_call_id: callId, tool_call_ids: callIds, name } = envelope
    const [listedId] = Array.isArray(callIds) ? (callIds as readonly JsonValue[]) : []
    const { tool_call_id: _told, ...rest } = envelope
    const isTold = textIn(callId) !== undefined && callIds === undefined && role === 'tool'
    const id = role === 'function' ? this.#olderId : (textIn(callId) ?? textIn(listedId))
    return {
      form: form === 'text' ? undefined : form,
      envelope: isTold ? rest : envelope,
      body: {
        content: heldContent(content),
        kind: 'result',
        callId: id,
        toolName: textIn(name),
      },
    }
  }

  /** The calls and the refusal of an assistant's message. */
  #assistant(envelope: JsonObject, form: Form): Beside {
    const { tool_calls: calls, function_call: older, refusal, ...rest } = envelope
    const areCalls = Array.isArray(calls) && calls.length > 0
    const isOlder = isObject(older) && typeof older['name'] === 'string'
    const isRefusal = typeof refusal === 'string' && form !== 'list'
    return {
      calls: [
        ...(areCalls ? (calls as readonly JsonValue[]).map(callSpec) : []),
        ...(isOlder ? [this.#olderCall(older)] : []),
      ],
      said: isRefusal ? [{ content: { type: 'refusal', refusal }, kind: 'refusal' }] : [],
      envelope: {
        ...rest,
        ...(areCalls || calls === undefined ? {} : { tool_calls: calls }),
        ...(isOlder || older === undefined ? {} : { function_call: older }),
        ...(isRefusal || refusal === undefined ? {} : { refusal }),
      },
    }
  }

  #olderCall(older: JsonObject): PartSpec {
    this.#olderId = derivedId(`function_call ${this.#olderCalls++} ${textOf(older)}`)
    return { content: { function_call: older }, kind: 'call', callId: this.#olderId }
  }
}

type Beside = Readonly<{ calls: readonly PartSpec[]; said: readonly PartSpec[]; envelope: JsonObject }>

const NONE = (envelope: JsonObject): Beside => ({ calls: [], said: [], envelope })

/** A content that is one value, among other parts; an empty text of a message with calls is left out. */
function textual(content: JsonValue | undefined, form: Form): readonly PartSpec[] {
  if (content === undefined || content === null || content === '') return []
  return [{ content, kind: 'text', form: form === 'value' ? 'value' : undefined }]
}

function listed(content: readonly JsonValue[]): readonly PartSpec[] {
  return content.map((part): PartSpec => {
    if (!isObject(part)) return { content: part, form: 'value' }
    const { type, text, ...keys } = part
    if (type === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
    const kind = textIn(type)
    return { content: part, kind: kind !== undefined && !ROLES_OF_PARTS.has(kind) ? kind : undefined }
  })
}

/** Kinds that mean something to us; a part that calls itself so is still unknown. */
const ROLES_OF_PARTS: ReadonlySet<string> = new Set(['text', 'call', 'result', 'reasoning'])

function callSpec(call: JsonValue): PartSpec {
  const id = isObject(call) ? call['id'] : undefined
  return { content: call, kind: 'call', callId: textIn(id) }
}

/** A completion, or its message, also one that was put together from a stream. */
export function readChatReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  const { choices, usage } = isObject(copy) ? copy : {}
  const [choice] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : []
  const message = choices === undefined ? copy : isObject(choice) ? choice['message'] : undefined
  if (!isObject(message) || message['role'] !== 'assistant') {
    throw invalid('reply', 'The reply is a chat completion with a message of the assistant, or that message.')
  }
  const stop = isObject(choice) ? choice['finish_reason'] : undefined
  const isRefused = typeof message['refusal'] === 'string' && message['refusal'] !== ''
  return {
    messages: chatSpecs([asSent(message)]),
    usage: isObject(usage) ? readCounts(usage) : undefined,
    stop: typeof stop === 'string' ? stop : undefined,
    end: isRefused ? 'refusal' : undefined,
    about: choices === undefined ? undefined : (copy as JsonObject),
  }
}

function readCounts({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: of,
}: JsonObject): Usage | undefined {
  const { cached_tokens: read, cache_write_tokens: written } = isObject(of) ? of : {}
  return usageOf(input, output, read, written)
}

export const CHAT_REPLIES: ReplyTable = {
  stops: { stop: 'end', length: 'length', tool_calls: 'calls', function_call: 'calls', content_filter: 'filter' },
  id: 'id',
  model: 'model',
  details: ['usage', 'service_tier', 'system_fingerprint', 'moderation'],
}

/** A reply names what it does not have, and has more than a request takes: a sound goes back by its id. */
function asSent(message: JsonObject): JsonObject {
  const { audio } = message
  const sent = Object.entries(message).filter(([key, value]) => key === 'content' || !isNothing(key, value))
  const sound = isObject(audio) ? { id: audio['id'] ?? '' } : undefined
  return Object.fromEntries(sent.map(([key, value]) => [key, key === 'audio' && sound !== undefined ? sound : value]))
}

/** Null, what only replies have, and what some servers write instead of null. */
function isNothing(key: string, value: JsonValue): boolean {
  if (value === null || key === 'annotations' || key === 'parsed') return true
  if (key === 'refusal') return value === ''
  if (key === 'function_call') return isObject(value) && (value['name'] ?? '') === ''
  return key === 'audio' && isObject(value) && (value['id'] ?? '') === ''
}
