// Messages of a stretch as Claude takes them: user and assistant, results in a user's message directly behind the calls, thoughts as they came, both
// halves of a tool that ran at the provider or none. places.ts checks the place of a message in the whole request.

import type { NodeRecord } from '../../core/index.js'
import { exactType, fromBase64 } from '../conversation/media.js'
import {
  type CallPart,
  hasKind,
  type MediaPart,
  type Message,
  type OutputPart,
  type Part,
  type ResultPart,
  derivedId,
  speakerOf,
} from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainObject,
  type PlainObject,
  type PlainValue,
  textOf,
} from '../conversation/plain-json.js'
import { isMadeNext } from '../conversation/read-messages.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import {
  ELSEWHERE,
  type HeldForm,
  heldMessage,
  inputObject,
  isBare,
  isOf,
  onlyText,
  outputList,
  type PartForm,
  toolName,
  writtenPart,
} from '../conversation/write-part.js'
import type { AnthropicOptions } from './format.js'
import { blocksBy, CALL_ID, isImageType, OUTPUT, type Role, SYSTEM_KEYS } from './kinds.js'
import { blocksIn, messageLike } from './messages.js'
import { withoutHalves, withoutWaiting } from './server-tools.js'

export function writeMessages(
  messages: readonly Message[],
  out: RequestWriter,
  options: AnthropicOptions,
): readonly PlainObject[] {
  if (!out.repair) return messages.map((message) => heldMessage(message, heldForm(out), out))
  const writer = new Writer(out, options)
  const sent = withoutWaiting(messages, out)
  for (let i = 0; i < sent.length; i++) writer.add(sent[i]!)
  const whole = withoutHalves(writer.written, out)
  return whole.some(endsWithThought) ? withoutLastThoughts(whole, out) : whole
}

class Writer {
  readonly written: PlainObject[] = []
  readonly #out: RequestWriter
  readonly #options: AnthropicOptions
  readonly #ids: CallIds
  /** The last message, where it came from Claude, was only results, or both. */
  #isOwn = false
  #isResults = false

  constructor(out: RequestWriter, options: AnthropicOptions) {
    this.#out = out
    this.#options = options
    this.#ids = new CallIds(out)
  }

  add(message: Message): void {
    const role = this.#role(message)
    const keys = this.#keys(message, role)
    if (isDirective(message, role, keys)) {
      const content = message.form === 'list' ? EMPTY_LIST : undefined
      this.#put(this.#out.own(inOrder({ role, content }, keys), message.record), message)
      return
    }
    // A user may say all of it, and most others say nothing that only a user may.
    if (role === 'user' || !hasUsers(message.parts)) return this.#said(message, message.parts, role, keys)
    const results = message.parts.filter((part) => part.kind === 'result')
    const rest = message.parts.filter((part) => part.kind !== 'result')
    this.#said(message, results, 'user', NO_KEYS)
    const media = rest.filter((part) => part.kind === 'media')
    for (const { record } of media) {
      this.#out.note('converted', record, `${record.id} is sent in a user message: no other role may have it.`)
    }
    const mayFollow = !rest.some((part) => part.kind === 'call')
    if (!mayFollow) this.#said(message, media, 'user', NO_KEYS)
    this.#said(
      message,
      rest.filter((part) => part.kind !== 'media'),
      role,
      keys,
    )
    if (mayFollow) this.#said(message, media, 'user', NO_KEYS)
  }

  #said(message: Message, parts: readonly Part[], role: Role, keys: PlainObject): void {
    if (parts.length === 0) return
    const isResults = areResults(parts)
    const only = parts[0]
    if (parts.length === 1 && only!.kind === 'text' && isBare(only!)) {
      const { record } = parts.length === message.parts.length ? message : only!
      this.#put(this.#out.own(inOrder({ role, content: only!.text }, keys), record), message)
      return
    }
    const blocks: PlainObject[] = []
    for (let i = 0; i < parts.length; i++) {
      const block = writtenPart(this.#ids.named(parts[i]!), role, BLOCK, this.#out)
      if (block !== undefined) blocks.push(block)
    }
    if (blocks.length === 0) return
    const before = this.#isResults && isResults && !(this.#isOwn && isOwn(message)) ? this.written.pop() : undefined
    // The results of one step from several messages.
    const content = before === undefined ? blocks : [...blocksIn(before), ...blocks]
    this.#put(inOrder({ role, content: Object.freeze(content) }, keys), message)
    this.#isResults = isResults
  }

  #put(made: PlainObject, message: Message): void {
    this.written.push(this.#out.comesFrom(made, message.record))
    this.#isOwn = isOwn(message)
    this.#isResults = false
  }

  #role(message: Message): Role {
    const { record } = message
    const speaker = this.#out.speakerOf(message)
    if (speaker === 'assistant') return 'assistant'
    if (speaker !== 'system' && speaker !== 'developer') return 'user'
    if (this.#options.systemMessages !== 'user') return 'system'
    const why = 'this model takes none in mid-conversation'
    this.#out.note('moved-system', record, `The system message ${record.id} is given as the user's: ${why}.`)
    return 'user'
  }

  /** The keys that go with a message; Claude takes them from system messages only. */
  #keys({ envelope, format, record }: Message, role: Role): PlainObject {
    const keys = Object.keys(envelope)
    if (keys.length === 0) return NO_KEYS
    const kept =
      role === 'system' && format === 'anthropic'
        ? (SYSTEM_KEYS(plainObject(envelope), this.#out.droppedOf(record)) as PlainObject)
        : NO_KEYS
    const dropped = keys.filter((key) => !Object.hasOwn(kept, key) && !ELSEWHERE.includes(key))
    this.#out.dropKeys(record, dropped, 'Claude refuses such keys', 'The message ')
    return kept
  }
}

const EMPTY_LIST: readonly PlainValue[] = Object.freeze([])
/** A system message that only sets the output says nothing besides. */
function isDirective({ parts, form }: Message, role: Role, keys: PlainObject): boolean {
  return role === 'system' && isObject(keys['output_config']) && (parts.length === 0 || form === 'absent')
}

export function saysWithoutParts({ role, envelope, format }: Message): boolean {
  return role === 'system' && format === 'anthropic' && isObject(envelope['output_config'])
}

function endsWithThought(message: PlainObject): boolean {
  const last = blocksIn(message).at(-1)
  return last !== undefined && isThought(last) && message['role'] === 'assistant'
}

/** A thought that nothing follows from any more cannot be given back. Neighbouring messages of the assistant are one turn to Claude. */
function withoutLastThoughts(written: readonly PlainObject[], out: RequestWriter): readonly PlainObject[] {
  const kept: PlainObject[] = []
  for (const message of written.toReversed()) {
    if (!endsWithThought(message) || kept.at(-1)?.['role'] === 'assistant') {
      kept.push(message)
      continue
    }
    const blocks = blocksIn(message)
    const end = blocks.findLastIndex((block) => !isThought(block)) + 1
    out.noteOf(message, 'left-out', 'A thought at the end of a message is left out: nothing follows from it any more.')
    if (end > 0) kept.push(messageLike('assistant', Object.freeze(blocks.slice(0, end)), message, out))
  }
  return kept.toReversed()
}

/** A message as the tree holds it. */
export const heldForm = (out: RequestWriter): HeldForm => ({
  format: 'anthropic',
  key: 'content',
  about: ({ format, role = 'user' }) => {
    return { role: format === 'anthropic' || role === 'assistant' || role === 'system' ? role : 'user' }
  },
  text: onlyText,
  element: (part) =>
    (part.kind === 'gone' ? undefined : writtenPart(part, 'user', BLOCK, out)) ?? out.own(EMPTY, part.record),
})

export const isOwn: (message: Message) => boolean = isOf('anthropic')

/** Neighbouring messages of the assistant are one turn to Claude; some logs have one message for each block. */
export function areOne(before: Message, after: Message): boolean {
  const isPlain = (message: Message): boolean =>
    isOwn(message) && speakerOf(message) === 'assistant' && !hasUsers(message.parts)
  return isPlain(before) && isPlain(after) && isMadeNext(before, after.record)
}

/** True if there is a part that only messages of the user may have. */
function hasUsers(parts: readonly Part[]): boolean {
  return hasKind(parts, 'result') || hasKind(parts, 'media')
}

function areResults(parts: readonly Part[]): boolean {
  for (let i = 0; i < parts.length; i++) if (parts[i]!.kind !== 'result') return false
  return true
}

function isThought({ type }: PlainObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

const LONGEST_NAME = 128

const EMPTY: PlainObject = Object.freeze({ type: 'text', text: '' })

/** Calls and results have the ids of this request already. */
export const BLOCK: PartForm<Role> = {
  format: 'anthropic',
  who: 'Claude',
  first: { type: 'text' },
  plain: (value) => inOrder({ type: value['type'] }, value),
  own: (held, part, role, out) => {
    const block = paired(held, part)
    const fitting = part.kind === 'result' ? withFittingOutput(block, part, out) : block
    return out.fitted(fitting, blocksBy(role), part.record, 'Claude')
  },
  text: (text) => Object.freeze({ type: 'text', text }),
  call: (part, out) => {
    const name = out.repair ? toolName(part, LONGEST_NAME, out) : part.name
    return Object.freeze({ type: 'tool_use', id: part.callId, name, input: inputObject(part, out) })
  },
  result: (part, out) => {
    const block = { type: 'tool_result', tool_use_id: part.callId, content: outputOf(part, out) }
    return Object.freeze(part.isError ? { ...block, is_error: true } : block)
  },
  media: mediaBlock,
  leavesOut: {
    media: 'Claude takes images and PDF documents only',
    other: 'Claude has no such block in this message',
  },
}

/** A call or a result with its id in this request. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind === 'call') return inOrder({ type: 'tool_use', id: part.callId }, held)
  return part.kind === 'result' ? inOrder({ type: 'tool_result', tool_use_id: part.callId }, held) : held
}

/** Only the parts of an output that Claude refuses are left out, not all of it. */
function withFittingOutput(block: PlainObject, part: ResultPart, out: RequestWriter): PlainObject {
  const { content, ...rest } = block
  if (content === undefined || content === null || OUTPUT(content, out.droppedOf(part.record)) !== undefined)
    return block
  const blank = part.output.kind === 'parts' ? part.output.parts.filter(isBlankText).length : 0
  const { id } = part.record
  if (blank > 0) out.note('left-out', part.record, `An empty text in the result ${id} is left out: Claude refuses it.`)
  const fitting = outputOf(part, out)
  // A value that is no list becomes a text.
  if (!Array.isArray(content)) out.note('converted', part.record, `The output of ${id} is sent as text.`)
  return fitting.length === 0 ? rest : inOrder({ ...block, content: fitting })
}

function isBlankText(part: OutputPart): boolean {
  return part.kind === 'text' && part.text.trim() === ''
}

function outputOf({ output, record }: ResultPart, out: RequestWriter): string | readonly PlainValue[] {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return textOf(output.value)
  return outputList(output.parts, record, 'Claude', (part) => outputBlock(part, record, out), out)
}

function outputBlock(part: OutputPart, record: NodeRecord, out: RequestWriter): PlainObject | undefined {
  if (part.shape === 'anthropic' && isObject(part.raw)) {
    const own = plainObject(part.raw)
    const fitted = out.fitted(inOrder({ type: own['type'] }, own), blocksBy('result'), record, 'Claude')
    if (fitted !== undefined) return fitted
  }
  if (part.kind === 'media') return mediaBlock(part)
  const text = part.kind === 'text' ? part.text : (part.words ?? '')
  return text.trim() === '' ? undefined : inOrder({ type: 'text', text })
}

function mediaBlock(part: Omit<MediaPart, 'record'>): PlainObject | undefined {
  const { source, mediaType, filename } = part
  const exact = exactType({ source, mediaType })
  // A file known only by its URL: Claude reads PDF documents from URLs.
  const type = exact ?? (source.kind === 'url' ? (mediaType ?? 'application/pdf') : undefined)
  if (source.kind === 'base64' && type?.startsWith('text/') === true) return textDocument(source.data, filename)
  const isImage = source.kind === 'url' ? type?.startsWith('image/') === true : isImageType(type)
  if (!isImage && type !== 'application/pdf') return undefined
  if (source.kind === 'base64' && (type === undefined || source.data.trim() === '')) return undefined
  const from =
    source.kind === 'url'
      ? inOrder({ type: 'url', url: source.url })
      : inOrder({ type: 'base64', media_type: type, data: source.data })
  return isImage
    ? inOrder({ type: 'image', source: from })
    : inOrder({ type: 'document', source: from, title: filename })
}

/** A file that is a text; its encoding is UTF-8, or it is none. */
function textDocument(base64: string, title: string | undefined): PlainObject | undefined {
  let data: string
  try {
    data = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(base64))
  } catch {
    return undefined
  }
  if (data.trim() === '') return undefined
  return inOrder({ type: 'document', source: inOrder({ type: 'text', media_type: 'text/plain', data }), title })
}

class CallIds {
  readonly #out: RequestWriter
  readonly #seen = new Set<string>()
  /** The ids of calls, by what their results call them: those of the newest call. */
  readonly #given = new Map<string, string>()

  constructor(out: RequestWriter) {
    this.#out = out
  }

  /** A call or a result with the id that it has in this request; any other part as it is. */
  named(part: Part): Part {
    if (part.kind !== 'call' && part.kind !== 'result') return part
    const callId = part.kind === 'call' ? this.#ofCall(part) : (this.#given.get(part.callId) ?? fitting(part.callId))
    return callId === part.callId ? part : { ...part, callId }
  }

  #ofCall(part: CallPart): string {
    const id = this.#free(part)
    this.#given.set(part.callId, id)
    this.#seen.add(id)
    if (id !== part.callId) {
      const text = `The call ${part.record.id} has the id ${id} here: Claude refuses its own, or has it already.`
      this.#out.note('renamed-id', part.record, text)
    }
    return id
  }

  /** Some servers count the calls of each reply from 0, so one id may occur in every turn. Then the id of the node makes it unique. */
  #free({ callId, record }: CallPart): string {
    const isFree = (id: string): boolean => !this.#seen.has(id) && !this.#out.taken.has(id)
    const own = fitting(callId)
    if (isFree(own)) return own
    for (let n = 1; ; n++) {
      const id = derivedId(`${callId} ${record.id} ${n}`)
      if (isFree(id)) return id
    }
  }
}

function fitting(callId: string): string {
  return CALL_ID.test(callId) ? callId : derivedId(callId)
}
