// A reply of a model, put into the open turn: whole or not at all, with the calls it asks for and the reason of its end in a form that is the same for all
// providers. A call whose arguments were cut off is marked: executing it would do something that the model never asked for.

import { CUT } from '../../codec/index.js'
import {
  type AnyContext,
  type Attempt,
  type Received,
  type ReceivedCall,
  type ReceiveOptions,
  renderSource,
} from '../../context/index.js'
import type { Covers, JsonObject, Stop } from '../../core/index.js'
import { checkOptions, isRecord, type OptionRule, PactError } from '../../errors/index.js'
import { addMessage, type MessageSpec, type PartSpec } from './import-messages.js'
import { type CallPart, derivedId } from './neutral.js'
import { isObject, plainJson, textOf } from './plain-json.js'
import { readCall, readText } from './read-part.js'
import { type ReplyFacts, type ReplyTable, reportedOf, stopOf } from './reported.js'
import { coversOfReply } from './summaries.js'
import { inputText, inputValue } from './write-part.js'

/** Options of every `receive…`. */
export type ReplyOptions = Omit<ReceiveOptions, 'from'>

/** A reply as a format reads it: its messages, and what the provider says about it. */
export type Reply = ReplyFacts &
  Readonly<{
    messages: readonly MessageSpec[]
    /** The id by which the provider keeps it, if it does. */
    keptAs?: string | undefined
    /** True if a summary in it goes with the messages of the user, which it does not stand for. */
    keepsUsers?: boolean
  }>

/** Adds a reply to the open turn of a context. */
export function receiveReply(
  ctx: AnyContext,
  reply: Reply,
  { format, table, bind, bodyOf, keep }: Receiver,
  options: ReplyOptions = {},
): Received {
  checkOptions(options, REPLY_OPTIONS, '{ attempt }')
  const { attempt, request } = options
  if (attempt !== undefined) checkRunning(attempt)
  const word = reply.stop
  const said = reply.end ?? stopOf(table, word)
  const source = attempt?.snapshot ?? ctx
  const covers = (): Covers => coversOfReply(renderSource(source).view, format, reply.keepsUsers === true)
  const bound = bind(reply.messages, source, () => request ?? bodyOf(attempt))
  const { messages, calls, cut } = withCuts(withIds(bound), said)
  const stop = endOf(said, calls.length, cut.length)
  const isKept = reply.keptAs !== undefined && cut.length === 0 && GOES_ON.has(stop)
  const known = isKept ? keep(messages, reply.keptAs, ctx, attempt) : messages
  const nodes = ctx.batch(() => withStop(known, stop, format).map((message) => addMessage(ctx, message, covers).id))
  const reported = reportedOf(table, reply, stop)
  const { tokenIn, tokenOut } = reported
  attempt?.complete({ tokenIn, tokenOut, reported })
  return Object.freeze({
    nodes: Object.freeze(nodes),
    calls: Object.freeze(calls),
    cut: Object.freeze(cut),
    stop,
    providerStop: word,
    reported,
  })
}

/** The ends of replies that a request can go on from without the reply itself. */
const GOES_ON: ReadonlySet<Stop> = new Set<Stop>(['end', 'calls', 'pause', 'refusal'])

/** The knowledge of an adapter about replies. */
export type Receiver = Readonly<{
  format: string
  table: ReplyTable
  bind: BindThoughts
  /** The whole body that an attempt has sent. */
  bodyOf: (attempt: Attempt | undefined) => JsonObject | undefined
  /** The messages of a reply that the provider keeps under an id. */
  keep: (messages: readonly MessageSpec[], id: string, ctx: AnyContext, attempt?: Attempt) => readonly MessageSpec[]
}>

/** Binds the thoughts of messages to a request, or to the one that a context or a snapshot renders (D58). */
export type BindThoughts = (
  messages: readonly MessageSpec[],
  source: object,
  request?: () => JsonObject | undefined,
) => readonly MessageSpec[]

/** An ended attempt takes no reply: it is refused before anything is added. */
function checkRunning({ id, record: { status } }: Attempt): void {
  if (status === 'running') return
  const how = status === 'error' ? 'failed' : `was ${status}`
  const message = `Attempt ${id} ${how} and takes no reply; receive it without attempt, or start another.`
  throw new PactError('E_CONFLICT', message, { id, status })
}

/** The text of a reply, which is not added to a context. */
export function replyText(reply: Reply, table: ReplyTable, options: ReplyOptions = {}): string {
  checkOptions(options, REPLY_OPTIONS, '{ attempt }')
  const { attempt } = options
  const word = stopOf(table, reply.stop)
  const { calls, cut } = withCuts(withIds(reply.messages), word)
  const reported = reportedOf(table, reply, endOf(word, calls.length, cut.length))
  const { tokenIn, tokenOut } = reported
  attempt?.complete({ tokenIn, tokenOut, reported })
  checkWhole(reported.stop, calls.length + cut.length)
  const texts = reply.messages.flatMap((message) =>
    partsOf(message).map(({ content, kind = '' }) => (SILENT.has(kind) ? '' : readText(content, message.format))),
  )
  return texts.join('')
}

/** Half of a text, or one that a call was to go on, is no answer: the attempt is completed, and the caller asks again. */
function checkWhole(stop: Stop | undefined, calls: number): void {
  if (calls > 0) {
    const message =
      'The reply asks for calls, so it is no text; forbid tools for this request, or use attempt.receive(reply).'
    throw new PactError('E_CONTENT_INVALID', message, { name: 'reply', reason: 'calls' })
  }
  if (stop === undefined || stop === 'end' || stop === 'other') return
  const message = `The reply ended with "${stop}", so its text is not whole; ask again, with room for a longer reply.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'reply', reason: stop })
}

/** The kinds of parts that are no text of a reply. */
const SILENT: ReadonlySet<string> = new Set(['call', 'result', 'reasoning'])

/** A provider may say that it is done and ask for calls; one that says nothing has ended as its message shows. */
function endOf(said: Stop | undefined, calls: number, cut: number): Stop {
  if (said !== undefined && said !== 'end' && said !== 'calls') return said
  if (calls > 0) return 'calls'
  return cut > 0 ? 'length' : (said ?? 'end')
}

/** The messages in which every call has an id: some servers that speak a provider's format give none. */
function withIds(messages: readonly MessageSpec[]): readonly MessageSpec[] {
  let given = 0
  return messages.map((message) => {
    const named = <Body extends PartSpec>(part: Body): Body => {
      const { content, kind, callId } = part
      const isCall = kind === 'call' && callId === undefined && isObject(content)
      if (!isCall || (readCall(content, message.format) ?? NAMED).callId !== undefined) return part
      return { ...part, callId: derivedId(`call ${given++} ${textOf(content)}`) }
    }
    const { body } = message
    return { ...message, body: 'parts' in body ? { parts: body.parts.map(named) } : named(body) }
  })
}

/** Stands for what is no call, and needs no id. */
const NAMED = { callId: '' }

type Calls = Readonly<{ messages: readonly MessageSpec[]; calls: ReceivedCall[]; cut: ReceivedCall[] }>

/** The messages with the calls that were cut off marked as such, and all calls that were not answered yet. */
function withCuts(messages: readonly MessageSpec[], stop: Stop | undefined): Calls {
  // Some replies come with results of calls that have been made already.
  const answered = new Set(messages.flatMap(partsOf).flatMap((part) => (part.kind === 'result' ? [part.callId] : [])))
  const last = messages.flatMap(partsOf).at(-1)
  const calls: ReceivedCall[] = []
  const cut: ReceivedCall[] = []
  const marked = messages.map((message) => {
    const look = <Body extends PartSpec>(part: Body): Body => {
      const call = callIn(part, message.format)
      if (call === undefined || answered.has(call.id)) return part
      const isHalf = isCut({ ...call, isLast: part === last, isPartial: part.stop === CUT }, stop)
      ;(isHalf ? cut : calls).push(call.received)
      return isHalf ? { ...part, stop: CUT } : part
    }
    const { body } = message
    return { ...message, body: 'parts' in body ? { parts: body.parts.map(look) } : look(body) }
  })
  return { messages: marked, calls, cut }
}

function partsOf({ body }: MessageSpec): readonly PartSpec[] {
  return 'parts' in body ? body.parts : [body]
}

type FoundCall = Pick<CallEnd, 'inputText' | 'isFreeText'> & Readonly<{ id: string; received: ReceivedCall }>

function callIn({ content, kind, callId }: PartSpec, format: string): FoundCall | undefined {
  const call = kind === 'call' && isObject(content) ? readCall(content, format) : undefined
  const id = callId ?? call?.callId
  if (call === undefined || id === undefined) return undefined
  const { isFreeText } = call
  return { id, inputText: textInput(call), isFreeText, received: receivedCall({ ...call, callId: id }) }
}

/**
 * The end of a reply is kept with its last message, where it is not what the message itself shows: then `due` knows it from the tree. A reply
 * that says nothing is an empty message, which no request has; without it, a loop would ask again for ever.
 */
function withStop(messages: readonly MessageSpec[], stop: Stop, format: string): readonly MessageSpec[] {
  const last = messages.at(-1)
  if (last === undefined) return [{ ...NOTHING_SAID, format, stop }]
  const isPlain = (stop === 'end' || stop === 'calls') && partsOf(last).length > 0
  const isMarked = 'content' in last.body && last.body.stop !== undefined
  return isPlain || isMarked ? messages : [...messages.slice(0, -1), { ...last, stop }]
}

const NOTHING_SAID: Omit<MessageSpec, 'format'> = {
  role: 'assistant',
  isSystem: false,
  startsTurn: false,
  form: 'list',
  envelope: {},
  body: { parts: [] },
}

const REPLY_OPTIONS: Readonly<Record<string, OptionRule>> = {
  request: { form: 'the body that was sent, an object', allows: isRecord },
  attempt: {
    form: 'an attempt as startAttempt gives it',
    allows: (value) => typeof (value as Partial<Attempt> | null)?.complete === 'function',
  },
}

type Call = Pick<CallPart, 'callId' | 'name' | 'input' | 'inputText'>

export function receivedCall(call: Call): ReceivedCall {
  const text = textInput(call)
  const value = text === undefined ? call.input : inputValue(text)
  // Numbers as tools expect them; the text has every digit.
  const given = value === undefined ? undefined : plainJson(value)
  return Object.freeze({ id: call.callId, name: call.name, arguments: given, argumentsText: inputText(call) })
}

/** The arguments as text, if they are that: a client that cannot read the arguments of a stream gives them as text. */
export function textInput({ input, inputText: text }: Pick<Call, 'input' | 'inputText'>): string | undefined {
  return text ?? (typeof input === 'string' ? input : undefined)
}

/** The arguments of a call, and what is known about their end. */
export type CallEnd = Readonly<{
  inputText: string | undefined
  isFreeText?: boolean | undefined
  /** True if the call is the last part of its reply. */
  isLast: boolean
  /** True if the provider says that the call is not whole. */
  isPartial: boolean
}>

/** True if the arguments of a call are not whole. Clients complete what was streamed, so a value alone does not show it. */
export function isCut({ inputText: text, isFreeText, isLast, isPartial }: CallEnd, stop: Stop | undefined): boolean {
  if (isPartial) return true
  const isCutOff = isLast && stop === 'length'
  if (isFreeText === true || text === undefined || text.trim() === '') return isCutOff
  return inputValue(text) === undefined && (isCutOff || isHalfJson(text))
}

/** The beginning of a literal or a number. Any other word is no JSON, however it goes on. */
const HALF_WORD = /(?<![\w.+-])(?:t(?:ru?)?|f(?:al?|als)?|n(?:ul?)?|-|-?\d+(?:\.|(?:\.\d+)?[eE][+-]?))$/

/** True for the beginning of a JSON text: something more would make it whole. */
function isHalfJson(text: string): boolean {
  const { closing, isInString } = openIn(text)
  if (isInString) return isWhole(`${text.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')}"`, closing)
  return isWhole(text, closing) || isWhole(text.replace(HALF_WORD, ''), closing)
}

/** True if one of the ways to go on makes it JSON: a value, the value of a key, a key, or an end. */
function isWhole(text: string, closing: string): boolean {
  return ['', 'null', ':null', '"":null'].some((more) => inputValue(`${text}${more}${closing}`) !== undefined)
}

/** The brackets that a text leaves open, as they would be closed. */
function openIn(text: string): Readonly<{ closing: string; isInString: boolean }> {
  const open: string[] = []
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (isInString) {
      if (char === '\\') i++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') open.pop()
  }
  return { closing: open.toReversed().join(''), isInString }
}
