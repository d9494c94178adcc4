// Chat Completions messages, written one by one so that the provider takes them.

import { byKeys, NO_KEYS, textOf, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { CallPart, Message, OutputPart, Part, ResultPart } from '../conversation/neutral.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { OTHERS_KNOW, validName } from '../conversation/write-part.js'
import { CHAT_KEYS, chatKeys, namesCalls } from './chat-held.js'
import { CHAT, callId, chatCall, contentPart, isOlder, LONGEST_NAME, olderCall } from './chat-parts.js'
import type { OpenAIChatText } from './chat-types.js'
import type { JsonValue, NodeRecord } from '../../core/index.js'

type Values = Record<string, PlainValue | undefined>

export class ChatMessages {
  readonly #out: RequestWriter
  readonly #made: PlainObject[] = []
  /** Media of tools and assistants, which only a user may say. */
  #carried: PlainObject[] = []
  /** Ids of calls in the older form; their results are of the older form, too. */
  readonly #older = new Set<string>()
  readonly #calls = new Set<string>()

  constructor(out: RequestWriter) {
    this.#out = out
  }

  done(): readonly PlainObject[] {
    this.#flush()
    return this.#made
  }

  /** A message as it is. */
  put(made: PlainObject): void {
    this.#made.push(made)
  }

  /** A message, or what is left of it without its results. */
  said(message: Message, parts: readonly Part[]): void {
    this.#flush()
    const keys = this.#keys(message)
    const role = this.#role(message)
    const calls: CallPart[] = []
    const said: Part[] = []
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!
      if (part.kind === 'call') calls.push(part)
      else if (part.kind !== 'gone' && !isEmpty(part)) said.push(part)
    }
    // In the order in which they are written.
    const values: Values = { role }
    const text = this.#content(values, message, role, said)
    const owned = this.#putCalls(values, calls)
    const all = keys === NO_KEYS ? values : { ...keys, ...values }
    if (!saysSomething(all)) return this.#leaveOut(message)
    const made = keys === NO_KEYS ? (Object.freeze(values) as PlainObject) : byKeys(CHAT_KEYS, all)
    if (areOf(message.record, parts)) this.#out.own(made, message.record)
    else {
      if (text !== undefined) this.#out.ownAt(made, 'content', text.record)
      if (owned !== undefined) this.#out.ownAt(made, 'function_call', owned.record)
    }
    this.#made.push(made)
  }

  result(message: Message, part: ResultPart): void {
    const isWhole = message.parts.length === 1
    const keys = isWhole ? this.#keys(message) : NO_KEYS
    const content = this.#output(part)
    if (message.format === CHAT && isWhole && !isSameOutput(part.record.content, content)) {
      this.#out.note(
        'converted',
        part.record,
        `The result ${part.record.id} is sent as text: tools give nothing else here.`,
      )
    }
    const isOlderCall = this.#isOlder(message, part)
    if (message.format === CHAT && !isOlderCall && !namesCall(message, part)) {
      this.#out.note('added', part.record, `The result ${part.record.id} is sent with the id of its call.`)
    }
    const answer = isOlderCall
      ? { role: 'function', content: textIn(content), name: validName(part.name ?? '', LONGEST_NAME) }
      : { role: 'tool', content, tool_call_id: callId(part.callId) }
    const made = keys === NO_KEYS ? Object.freeze(answer) : byKeys(CHAT_KEYS, { ...keys, ...answer })
    this.#made.push(this.#out.own(made, part.record))
  }

  /** A result whose call is in an earlier turn, right before it, has the form of its own message. */
  #isOlder({ role, format }: Message, { callId: id }: ResultPart): boolean {
    return this.#calls.has(id) ? this.#older.has(id) : role === 'function' && format === CHAT
  }

  #keys(message: Message): PlainObject {
    if (message.envelope === NO_KEYS) return NO_KEYS
    if (message.format === CHAT) return chatKeys(message, this.#out)
    this.#out.dropKeys(message.record, Object.keys(message.envelope), OTHERS_KNOW, 'The message ')
    return NO_KEYS
  }

  #role(message: Message): string {
    const speaker = this.#out.speakerOf(message)
    // Results are messages of their own; what a tool says besides is for the model to read.
    return speaker === 'tool' ? 'user' : speaker
  }

  /** Gives the part whose words the content is, where it is one text. */
  #content(values: Values, { form }: Message, role: string, parts: readonly Part[]): Part | undefined {
    const refusal = form === 'list' ? undefined : refusalIn(parts)
    const said = refusal === undefined ? parts : parts.filter((part) => part !== refusal)
    const [only] = said
    const isText = form !== 'list' && said.length === 1 && only?.kind === 'text' && isBare(only)
    if (isText) values['content'] = only.text
    else this.#list(values, form, role, said)
    if (refusal?.kind === 'text') values['refusal'] = refusal.text
    return isText ? only : undefined
  }

  #list(values: Values, form: Message['form'], role: string, said: readonly Part[]): void {
    const list: PlainObject[] = []
    for (const part of said) {
      const made = this.#part(part, part.record, role)
      if (made !== undefined) list.push(made)
    }
    if (list.length > 0) values['content'] = Object.freeze(list)
    else if (form === 'text' || form === 'null' || form === 'list') values['content'] = form === 'text' ? '' : null
  }

  #part(part: Part | OutputPart, record: NodeRecord, role: string): PlainObject | undefined {
    const made = contentPart(part, record, role, this.#out)
    if (made !== undefined) return this.#out.own(made, record)
    const carried = contentPart(part, record, 'user', this.#out)
    if (carried === undefined) {
      this.#out.note('left-out', record, `${record.id} is left out: Chat Completions has no place for it.`)
    } else {
      this.#out.note('converted', record, `${record.id} stands in a message of the user: no other may have it.`)
      this.#carried.push(this.#out.own(carried, record))
    }
    return undefined
  }

  /** The call in the older form, if there is one. */
  #putCalls(values: Values, calls: readonly CallPart[]): CallPart | undefined {
    const [first] = calls
    if (first === undefined) return undefined
    for (const call of calls) this.#calls.add(call.callId)
    if (calls.length > 1 || !isOlder(first)) {
      values['tool_calls'] = Object.freeze(calls.map((call) => this.#out.own(chatCall(call, this.#out), call.record)))
      return undefined
    }
    values['function_call'] = olderCall(first, this.#out)
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
    this.#out.note('left-out', record, `The message ${record.id} is left out: it has nothing to say here.`)
  }

  #flush(): void {
    if (this.#carried.length === 0) return
    this.#made.push(byKeys(CHAT_KEYS, { role: 'user', content: Object.freeze(this.#carried) }))
    this.#carried = []
  }
}

function areOf(record: NodeRecord, parts: readonly Part[]): boolean {
  for (let i = 0; i < parts.length; i++) if (parts[i]!.record !== record) return false
  return true
}

function refusalIn(parts: readonly Part[]): Part | undefined {
  for (let i = 0; i < parts.length; i++) if (parts[i]!.record.kind === 'refusal') return parts[i]
  return undefined
}

/** No content at all, as a message without any holds it. */
function isEmpty(part: Part): boolean {
  return part.kind === 'other' && (part.raw === null || part.raw === '')
}

/** True if a result came with the id under which it is sent. */
function namesCall({ role, envelope }: Message, { callId: id, record }: ResultPart): boolean {
  return role === 'tool' && record.callIds[0] === id && (!namesCalls({ envelope }) || envelope['tool_call_id'] === id)
}

/** True if the content of a result is sent as it came. */
function isSameOutput(held: JsonValue | undefined, content: PlainValue): boolean {
  return Array.isArray(held) && Array.isArray(content) ? held.length === content.length : held === content
}

function isBare({ keys }: Extract<Part, { kind: 'text' }>): boolean {
  return keys === undefined || Object.keys(keys).length === 0
}

function saysSomething(values: Values): boolean {
  const { role, content } = values
  if (content !== undefined && content !== null && content !== '') return true
  return role === 'assistant' && SPEAKING.some((key) => (values[key] ?? null) !== null)
}

const SPEAKING: readonly string[] = ['tool_calls', 'function_call', 'audio', 'refusal']

/** The texts of a result, as one. */
function textIn(content: PlainValue): string {
  if (typeof content === 'string') return content
  const parts = content as readonly OpenAIChatText[]
  return parts.map(({ text }) => text).join('\n')
}
