// A model's reply, taken in by whoever knows its format: a `from…` function of an adapter carries what reads the provider's replies.

import { describe, PactError } from '../errors/index.js'
import type { JsonValue } from '../core/index.js'
import type { Attempt } from './parts.js'

/** Under this symbol the functions of an adapter tell who they are. */
export const ADAPTER: unique symbol = Symbol.for('pact-context.adapter') as never

/** What `receive` takes beside the reply. */
export type ReceiveOptions = Readonly<{
  /** The `from…` function of the provider that replied, such as `fromOpenAIChat`. */
  from: (...args: never[]) => unknown
  /** What `startAttempt` gave before the request was sent: it is completed with what the provider counted. */
  attempt?: Attempt | undefined
}>

/** A call that the model asks for. */
export type ReceivedCall = Readonly<{
  /** What its result has as `data_call_id`. */
  id: string
  name: string
  /** The arguments as a value; undefined where the model wrote no JSON. */
  arguments: JsonValue | undefined
  /** The arguments as the model wrote them. */
  argumentsText: string
}>

/** What came of a reply. */
export type Received = Readonly<{
  /** The ids of the new nodes, one for each message. */
  nodes: readonly string[]
  /** To be executed: `ctx.tool(result, { kind: 'result', data_call_id: call.id })` answers each. */
  calls: readonly ReceivedCall[]
}>

type Receiver = (ctx: object, reply: unknown, options: Omit<ReceiveOptions, 'from'>) => Received

export function receive(ctx: object, reply: unknown, options: ReceiveOptions): Received {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = `The options of receive are an object such as { from: fromOpenAIChat }, not ${describe(options)}.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'options' })
  }
  const { from, ...rest } = options
  const receiver = typeof from === 'function' ? receiverOf(from) : undefined
  if (receiver !== undefined) return receiver(ctx, reply, rest)
  const message = `receive takes the from function of an adapter that reads replies, such as { from: fromOpenAIChat }, and not ${describe(from)}.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'from' })
}

function receiverOf(from: object): Receiver | undefined {
  const adapter = (from as Readonly<Record<typeof ADAPTER, { receive?: unknown } | undefined>>)[ADAPTER]
  return typeof adapter?.receive === 'function' ? (adapter.receive as Receiver) : undefined
}
