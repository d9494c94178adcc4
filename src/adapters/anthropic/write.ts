// Messages of a turn as Claude takes them: user and assistant, results in a user's message directly behind the calls, thoughts as
// they came. Where a message stands in the whole request is looked at in places.ts.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import { hasKind, type Message, type Part } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { isGuessed, speakerOf } from '../conversation/speaker.js'
import { blockOf, heldBlock, type Role } from './blocks.js'
import { CallIds } from './call-ids.js'
import { SYSTEM_KEYS } from './fits.js'
import { blocksIn, messageLike } from './made.js'
import { withoutHalves } from './server-tools.js'
import type { AnthropicOptions } from './types.js'

export function writeMessages(
  messages: readonly Message[],
  pen: Pen,
  options: AnthropicOptions,
): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const writer = new Writer(pen, options)
  for (let i = 0; i < messages.length; i++) writer.add(messages[i]!)
  const whole = withoutHalves(writer.written, pen)
  return whole.some(endsWithThought) ? whole.flatMap((message) => withoutLastThoughts(message, pen)) : whole
}

class Writer {
  readonly written: PlainObject[] = []
  readonly #pen: Pen
  readonly #options: AnthropicOptions
  readonly #ids: CallIds
  /** The last message, where it came from Claude, was only results, or both. */
  #isOwn = false
  #isResults = false

  constructor(pen: Pen, options: AnthropicOptions) {
    this.#pen = pen
    this.#options = options
    this.#ids = new CallIds(pen)
  }

  add(message: Message): void {
    const role = this.#role(message)
    const keys = this.#keys(message, role)
    if (isDirective(message, role, keys)) {
      const content = message.form === 'list' ? EMPTY_LIST : undefined
      this.#put(this.#pen.own(inOrder({ role, content }, keys), message.record), message)
      return
    }
    // A user may say all of it, and most others say nothing that only a user may.
    if (role === 'user' || !hasUsers(message.parts)) return this.#said(message, message.parts, role, keys)
    const results = message.parts.filter((part) => part.kind === 'result')
    const rest = message.parts.filter((part) => part.kind !== 'result')
    this.#said(message, results, 'user', NO_KEYS)
    const media = rest.filter((part) => part.kind === 'media')
    for (const { record } of media) {
      this.#pen.note('converted', record, `${record.id} stands in a message of the user: no other may have it.`)
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
      this.#put(this.#pen.own(inOrder({ role, content: only!.text }, keys), record), message)
      return
    }
    const blocks: PlainObject[] = []
    const wanted = this.#wanted(parts)
    for (let i = 0; i < wanted.length; i++) {
      const block = blockOf(wanted[i]!, this.#ids.of(wanted[i]!), role, this.#pen)
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
    this.written.push(this.#pen.comesFrom(made, message.record))
    this.#isOwn = isOwn(message)
    this.#isResults = false
  }

  #wanted(parts: readonly Part[]): readonly Part[] {
    if (this.#options.thinking !== 'off') return parts
    return parts.filter(({ kind, record }) => {
      if (kind !== 'reasoning') return true
      this.#pen.note('left-out', record, `The thought ${record.id} is left out: thinking is off in this call.`)
      return false
    })
  }

  #role(message: Message): Role {
    const { record, role } = message
    const speaker = speakerOf(message)
    if (isGuessed(message))
      this.#pen.note(
        'converted',
        record,
        `The message ${record.id} is the ${speaker}'s: nobody knows the role ${role}.`,
      )
    if (speaker === 'assistant') return 'assistant'
    if (speaker !== 'system' && speaker !== 'developer') return 'user'
    if (this.#options.systemMessages !== 'user') return 'system'
    const why = 'this model takes none in mid-conversation'
    this.#pen.note('moved-system', record, `The system message ${record.id} is given as the user's: ${why}.`)
    return 'user'
  }

  /** The keys that go with a message; Claude takes them from system messages only. */
  #keys({ envelope, format, record }: Message, role: Role): PlainObject {
    const keys = Object.keys(envelope)
    if (keys.length === 0) return NO_KEYS
    const kept =
      role === 'system' && format === 'anthropic'
        ? (SYSTEM_KEYS(plainObject(envelope), new Set()) as PlainObject)
        : NO_KEYS
    const dropped = keys.filter((key) => !Object.hasOwn(kept, key) && !ELSEWHERE.includes(key))
    if (dropped.length > 0) {
      const text = `The message ${record.id} is sent without ${dropped.join(', ')}: Claude refuses such keys.`
      this.#pen.note('dropped-key', record, text)
    }
    return kept
  }
}

const EMPTY_LIST: readonly PlainValue[] = Object.freeze([])
/** Keys of other formats whose values stand in a block here. */
const ELSEWHERE: readonly string[] = ['tool_call_id', 'tool_calls', 'call_id', 'type', 'role']

/** A system message that only sets the output says nothing besides. */
function isDirective({ parts, form }: Message, role: Role, keys: PlainObject): boolean {
  return role === 'system' && isObject(keys['output_config']) && (parts.length === 0 || form === 'absent')
}

export function saysWithoutParts({ role, envelope, format }: Message): boolean {
  return role === 'system' && format === 'anthropic' && isObject(envelope['output_config'])
}

/** Whether a text is nothing but itself: it came as one, or as a part without any other key. */
function isBare({ keys, raw }: Extract<Part, { kind: 'text' }>): boolean {
  return keys === undefined && raw === undefined
}

function endsWithThought(message: PlainObject): boolean {
  const last = blocksIn(message).at(-1)
  return last !== undefined && isThought(last) && message['role'] === 'assistant'
}

/** A thought that nothing follows from any more cannot be given back. */
function withoutLastThoughts(message: PlainObject, pen: Pen): readonly PlainObject[] {
  if (!endsWithThought(message)) return [message]
  const blocks = blocksIn(message)
  const end = blocks.findLastIndex((block) => !isThought(block)) + 1
  const record = pen.originOf(message)
  const text = 'A thought at the end of a message is left out: nothing follows from it any more.'
  if (record !== undefined) pen.note('left-out', record, text)
  return end === 0 ? [] : [messageLike('assistant', Object.freeze(blocks.slice(0, end)), message, pen)]
}

/** What a block holds, null too. */
function contentOf({ content }: NodeRecord): JsonValue {
  return content === undefined ? '' : content
}

/** A message as the tree holds it: to the letter, if it came from Claude. */
function asHeld(message: Message, pen: Pen): PlainObject {
  const { role = 'user', form, parts, record } = message
  const own = isOwn(message)
  const envelope = own ? plainObject(message.envelope) : {}
  const speaker = own || role === 'assistant' || role === 'system' ? role : 'user'
  if (own && form === 'absent') return pen.own(inOrder({ role: speaker }, envelope), record)
  if (own && form !== 'list' && record.nodeClass === 'block') {
    return pen.own(inOrder({ role: speaker, content: plainJson(contentOf(record)) }, envelope), record)
  }
  const [only] = parts
  if (!own && parts.length === 1 && only!.kind === 'text')
    return pen.own(inOrder({ role: speaker, content: only!.text }), record)
  return inOrder({ role: speaker, content: parts.flatMap((part) => heldElement(part, pen)) }, envelope)
}

export function heldElement(part: Part, pen: Pen): readonly PlainValue[] {
  const { record } = part
  if (record.kind === 'string' || record.kind === 'value') return [plainJson(record.content ?? '')]
  const made = heldBlock(part, pen)
  return made === undefined ? [] : [made]
}

export function isOwn({ format }: Message): boolean {
  return format === 'anthropic'
}

/** Whether there is something that stands in messages of the user alone. */
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
