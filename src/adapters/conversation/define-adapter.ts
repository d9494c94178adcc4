// An adapter from its description: the three calls that every provider has, `from…`, `to…` and `receive…`.

import {
  ADAPTER,
  addTurnReader,
  type AnyContext,
  type Context,
  type ContextOptions,
  type Received,
  type ReplyAdapter,
  type Snapshot,
} from '../../context/index.js'
import { asCall, PactError } from '../../errors/index.js'
import {
  addRenderer,
  type CallPrompt,
  type HasRenderer,
  type HasReply,
  type ParamsForm,
  RENDERER,
} from '../../thread/index.js'
import { Adapter, type RequestOptions } from './adapter.js'
import type { Beginning, BoundThoughts } from './bound.js'
import { checkOwnMessages, checkOwnReply, foreignConversation } from './foreign.js'
import { importMessages, type MessageSpec } from './import-messages.js'
import type { BlocksOptions, ExpiryOptions, ThinkingOptions } from './message-options.js'
import type { PartReader } from './part-reader.js'
import type { PlainValue } from './plain-json.js'
import { addReader } from './read-part.js'
import { type BindThoughts, type Receiver, receiveReply, type Reply, type ReplyOptions, replyText } from './receive.js'
import { NO_TABLE, type ReplyTable } from './reported.js'
import type { RequestFormat } from './request-format.js'
import type { RequestFacts } from './request.js'
import { TURN_READER } from './turn-state.js'
import type { KnowsPart } from './wire.js'

/** Options that an adapter's `to…` may take: those of all, and its own. */
export type AdapterOptions = RequestOptions & BlocksOptions<string> & ThinkingOptions & ExpiryOptions

/** Everything that is particular to a provider. */
export type AdapterDefinition<Conversation, Options extends AdapterOptions> = Readonly<{
  /** The names of the three calls; errors and stacks use them. */
  calls: Readonly<{ from: string; to: string; receive: string }>
  /** The names of its own options. */
  options?: readonly (keyof Options & string)[]
  /** The form of requests. */
  format: RequestFormat<Options>
  /**
   * Joins the params of a call and the request to one body, with these options. By default the provider has the name of the format, the model is
   * the param `model`, the tools are the param `tools`, and the body has the params and then the keys of the request.
   */
  params?(options: Options): Partial<ParamsForm>
  /** The part that a value is in this format, if it is one. */
  readPart: PartReader
  /** True if the adapter knows all of a part; without it every part counts as known. A part with more, as it came, passes `out.keepsUnknown`. */
  knowsPart?: KnowsPart
  /** The messages of a conversation; throws `E_CONTENT_INVALID` for anything else. */
  readConversation(conversation: Conversation): readonly MessageSpec[]
  /** The messages of a reply and what the provider counted; throws `E_CONTENT_INVALID` for anything else. */
  readReply(reply: unknown, ctx: AnyContext): Reply
  /** The provider's words for the end of a reply, and the keys of a reply that attempts keep. */
  replies?: ReplyTable
}>

/** Makes a context with the messages of a conversation, committed turn by turn. */
export type From<Conversation> = (conversation: Conversation, options?: ContextOptions) => Context

/** Makes the request for a context or a snapshot. */
export type To<Options, Request, Reply = object> = HasRenderer &
  HasReply<Reply> &
  ((source: AnyContext | Snapshot, options?: Options) => Request & RequestFacts)

/** Takes a reply into the open turn; gives the calls that it asks for, and why it ended. */
export type Receive<Reply = unknown> = (ctx: AnyContext, reply: Reply, options?: ReplyOptions) => Received

/** The calls of an adapter. */
export type DefinedAdapter<Conversation, Options, Request> = Readonly<{
  from: From<Conversation>
  to: To<Options, Request>
  receive: Receive
  /** The messages of a conversation, as a context takes them. */
  read: (conversation: Conversation) => readonly MessageSpec[]
  /** New messages of a model whose signed thoughts know what is before them, to be added to a context. */
  bind: BindThoughts
}>

/**
 * Makes an adapter. From now on every adapter reads contexts that came in its format; define each format once, at the top of a module.
 *
 * Gives `from`, `to` and `receive`, which work like those of the adapters of this package: `to` can be the `for` of an attempt, of
 * `ctx.prefix` and `ctx.tokens`, and `from` that of `ctx.receive`.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a request is made of plain JSON; its type is the caller's to say
export function defineAdapter<Conversation, Options extends AdapterOptions, Request extends object>(
  definition: AdapterDefinition<Conversation, Options>,
): DefinedAdapter<Conversation, Options, Request> {
  const { calls, format, options: names, readPart, replies: table = NO_TABLE } = definition
  const adapter = new Adapter<Options>(format, names, (options) => definition.params?.(options) ?? {})
  addReader(format.name, readPart, definition.knowsPart)
  addTurnReader(TURN_READER)
  const readReply: typeof definition.readReply = (reply, ctx) => {
    checkOwnReply(reply, format.name)
    return definition.readReply(reply, ctx)
  }
  const readConversation: typeof definition.readConversation = (conversation) => {
    const messages = readOrExplain(definition, conversation)
    checkOwnMessages(messages, format.name)
    return messages
  }
  const bind: BindThoughts = (messages, source, request) =>
    adapter.bound?.bind(messages, () => adapter.beginningOf(request?.(), source)) ?? messages
  const receiver: Receiver = {
    format: format.name,
    table,
    bind,
    bodyOf: (attempt) => adapter.bodyOf(attempt),
    keep: (...args) => adapter.kept(...args),
  }
  const receive: Receive = named(calls.receive, (ctx, reply, options) =>
    asCall(receive, () => receiveReply(ctx, readReply(reply, ctx), receiver, options)),
  )
  const read = (conversation: Conversation): readonly MessageSpec[] =>
    boundAsPrinted(readConversation(conversation), conversation, adapter.bound)
  const from: From<Conversation> = named(calls.from, (conversation, options) =>
    asCall(from, () => importMessages(read(conversation), options)),
  )
  // An attempt gives the part of the prompt that is in its params, too.
  const to = named(calls.to, (source: AnyContext | Snapshot, options?: Options, prompt?: CallPrompt) =>
    asCall(to, () => adapter.request(source, options, prompt) as unknown as Request & RequestFacts),
  )
  const text = (ctx: AnyContext, reply: unknown, options: ReplyOptions): string =>
    asCall(text, () => replyText(readReply(reply, ctx), table, options))
  const replies = { receive, text } as ReplyAdapter
  const renders = Object.assign(to, { [RENDERER]: adapter, [ADAPTER]: replies })
  addRenderer(renders)
  return {
    from: Object.assign(from, { [ADAPTER]: replies }),
    to: renders,
    receive,
    read,
    bind,
  }
}

/** The messages of a conversation; an error names the format that has such conversations. */
function readOrExplain<Conversation, Options extends AdapterOptions>(
  { format, readConversation }: AdapterDefinition<Conversation, Options>,
  conversation: Conversation,
): readonly MessageSpec[] {
  try {
    return readConversation(conversation)
  } catch (error) {
    throw PactError.is(error) ? (foreignConversation(conversation, format.name) ?? error) : error
  }
}

/** The messages of a conversation; its thoughts are bound to it as it is printed. */
function boundAsPrinted(
  messages: readonly MessageSpec[],
  conversation: unknown,
  bound: BoundThoughts | undefined,
): readonly MessageSpec[] {
  if (bound === undefined) return messages
  const given: unknown = Array.isArray(conversation) ? { messages: conversation } : conversation
  const { system, messages: list } = given as Readonly<{ system?: PlainValue; messages: readonly unknown[] }>
  const first = messages.length - list.length
  const begun = (): Beginning => ({ before: bound.start(system ?? undefined), tools: undefined })
  return [...messages.slice(0, first), ...bound.bind(messages.slice(first), begun)]
}

function named<Call extends (...args: never[]) => unknown>(name: string, call: Call): Call {
  return Object.defineProperty(call, 'name', { value: name })
}
