// The cost of the sessions in a file: sessions of coding agents, conversations, and logs of requests. Texts are let go as they are read, so the
// memory that a file takes depends on the number of its messages and not on their length.

import { importSnapshot } from '../../context/index.js'
import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { ADAPTERS } from '../../adapters/index.js'
import {
  costOfSession,
  ended,
  readMessage,
  readSystem,
  readUsage,
  TextMarks,
  timeOf,
  type CacheRules,
  type CostOptions,
  type SessionCost,
  type SessionInput,
  type TextMessage,
} from '../../cost/index.js'
import { PactError } from '../../errors/index.js'
import { estimate } from '../../tokens/index.js'
import { answersIn, messagesOf } from '../importing/read-conversation.js'
import { findConversations, type FoundConversation } from '../importing/conversations.js'
import { after, type Said, type Session, type Unread } from '../importing/plan.js'
import type { ContextPool } from '../pool.js'
import { sentCalls } from './attempts.js'
import { yieldToEventLoop } from '../work-slices.js'

export type CostFileOptions = Readonly<{
  rules: CacheRules
  budget: CostOptions['budget']
  signal?: AbortSignal | undefined
  onProgress?: CostOptions['onProgress'] | undefined
}>

/** The cost of a session, and where it is in the file. */
export type FileSessionCost = SessionCost & Readonly<{ line: number; id?: string }>

export type CostOrNot = FileSessionCost | Readonly<{ unread: Unread }>

/** Gives the cost of one session after another. */
export async function* costFile(
  chunks: AsyncIterable<Uint8Array>,
  options: CostFileOptions,
): AsyncGenerator<CostOrNot, void, undefined> {
  const marks = new TextMarks(countText)
  const reduce = (value: JsonValue): JsonValue => marks.shrink(withoutCopies(value))
  const weigh = async ({ found, ...input }: Open): Promise<FileSessionCost> => {
    const work = costOfSession(inputOf(input), costOptions(options, marks))
    let part = work.next()
    for (; part.done !== true; part = work.next()) await yieldToEventLoop(undefined)
    return { line: found.line, ...(found.id === undefined ? {} : { id: found.id }), ...part.value }
  }
  let open: Open | undefined
  for await (const found of findConversations(chunks, { reduce })) {
    if (options.signal?.aborted === true) return
    if (!('body' in found)) {
      yield { unread: { line: found.line, what: found.reason } }
      continue
    }
    let next: Open
    try {
      next = openOf(found, marks)
    } catch (error) {
      if (!PactError.is(error)) throw error
      yield { unread: { line: found.line, what: error.message } }
      continue
    }
    if (open !== undefined && continues(open, next)) open = joined(open, next)
    else {
      if (open !== undefined) yield await weigh(open)
      open = next
    }
  }
  if (open !== undefined && options.signal?.aborted !== true) yield await weigh(open)
}

/** The cost of a context: the requests of its attempts; without any that can be given again, its newest snapshot as a conversation. */
export async function costContext(pool: ContextPool, id: string, options: CostFileOptions): Promise<SessionCost> {
  const marks = new TextMarks(countText)
  const read = (body: object, at?: number): Open => {
    const open = openOf({ line: 1, body: marks.shrink(body as JsonObject), unread: [] }, marks)
    return at === undefined ? open : { ...open, requests: open.requests.map((request) => timed(request, at)) }
  }
  return pool.read({ id }, (ctx) => {
    const sent = sentCalls(ctx)
    const last = sent.at(-1)
    if (last === undefined) {
      const { said, usages } = read(ADAPTERS.anthropic.to(ctx.snapshot('@t0')))
      return ended(costOfSession({ said, usages }, costOptions(options, marks)))
    }
    const [first, ...rest] = sent.map(({ body, call }) => read(body, call.at))
    // The reply to the last request was said and not sent.
    const all = [...rest, read(ADAPTERS[last.format].to(ctx.snapshot('preview')))].reduce(joined, first!)
    const calls = sent.map(({ call }) => call)
    const usages = calls.flatMap(({ usage, at }) => (usage === undefined ? [] : [{ usage, ...(at && { at }) }]))
    const input = { said: all.said, requests: all.requests.slice(0, -1), usages, calls }
    return ended(costOfSession(input, costOptions(options, marks)))
  })
}

/** A request whose last message has the time of the call. */
function timed(request: Request, at: number): Request {
  return request.map((message, i) => (i === request.length - 1 ? { ...message, at } : message))
}

function costOptions({ rules, budget, onProgress }: CostFileOptions, marks: TextMarks): CostOptions {
  const count = (text: string): number => marks.count(text)
  return { rules, budget, count, ...(onProgress === undefined ? {} : { onProgress }) }
}

const PLAIN_NODE = {} as Parameters<typeof estimate>[1]

function countText(text: string): number {
  return estimate(text, PLAIN_NODE)
}

/** Copies of a result that are for the agent's own screen go. */
function withoutCopies(value: JsonValue): JsonValue {
  if (!isObject(value) || !isObject(value['message'])) return value
  const { message, toolUseResult: _copy, ...entry } = value
  const { details: _details, ...said } = message
  return { ...entry, message: said }
}

type Request = readonly TextMessage[]
type Open = Readonly<{
  found: FoundConversation
  requests: readonly Request[]
  /** The reply to the last request, if it was recorded with it. */
  reply: Request
  said: readonly TextMessage[]
  stretches?: SessionInput['stretches']
  usages: SessionInput['usages']
}>

/** A session of an agent, a conversation, or one request of a log. */
function openOf(found: FoundConversation, marks: TextMarks): Open {
  if (found.session !== undefined) return { found, requests: [[]], reply: [], ...sessionOf(found.session) }
  const record = recordOf(found, marks)
  const unread = new Set<string>()
  const given = messagesOf(record).messages.filter(isObject)
  const answers = answersIn(record['response'], unread).filter(isObject)
  const system = readSystem(record)
  const request = [...(system === undefined ? [] : [system]), ...given.map(readMessage)]
  const reply = answers.map(readMessage)
  const usages = [...given, ...answers].flatMap((message) => {
    return usageOf(message['usage'], message['timestamp'])
  })
  const { response } = record
  const reported = readUsage(record['usage'] ?? (isObject(response) ? response['usage'] : undefined))
  if (usages.length === 0 && reported !== undefined) usages.push({ usage: reported })
  return { found, requests: [request], reply, said: [...request, ...reply], usages }
}

function usageOf(reported: JsonValue | undefined, time: JsonValue | undefined): SessionInput['usages'] {
  const usage = readUsage(reported)
  const at = timeOf(time)
  return usage === undefined ? [] : [at === undefined ? { usage } : { usage, at }]
}

/** Everything that was said in a session, and the histories that its agent had: a compaction or an edit begins another one. */
function sessionOf({ system, steps }: Session): Pick<Open, 'said' | 'usages' | 'stretches'> {
  const known = new Map<Said, readonly TextMessage[]>()
  const read = (each: Said): readonly TextMessage[] => {
    const at = timeOf(each.at)
    const texts =
      known.get(each) ??
      each.messages.map((message) => ({ ...readMessage(message), ...(at === undefined ? {} : { at }) }))
    known.set(each, texts)
    return texts
  }
  const head = system === undefined ? undefined : readSystem(system)
  const leading = head === undefined ? [] : [head]
  const stretches: { messages: TextMessage[]; from: number }[] = [{ messages: [...leading], from: 0 }]
  const usages: SessionInput['usages'][number][] = []
  let list: Said[] = []
  let isOther = false
  for (const step of steps) {
    if (!('say' in step)) {
      for (const each of step.swaps.flatMap(({ by }) => by)) read(each)
      list = after(list, step.swaps)
      isOther = true
      continue
    }
    if (isOther) {
      const messages = [...leading, ...list.flatMap(read)]
      stretches.push({ messages, from: messages.length })
      isOther = false
    }
    list.push(step.say)
    usages.push(...usageOf(step.say.usage, step.say.at))
    stretches.at(-1)!.messages.push(...read(step.say))
  }
  const said = [...leading, ...[...known.values()].flat()]
  return { said, usages, ...(steps.every((step) => 'say' in step) ? {} : { stretches }) }
}

/** An export is read as a context, and its newest state sent to Claude's adapter. */
function recordOf({ body, format }: FoundConversation, marks: TextMarks): JsonObject {
  if (format === 'pact' && typeof body === 'string') {
    return marks.shrink({ ...ADAPTERS.anthropic.to(importSnapshot(body)) } as unknown as JsonObject) as JsonObject
  }
  return isObject(body) ? body : { messages: body }
}

/**
 * True if a record is the next request of the session before: both ask for a reply, have no different ids, and begin with the same two messages or with
 * all of the former. A record that ends with a reply is a whole conversation.
 */
function continues(open: Open, next: Open): boolean {
  if (open.found.format !== undefined || next.found.format !== undefined) return false
  if (open.found.id !== next.found.id) return false
  const before = open.requests.at(-1)!
  const now = next.requests[0]!
  if ([before, now].some((request) => request.at(-1)?.role === 'assistant')) return false
  const same = before.findIndex((message, i) => now[i] === undefined || !isSame(message, now[i]))
  const run = same < 0 ? before.length : same
  const spoken = before.slice(0, run).filter(({ role }) => role !== 'system').length
  return (run === before.length && spoken > 0 && now.length > run) || spoken >= 2
}

function joined(open: Open, next: Open): Open {
  const request = next.requests[0]!
  const last = open.said.at(-1)
  const at = last === undefined ? -1 : request.findLastIndex((message) => isSame(message, last))
  const known = at >= 0 ? at : request.findLastIndex((message) => open.said.some((each) => isSame(each, message)))
  return {
    found: open.found,
    requests: [...open.requests, request],
    reply: next.reply,
    said: [...open.said, ...request.slice(known + 1), ...next.reply],
    usages: [...open.usages, ...next.usages],
  }
}

function isSame(a: TextMessage, b: TextMessage): boolean {
  return (
    a.role === b.role &&
    a.blocks.length === b.blocks.length &&
    a.blocks.every(({ kind, text }, i) => kind === b.blocks[i]!.kind && text === b.blocks[i]!.text)
  )
}

/** One record is a conversation: a request is assumed before each reply. Several are the requests themselves. */
function inputOf({ requests, said, stretches, usages }: Omit<Open, 'found'>): SessionInput {
  if (requests.length > 1) return { said, requests, usages }
  return { said, usages, ...(stretches === undefined ? {} : { stretches }) }
}
