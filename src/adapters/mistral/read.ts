// Mistral messages, replies and streams as a context takes them. The client spells keys in camelCase, the REST API in snake_case; both are
// read, and kept as the client spells them.

import { invalid } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, checkMessages, checkRequest } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { textIn } from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, type Usage, usageOf } from '../conversation/reported.js'
import { elementSpec, formOf, heldContent } from '../conversation/specs.js'
import { camelKeys, readMistralPart } from './kinds.js'

/** A request as `fromMistral` takes it; other keys than `messages` are ignored. */
export type MistralInput = Readonly<{ messages: readonly object[] }>

export function readConversation(request: MistralInput): readonly MessageSpec[] {
  const { messages } = checkRequest(request, '{ messages: […] }')
  const all = checkMessages(messages, 'messages').map(camelKeys)
  const end = all.findIndex(({ role }) => role !== 'system')
  return all.map((message, at) => readMessage(message, end < 0 || at < end))
}

function readMessage({ role, content, ...others }: JsonObject, isSystem: boolean): MessageSpec {
  const name = textIn(role)
  const form = formOf(content)
  const about = { role: name, isSystem, startsTurn: role === 'user', format: 'mistral', form }
  const { toolCalls, toolCallId, ...rest } = others
  const envelope = name === undefined && role !== undefined ? { role, ...others } : others
  if (role === 'tool') {
    const callId = textIn(toolCallId)
    const body = { content: heldContent(content), kind: 'result', callId, toolName: textIn(rest['name']) }
    return { ...about, envelope: callId === undefined ? envelope : rest, body }
  }
  const areCalls = role === 'assistant' && Array.isArray(toolCalls) && toolCalls.length > 0
  if (form !== 'list' && !areCalls) return { ...about, envelope, body: { content: heldContent(content) } }
  const said = form === 'list' ? (content as readonly JsonValue[]).map(readElement) : readText(content)
  const calls = areCalls ? (toolCalls as readonly JsonValue[]).map(readCall) : []
  return { ...about, envelope: areCalls ? rest : envelope, body: { parts: [...said, ...calls] } }
}

function readElement(value: JsonValue): PartSpec {
  return elementSpec(value, isObject(value) ? readMistralPart(value, undefined) : undefined)
}

/** The text of a message with calls; an empty one says nothing. */
function readText(content: JsonValue | undefined): readonly PartSpec[] {
  return content === undefined || content === null || content === '' ? [] : [{ content, kind: 'text' }]
}

function readCall(call: JsonValue): PartSpec {
  return { content: call, kind: 'call', callId: isObject(call) ? textIn(call['id']) : undefined }
}

/** A completion, the message in it, or the list of all events of a stream. */
export function readReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  const events = Array.isArray(copy) ? (copy as readonly JsonValue[]).map(eventData) : undefined
  const completion = events === undefined ? copy : events.length === 0 ? null : joined(events)
  const { choices, usage } = isObject(completion) ? completion : {}
  const [choice] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : []
  const message = choices === undefined ? completion : isObject(choice) ? choice['message'] : undefined
  if (!isObject(message) || message['role'] !== 'assistant') {
    throw invalid(
      'reply',
      'The reply is a completion with a message of the assistant, that message, or a list of stream events.',
    )
  }
  if (isObject(message['function_call']))
    throw invalid('reply', 'Mistral has no `function_call` in a reply; use receiveOpenAIChat.')
  const said = Object.entries(camelKeys(message)).filter(([key, value]) => key === 'content' || value !== null)
  const { finishReason, finish_reason: stop = finishReason } = isObject(choice) ? choice : {}
  return {
    messages: [readMessage(Object.fromEntries(said), false)],
    usage: readCounts(usage),
    stop: typeof stop === 'string' ? stop : undefined,
    about: choices === undefined ? undefined : (completion as JsonObject),
  }
}

export const REPLIES: ReplyTable = {
  stops: { stop: 'end', length: 'length', model_length: 'length', tool_calls: 'calls' },
  id: 'id',
  model: 'model',
  details: ['usage'],
}

function readCounts(usage: JsonValue | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined
  const details = usage['promptTokensDetails'] ?? usage['prompt_tokens_details']
  return usageOf(
    usage['promptTokens'] ?? usage['prompt_tokens'],
    usage['completionTokens'] ?? usage['completion_tokens'],
    isObject(details) ? (details['cachedTokens'] ?? details['cached_tokens']) : undefined,
  )
}

/** The client gives `{ data }`, the API its data alone. */
function eventData(event: JsonValue): JsonObject {
  const data = isObject(event) ? (event['data'] ?? event) : event
  if (isObject(data) && Array.isArray(data['choices'])) return data
  throw invalid('reply', 'A stream of Mistral is a list of events with choices.')
}

/** A stream as the completion that it adds up to. */
function joined(events: readonly JsonObject[]): JsonObject {
  const texts: string[] = []
  const chunks: JsonObject[] = []
  const calls = new Map<JsonValue, JsonObject>()
  for (const { choices } of events) {
    const [choice] = choices as readonly JsonValue[]
    const { content, toolCalls } = isObject(choice) && isObject(choice['delta']) ? camelKeys(choice['delta']) : {}
    if (typeof content === 'string') texts.push(content)
    else if (Array.isArray(content)) for (const chunk of content as readonly JsonValue[]) addChunk(chunks, texts, chunk)
    for (const call of Array.isArray(toolCalls) ? (toolCalls as readonly JsonObject[]) : []) addCall(calls, call)
  }
  closeText(chunks, texts)
  const [only] = chunks
  const isText = chunks.length === 0 || (chunks.length === 1 && only!['type'] === 'text')
  const message = {
    role: 'assistant',
    content: isText ? (only?.['text'] ?? '') : chunks,
    ...(calls.size === 0 ? {} : { toolCalls: [...calls.values()] }),
  }
  const usage = events.findLast((event) => isObject(event['usage']))?.['usage']
  const last = events
    .flatMap(({ choices }) => choices as readonly JsonValue[])
    .findLast((each) => stopIn(each) !== undefined)
  const { id, model } = events[0]!
  return {
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    choices: [{ message, ...(last === undefined ? {} : { finishReason: stopIn(last)! }) }],
    ...(usage === undefined ? {} : { usage }),
  }
}

function stopIn(choice: JsonValue): JsonValue | undefined {
  return isObject(choice) ? (choice['finishReason'] ?? choice['finish_reason'] ?? undefined) : undefined
}

/** Texts come in pieces, and so do thoughts. */
function addChunk(chunks: JsonObject[], texts: string[], chunk: JsonValue): void {
  if (!isObject(chunk)) return
  if (chunk['type'] === 'text' && typeof chunk['text'] === 'string') return void texts.push(chunk['text'])
  closeText(chunks, texts)
  const last = chunks.at(-1)
  const [before, more] = [last?.['thinking'], chunk['thinking']]
  if (last?.['type'] !== 'thinking' || !Array.isArray(before) || !Array.isArray(more)) return void chunks.push(chunk)
  const [end, next] = [before.at(-1), more[0]] as readonly (JsonValue | undefined)[]
  const areTexts =
    isObject(end) && isObject(next) && typeof end['text'] === 'string' && typeof next['text'] === 'string'
  const thinking = areTexts
    ? [...before.slice(0, -1), { ...end, text: `${textOf(end['text']!)}${textOf(next['text']!)}` }, ...more.slice(1)]
    : [...before, ...more]
  chunks[chunks.length - 1] = { ...last, ...chunk, thinking }
}

function closeText(chunks: JsonObject[], texts: string[]): void {
  if (texts.length > 0) chunks.push({ type: 'text', text: texts.splice(0).join('') })
}

/** Some servers send the arguments of a call in pieces, under its index. */
function addCall(calls: Map<JsonValue, JsonObject>, call: JsonObject): void {
  const key = call['index'] ?? calls.size
  const before = calls.get(key)
  const [given, known] = [call['function'], before?.['function']]
  if (!isObject(given) || !isObject(known)) return void calls.set(key, call)
  const text = `${textOf(known['arguments'] ?? '')}${textOf(given['arguments'] ?? '')}`
  calls.set(key, { ...before, function: { ...known, arguments: text } })
}
