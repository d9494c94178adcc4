// Messages of a turn as Claude takes them: user and assistant, results in a user's message directly behind the calls, thoughts as
// they came. places.ts checks the place of a message in the whole request.

import { hasKind, type Message, type Part } from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import { heldMessage, onlyText, type HeldForm } from '../conversation/held.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { writtenPart } from '../conversation/part-form.js'
import { isBare, isOf } from '../conversation/write-part.js'
import { BLOCK, blocksIn, CallIds, messageLike } from './blocks.js'
import { SYSTEM_KEYS, type Role } from './kinds.js'
import { withoutHalves } from './server-tools.js'
import type { AnthropicOptions } from './types.js'

export function writeMessages(
  messages: readonly Message[],
  out: RequestWriter,
  options: AnthropicOptions,
): readonly PlainObject[] {
  if (!out.repair) return messages.map((message) => heldMessage(message, heldForm(out), out))
  const writer = new Writer(out, options)
  for (let i = 0; i < messages.length; i++) writer.add(messages[i]!)
  const whole = withoutHalves(writer.written, out)
  return whole.some(endsWithThought) ? whole.flatMap((message) => withoutLastThoughts(message, out)) : whole
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
      this.#out.note('converted', record, `${record.id} stands in a message of the user: no other may have it.`)
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
        ? (SYSTEM_KEYS(plainObject(envelope), new Set()) as PlainObject)
        : NO_KEYS
    const dropped = keys.filter((key) => !Object.hasOwn(kept, key) && !ELSEWHERE.includes(key))
    this.#out.dropKeys(record, dropped, 'Claude refuses such keys', 'The message ')
    return kept
  }
}

const EMPTY: PlainObject = BLOCK.text('')
const EMPTY_LIST: readonly PlainValue[] = Object.freeze([])
/** Keys of other formats whose values are in a block here. */
const ELSEWHERE: readonly string[] = ['tool_call_id', 'tool_calls', 'call_id', 'type', 'role']

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

/** A thought that nothing follows from any more cannot be given back. */
function withoutLastThoughts(message: PlainObject, out: RequestWriter): readonly PlainObject[] {
  if (!endsWithThought(message)) return [message]
  const blocks = blocksIn(message)
  const end = blocks.findLastIndex((block) => !isThought(block)) + 1
  out.noteOf(message, 'left-out', 'A thought at the end of a message is left out: nothing follows from it any more.')
  return end === 0 ? [] : [messageLike('assistant', Object.freeze(blocks.slice(0, end)), message, out)]
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
