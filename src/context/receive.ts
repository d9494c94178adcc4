// Taking in a model's reply: the `from…` function of an adapter carries the reader of its provider's replies.

import { describe, invalid, isRecord } from '../errors/index.js'
import type { ReplyReaders } from '../attempts/index.js'
import type { JsonObject, JsonValue, Reported, Stop } from '../core/index.js'
import type { Attempt } from './parts.js'

/** Under this symbol the functions of an adapter carry its description. */
export const ADAPTER: unique symbol = Symbol.for('pact-context.adapter') as never

/** Options of `receive`. */
export type ReceiveOptions = Readonly<{
  /** The `from…` function of the provider that replied, such as `fromOpenAIChat`. */
  from: (...args: never[]) => unknown
  /** The attempt that `startAttempt` gave before the request was sent; it is completed with the token counts of the provider. */
  attempt?: Attempt | undefined
  /** The whole body of the request that the reply answers. */
  request?: JsonObject | undefined
}>

/** A call that the model asks for. */
export type ReceivedCall = Readonly<{
  /** The id by which its result finds it; `ctx.result(call, …)` uses it. */
  id: string
  name: string
  /** The arguments as a value; undefined where the model wrote no JSON. */
  arguments: JsonValue | undefined
  /** The arguments as the model wrote them. */
  argumentsText: string
}>

/** The result of `receive`. */
export type Received = Readonly<{
  /** The ids of the new nodes, one for each message. */
  nodes: readonly string[]
  /** To be executed: `ctx.result(call, content)` answers each. */
  calls: readonly ReceivedCall[]
  /** Calls whose arguments were cut off. They are not to be executed, and no request has them. */
  cut: readonly ReceivedCall[]
  /** Why the reply ended, in one word for all providers. */
  stop: Stop
  /** The provider's own word for it. */
  providerStop: string | undefined
  /** Everything that the provider said about the request and the reply. */
  reported: Reported
}>

type ReplyOptions = Omit<ReceiveOptions, 'from'>

/** The functions of an adapter that read replies; the functions `from…` and `to…` carry them. */
export type ReplyAdapter = Readonly<{
  receive: (ctx: object, reply: unknown, options: ReplyOptions) => Received
  text: (ctx: object, reply: unknown, options: ReplyOptions) => string
}>

export function receive(ctx: object, reply: unknown, options: ReceiveOptions): Received {
  if (!isRecord(options)) {
    const message = `The options of receive are an object such as { from: fromOpenAIChat }, not ${describe(options)}.`
    throw invalid('options', message)
  }
  const { from, ...rest } = options
  const adapter = adapterOf(from)
  if (adapter !== undefined) return adapter.receive(ctx, reply, rest)
  const message = `receive takes the from function of an adapter that reads replies, such as { from: fromOpenAIChat }, and not ${describe(from)}.`
  throw invalid('from', message)
}

/** The readers of replies to the request of an attempt; undefined where no adapter makes it. */
export function readersOf(ctx: object, input: unknown): ReplyReaders<Received> | undefined {
  const adapter = isRecord(input) ? adapterOf((input as Readonly<{ for?: unknown }>).for) : undefined
  if (adapter === undefined) return undefined
  const { receive: take, text } = adapter
  return {
    receive: (reply, options) => take(ctx, reply, options as ReplyOptions),
    text: (reply, options) => text(ctx, reply, options as ReplyOptions),
  }
}

function adapterOf(given: unknown): ReplyAdapter | undefined {
  return typeof given === 'function'
    ? (given as unknown as Readonly<Record<typeof ADAPTER, ReplyAdapter | undefined>>)[ADAPTER]
    : undefined
}
