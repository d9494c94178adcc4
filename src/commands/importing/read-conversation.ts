// One conversation as JSON, read by the adapter of its format: a context with every turn committed. What the JSON holds beyond that is
// listed as unread, so that nothing is lost without a word.

import { describe, PactError } from '../../errors/index.js'
import {
  importSnapshot,
  importSnapshotAsync,
  type Context,
  type ContextOptions,
  type Pause,
} from '../../context/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { ADAPTERS, importInSteps } from '../../adapters/index.js'
import type { FormatName, ImportFormat } from '../../formats/index.js'
import { fromLlamaFactory, fromPi, fromShareGpt, type Mapped } from './mapped.js'
import { isExport, isObject, READ_SHAPES, saysNothing, shapeOf } from './shapes.js'

export type ReadOptions = Readonly<{
  /** `auto` finds out. */
  format?: ImportFormat | 'auto' | undefined
  /** Of the context that is made. */
  options?: ContextOptions | undefined
}>

export type ReadConversation = Readonly<{
  context: Context
  format: ImportFormat
  messages: number
  /** Parts that are not in the context, by name. */
  unread: readonly string[]
}>

/** Fields that hold the messages. */
export const LIST_KEYS: readonly string[] = ['messages', 'conversations', 'contents', 'input', 'output']

/** Fields that hold text outside the messages. */
const ELSEWHERE = [...LIST_KEYS, 'prompt', 'choices', 'images']
const SYSTEM_KEYS = ['system', 'instructions', 'systemInstruction', 'system_instruction']

/** The field of the system text, by format. */
const TAKES: Readonly<Partial<Record<ImportFormat, readonly string[]>>> = {
  anthropic: ['system'],
  'ai-sdk': ['system'],
  bedrock: ['system'],
  'claude-code': ['system'],
  'openai-responses': ['instructions'],
  gemini: ['systemInstruction', 'system_instruction'],
}

/** Formats that have items, or leave the role of the user away. */
const ROLELESS: readonly ImportFormat[] = ['openai-responses', 'gemini']

const MAPPED: Readonly<Partial<Record<ImportFormat, (messages: readonly JsonObject[]) => Mapped>>> = {
  sharegpt: fromShareGpt,
  'llamafactory-v1': fromLlamaFactory,
  'pi-agent': fromPi,
}

/** Reads a conversation, or says in one sentence why it cannot be read. */
export function readConversation(body: JsonValue, given: ReadOptions = {}): ReadConversation {
  if (isOurs(body, given)) return fromExport(importSnapshot(body, given.options))
  const steps = readInSteps(body, given)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The same with pauses between messages. */
export async function readWithPauses(body: JsonValue, given: ReadOptions, pause: Pause): Promise<ReadConversation> {
  if (isOurs(body, given)) return fromExport(await importSnapshotAsync(body, given.options))
  const steps = readInSteps(body, given)
  for (;;) {
    const pausing = pause()
    if (pausing !== undefined) await pausing
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The input is an export of this package, as text or as JSON. */
function isOurs(body: JsonValue, { format = 'auto' }: ReadOptions): body is string | JsonObject {
  if (format !== 'pact' && !(format === 'auto' && isExport(body))) return false
  if (typeof body === 'string' || isObject(body)) return true
  throw unreadable(`An export of this package is an object with a root, not ${describe(body)}.`)
}

function fromExport(context: Context): ReadConversation {
  return { context, format: 'pact', messages: context.thread('@t0').length, unread: [] }
}

function* readInSteps(
  body: JsonValue,
  { format: given = 'auto', options }: ReadOptions,
): Generator<void, ReadConversation, undefined> {
  // Exports do not come here.
  const format = given as Exclude<typeof given, 'pact'>
  const record: JsonObject = isObject(body) ? body : { messages: body }
  const { key, messages } = messagesOf(record)
  const unread = new Set<string>()
  const said = [...messages, ...answersIn(record['response'], unread)].map((message, i) => {
    if (isObject(message)) return message
    throw unreadable(`messages[${i}] is not an object.`)
  })
  const shape = format === 'auto' ? shapeOf(record, said) : { format }
  if ('other' in shape) throw unreadable(`It looks like ${shape.other}. ${READ_SHAPES}`)
  if (!ROLELESS.includes(shape.format)) {
    const bare = said.findIndex(({ role, from }) => typeof (role ?? from) !== 'string')
    if (bare >= 0) throw unreadable(`messages[${bare}] has no role. ${READ_SHAPES}`)
  }
  const { context, lost } = yield* contextOf(shape.format, record, said, options)
  for (const each of lost) unread.add(each)
  for (const each of ELSEWHERE) if (each !== key && !saysNothing(record[each])) unread.add(each)
  for (const each of SYSTEM_KEYS)
    if (!(TAKES[shape.format] ?? []).includes(each) && !saysNothing(record[each])) unread.add(each)
  return { context, format: shape.format, messages: said.length, unread: [...unread].toSorted() }
}

export function messagesOf(record: JsonObject): Readonly<{ key: string; messages: readonly JsonValue[] }> {
  const key = LIST_KEYS.find((each) => record[each] !== undefined)
  const given = key === undefined ? undefined : record[key]
  const messages = key === 'input' && typeof given === 'string' ? [{ role: 'user', content: given }] : given
  if (key !== undefined && Array.isArray(messages)) return { key, messages }
  throw unreadable(`It has no list of "messages". ${READ_SHAPES}`)
}

/** Gives the messages to the adapter of their format, or of the one they can be mapped to. */
function* contextOf(
  format: ImportFormat,
  record: JsonObject,
  messages: readonly JsonObject[],
  options: ContextOptions | undefined,
): Generator<void, Readonly<{ context: Context; lost: readonly string[] }>, undefined> {
  const map = MAPPED[format]
  if (map !== undefined) {
    const mapped = map(messages)
    return { context: yield* importAs(format, mapped.format, {}, mapped.messages, options), lost: mapped.lost }
  }
  const adapter = format === 'claude-code' ? 'anthropic' : (format as FormatName)
  return { context: yield* importAs(format, adapter, record, messages, options), lost: [] }
}

function* importAs(
  name: ImportFormat,
  format: FormatName,
  record: JsonObject,
  messages: readonly JsonObject[],
  options: ContextOptions | undefined,
): Generator<void, Context, undefined> {
  try {
    // Each adapter checks what it is given; what a file holds has no type.
    const specs = ADAPTERS[format].read(conversationOf(format, record, messages) as never)
    return yield* importInSteps(specs, options)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw new PactError(
      error.code,
      `Read as ${name}: ${error.message}`,
      { ...error.details, format: name },
      { cause: error },
    )
  }
}

function conversationOf(format: FormatName, record: JsonObject, messages: readonly JsonObject[]): object {
  const { system, instructions, systemInstruction, system_instruction: other } = record
  if (format === 'openai-chat' || format === 'mistral') return { messages }
  if (format === 'openai-responses') return { input: messages, ...given({ instructions }) }
  if (format === 'gemini') return { contents: messages, ...given({ systemInstruction: systemInstruction ?? other }) }
  return { messages, ...given({ system }) }
}

function given(values: Readonly<Record<string, JsonValue | undefined>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))
}

/** Fields about a reply that are not part of it. */
const ABOUT_REPLY = ['stop_reason', 'stop_sequence', 'usage', 'id', 'type', 'model']

/** A recorded request also holds the model's answer: a message, items, or the first of its `choices` or `candidates`. */
export function answersIn(response: JsonValue | undefined, unread: Set<string>): readonly JsonValue[] {
  if (Array.isArray(response)) return response as readonly JsonValue[]
  if (!isObject(response) || Object.keys(response).length === 0) return []
  const { choices, candidates, output } = response
  if (Array.isArray(output)) return output as readonly JsonValue[]
  const several = [choices, candidates].find((list): list is readonly JsonValue[] => Array.isArray(list))
  if (several === undefined) {
    return [Object.fromEntries(Object.entries(response).filter(([key]) => !ABOUT_REPLY.includes(key)))]
  }
  if (several.length > 1) unread.add('all choices but the first')
  return several
    .slice(0, 1)
    .map((choice) => (isObject(choice) ? (choice['message'] ?? choice['content'] ?? null) : choice))
}

function unreadable(message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name: 'body' })
}
