// Messages of a stretch as Mistral takes them: each result is a message behind the one that called, calls have ids of nine characters.

import type { NodeRecord } from '../../core/index.js'
import { isImage, urlOf } from '../conversation/media.js'
import {
  type CallPart,
  isAsThought,
  type Message,
  type OutputPart,
  type Part,
  type ResultPart,
  derivedId,
} from '../conversation/neutral.js'
import {
  byKeys,
  isObject,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
  textOf,
} from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldContent } from '../conversation/specs.js'
import {
  callId,
  hasNoKeys,
  type IdRule,
  inputText,
  isOf,
  noteName,
  OTHERS_KNOW,
  toolName,
  validName,
  withKeys,
} from '../conversation/write-part.js'
import type { MistralOptions } from './format.js'
import { chunksBy, type ChunkRole, snakeKeys } from './kinds.js'

const ORDER: readonly string[] = [
  'role',
  'content',
  'toolCalls',
  'tool_calls',
  'toolCallId',
  'tool_call_id',
  'name',
  'prefix',
]
const LONGEST_NAME = 64
const isOwn = isOf('mistral')

type Values = Record<string, PlainValue | undefined>

export function writeMessages(
  messages: readonly Message[],
  out: RequestWriter,
  options: MistralOptions,
): readonly PlainObject[] {
  const writer = new MistralWriter(out, options.form === 'rest')
  for (const message of messages) {
    if (!out.repair && isOwn(message)) writer.held(message)
    else writer.add(message)
  }
  return writer.written
}

class MistralWriter {
  readonly written: PlainObject[] = []
  readonly #out: RequestWriter
  readonly #isRest: boolean

  constructor(out: RequestWriter, isRest: boolean) {
    this.#out = out
    this.#isRest = isRest
  }

  add(message: Message): void {
    const results = message.parts.filter((part) => part.kind === 'result')
    for (const part of results) this.#result(message, part)
    const rest = results.length === 0 ? message.parts : message.parts.filter((part) => part.kind !== 'result')
    if (rest.length > 0) this.#said(message, rest)
  }

  /** A message of Mistral's exactly as the tree holds it. */
  held({ record, role, form, parts, envelope }: Message): void {
    const values: Values = { ...plainObject(envelope), role }
    if (record.nodeClass === 'block') {
      if (form !== 'absent') values['content'] = this.#spelled(plainJson(heldContent(record.content)))
      const [callId] = record.callIds
      if (role === 'tool' && callId !== undefined) values['toolCallId'] = callId
    } else {
      const calls = parts.filter((part) => part.record.kind === 'call')
      const said = parts.filter((part) => part.kind !== 'gone' && !calls.includes(part))
      const isText = form === 'text' || form === 'value'
      if (form === 'list') values['content'] = this.#heldList(said)
      else if (form !== 'absent')
        values['content'] = isText ? (said.length === 0 ? '' : plainJson(heldContent(said[0]!.record.content))) : null
      if (calls.length > 0)
        values['toolCalls'] = calls.map((part) => this.#owned(plainJson(heldContent(part.record.content)), part.record))
    }
    this.#put(values, record, record.nodeClass === 'block')
  }

  #heldList(parts: readonly Part[]): PlainValue {
    return parts.map((part) => {
      const { record, raw } = part
      if (part.kind === 'text' && raw === undefined && record.kind === 'text')
        return this.#owned({ ...plainObject(part.keys ?? {}), type: 'text', text: part.text }, record)
      return this.#owned(plainJson(raw ?? heldContent(record.content)), record)
    })
  }

  /** A content with the keys of its chunks as the form has them. */
  #spelled(content: PlainValue): PlainValue {
    if (!this.#isRest || !Array.isArray(content)) return content
    return content.map((chunk: PlainValue) => (isObject(chunk) ? snakeKeys(chunk) : chunk))
  }

  #owned(made: PlainValue, record: NodeRecord): PlainValue {
    if (!isObject(made)) return made
    return this.#out.own(Object.freeze(this.#isRest ? snakeKeys(made) : made), record)
  }

  #put(values: Values, record: NodeRecord, isWhole: boolean): PlainObject {
    const made = byKeys(ORDER, this.#isRest ? snakeKeys(values as PlainObject) : values)
    if (isWhole) this.#out.own(made, record)
    this.written.push(this.#out.comesFrom(made, record))
    return made
  }

  #said(message: Message, parts: readonly Part[]): void {
    const speaker = this.#out.speakerOf(message)
    const role =
      speaker === 'assistant' ? 'assistant' : speaker === 'system' || speaker === 'developer' ? 'system' : 'user'
    const calls = parts.filter((part) => part.kind === 'call')
    const said = parts.filter((part) => part.kind !== 'call')
    const values: Values = { ...this.#keys(message, role), role }
    const [only] = said
    const isText = said.length === 1 && only!.kind === 'text' && hasNoKeys(only!)
    if (isText && message.form !== 'list') values['content'] = (only as { text: string }).text
    else {
      const list = said.flatMap((part) => this.#chunk(part, part.record, role) ?? [])
      if (list.length > 0) values['content'] = Object.freeze(list)
      else if (calls.length === 0) return
      else if (message.form === 'text' || message.form === 'null')
        values['content'] = message.form === 'text' ? '' : null
    }
    if (calls.length > 0) values['toolCalls'] = Object.freeze(calls.map((call) => this.#call(call)))
    const isWhole = parts.every(({ record }) => record === message.record)
    const made = this.#put(values, message.record, isWhole)
    if (!isWhole && typeof made['content'] === 'string' && only !== undefined)
      this.#out.ownAt(made, 'content', only.record)
  }

  /** The other keys of a message; `prefix` is an assistant's, and belongs to the last message of a request. */
  #keys(message: Message, role: ChunkRole): PlainObject {
    const keys = Object.keys(message.envelope)
    if (!isOwn(message)) {
      this.#out.dropKeys(message.record, keys, OTHERS_KNOW, 'The message ')
      return {}
    }
    const isKept = (key: string): boolean =>
      key === 'prefix' && role === 'assistant' && typeof message.envelope[key] === 'boolean'
    this.#out.dropKeys(
      message.record,
      keys.filter((key) => !isKept(key)),
      'it would be refused',
      'The message ',
    )
    return plainObject(Object.fromEntries(Object.entries(message.envelope).filter(([key]) => isKept(key))))
  }

  #result(message: Message, part: ResultPart): void {
    const { record, name, output } = part
    const own = isOwn(message) && message.parts.length === 1
    if (own) {
      const keys = Object.keys(message.envelope).filter((key) => key !== 'name')
      this.#out.dropKeys(record, keys, 'it would be refused', 'The message ')
    }
    // A result names its tool where it did, or where another format says so.
    const isNamed = own ? typeof message.envelope['name'] === 'string' : name !== undefined
    const content =
      output.kind === 'text'
        ? output.text
        : output.kind === 'json'
          ? textOf(output.value)
          : output.parts.flatMap((each) =>
              each.kind === 'text' && each.text === '' ? [] : (this.#chunk(each, record, 'tool') ?? []),
            )
    const values = {
      role: 'tool',
      content: typeof content === 'string' || content.length > 0 ? content : '',
      toolCallId: callId(part, ID, this.#out),
      ...(isNamed ? { name: validName(name ?? '', LONGEST_NAME) } : {}),
    }
    this.#put(values, record, true)
  }

  #call(call: CallPart): PlainObject {
    const { raw, shape, record } = call
    const id = callId(call, ID, this.#out)
    const name = toolName(call, LONGEST_NAME, this.#out)
    const own = shape === 'mistral' && isObject(raw) ? raw : {}
    const isObjectItself = shape === 'mistral' && call.inputText === undefined && isObject(call.input)
    const given = isObjectItself ? call.input : inputText(call)
    const keys = {
      ...(typeof own['index'] === 'number' ? { index: own['index'] } : {}),
      ...(own['type'] === undefined && shape === 'mistral' ? {} : { type: 'function' }),
    }
    return this.#out.own(
      this.#out.plain({ ...keys, id, function: { name, arguments: given } }, record) as PlainObject,
      record,
    )
  }

  #chunk(part: Part | OutputPart, record: NodeRecord, role: ChunkRole): PlainObject | undefined {
    const chunk = this.#ownChunk(part, record, role) ?? newChunk(part, role)
    noteName(part, chunk, record, this.#out)
    if (chunk !== undefined) return this.#owned(chunk, record) as PlainObject
    return this.#out.leaveOut({ record }, 'Mistral has no place for it')
  }

  /** A chunk as it came, with the keys that the provider knows. */
  #ownChunk(part: Part | OutputPart, record: NodeRecord, role: ChunkRole): PlainObject | undefined {
    const { kind, shape } = part
    const raw = kind === 'text' && part.raw === undefined ? part.keys && { ...part.keys, text: part.text } : part.raw
    if (shape !== 'mistral' || !isObject(raw) || (kind === 'reasoning' && !isAsThought(record))) return undefined
    return withKeys(raw, chunksBy(role), record, this.#out)
  }
}

function newChunk(part: Part | OutputPart, role: ChunkRole): PlainObject | undefined {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  if (part.kind !== 'media' || role === 'system') return undefined
  const { source, mediaType, filename } = part
  if (isImage(part)) return { type: 'image_url', imageUrl: urlOf(part) }
  if (mediaType?.startsWith('audio/') === true)
    return source.kind === 'base64' ? { type: 'input_audio', inputAudio: source.data } : undefined
  const documentUrl = urlOf({ source, mediaType: mediaType ?? 'application/pdf' })
  return { type: 'document_url', documentUrl, ...(filename === undefined ? {} : { documentName: filename }) }
}

const ID: IdRule = {
  fits: /^[a-zA-Z0-9]{9}$/,
  make: (id) => derivedId(id).slice(-9),
  why: 'Mistral takes nine letters and digits',
}
