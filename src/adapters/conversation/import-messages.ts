// A conversation from elsewhere, as a context: what leads is system text in `^sys`, each turn begins with a user's message and is
// committed, and attributes hold everything that the nodes themselves do not say, so that it can be written again to the letter.

import { BOUND, type Bound, STOP } from '../../codec/index.js'
import { type AnyContext, type Context, type ContextOptions, createContext, renderSource } from '../../context/index.js'
import { COVERS, type Covers, type JsonObject, type JsonValue, type Node } from '../../core/index.js'
import type { NodeSpec } from '../../edit/index.js'
import { ATTRIBUTES, digestOf, type Form } from './neutral.js'
import { isKnownPart } from './read-part.js'
import { coversIn } from './summaries.js'
import { wireMark } from './wire.js'

/** A message to be put into a context. */
export type MessageSpec = Readonly<{
  /** Undefined for a message that has none. */
  role: string | undefined
  /** True if it is in `^sys`. */
  isSystem: boolean
  /** True if a new turn begins with it. */
  startsTurn: boolean
  format: string
  /** Where the nodes do not tell it; with parts it has to be there. */
  form: Form | undefined
  /** Its other keys. */
  envelope: JsonObject
  /** Keys of the request other than its messages, for a message that says nothing else. */
  request?: JsonObject
  /** The end of the reply that it is the last message of, if that is to be kept with it. */
  stop?: string | undefined
  /** Of a reply that the provider keeps: how a later request finds it. */
  reply?: JsonObject | undefined
  /** The id of the container in which the provider's tools ran for it. */
  container?: string | undefined
  /** Its content: one value, or parts. */
  body: Readonly<{ content: JsonValue } & PartHeader> | Readonly<{ parts: readonly PartSpec[] }>
}>

export type PartHeader = Readonly<{
  kind?: string | undefined
  callId?: string | undefined
  toolName?: string | undefined
  keys?: JsonObject | undefined
  /** `value` for a part that stood there as a bare value, such as a string in a list of objects. */
  form?: Form | undefined
  /** `cut` for a call whose arguments are not whole. */
  stop?: string | undefined
  /** Digests of what was before a thought (D58). */
  bound?: Bound | undefined
  /** True for a summary that the provider made; the nodes that it stands for are noted when it is added. */
  isSummary?: boolean | undefined
}>

/** A part of a message; where it has been a message of its own, in formats that have calls so, it has its own role and keys. */
export type PartSpec = Readonly<{ content: JsonValue; role?: string | undefined; envelope?: JsonObject }> & PartHeader

/** A new context with these messages, every turn committed. */
export function importMessages(messages: readonly MessageSpec[], options?: ContextOptions): Context {
  const steps = importInSteps(messages, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The same, message by message: the caller may do other things in between. */
export function* importInSteps(
  messages: readonly MessageSpec[],
  options?: ContextOptions,
): Generator<void, Context, undefined> {
  const ctx = createContext(options)
  let isOpen = false
  for (const message of messages) {
    if (message.startsTurn && isOpen) ctx.commit()
    isOpen ||= !message.isSystem
    addMessage(ctx, message)
    yield
  }
  ctx.commit()
  return ctx
}

/** Puts a message at the end of the open turn, or into `^sys`. A summary in it stands for the nodes of `covers`, by default all that are there. */
export function addMessage(
  ctx: AnyContext,
  message: MessageSpec,
  covers: () => Covers = () => coversIn(renderSource(ctx, 'working').view),
): Node {
  const { content, ...header } = specOf(message, covers)
  return message.isSystem ? ctx.system.add(content, header) : ctx.add(content, { ...header, zone: 'core' })
}

/** The node that a message becomes. Without `covers`, a summary in it stands for nothing that is known. */
export function specOf(
  { role, format, form, envelope, request, stop, reply, container, body }: MessageSpec,
  covers?: () => Covers,
): NodeSpec {
  const about = {
    role,
    [ATTRIBUTES.format]: format,
    ...(request === undefined ? {} : { [ATTRIBUTES.request]: request }),
    ...(form === undefined ? {} : { [ATTRIBUTES.form]: form }),
    ...keysSpec(envelope),
    ...(stop === undefined ? {} : { [STOP]: stop }),
    ...(reply === undefined ? {} : { [ATTRIBUTES.reply]: reply }),
    ...(container === undefined ? {} : { [ATTRIBUTES.container]: container }),
  }
  if ('content' in body) return { ...partSpec({ ...body, envelope }, format, covers), ...about }
  const isHeld = request !== undefined
  return {
    ...about,
    ...(isHeld ? {} : { removable: true }),
    children: body.parts.map((part) => childSpec(part, role, format, covers)),
  }
}

function childSpec(part: PartSpec, role: string | undefined, format: string, covers?: () => Covers): NodeSpec {
  return { ...partSpec(part, format, covers), ...keysSpec(part.envelope ?? {}), role: part.role ?? role }
}

function keysSpec(envelope: JsonObject): NodeSpec {
  return Object.keys(envelope).length === 0 ? {} : { [ATTRIBUTES.message]: envelope }
}

function partSpec(part: PartSpec, format: string, covers?: () => Covers): NodeSpec {
  const { content, kind, callId, toolName, keys, form, stop, bound, isSummary } = part
  return {
    content,
    ...(kind === undefined ? {} : { kind }),
    ...(form === undefined ? {} : { [ATTRIBUTES.form]: form }),
    ...(kind === 'reasoning' ? { [ATTRIBUTES.thought]: digestOf(content) } : {}),
    ...(isKnownPart(format, part) ? {} : { [ATTRIBUTES.wire]: wireMark(format, part) }),
    ...(callId === undefined ? {} : { [ATTRIBUTES.callId]: callId }),
    ...(toolName === undefined ? {} : { [ATTRIBUTES.toolName]: toolName }),
    ...(keys === undefined || Object.keys(keys).length === 0 ? {} : { [ATTRIBUTES.part]: keys }),
    ...(stop === undefined ? {} : { [STOP]: stop }),
    ...(bound === undefined ? {} : { [BOUND]: bound }),
    ...(isSummary === true && covers !== undefined ? { [COVERS]: covers() } : {}),
  }
}
