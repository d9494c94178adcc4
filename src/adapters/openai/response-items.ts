// Responses items, written one by one so that the provider takes them.

import type { JsonObject, JsonValue, NodeRecord } from '../../core/index.js'
import {
  ATTRIBUTES,
  type CallPart,
  isAsThought,
  type Message,
  type Part,
  type ResultPart,
  type TextPart,
} from '../conversation/neutral.js'
import { byKeys, isObject, NO_KEYS, type PlainObject, type PlainValue, textOf } from '../conversation/plain-json.js'
import { objectIn } from '../conversation/read-part.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { anything, type Dropped, droppedKeys, type Fit, likeDropped } from '../conversation/fit.js'
import {
  callId,
  CarryingWriter,
  hasNoKeys,
  inputText,
  OTHERS_KNOW,
  toolName,
  validName,
  withKeys,
  type IdRule,
} from '../conversation/write-part.js'
import { madeAnswer } from './response-answers.js'
import { isChained, isForeign } from './response-chain.js'
import { CALLS, HOSTED, isLate, ITEM_KINDS, itemKind, MESSAGE_KEYS, partsBy } from './response-kinds.js'
import { asInput, byNode, isMessageNode, ITEM_ORDER, ITEM_FORM } from './response-parts.js'
import { NODE, RESPONSES } from './response-read.js'

export type ItemOptions = Readonly<{ store?: boolean | undefined }>

export class ResponseItems extends CarryingWriter {
  readonly #options: ItemOptions
  /** Calls whose answers are still to come. */
  readonly #open = new Set<string>()
  /** By the id of a call: the call, and the kind that it was written as. */
  readonly #kinds = new Map<string, Readonly<{ kind: string; call: CallPart }>>()
  readonly #results: ReadonlyMap<string, ResultPart>
  readonly #ids = new Set<string>()
  readonly #asked = new Set<string>()
  /** True for the reply that is being written: a thought of it is missing, so its items go without their ids. */
  #isLoose = false
  /** True for a reply of a server whose ids do not begin as OpenAI's do. */
  #isForeign = false

  constructor(messages: readonly Message[], out: RequestWriter, options: ItemOptions) {
    super(ITEM_FORM, out)
    this.#options = options
    const results = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === 'result'))
    this.#results = new Map(results.map((part) => [part.callId, part]))
  }

  override done(): readonly PlainObject[] {
    this.#open.clear()
    return super.done()
  }

  /** The parts that had to wait come once all calls before them are answered. */
  protected override flush(): void {
    if (this.#open.size === 0) super.flush()
  }

  message(message: Message): void {
    if (message.format === RESPONSES) return this.#own(message)
    this.out.dropKeys(message.record, Object.keys(message.envelope), OTHERS_KNOW, 'The message ')
    let said: Part[] = []
    for (let i = 0; i < message.parts.length; i++) {
      const part = message.parts[i]!
      if (part.kind !== 'call' && part.kind !== 'result') {
        said.push(part)
        continue
      }
      this.#say(message, said, NO_KEYS)
      said = []
      this.#step(part)
    }
    this.#say(message, said, NO_KEYS)
  }

  /** Item by item; a reply whose thoughts cannot all be sent goes without thoughts and ids. */
  #own(message: Message): void {
    this.#isForeign = isForeign(message)
    this.#isLoose = !isChained(message, (parts, id) => this.#isSent(parts, id))
    for (const parts of byNode(message.parts)) {
      const [first] = parts
      const { record } = first!
      if (first!.kind === 'gone') continue
      if (isMessageNode(record)) {
        const role = this.role(message)
        this.#say(message, parts, this.#messageKeys(record, role !== message.role), role)
      } else if (first!.kind === 'call' || first!.kind === 'result') this.#step(first!)
      else if (first!.shape === RESPONSES && isObject(first!.raw)) this.#item(message, first!, first!.raw)
      else this.#say(message, parts, NO_KEYS)
    }
    this.#isLoose = false
    this.#isForeign = false
  }

  /** True if an item can be sent with its id, or came without one. */
  #isSent(parts: readonly Part[], id: string | undefined): boolean {
    const { kind, raw, record } = parts[0]!
    if (isMessageNode(record) && !parts.some((part) => this.#isSaid(part))) return false
    const item = raw as JsonObject
    const type = isObject(raw) ? (itemKind(item) ?? '') : ''
    if (!isMessageNode(record) && !this.#isTaken(item, type, record)) return false
    if (kind === 'reasoning') {
      const isKept = this.#options.store !== false || !isUnsealed(item)
      return isKept && id !== undefined && this.#isFree(id, PREFIXES['reasoning']!)
    }
    const prefix = type === 'function_call' ? PREFIXES['function_call']! : ''
    return id === undefined || this.#isFree(id, prefix)
  }

  /** True if a part of the assistant's message is written; an edit may have made one of another kind. */
  #isSaid({ kind, raw, shape, record }: Part): boolean {
    if (kind === 'text' || shape !== RESPONSES || !isObject(raw)) return kind === 'text'
    return partsBy('assistant')(raw as PlainObject, this.out.droppedOf(record)) !== undefined
  }

  /** `isOther`: the message is sent with another role than it came with. */
  #messageKeys(record: NodeRecord, isOther: boolean): PlainObject {
    const { type, ...given } = objectIn(record, ATTRIBUTES.message) ?? {}
    const { id, ...rest } = withKeys(given, MESSAGE_KEYS, record, this.out)!
    if (isOther) {
      this.out.dropKeys(record, Object.keys({ ...rest, ...(id === undefined ? {} : { id }) }), 'its role is another')
      return type === 'message' ? { type } : {}
    }
    // A text in the place of the parts is another message than the one of that id.
    const isText = typeof record.content === 'string'
    if (isText) {
      const { status, ...others } = rest
      this.out.dropKeys(
        record,
        [...(id === undefined ? [] : ['id']), ...(status === undefined ? [] : ['status'])],
        'its content is another',
      )
      return { ...others, ...(type === 'message' ? { type } : {}) }
    }
    const isFresh = typeof id === 'string' && !this.#isLoose && this.#isFresh(id, 'msg')
    if (id !== undefined && !isFresh) this.#noteId(record)
    return { ...rest, ...(type === 'message' ? { type } : {}), ...(isFresh ? { id } : {}) }
  }

  /** A message with these parts, if they say anything. */
  #say(message: Message, parts: readonly Part[], keys: PlainObject, given?: string): void {
    this.flush()
    if (parts.length === 0) return
    const first = parts[0]!
    const { record } = first
    const role = given ?? this.role(message)
    const bare = parts.length === 1 && first.kind === 'text' && isBare(first) ? first.text : undefined
    const content = bare ?? Object.freeze(this.parts(parts, role))
    if (content.length === 0 && bare === undefined) return
    const made = byKeys(ITEM_ORDER, { ...keys, role, content })
    if (bare !== undefined || parts.every((part) => part.record === record)) this.out.own(made, record)
    this.made.push(record.kind === NODE.input ? asInput(made, record) : made)
  }

  #leaveOut(record: NodeRecord): void {
    this.out.leaveOut({ record }, 'the Responses API has no place for it')
  }

  #step(part: CallPart | ResultPart): void {
    if (part.kind === 'call') this.#call(part)
    else this.#result(part)
  }

  #call(call: CallPart): void {
    this.flush()
    if (this.#results.has(call.callId) && !isLate(call)) this.#open.add(call.callId)
    const { record } = call
    const kind = this.#callKind(call)
    this.#kinds.set(call.callId, { kind, call })
    const own = call.shape === RESPONSES && isObject(call.raw) ? call.raw : NO_KEYS
    const id = callId(call, ID, this.out)
    const isNamed = 'name' in ITEM_KINDS[kind]!.needs
    const name = isNamed ? toolName(call, LONGEST_NAME, this.out) : validName(call.name, LONGEST_NAME)
    const isNative = own !== NO_KEYS && itemKind(own) === kind
    // Whatever is not the kind that it came as is a function's.
    if (!isNative) {
      if (call.shape === RESPONSES) this.#noteKind(record)
      this.#put({ type: kind, call_id: id, name, arguments: inputText(call) }, record)
      return
    }
    const told =
      kind === 'function_call'
        ? { call_id: id, name, arguments: inputText(call) }
        : kind === 'custom_tool_call'
          ? { call_id: id, name, input: inputText(call) }
          : { call_id: id }
    const isSame = Object.entries(told).every(
      ([key, value]) => own[key] === value || key === 'call_id' || key === 'name',
    )
    if (!isSame) this.#noteKind(record)
    this.#add({ ...own, ...told }, record)
  }

  /** True if a result came as an item of this kind, and still is one. */
  #isAnswer({ shape, raw, isStub, record }: ResultPart, kind: string): boolean {
    if (isStub || shape !== RESPONSES || !isObject(raw) || itemKind(raw) !== kind) return false
    return isWhole(raw, kind, this.out.droppedOf(record))
  }

  #noteKind(record: NodeRecord): void {
    this.out.note(
      'converted',
      record,
      `${record.id} is written as another kind of item, or as text: its own would be refused.`,
    )
  }

  /** A call stays what it is if its answer does; else it is a function's. */
  #callKind(call: CallPart): string {
    const kind = call.shape === RESPONSES && isObject(call.raw) ? (itemKind(call.raw) ?? '') : ''
    const result = this.#results.get(call.callId)
    if (kind === 'custom_tool_call') return kind
    const own = call.raw as JsonObject
    if (kind === '' || kind === 'function_call' || !isWhole(own, kind, this.out.droppedOf(call.record)))
      return 'function_call'
    if (this.#isLoose && Object.hasOwn(ITEM_KINDS[kind]!.needs, 'id')) return 'function_call'
    if (result === undefined || this.#isAnswer(result, CALLS[kind]!.answer)) return kind
    return madeAnswer(kind, own, result) === undefined ? 'function_call' : kind
  }

  #result(part: ResultPart): void {
    this.#open.delete(part.callId)
    const { record } = part
    const own = part.shape === RESPONSES && isObject(part.raw) ? part.raw : NO_KEYS
    const ownKind = itemKind(own) ?? ''
    const asked = this.#kinds.get(part.callId)
    const kind =
      asked === undefined
        ? Object.hasOwn(ITEM_KINDS, ownKind)
          ? ownKind
          : 'function_call_output'
        : CALLS[asked.kind]!.answer
    const id = callId(part, ID, this.out)
    const isPlain = kind === 'function_call_output' || kind === 'custom_tool_call_output'
    const idKey = kind === 'local_shell_call_output' ? 'id' : 'call_id'
    const isMade = asked !== undefined && !isPlain && !this.#isAnswer(part, kind)
    const made = isMade ? madeAnswer(asked.kind, asked.call.raw as JsonObject, part) : undefined
    const base = made !== undefined ? { type: kind, ...made } : ownKind === kind ? own : { type: kind }
    const isSame = ownKind === kind && (!isPlain || isOutput(own['output']))
    if (part.shape === RESPONSES && !isSame) this.#noteKind(record)
    if (isPlain && ownKind !== kind) return this.#put({ type: kind, call_id: id, output: this.#output(part) }, record)
    const item = { ...base, [idKey]: id, ...(isPlain ? { output: this.#output(part) } : {}) }
    this.#add(item, record, made !== undefined)
  }

  #output({ output, record }: ResultPart): PlainValue {
    if (output.kind === 'text') return output.text
    if (output.kind === 'json') return textOf(output.value)
    const list = this.parts(output.parts, 'tool', record)
    return list.length === 0 && output.parts.length > 0 ? '' : Object.freeze(list)
  }

  /** An item that is neither a message nor a call of the caller's tools. */
  #item(message: Message, part: Part, item: JsonObject): void {
    const { kind, record } = part
    const type = itemKind(item) ?? ''
    if (this.#options.store === false && (type === 'item_reference' || (kind === 'reasoning' && isUnsealed(item)))) {
      return this.out.leaveOut(part, 'the provider keeps nothing that it could mean')
    }
    if (this.#isLoose && kind === 'reasoning') {
      const why = isAsThought(record) ? 'what it led to is gone, or another thought of its reply' : 'it was changed'
      return this.out.note('left-out', record, `The reasoning ${record.id} is left out: ${why}.`)
    }
    if (this.#isLoose && HOSTED.has(type) && item['id'] !== undefined) return this.#unhosted(message, part)
    const { id, approval_request_id: asked } = item
    if (type === 'mcp_approval_response' && (typeof asked !== 'string' || !this.#asked.delete(asked))) {
      return this.#leaveOut(record)
    }
    this.flush()
    const { length } = this.made
    this.#add(item, record)
    // Only a request that is sent can be answered.
    const isMade = this.made.length > length
    if (type === 'mcp_approval_request' && typeof id === 'string' && isMade) this.#asked.add(id)
  }

  /** A call of a hosted tool without its thought: its words or its picture stay. */
  #unhosted(message: Message, part: Part): void {
    const { record } = part
    if (part.kind === 'media') return this.#say(message, [part], NO_KEYS)
    const words = part.kind === 'other' ? part.words : undefined
    if (words === undefined) return this.out.leaveOut(part, 'the thought that led to it is missing')
    this.out.note('converted', record, `${record.id} is given as text: the thought that led to it is missing.`)
    this.flush()
    this.#put({ role: 'assistant', content: words }, record)
  }

  /** An item that was made here, with its keys in their order. */
  #put(item: Record<string, PlainValue>, record: NodeRecord): void {
    this.made.push(this.out.own(Object.freeze(item), record))
  }

  /** An item with the keys that its kind may have, if it has those that it needs. */
  #add(item: JsonObject, record: NodeRecord, isMade = false): void {
    const kind = itemKind(item) ?? ''
    const dropped = isMade ? NOT_CHANGED : this.out.droppedOf(record)
    if (!this.#isTaken(item, kind, record, dropped)) return this.#leaveOut(record)
    const { needs, fit } = Object.hasOwn(ITEM_KINDS, kind) ? ITEM_KINDS[kind]! : ANY_ITEM
    const made = withKeys(item, fit, record, this.out, isMade)!
    const { id, ...rest } = made
    if (this.#isLoose && id !== undefined && !Object.hasOwn(needs, 'id')) {
      this.#noteId(record)
      this.made.push(this.out.own(byKeys(ITEM_ORDER, rest), record))
      return
    }
    const isOnce =
      typeof id !== 'string' || kind === 'local_shell_call_output' || this.#isFresh(id, PREFIXES[kind] ?? '')
    if (!isOnce && Object.hasOwn(needs, 'id')) return this.#leaveOut(record)
    if (!isOnce) this.#noteId(record)
    this.made.push(this.out.own(byKeys(ITEM_ORDER, isOnce ? made : rest), record))
  }

  /** True for an item of a kind that is known, with what it needs, and for one of another kind that is what it was. */
  #isTaken(item: JsonObject, kind: string, record: NodeRecord, dropped = this.out.droppedOf(record)): boolean {
    if (Object.hasOwn(ITEM_KINDS, kind)) return isWhole(item, kind, dropped)
    return kind !== '' && kind !== 'message' && this.out.keepsUnknown(record)
  }

  #noteId(record: NodeRecord): void {
    const why = this.#isLoose ? 'a thought of its reply is missing' : 'it would be refused, or another has it'
    this.out.note('dropped-key', record, `${record.id} is sent without its id: ${why}.`)
  }

  /** True if an id is allowed in the request and not used yet. */
  #isFresh(id: string, prefix: string): boolean {
    const isFree = this.#isFree(id, prefix)
    if (isFree) this.#ids.add(id)
    return isFree
  }

  #isFree(id: string, prefix: string): boolean {
    if (!this.#isForeign && !id.startsWith(prefix)) return false
    return /^[a-zA-Z0-9_-]{1,64}$/.test(id) && !this.#ids.has(id) && !this.out.taken.has(id)
  }
}

/** True for a thought that only the provider's own copy makes readable. */
function isUnsealed(item: JsonObject): boolean {
  return (item['encrypted_content'] ?? '') === ''
}

/** A text that did not come as a part. */
function isBare(part: TextPart): boolean {
  return !isObject(part.raw) && hasNoKeys(part)
}

function isOutput(output: JsonValue | undefined): boolean {
  return typeof output === 'string' || Array.isArray(output)
}

/** The prefixes of ids, for the kinds where the provider looks. */
const PREFIXES: Readonly<Record<string, string>> = { function_call: 'fc', reasoning: 'rs' }

/** An item of a kind that is not known here. */
const ANY_ITEM: Readonly<{ needs: Readonly<Record<string, Fit>>; fit: Fit }> = { needs: {}, fit: anything }

/** Of an item that was made here. */
const NOT_CHANGED = droppedKeys(false, false)

/** True if an item has what its kind needs. */
function isWhole(item: JsonObject, kind: string, dropped: Dropped): boolean {
  const isThere = ([key, fit]: readonly [string, Fit]): boolean =>
    item[key] !== undefined && fit(item[key] as PlainValue, likeDropped(dropped)) !== undefined
  return Object.entries(ITEM_KINDS[kind]!.needs).every(isThere) && (kind !== 'reasoning' || isReasoning(item))
}

function isReasoning({ summary, content = [] }: JsonObject): boolean {
  const areTexts = (list: unknown, type: string): boolean =>
    Array.isArray(list) &&
    list.every((part) => isObject(part) && part['type'] === type && typeof part['text'] === 'string')
  return areTexts(summary, 'summary_text') && areTexts(content, 'reasoning_text')
}

const ID: IdRule = { fits: /^.{1,64}$/s, why: 'theirs is longer than the provider takes' }

const LONGEST_NAME = 128
