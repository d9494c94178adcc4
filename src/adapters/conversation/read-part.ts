// A block as a part, by the form that its content has, whichever provider it came from. The part readers of the package are known without loading its
// adapters, so that every adapter reads every context; `defineAdapter` adds others.

import { ERASED } from '../../codec/index.js'
import type { JsonObject, JsonValue, NodeRecord } from '../../core/index.js'
import { knowsAiSdkPart, readAiSdkPart } from '../ai-sdk/kinds.js'
import { knowsAnthropicPart, readAnthropicPart } from '../anthropic/kinds.js'
import { knowsBedrockPart, readBedrockPart } from '../bedrock/kinds.js'
import { knowsInteractionPart, readInteractionPart } from '../gemini/interaction-kinds.js'
import { GEMINI_KEYS, knowsGeminiPart, readGeminiPart } from '../gemini/kinds.js'
import { knowsMistralPart, readMistralPart } from '../mistral/kinds.js'
import { CHAT_UNTYPED, knowsChatPart, readChatPart } from '../openai/chat-read.js'
import { knowsResponsesPart, readResponsesPart } from '../openai/response-kinds.js'
import {
  ATTRIBUTES,
  type CallPart,
  type Form,
  FORMS,
  type Output,
  type OutputPart,
  type Part,
  type ReadPart,
  type ResultPart,
  derivedId,
} from './neutral.js'
import type { PartReader } from './part-reader.js'
import { isObject, textOf } from './plain-json.js'
import type { CamePart, KnowsPart } from './wire.js'

/** The parts of a block: one, or those of a list that was given as its content. `format` is that of its message. */
export function partsOf(record: NodeRecord, format: string | undefined): readonly Part[] {
  const { content = '', kind } = record
  if (typeof content === 'string' && record.rare === undefined && kind === undefined && !isResult(record)) {
    // Most blocks are a text by hand.
    return [{ kind: 'text', record, raw: undefined, shape: format, text: content, keys: undefined }]
  }
  if (isGone(record)) return [{ kind: 'gone', record, raw: undefined, shape: undefined, callId: record.callIds[0] }]
  if (!Array.isArray(content) || isResult(record) || kind === 'call') return [partOf(record, content, format)]
  if (format !== undefined && content.length === 0) return [{ kind: 'other', record, raw: content, shape: format }]
  if (format !== undefined) return content.map((value: JsonValue) => elementOf(value, record, format))
  // A list by hand, such as ctx.user([{ type: 'text', text }, { type: 'image', … }]).
  const read = content.map((value: JsonValue) => (isObject(value) ? readValue(value, undefined, format) : undefined))
  if (content.length === 0 || read.includes(undefined)) return [partOf(record, content, format)]
  return read.map((part) => withNode(part!, record))
}

/** An element of a list that came from a format: what no reader knows is that format's. */
function elementOf(value: JsonValue, record: NodeRecord, format: string): Part {
  if (typeof value === 'string')
    return { kind: 'text', record, raw: value, shape: format, text: value, keys: undefined }
  const read = isObject(value) ? readValue(value, undefined, format) : undefined
  return read === undefined ? { kind: 'other', record, raw: value, shape: format } : withNode(read, record)
}

function partOf(record: NodeRecord, content: JsonValue, format: string | undefined): Part {
  const { kind } = record
  const read = isObject(content) ? readValue(content, kind, format) : undefined
  if (isResult(record) && format === undefined && read?.kind !== 'result') return plainResult(record, content, format)
  if (read !== undefined) return withNode(read, record)
  if (isResult(record)) return plainResult(record, content, format)
  if (kind === 'call') return handWrittenCall(record, content, format)
  if (kind === 'reasoning') return { kind, record, raw: content, shape: undefined, text: textOf(content) }
  const form = formOf(record)
  // Only its own format has a place for no content at all, or for a part of an unknown kind.
  const isEmpty = content === null ? form !== undefined : content === '' && form === 'absent'
  if (isEmpty || (isObject(content) && format !== undefined)) {
    return { kind: 'other', record, raw: content, shape: format }
  }
  const raw = form === 'value' ? content : undefined
  const text = content === null ? '' : textOf(content)
  return { kind: 'text', record, raw, shape: format, text, keys: objectIn(record, ATTRIBUTES.part) }
}

/** True for a result: by its kind, or by its role. */
function isResult({ kind, role }: NodeRecord): boolean {
  return kind === 'result' || (kind === undefined && (role === 'tool' || role === 'function'))
}

/** Its own format has the first word. */
function readValue(value: JsonObject, kind: string | undefined, format: string | undefined): ReadPart | undefined {
  const ownReader = format === undefined ? undefined : readerOf(format)
  const own = ownReader?.(value, kind)
  if (own !== undefined) return own
  const isTyped = value['type'] !== undefined
  // The kind of a part is guessed from its keys only if no format is known, since an edit may have changed the keys.
  if (!isTyped && (ownReader !== undefined || !Object.keys(value).some((key) => UNTYPED_KEYS.has(key))))
    return undefined
  for (const read of isTyped ? READERS_BY_TYPE : READERS_BY_KEY) {
    const part = read === ownReader ? undefined : read(value, kind)
    if (part !== undefined) return part
  }
  return undefined
}

/** The text of a value that came in a format, such as a part of a reply; empty if it is no text. */
export function readText(value: JsonValue | undefined, format: string): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => readText(each, format)).join('')
  const part = isObject(value) ? readValue(value, undefined, format) : undefined
  return part?.kind === 'text' ? part.text : ''
}

/** The call that a value is in a format. */
export function readCall(value: JsonObject, format: string): Extract<ReadPart, { kind: 'call' }> | undefined {
  const part = readValue(value, 'call', format)
  return part?.kind === 'call' ? part : undefined
}

function withNode(part: ReadPart, record: NodeRecord): Part {
  switch (part.kind) {
    case 'call':
      return { ...part, record, callId: callIdOf(record, part.callId) } satisfies CallPart
    case 'result':
      return {
        ...part,
        record,
        callId: record.callIds[0] ?? part.callId,
        name: part.name ?? toolNameOf(record),
        isStub: false,
      } satisfies ResultPart
    default:
      return { ...part, record }
  }
}

/** `ctx.assistant({ name, arguments }, { kind: 'call', data_call_id })`; a call without a name is not a call. */
function handWrittenCall(record: NodeRecord, content: JsonValue, format: string | undefined): Part {
  if (!isObject(content) || typeof content['name'] !== 'string') {
    return { kind: 'other', record, raw: content, shape: format }
  }
  const given = content['arguments'] ?? content['input'] ?? content['args'] ?? {}
  const isText = typeof given === 'string'
  return {
    kind: 'call',
    record,
    raw: undefined,
    shape: undefined,
    callId: callIdOf(record, undefined),
    name: content['name'],
    input: isText ? undefined : given,
    inputText: isText ? given : undefined,
  }
}

/** A result whose content is the output itself: by hand, or in a format that has it so. */
function plainResult(record: NodeRecord, content: JsonValue, format: string | undefined): ResultPart {
  return {
    kind: 'result',
    record,
    raw: format === undefined ? undefined : content,
    shape: format,
    callId: record.callIds[0] ?? '',
    name: toolNameOf(record),
    output: outputOf(content, format),
    isError: record.rare?.attributes?.get(ATTRIBUTES.error) === true,
    isStub: false,
  }
}

/** The output of a tool, from a text, a value, or a list of parts in any format. */
export function outputOf(content: JsonValue, format: string | undefined): Output {
  if (content === null) return { kind: 'text', text: '' }
  if (typeof content === 'string') return { kind: 'text', text: content }
  if (!Array.isArray(content)) {
    const part = format === undefined ? outputPart(content, format) : undefined
    return part?.kind === 'media' ? { kind: 'parts', parts: [part] } : { kind: 'json', value: content }
  }
  const parts = content.map((value: JsonValue) => outputPart(value, format))
  return parts.includes(undefined) ? { kind: 'json', value: content } : { kind: 'parts', parts: parts as OutputPart[] }
}

function outputPart(value: JsonValue, format: string | undefined): OutputPart | undefined {
  if (typeof value === 'string') return { kind: 'text', text: value, keys: undefined, raw: value, shape: format }
  const read = isObject(value) ? readValue(value, undefined, format) : undefined
  return read?.kind === 'text' || read?.kind === 'media' || read?.kind === 'other' ? read : undefined
}

function callIdOf(record: NodeRecord, own: string | undefined): string {
  return record.callIds[0] ?? own ?? derivedId(record.id)
}

function toolNameOf(record: NodeRecord): string | undefined {
  const name = record.rare?.attributes?.get(ATTRIBUTES.toolName)
  return typeof name === 'string' ? name : undefined
}

/** A marker in the place of a deleted node, or a node whose content was forgotten. */
function isGone(record: NodeRecord): boolean {
  return record.isMarker || record.rare?.attributes?.get(ERASED) === true
}

/** The form of a message's content; the attribute may say anything, since anybody can write it. */
export function formOf(record: NodeRecord): Form | undefined {
  const form = record.rare?.attributes?.get(ATTRIBUTES.form)
  return form === undefined ? undefined : FORMS.find((each) => each === form)
}

/** A value as attributes hold it, if it is an object. */
export function objectIn(record: NodeRecord, name: string): JsonObject | undefined {
  const value = record.rare?.attributes?.get(name)
  return isObject(value) ? value : undefined
}

type Reading = Readonly<{ read: PartReader; knows: KnowsPart }>

const READERS = new Map<string, Reading>([
  ['anthropic', { read: readAnthropicPart, knows: knowsAnthropicPart }],
  ['openai-chat', { read: readChatPart, knows: knowsChatPart }],
  ['openai-responses', { read: readResponsesPart, knows: knowsResponsesPart }],
  ['ai-sdk', { read: readAiSdkPart, knows: knowsAiSdkPart }],
  ['gemini', { read: readGeminiPart, knows: knowsGeminiPart }],
  ['gemini-interactions', { read: readInteractionPart, knows: knowsInteractionPart }],
  ['mistral', { read: readMistralPart, knows: knowsMistralPart }],
  ['bedrock', { read: readBedrockPart, knows: knowsBedrockPart }],
])

/** Readers of parts that name their type, and of those that do not. Where two formats write a part alike, the first one reads it. */
const READERS_BY_TYPE: readonly PartReader[] = [readAnthropicPart, readChatPart, readResponsesPart, readAiSdkPart]
const READERS_BY_KEY: readonly PartReader[] = [readChatPart, readGeminiPart]

/** A part that does not name its type has one of these keys. */
const UNTYPED_KEYS: ReadonlySet<string> = new Set([...CHAT_UNTYPED, ...GEMINI_KEYS])

/** The reader of a format; undefined for a format that is not known here. */
export function readerOf(format: string): PartReader | undefined {
  return READERS.get(format)?.read
}

/** True if the tables of a format know all of a part that came in it. */
export function isKnownPart(format: string, part: CamePart): boolean {
  return READERS.get(format)?.knows(part) ?? true
}

/** Makes a format known, so that every adapter reads contexts that came in it. */
export function addReader(format: string, read: PartReader, knows?: KnowsPart): void {
  READERS.set(format, { read, knows: knows ?? READERS.get(format)?.knows ?? (() => true) })
}
