// Messages of a turn as ModelMessages: results in a tool message, texts of the system alone, approvals with the calls they are about.

import { exactType } from '../conversation/media.js'
import {
  type MediaPart,
  type Message,
  type OutputPart,
  type Part,
  type ResultPart,
  type Speaker,
  speakerOf,
} from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import {
  ELSEWHERE,
  type HeldForm,
  heldMessage,
  isBare,
  isOf,
  onlyText,
  OTHERS_KNOW,
  outputList,
  parsedInput,
  type PartForm,
  textsIn,
  writtenPart,
} from '../conversation/write-part.js'
import type { Tie } from '../conversation/steps.js'
import { withKnownApprovals } from './approvals.js'
import type { ModelMessageOptions } from './format.js'
import { MESSAGE_KEYS, type PartRole, partsBy } from './kinds.js'
import { untag } from './tagged.js'

export function writeModelMessages(
  messages: readonly Message[],
  out: RequestWriter,
  options: ModelMessageOptions,
): readonly PlainObject[] {
  if (!out.repair) return messages.map((message) => heldMessage(message, heldForm(out), out))
  const writer = new Writer(out, options)
  for (const message of withKnownApprovals(messages, out)) writer.add(message)
  return writer.written
}

class Writer {
  readonly written: PlainObject[] = []
  readonly #out: RequestWriter
  readonly #options: ModelMessageOptions
  /** True if the last message came as it is. */
  #isOwn = false
  /** The ids of calls that the provider runs and has not answered yet. */
  readonly #open = new Set<string>()

  constructor(out: RequestWriter, options: ModelMessageOptions) {
    this.#out = out
    this.#options = options
  }

  add(message: Message): void {
    if (message.parts.length === 0) return
    if (!isOwn(message)) this.#out.dropKeys(message.record, otherKeys(message), OTHERS_KNOW, 'The message ')
    const speaker = this.#speaker(message)
    const forTools = message.parts.filter(isForTools)
    this.#say(message, forTools, 'tool')
    const rest = forTools.length === 0 ? message.parts : message.parts.filter((part) => !isForTools(part))
    if (speaker === 'assistant') return this.#say(message, rest, 'assistant')
    if (speaker !== 'system' && speaker !== 'developer') return this.#say(message, rest, 'user')
    this.#tell(message, rest)
  }

  /** A system message is one text; what else it holds follows as the user's. */
  #tell(message: Message, parts: readonly Part[]): void {
    const { record } = message
    const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
    if (text !== '') {
      const made = inOrder({ role: 'system', content: text }, this.#keys(message))
      this.#put(this.#out.own(made, record), message)
    }
    const rest = parts.filter((part) => part.kind !== 'text')
    if (rest.length === 0) return
    this.#out.note('converted', record, `The parts of ${record.id} that are not text are sent in a user message.`)
    this.#say(message, rest, 'user')
  }

  #say(message: Message, parts: readonly Part[], role: PartRole): void {
    const [only] = parts
    if (only === undefined) return
    if (parts.length === 1 && only.kind === 'text' && isBare(only) && role !== 'tool') {
      const { record } = message.parts.length === 1 ? message : only
      this.#put(this.#out.own(inOrder({ role, content: only.text }, this.#keys(message)), record), message)
      return
    }
    const content: PlainObject[] = []
    for (const part of this.#ran(parts)) {
      const made = writtenPart(part, role, PART, this.#out)
      if (made !== undefined) content.push(made)
    }
    if (content.length === 0) return
    const before = this.written.at(-1)
    // The results of one step from several messages.
    if (role === 'tool' && before?.['role'] === 'tool' && !(this.#isOwn && isOwn(message))) {
      this.written.pop()
      const joined = [...(before['content'] as readonly PlainValue[]), ...content]
      this.#put(inOrder({ role, content: Object.freeze(joined) }), message)
    } else this.#put(inOrder({ role, content: Object.freeze(content) }, this.#keys(message)), message)
  }

  #put(made: PlainObject, message: Message): void {
    this.written.push(made)
    this.#isOwn = isOwn(message)
  }

  /** A result of a tool that the provider ran comes after its call: in the same message, or in a later one. */
  #ran(parts: readonly Part[]): readonly Part[] {
    if (!parts.some(isProviders)) return parts
    const ids = new Set(parts.flatMap((part) => (part.kind === 'call' ? [part.callId] : [])))
    return parts.filter((part) => {
      if (!isProviders(part)) return true
      const { type, toolCallId } = part.raw as PlainObject
      const id = toolCallId as string
      const isRight = type === 'tool-result' ? this.#open.delete(id) : !ids.has(id)
      if (isRight && type === 'tool-call') {
        this.#open.add(id)
        ids.add(id)
      }
      const { record } = part
      if (!isRight) this.#out.note('left-out', record, `${record.id} is left out: its call is gone, or occurs twice.`)
      return isRight
    })
  }

  #speaker(message: Message): Speaker {
    const speaker = this.#out.speakerOf(message)
    if ((speaker !== 'system' && speaker !== 'developer') || this.#options.systemMessages !== 'user') return speaker
    const { record } = message
    this.#out.note('moved-system', record, `The system message ${record.id} is given as the user's.`)
    return 'user'
  }

  /** The SDK takes any key, and loses those that it does not know. */
  #keys(message: Message): PlainObject {
    if (!isOwn(message)) return NO_KEYS
    return MESSAGE_KEYS(untag(plainObject(message.envelope)) as PlainObject, new Set()) as PlainObject
  }
}

/** The keys of a message in another format, without those whose values are in a part here. */
function otherKeys({ envelope }: Message): readonly string[] {
  return Object.keys(envelope).filter((key) => !ELSEWHERE.includes(key))
}

/** True if it is a call or a result of a tool that the provider ran. */
function isProviders({ kind, shape, raw }: Part): boolean {
  if (kind !== 'other' || shape !== 'ai-sdk' || !isObject(raw)) return false
  return raw['type'] === 'tool-call' || raw['type'] === 'tool-result'
}

/** The provider may answer a call of its own after a commit. */
export function providersTie(part: Part): Tie | undefined {
  if (!isProviders(part)) return undefined
  const { type, toolCallId: id } = part.raw as PlainObject
  if (typeof id !== 'string') return undefined
  return type === 'tool-call' ? { opens: id } : { answers: id }
}

/** True for parts that only a tool message holds. */
function isForTools(part: Part): boolean {
  if (part.kind === 'result') return true
  return (
    part.kind === 'other' &&
    part.shape === 'ai-sdk' &&
    isObject(part.raw) &&
    part.raw['type'] === 'tool-approval-response'
  )
}

/** A message as the tree holds it. */
const heldForm = (out: RequestWriter): HeldForm => ({
  format: 'ai-sdk',
  key: 'content',
  about: (message) => ({ role: isOwn(message) ? (message.role ?? 'user') : speakerOf(message) }),
  plain: (value) => untag(value) as PlainValue,
  text: (message) => {
    const { content, nodeClass } = message.record
    const isText = nodeClass === 'block' && onlyText(message) !== undefined
    return isText ? (untag(content === undefined ? '' : content) as PlainValue) : undefined
  },
  element: (part, message) => {
    const speaker = isOwn(message) ? message.role : speakerOf(message)
    return writtenPart(part, speaker === 'assistant' || speaker === 'tool' ? speaker : 'user', PART, out)
  },
})

export const isOwn: (message: Message) => boolean = isOf('ai-sdk')

export const PART: PartForm<PartRole> = {
  format: 'ai-sdk',
  who: 'the SDK',
  first: { type: 'text' },
  // The SDK takes a URL and bytes as they are, and JSON.stringify writes them.
  plain: (value) => untag(value) as PlainObject,
  own: (held, part, role, out) => out.fitted(paired(held, part), partsBy(role), part.record, 'the SDK'),
  text: (text) => Object.freeze({ type: 'text', text }),
  call: ({ callId, name, record, ...part }, out) =>
    Object.freeze({
      type: 'tool-call',
      toolCallId: callId,
      toolName: name,
      input: out.plain(parsedInput(part).value, record),
    }),
  result: (part, out) =>
    Object.freeze({
      type: 'tool-result',
      toolCallId: part.callId,
      toolName: part.name ?? 'tool',
      output: outputOf(part, out),
    }),
  media: mediaPart,
  leavesOut: {
    thought: 'what a model thought is given back in its own form, unchanged, or not at all',
    other: 'the SDK has no such part in this message',
  },
}

/** A result has the id and the tool's name of its call, whatever an edit made of them. */
function paired(held: PlainObject, part: Part): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const toolName = part.name ?? held['toolName'] ?? 'tool'
  if (held['toolCallId'] === part.callId && held['toolName'] === toolName) return held
  return inOrder({ ...held, toolCallId: part.callId, toolName })
}

function outputOf(part: ResultPart, out: RequestWriter): PlainObject {
  const { output, isError, record } = part
  if (output.kind === 'text') return Object.freeze({ type: isError ? 'error-text' : 'text', value: output.text })
  if (output.kind === 'json')
    return inOrder({ type: isError ? 'error-json' : 'json', value: out.plain(output.value, record) })
  if (output.parts.every(({ kind }) => kind === 'text'))
    return inOrder({ type: isError ? 'error-text' : 'text', value: textsIn(part).join('\n') })
  return inOrder({ type: 'content', value: outputList(output.parts, record, 'the SDK', outputPart, out) })
}

function outputPart(part: OutputPart): PlainObject | undefined {
  if (part.kind === 'text') return inOrder({ type: 'text', text: part.text })
  if (part.kind !== 'media') return undefined
  const { source, mediaType, filename } = part
  const isImage = mediaType?.startsWith('image/') === true
  if (source.kind === 'url') return inOrder({ type: isImage ? 'image-url' : 'file-url', url: source.url })
  const data = { data: source.data, mediaType: typeOf(part) }
  return isImage ? inOrder({ type: 'image-data', ...data }) : inOrder({ type: 'file-data', ...data, filename })
}

function mediaPart(part: MediaPart, role: PartRole): PlainObject {
  const { mediaType, source, filename } = part
  const data = source.kind === 'url' ? source.url : source.data
  return mediaType?.startsWith('image/') === true && role === 'user'
    ? inOrder({ type: 'image', image: data, mediaType: exactType(part) })
    : inOrder({ type: 'file', data, filename, mediaType: typeOf(part) })
}

function typeOf(part: Pick<MediaPart, 'source' | 'mediaType'>): string {
  const isImage = part.mediaType?.startsWith('image/') === true
  return exactType(part) ?? (isImage ? 'image/png' : 'application/octet-stream')
}
