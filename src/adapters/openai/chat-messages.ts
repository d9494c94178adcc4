// Chat Completions messages, written one by one so that the provider takes them.

import { textOf, byKeys, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { CallPart, Message, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import type { Pen } from '../conversation/request-format.js'
import { isGuessed, speakerOf } from '../conversation/speaker.js'
import { CHAT_KEYS, chatKeys } from './chat-keys.js'
import { namesCalls } from './chat-held.js'
import { CHAT, callId, chatCall, contentPart, isOlder, olderCall, validName } from './chat-parts.js'
import type { OpenAIChatText } from './chat-types.js'
import type { JsonValue, NodeRecord } from '../../core/index.js'

type Values = Record<string, PlainValue | undefined>

export class ChatMessages {
  readonly #pen: Pen
  readonly #made: PlainObject[] = []
  /** What tools and assistants gave that only a user may say. */
  #carried: PlainObject[] = []
  /** Ids of calls in the older form; their results are of the older form, too. */
  readonly #older = new Set<string>()
  readonly #calls = new Set<string>()

  constructor(pen: Pen) {
    this.#pen = pen
  }

  done(): readonly PlainObject[] {
    this.#flush()
    return this.#made
  }

  /** A message as it is. */
  put(made: PlainObject): void {
    this.#made.push(made)
  }

  /** A message, or what is left of it beside its results. */
  said(message: Message, parts: readonly Part[]): void {
    this.#flush()
    const values = this.#keys(message)
    const role = this.#role(message)
    values['role'] = role
    const calls = parts.filter((part) => part.kind === 'call')
    const said = parts.filter((part) => part.kind !== 'call' && part.kind !== 'gone' && !isEmpty(part))
    const text = this.#content(values, message, role, said)
    const owned = this.#putCalls(values, calls)
    if (!saysSomething(values)) return this.#leaveOut(message)
    const made = byKeys(CHAT_KEYS, values)
    if (parts.every((part) => part.record === message.record)) this.#pen.own(made, message.record)
    else {
      if (text !== undefined) this.#pen.ownAt(made, 'content', text.record)
      if (owned !== undefined) this.#pen.ownAt(made, 'function_call', owned.record)
    }
    this.#made.push(made)
  }

  result(message: Message, part: ResultPart): void {
    const isWhole = message.parts.length === 1
    const values = isWhole ? this.#keys(message) : {}
    const content = this.#output(part)
    if (message.format === CHAT && isWhole && !isSameOutput(part.record.content, content)) {
      this.#pen.note(
        'converted',
        part.record,
        `The result ${part.record.id} is sent as text: tools give nothing else here.`,
      )
    }
    const isOlderCall = this.#isOlder(message, part)
    if (message.format === CHAT && !isOlderCall && !namesCall(message, part)) {
      this.#pen.note('added', part.record, `The result ${part.record.id} is sent with the id of its call.`)
    }
    const answer = isOlderCall
      ? { role: 'function', name: validName(part.name ?? ''), content: textIn(content) }
      : { role: 'tool', content, tool_call_id: callId(part.callId) }
    this.#made.push(this.#pen.own(byKeys(CHAT_KEYS, { ...values, ...answer }), part.record))
  }

  /** A result whose call stands in an earlier turn, right before it, is of the form that its own message has. */
  #isOlder({ role, format }: Message, { callId: id }: ResultPart): boolean {
    return this.#calls.has(id) ? this.#older.has(id) : role === 'function' && format === CHAT
  }

  #keys(message: Message): Values {
    if (message.format === CHAT) return { ...chatKeys(message, this.#pen) }
    const keys = Object.keys(message.envelope)
    if (keys.length > 0) {
      const { record } = message
      const text = `The message ${record.id} is sent without ${keys.join(', ')}: only another provider knows it.`
      this.#pen.note('dropped-key', record, text)
    }
    return {}
  }

  #role(message: Message): string {
    const speaker = speakerOf(message)
    if (isGuessed(message)) {
      const { record, role } = message
      this.#pen.note(
        'converted',
        record,
        `The message ${record.id} is the ${speaker}'s: nobody knows the role ${role}.`,
      )
    }
    // Results are messages of their own; what a tool says besides is for the model to read.
    return speaker === 'tool' ? 'user' : speaker
  }

  /** Gives the part whose words the content is, where it is one text. */
  #content(values: Values, { form }: Message, role: string, parts: readonly Part[]): Part | undefined {
    const refusal = form === 'list' ? undefined : parts.find((part) => part.record.kind === 'refusal')
    if (refusal?.kind === 'text') values['refusal'] = refusal.text
    const said = parts.filter((part) => part !== refusal)
    const [only] = said
    if (form !== 'list' && said.length === 1 && only?.kind === 'text' && isBare(only)) {
      values['content'] = only.text
      return only
    }
    const list = said.flatMap((part) => this.#part(part, part.record, role) ?? [])
    if (list.length > 0) values['content'] = Object.freeze(list)
    else if (form === 'text' || form === 'null' || form === 'list') values['content'] = form === 'text' ? '' : null
    return undefined
  }

  #part(part: Part | OutputPart, record: NodeRecord, role: string): PlainObject | undefined {
    const made = contentPart(part, record, role, this.#pen)
    if (made !== undefined) return this.#pen.own(made, record)
    const carried = contentPart(part, record, 'user', this.#pen)
    if (carried === undefined) {
      this.#pen.note('left-out', record, `${record.id} is left out: Chat Completions has no place for it.`)
    } else {
      this.#pen.note('converted', record, `${record.id} stands in a message of the user: no other may have it.`)
      this.#carried.push(this.#pen.own(carried, record))
    }
    return undefined
  }

  /** Gives the call that stands in the older form, if one does. */
  #putCalls(values: Values, calls: readonly CallPart[]): CallPart | undefined {
    const [first] = calls
    if (first === undefined) return undefined
    for (const call of calls) this.#calls.add(call.callId)
    if (calls.length > 1 || !isOlder(first)) {
      values['tool_calls'] = Object.freeze(calls.map((call) => this.#pen.own(chatCall(call, this.#pen), call.record)))
      return undefined
    }
    values['function_call'] = olderCall(first, this.#pen)
    this.#older.add(first.callId)
    return first
  }

  #output({ output, record }: ResultPart): PlainValue {
    if (output.kind === 'text') return output.text
    if (output.kind === 'json') return textOf(output.value)
    const said = output.parts.filter((part) => part.kind !== 'text' || part.text !== '')
    const list = said.flatMap((part) => this.#part(part, record, 'tool') ?? [])
    return list.length === 0 ? '' : Object.freeze(list)
  }

  #leaveOut({ record, parts }: Message): void {
    if (parts.length === 0) return
    this.#pen.note('left-out', record, `The message ${record.id} is left out: it has nothing to say here.`)
  }

  #flush(): void {
    if (this.#carried.length === 0) return
    this.#made.push(byKeys(CHAT_KEYS, { role: 'user', content: Object.freeze(this.#carried) }))
    this.#carried = []
  }
}

/** No content at all, as a message without any holds it. */
function isEmpty(part: Part): boolean {
  return part.kind === 'other' && (part.raw === null || part.raw === '')
}

/** Whether a result came with the id under which it is sent. */
function namesCall({ role, envelope }: Message, { callId: id, record }: ResultPart): boolean {
  return role === 'tool' && record.callIds[0] === id && (!namesCalls({ envelope }) || envelope['tool_call_id'] === id)
}

/** Whether the content of a result is sent as it came. */
function isSameOutput(held: JsonValue | undefined, content: PlainValue): boolean {
  return Array.isArray(held) && Array.isArray(content) ? held.length === content.length : held === content
}

function isBare({ keys = {} }: Extract<Part, { kind: 'text' }>): boolean {
  return Object.keys(keys).length === 0
}

function saysSomething({ role, content, ...others }: Values): boolean {
  if (content !== undefined && content !== null && content !== '') return true
  const speaks = ['tool_calls', 'function_call', 'audio', 'refusal']
  return role === 'assistant' && speaks.some((key) => (others[key] ?? null) !== null)
}

/** The texts of a result, as one. */
function textIn(content: PlainValue): string {
  if (typeof content === 'string') return content
  const parts = content as readonly OpenAIChatText[]
  return parts.map(({ text }) => text).join('\n')
}
