// What a model answered, put into the open turn: whole or not at all, with the calls it asks for in a form that is the same for
// all providers, so that a tool loop needs to know none of them.

import type { AnyContext, Attempt, Received, ReceivedCall, ReceiveOptions } from '../../context/index.js'
import { describe, short } from '../../errors/index.js'
import type { FormatName } from '../../formats/index.js'
import { inputText, inputValue } from './call-input.js'
import { invalid } from './check-input.js'
import { addMessage, type MessageSpec, type PartSpec } from './import-messages.js'
import { isObject, plainJson } from './plain-json.js'
import { readCall } from './read-part.js'

/** What every `receive…` takes. */
export type ReplyOptions = Omit<ReceiveOptions, 'from'>

/** What a provider counted. */
export type Usage = Readonly<{ tokenIn?: number; tokenOut?: number }>

/** A reply as a format reads it. */
export type Reply = Readonly<{ messages: readonly MessageSpec[]; usage: Usage | undefined }>

/** Adds a reply to the open turn of a context. */
export function receiveReply(ctx: AnyContext, { messages, usage }: Reply, options: ReplyOptions = {}): Received {
  const { attempt } = checkedOptions(options)
  const nodes = ctx.batch(() => messages.map((message) => addMessage(ctx, message).id))
  const parts = messages.flatMap(({ body, format }) =>
    ('parts' in body ? body.parts : [body]).map((part) => ({ part, format })),
  )
  // Some replies come with results of calls that have been made already.
  const answered = new Set(parts.flatMap(({ part }) => (part.kind === 'result' ? [part.callId] : [])))
  const calls = parts.flatMap(({ part, format }) => callIn(part, format)).filter(({ id }) => !answered.has(id))
  attempt?.complete(usage ?? {})
  return Object.freeze({ nodes: Object.freeze(nodes), calls: Object.freeze(calls) })
}

function callIn({ content, kind, callId }: PartSpec, format: FormatName): readonly ReceivedCall[] {
  const call = kind === 'call' && isObject(content) ? readCall(content, format) : undefined
  const id = callId ?? call?.callId
  if (call === undefined || id === undefined) return []
  const argumentsText = inputText(call)
  const value = call.inputText === undefined ? call.input : inputValue(call.inputText)
  // Numbers as tools expect them; the text has every digit.
  const given = value === undefined ? undefined : plainJson(value)
  return [Object.freeze({ id, name: call.name, arguments: given, argumentsText })]
}

function checkedOptions(options: ReplyOptions): ReplyOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', `The options are an object such as { attempt }, not ${describe(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (name !== 'attempt') throw invalid(name, `There is no option "${short(name)}" here; there is attempt.`)
  }
  const { attempt } = options
  if (attempt === undefined || typeof (attempt as Partial<Attempt> | null)?.complete === 'function') return options
  throw invalid('attempt', `The attempt is what startAttempt gave, not ${describe(attempt)}.`)
}

/** What a provider counted, where it says so in whole numbers. */
export function usageOf(tokenIn: unknown, tokenOut: unknown): Usage | undefined {
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
  if (!isCount(tokenIn) && !isCount(tokenOut)) return undefined
  return { ...(isCount(tokenIn) ? { tokenIn } : {}), ...(isCount(tokenOut) ? { tokenOut } : {}) }
}
