// Messages of a stretch as Bedrock's Converse API takes them: user and assistant, results in the user's message behind the calls. Messages
// of one speaker are joined over the whole request (format.ts).

import type { NodeRecord } from '../../core/index.js'
import { heldMessage, type HeldForm } from '../conversation/held.js'
import { exactType } from '../conversation/media.js'
import type { CallPart, MediaPart, Message, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  plainJson,
  plainObject,
  textOf,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldContent } from '../conversation/specs.js'
import { heldPart, inputObject, isOf, NOT_ITS_OWN, toolName } from '../conversation/write-part.js'
import { isAsThought } from '../conversation/names.js'
import { withBytes } from './bytes.js'
import { MEDIA_TYPES } from './read-part.js'

export type Role = 'user' | 'assistant'
const LONGEST_NAME = 64
export const isOwn: (message: Message) => boolean = isOf('bedrock')

export function writeMessages(messages: readonly Message[], out: RequestWriter): readonly PlainObject[] {
  if (!out.repair) return messages.map((message) => heldMessage(message, heldForm(out), out))
  const writer = new BedrockWriter(out)
  for (const message of messages) writer.add(message)
  return writer.done()
}

class BedrockWriter {
  readonly #out: RequestWriter
  readonly #written: PlainObject[] = []
  /** Media of the assistant, which only a user may say: it follows the results of the step. */
  #carried: { made: PlainObject; record: NodeRecord }[] = []

  constructor(out: RequestWriter) {
    this.#out = out
  }

  done(): readonly PlainObject[] {
    this.#flush()
    return this.#written
  }

  add(message: Message): void {
    const { envelope, record } = message
    const role = this.#role(message)
    this.#out.dropKeys(record, Object.keys(envelope), 'Bedrock refuses such keys', 'The message ')
    const results = message.parts.filter((part) => part.kind === 'result')
    this.#put(message, results, 'user')
    const rest = results.length === 0 ? message.parts : message.parts.filter((part) => part.kind !== 'result')
    const media = role === 'user' ? [] : rest.filter((part) => part.kind === 'media')
    this.#put(message, media.length === 0 ? rest : rest.filter((part) => part.kind !== 'media'), role)
    for (const part of media) {
      const made = blockOf(part, 'user', this.#out)
      if (made === undefined) continue
      this.#out.note(
        'converted',
        part.record,
        `${part.record.id} stands in a message of the user: no other may have it.`,
      )
      this.#carried.push({ made, record: part.record })
    }
  }

  #put(message: Message, parts: readonly Part[], role: Role): void {
    if (parts.length === 0) return
    if (!parts.some((part) => part.kind === 'result')) this.#flush()
    let blocks = parts.map((part) => blockOf(part, role, this.#out)).filter((block) => block !== undefined)
    const end =
      role === 'assistant'
        ? blocks.findLastIndex((block) => block['reasoningContent'] === undefined) + 1
        : blocks.length
    if (end < blocks.length) {
      const text = 'A thought at the end of a message is left out: nothing follows from it any more.'
      this.#out.note('left-out', message.record, text)
      blocks = blocks.slice(0, end)
    }
    if (blocks.length === 0) return
    this.#join(role, blocks, message.record)
  }

  /** Speakers take turns: what one says behind its own message is joined to it. */
  #join(role: Role, blocks: readonly PlainObject[], record: NodeRecord): void {
    const before = this.#written.at(-1)
    const isSame = before?.['role'] === role
    if (isSame)
      this.#out.note('merged', record, `${record.id} is joined to the message before it: speakers take turns.`)
    const origin = isSame ? this.#out.originOf(this.#written.pop()!) : record
    const content = isSame ? [...(before['content'] as readonly PlainObject[]), ...blocks] : blocks
    const made = inOrder({ role, content: Object.freeze(content) })
    this.#written.push(origin === undefined ? made : this.#out.comesFrom(made, origin))
  }

  #flush(): void {
    const [first] = this.#carried
    if (first !== undefined)
      this.#join(
        'user',
        this.#carried.map(({ made }) => made),
        first.record,
      )
    this.#carried = []
  }

  #role(message: Message): Role {
    const speaker = this.#out.speakerOf(message)
    if (speaker === 'system' || speaker === 'developer') {
      const { record } = message
      const text = `The system message ${record.id} is given as the user's: Bedrock takes none in mid-conversation.`
      this.#out.note('moved-system', record, text)
    }
    return speaker === 'assistant' ? 'assistant' : 'user'
  }
}

/** The block of a part, or undefined where Bedrock cannot have it in a message of this role. */
export function blockOf(part: Part, role: Role | 'system', out: RequestWriter): PlainObject | undefined {
  const own = heldPart(part, 'bedrock', {}, out)
  const isSame = own !== undefined && (part.kind !== 'reasoning' || isAsThought(part.record)) && isBlock(own, role)
  const made = isSame ? paired(own, part, out) : newBlock(part, role, out)
  const block = made && out.own(withBytes(made), part.record)
  return block !== undefined && part.kind === 'reasoning' ? out.think(block, part.record) : block
}

/** Blocks by who may say them; what is in a block of Bedrock's own is passed on. */
const BLOCKS: Readonly<Record<Role | 'system', readonly string[]>> = {
  user: ['text', 'image', 'document', 'video', 'audio', 'toolResult', 'guardContent', 'cachePoint', 'searchResult'],
  assistant: ['text', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint', 'citationsContent', 'image', 'audio'],
  system: ['text', 'guardContent', 'cachePoint'],
}

function isBlock(block: PlainObject, role: Role | 'system'): boolean {
  const entries = Object.entries(block)
  const [[key, data] = ['', null]] = entries
  if (entries.length !== 1 || !BLOCKS[role].includes(key)) return false
  if (key === 'text') return typeof data === 'string' && data.trim() !== ''
  return isObject(data) && (NEEDS[key] ?? []).every((each) => data[each] !== undefined)
}

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  toolUse: ['toolUseId', 'name', 'input'],
  toolResult: ['toolUseId', 'content'],
  image: ['format', 'source'],
  document: ['name', 'source'],
  cachePoint: ['type'],
}

/** A call or result with the id that it has in this request, whatever an edit made of it. */
function paired(block: PlainObject, part: Part, out: RequestWriter): PlainObject | undefined {
  if (part.kind !== 'call' && part.kind !== 'result') return block
  const key = part.kind === 'call' ? 'toolUse' : 'toolResult'
  const data = block[key]
  if (!isObject(data)) return newBlock(part, 'user', out)
  if (part.kind === 'call' && !isObject(data['input'])) return newBlock(part, 'assistant', out)
  if (part.kind === 'result' && !Array.isArray(data['content'])) return newBlock(part, 'user', out)
  const name = part.kind === 'call' ? { name: toolName(part, LONGEST_NAME, out) } : {}
  const dropped = Object.keys(data).filter((each) => !isTaken(each, data[each]))
  out.dropKeys(part.record, dropped, 'Bedrock refuses what is there')
  const kept = Object.fromEntries(Object.entries(data).filter(([each]) => !dropped.includes(each)))
  return Object.freeze({ [key]: Object.freeze({ ...kept, toolUseId: idOf(part, out), ...name }) })
}

/** The keys of a call or a result; an edit may have changed a key or a status. */
function isTaken(key: string, value: PlainValue | undefined): boolean {
  if (key === 'status') return value === 'success' || value === 'error'
  return ['toolUseId', 'name', 'input', 'content', 'type'].includes(key)
}

function newBlock(part: Part, role: Role | 'system', out: RequestWriter): PlainObject | undefined {
  switch (part.kind) {
    case 'text':
      return inOrder({ text: part.text })
    case 'call': {
      const name = toolName(part, LONGEST_NAME, out)
      return inOrder({ toolUse: inOrder({ toolUseId: idOf(part, out), name, input: inputObject(part, out) }) })
    }
    case 'result': {
      const status = part.isError ? 'error' : undefined
      return inOrder({ toolResult: inOrder({ toolUseId: idOf(part, out), content: outputOf(part, out), status }) })
    }
    case 'media':
      return mediaBlock(part) ?? out.leaveOut(part, 'Bedrock takes bytes of images, documents, videos and sounds only')
    case 'reasoning':
      return out.leaveOut(
        part,
        isAsThought(part.record) ? NOT_ITS_OWN : 'Bedrock takes back no thought that was changed',
      )
    case 'other':
      return out.leaveOut(
        part,
        role === 'system' ? 'a system text is text only' : 'Bedrock has no such block in this message',
      )
    case 'gone':
      return undefined
  }
}

/** An id of letters, digits, `_` and `-`, at most 64 of them, the same for a call and its result. */
function idOf({ kind, callId, record }: CallPart | ResultPart, out: RequestWriter): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(callId)) return callId
  const id = derivedId(callId)
  if (kind === 'call')
    out.note('renamed-id', record, `The call ${record.id} and its result have the id ${id}: Bedrock refuses theirs.`)
  return id
}

function outputOf({ output, record }: ResultPart, out: RequestWriter): PlainValue {
  if (output.kind === 'json' && isObject(output.value))
    return Object.freeze([inOrder({ json: out.plain(output.value, record) })])
  const parts: readonly OutputPart[] =
    output.kind === 'parts' ? output.parts : [textPart(output.kind === 'text' ? output.text : textOf(output.value))]
  const blocks = parts.flatMap((part) => outputBlock(part) ?? [])
  if (parts.some((part) => part.kind !== 'text' && outputBlock(part) === undefined))
    out.note('left-out', record, `A part of the result ${record.id} is left out: Bedrock cannot have it in a result.`)
  return Object.freeze(blocks)
}

function textPart(text: string): OutputPart {
  return { kind: 'text', text, keys: undefined, raw: undefined, shape: undefined }
}

function outputBlock(part: OutputPart): PlainObject | undefined {
  if (part.shape === 'bedrock' && isObject(part.raw)) return plainObject(part.raw)
  if (part.kind === 'text') return part.text.trim() === '' ? undefined : inOrder({ text: part.text })
  return part.kind === 'media' ? mediaBlock(part) : undefined
}

/** Bytes of a known type; Bedrock reads no addresses. */
function mediaBlock(part: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const { source, filename } = part
  const type = exactType(part)
  if (source.kind === 'url' || type === undefined || source.data.trim() === '') return undefined
  const found = Object.entries(MEDIA_TYPES).find(([, each]) => each === type)?.[0]
  const [kind = '', name = ''] = type.split('/')
  const format = found ?? name
  const bytes = inOrder({ bytes: source.data })
  if (kind === 'image')
    return FORMATS.image.includes(format) ? inOrder({ image: inOrder({ format, source: bytes }) }) : undefined
  if (kind === 'video' || kind === 'audio') return inOrder({ [kind]: inOrder({ format, source: bytes }) })
  if (!FORMATS.document.includes(format)) return undefined
  return inOrder({ document: inOrder({ format, name: documentName(filename), source: bytes }) })
}

const FORMATS = {
  image: ['gif', 'jpeg', 'png', 'webp'],
  document: ['csv', 'doc', 'docx', 'html', 'md', 'pdf', 'txt', 'xls', 'xlsx'],
}

/** A name that Bedrock takes: letters, digits, single spaces, hyphens, parentheses and brackets. */
function documentName(filename: string | undefined): string {
  const name = (filename ?? '')
    .replace(/\.[a-z0-9]+$/i, '')
    .replaceAll(/[^a-zA-Z0-9\-()[\] ]+/g, '-')
    .replaceAll(/ +/g, ' ')
    .slice(0, 200)
  return name === '' ? 'document' : name
}

/** A message as the tree holds it. */
export const heldForm = (out: RequestWriter): HeldForm => ({
  format: 'bedrock',
  key: 'content',
  about: ({ format, role = 'user' }) => ({ role: format === 'bedrock' || role === 'assistant' ? role : 'user' }),
  element: (part, message) => {
    const { record } = part
    const isText = part.kind === 'text' && record.kind === 'text'
    const held = isOwn(message) && !isText ? plainJson(heldContent(record.content)) : heldPart(part, 'bedrock', {}, out)
    const made = held ?? newBlock(part, 'user', out)
    return made !== undefined && isObject(made) ? out.own(withBytes(made), record) : made
  },
})
