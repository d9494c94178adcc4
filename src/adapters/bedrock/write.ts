// Messages of a stretch as Bedrock's Converse API takes them: user and assistant, results in the user's message behind the calls. Messages
// of one speaker are joined over the whole request (format.ts).

import type { NodeRecord } from '../../core/index.js'
import { exactType, isBase64 } from '../conversation/media.js'
import type { MediaPart, Message, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
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
  type HeldForm,
  heldMessage,
  type IdRule,
  inputObject,
  isOf,
  outputList,
  type PartForm,
  toolName,
  writtenPart,
} from '../conversation/write-part.js'
import { withBytes } from './bytes.js'
import { blocksBy, MEDIA_TYPES, OUTPUT_FIT, type Role } from './kinds.js'

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
      const made = writtenPart(part, 'user', BLOCK, this.#out)
      if (made === undefined) continue
      this.#out.note(
        'converted',
        part.record,
        `${part.record.id} is sent in a user message: no other role may have it.`,
      )
      this.#carried.push({ made, record: part.record })
    }
  }

  #put(message: Message, parts: readonly Part[], role: Role): void {
    if (parts.length === 0) return
    if (!parts.some((part) => part.kind === 'result')) this.#flush()
    let blocks = parts.map((part) => writtenPart(part, role, BLOCK, this.#out)).filter((block) => block !== undefined)
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

/** A block of a message, or of the system texts. */
export const BLOCK: PartForm<Role> = {
  format: 'bedrock',
  who: 'Bedrock',
  plain: withBytes,
  own: (held, part, role, out) => {
    const said = part.kind === 'result' ? withoutBlankOutput(held, part, out) : held
    const fitted = out.fitted(said, blocksBy(role), part.record, 'Bedrock')
    return fitted && paired(fitted, part, out)
  },
  text: (text) => inOrder({ text }),
  call: (part, out) => {
    const name = toolName(part, LONGEST_NAME, out)
    return inOrder({ toolUse: inOrder({ toolUseId: callId(part, ID, out), name, input: inputObject(part, out) }) })
  },
  result: (part, out) => {
    const content = outputOf(part, out)
    const status = part.isError ? 'error' : undefined
    return withBytes(inOrder({ toolResult: inOrder({ toolUseId: callId(part, ID, out), content, status }) }))
  },
  media: (part) => {
    const block = mediaBlock(part)
    return block && withBytes(block)
  },
  leavesOut: {
    media: 'Bedrock takes bytes of images, documents, videos and sounds only',
    other: 'Bedrock has no such block in this message',
  },
}

/** Ids are of letters, digits, `_` and `-`, at most 64 of them. */
const ID: IdRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, why: 'Bedrock refuses theirs' }

/** A call or result with the id that it has in this request, whatever an edit made of it. */
function paired(block: PlainObject, part: Part, out: RequestWriter): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return block
  const key = part.kind === 'call' ? 'toolUse' : 'toolResult'
  const name = part.kind === 'call' ? { name: toolName(part, LONGEST_NAME, out) } : {}
  const data = block[key] as PlainObject
  return Object.freeze({ [key]: Object.freeze({ ...data, toolUseId: callId(part, ID, out), ...name }) })
}

/** The models behind Bedrock refuse a text that says nothing, also in the output of a tool. */
function withoutBlankOutput(block: PlainObject, { record }: Part, out: RequestWriter): PlainObject {
  const { toolResult: result } = block
  if (!isObject(result) || !Array.isArray(result['content'])) return block
  const content = result['content'] as readonly PlainValue[]
  const said = content.filter(
    (each) => !isObject(each) || typeof each['text'] !== 'string' || each['text'].trim() !== '',
  )
  if (said.length === content.length) return block
  out.note('left-out', record, `An empty text in the result ${record.id} is left out: Bedrock refuses it.`)
  return inOrder({ toolResult: inOrder({ ...result, content: Object.freeze(said) }) })
}

function outputOf({ output, record }: ResultPart, out: RequestWriter): PlainValue {
  if (output.kind === 'parts')
    return outputList(output.parts, record, 'Bedrock', (part) => outputBlock(part, record, out), out)
  if (output.kind === 'json' && isObject(output.value))
    return Object.freeze([inOrder({ json: out.plain(output.value, record) })])
  const text = output.kind === 'text' ? output.text : textOf(output.value)
  return Object.freeze(text.trim() === '' ? [] : [inOrder({ text })])
}

function outputBlock(part: OutputPart, record: NodeRecord, out: RequestWriter): PlainObject | undefined {
  if (part.shape === 'bedrock' && isObject(part.raw)) {
    const own = OUTPUT_FIT(plainObject(part.raw), out.droppedOf(record)) as PlainObject | undefined
    if (own !== undefined) return own
  }
  if (part.kind === 'media') return mediaBlock(part)
  const text = part.kind === 'text' ? part.text : (part.words ?? '')
  return text.trim() === '' ? undefined : inOrder({ text })
}

/** Bytes of a known type; Bedrock reads no addresses. */
function mediaBlock(part: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const { source, filename } = part
  const type = exactType(part)
  if (source.kind === 'url' || type === undefined) return undefined
  if (source.data === '' || !isBase64(source.data)) return undefined
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
    if (part.kind === 'gone' && !isOwn(message)) return undefined
    if (!isOwn(message) || (part.kind === 'text' && record.kind === 'text'))
      return writtenPart(part, 'user', BLOCK, out)
    const held = plainJson(heldContent(record.content))
    return isObject(held) ? out.own(withBytes(held), record) : held
  },
})
