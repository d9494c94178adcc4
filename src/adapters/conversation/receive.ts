// A reply of a model, put into the open turn: whole or not at all, with the calls it asks for and the reason of its end in a form that is
// the same for all providers, so that a tool loop needs to know none of them.

import { CUT } from '../../codec/index.js'
import type { AnyContext, Attempt, Received, ReceivedCall, ReceiveOptions } from '../../context/index.js'
import type { JsonObject, Stop } from '../../core/index.js'
import { describe, isRecord, PactError, short } from '../../errors/index.js'
import { invalid } from './check-input.js'
import { FORGOTTEN } from './bound.js'
import { isCut } from './cut.js'
import { addMessage, type MessageSpec, type PartSpec } from './import-messages.js'
import { isObject } from './plain-json.js'
import { readCall, readText } from './read-part.js'
import { reportedOf, stopOf, type ReplyFacts, type ReplyTable } from './reported.js'
import { receivedCall, textInput } from './received-call.js'

/** Options of every `receive…`. */
export type ReplyOptions = Omit<ReceiveOptions, 'from'>

/** A reply as a format reads it: its messages, and what the provider says about it. */
export type Reply = ReplyFacts & Readonly<{ messages: readonly MessageSpec[] }>

/** Adds a reply to the open turn of a context. */
export function receiveReply(
  ctx: AnyContext,
  reply: Reply,
  { format, table, bind }: Readonly<{ format: string; table: ReplyTable; bind: BindThoughts }>,
  options: ReplyOptions = {},
): Received {
  const { attempt, request } = checkedOptions(options)
  if (attempt !== undefined) checkRunning(attempt)
  const word = reply.stop
  const said = reply.end ?? stopOf(table, word)
  const bound = bind(reply.messages, attempt?.snapshot ?? ctx, () => request ?? bodyOf(attempt, format))
  const { messages, calls, cut } = withCuts(bound, said)
  const stop = endOf(said, calls.length, cut.length)
  const nodes = ctx.batch(() => withStop(messages, stop, format).map((message) => addMessage(ctx, message).id))
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

/** Binds the thoughts of messages to a request, or to the one that a context or a snapshot renders (D58). */
export type BindThoughts = (
  messages: readonly MessageSpec[],
  source: object,
  request?: () => JsonObject | undefined,
) => readonly MessageSpec[]

/** The body that an attempt has sent, if it is one of this format. If something in it was forgotten, the reply comes in all the same. */
export function bodyOf(attempt: Attempt | undefined, format: string): JsonObject | undefined {
  if (attempt?.record.adapter !== format) return undefined
  try {
    return attempt.body as JsonObject
  } catch (error) {
    if (PactError.is(error)) return FORGOTTEN
    throw error
  }
}

/** An ended attempt takes no reply: it is refused before anything is added. */
function checkRunning({ id, record: { status } }: Attempt): void {
  if (status === 'running') return
  const how = status === 'error' ? 'failed' : `was ${status}`
  const message = `Attempt ${id} ${how} and takes no reply; receive it without attempt, or start another.`
  throw new PactError('E_CONFLICT', message, { id, status })
}

/** The text of a reply, which is not added to a context. */
export function replyText(reply: Reply, table: ReplyTable, options: ReplyOptions = {}): string {
  const { attempt } = checkedOptions(options)
  const word = stopOf(table, reply.stop)
  const { calls, cut } = withCuts(reply.messages, word)
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
      const { inputText: text } = call
      const isHalf = isCut({ inputText: text, isLast: part === last, isPartial: part.stop === CUT }, stop)
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

type FoundCall = Readonly<{ id: string; inputText: string | undefined; received: ReceivedCall }>

function callIn({ content, kind, callId }: PartSpec, format: string): FoundCall | undefined {
  const call = kind === 'call' && isObject(content) ? readCall(content, format) : undefined
  const id = callId ?? call?.callId
  if (call === undefined || id === undefined) return undefined
  return { id, inputText: textInput(call), received: receivedCall({ ...call, callId: id }) }
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

function checkedOptions(options: ReplyOptions): ReplyOptions {
  if (!isRecord(options)) {
    throw invalid('options', `The options are an object such as { attempt }, not ${describe(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (name === 'attempt' || name === 'request') continue
    throw invalid(name, `There is no option "${short(name)}" here; there are attempt and request.`)
  }
  const { attempt, request } = options
  if (request !== undefined && !isRecord(request)) {
    throw invalid('request', `The request is the body that was sent, an object, not ${describe(request)}.`)
  }
  if (attempt === undefined || typeof (attempt as Partial<Attempt> | null)?.complete === 'function') return options
  throw invalid('attempt', `The attempt is what startAttempt gave, not ${describe(attempt)}.`)
}
