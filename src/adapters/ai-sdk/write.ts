// Messages of a turn as ModelMessages: results in a tool message, texts of the system alone, approvals with the calls they are about.

import type { Message, Part } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { isGuessed, speakerOf, type Speaker } from '../conversation/speaker.js'
import { withKnownApprovals } from './approvals.js'
import { MESSAGE_KEYS } from './fits.js'
import { partOf, type PartRole } from './parts.js'
import { untag } from './tagged.js'
import type { ModelMessageOptions } from './types.js'

export function writeModelMessages(
  messages: readonly Message[],
  pen: Pen,
  options: ModelMessageOptions,
): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const writer = new Writer(pen, options)
  for (const message of withKnownApprovals(messages, pen)) writer.add(message)
  return writer.written
}

class Writer {
  readonly written: PlainObject[] = []
  readonly #pen: Pen
  readonly #options: ModelMessageOptions
  /** Whether the last message came as it is. */
  #isOwn = false

  constructor(pen: Pen, options: ModelMessageOptions) {
    this.#pen = pen
    this.#options = options
  }

  add(message: Message): void {
    if (message.parts.length === 0) return
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
      this.#put(this.#pen.own(made, record), message)
    }
    const rest = parts.filter((part) => part.kind !== 'text')
    if (rest.length === 0) return
    this.#pen.note('converted', record, `What ${record.id} holds beside text stands in a message of the user.`)
    this.#say(message, rest, 'user')
  }

  #say(message: Message, parts: readonly Part[], role: PartRole): void {
    const [only] = parts
    if (only === undefined) return
    if (
      parts.length === 1 &&
      only.kind === 'text' &&
      only.keys === undefined &&
      only.raw === undefined &&
      role !== 'tool'
    ) {
      const { record } = message.parts.length === 1 ? message : only
      this.#put(this.#pen.own(inOrder({ role, content: only.text }, this.#keys(message)), record), message)
      return
    }
    const content: PlainObject[] = []
    for (const part of this.#ran(parts)) {
      const made = partOf(part, role, this.#pen)
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

  /** Results of tools that the provider ran stand behind their calls, in one message. */
  #ran(parts: readonly Part[]): readonly Part[] {
    if (!parts.some(isProviders)) return parts
    const calls = new Set<unknown>()
    const ids = new Set(parts.flatMap((part) => (part.kind === 'call' ? [part.callId] : [])))
    return parts.filter((part) => {
      if (!isProviders(part)) return true
      const { type, toolCallId } = part.raw as PlainObject
      const isRight =
        type === 'tool-result' ? calls.delete(toolCallId) : !ids.has(toolCallId as string) && !calls.has(toolCallId)
      if (isRight && type === 'tool-call') {
        calls.add(toolCallId)
        ids.add(toolCallId as string)
      }
      const { record } = part
      if (!isRight)
        this.#pen.note('left-out', record, `${record.id} is left out: its call is gone, or stands there twice.`)
      return isRight
    })
  }

  #speaker(message: Message): Speaker {
    const { record, role } = message
    const speaker = speakerOf(message)
    if (isGuessed(message))
      this.#pen.note(
        'converted',
        record,
        `The message ${record.id} is the ${speaker}'s: nobody knows the role ${role}.`,
      )
    if ((speaker !== 'system' && speaker !== 'developer') || this.#options.systemMessages !== 'user') return speaker
    this.#pen.note('moved-system', record, `The system message ${record.id} is given as the user's.`)
    return 'user'
  }

  /** The SDK takes any key, and loses those that it does not know. */
  #keys(message: Message): PlainObject {
    if (!isOwn(message)) return NO_KEYS
    return MESSAGE_KEYS(untag(plainObject(message.envelope)) as PlainObject, new Set()) as PlainObject
  }
}

/** Whether it is a call or a result of a tool that the provider ran. */
function isProviders({ kind, shape, raw }: Part): boolean {
  if (kind !== 'other' || shape !== 'ai-sdk' || !isObject(raw)) return false
  return raw['type'] === 'tool-call' || raw['type'] === 'tool-result'
}

/** What a tool message holds. */
function isForTools(part: Part): boolean {
  if (part.kind === 'result') return true
  return (
    part.kind === 'other' &&
    part.shape === 'ai-sdk' &&
    isObject(part.raw) &&
    part.raw['type'] === 'tool-approval-response'
  )
}

/** A message as the tree holds it: to the letter, if it came as one. */
function asHeld(message: Message, pen: Pen): PlainObject {
  const { role = 'user', form, parts, record } = message
  const own = isOwn(message)
  const envelope = own ? (untag(plainObject(message.envelope)) as PlainObject) : {}
  const speaker = own ? role : speakerOf(message)
  if (own && form === 'absent') return pen.own(inOrder({ role: speaker }, envelope), record)
  if (record.nodeClass === 'block' && (own || (parts.length === 1 && parts[0]!.kind === 'text'))) {
    return pen.own(
      inOrder(
        { role: speaker, content: untag(record.content === undefined ? '' : record.content) as PlainValue },
        envelope,
      ),
      record,
    )
  }
  const place = speaker === 'assistant' || speaker === 'tool' ? speaker : 'user'
  return inOrder({ role: speaker, content: parts.flatMap((part) => elementOf(part, place, pen)) }, envelope)
}

function elementOf(part: Part, role: PartRole, pen: Pen): readonly PlainValue[] {
  const { record } = part
  if (record.kind === 'string' || record.kind === 'value') return [untag(record.content ?? '') as PlainValue]
  const made = partOf(part, role, pen)
  return made === undefined ? [] : [made]
}

export function isOwn({ format }: Message): boolean {
  return format === 'ai-sdk'
}
