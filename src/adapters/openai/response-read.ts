// The items of a Responses request as a context takes them, and replies: one item, one block. Everything a model gave in one reply, its
// reasoning, its words, its calls, is in one container, so that a budget takes all of it or nothing.

import { invalid } from '../../errors/index.js'
import { CUT } from '../../codec/index.js'
import { SUMMARY, type JsonObject, type JsonValue } from '../../core/index.js'
import { checkJson, checkMessages, checkRequest } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, type Usage, usageOf } from '../conversation/reported.js'
import { heldContent } from '../conversation/specs.js'
import { answeredId, callIdOf, ITEM_KINDS, itemKind } from './response-kinds.js'

/** A request as `fromOpenAIResponses` takes it; other keys are not looked at. */
export type OpenAIResponsesInput = Readonly<{
  instructions?: string | null | undefined
  input: string | readonly object[]
  previous_response_id?: string | null | undefined
  conversation?: string | object | null | undefined
}>

export const RESPONSES = 'openai-responses'

/** Kinds of nodes that are no items: the instructions, an input that is one text, and a message. */
export const NODE = { instructions: 'instructions', input: 'input', message: 'message' } as const

const ABOUT = { isSystem: false, startsTurn: false, format: RESPONSES, form: undefined, envelope: {} } as const

/** The items of a request as a context takes them. */
export function readResponsesRequest(given: OpenAIResponsesInput): readonly MessageSpec[] {
  const { instructions, input, ...others } = checkRequest(given, '{ input: […] }')
  const state: Record<string, JsonValue> = {}
  for (const key of ['previous_response_id', 'conversation']) {
    if (others[key] !== undefined) state[key] = checkJson(others[key], key)
  }
  const specs: MessageSpec[] = []
  if (Object.keys(state).length > 0)
    specs.push({ ...ABOUT, role: undefined, isSystem: true, request: state, body: { parts: [] } })
  if (instructions !== undefined) {
    const content = checkJson(instructions, 'instructions')
    const form = content === null ? 'null' : typeof content === 'string' ? undefined : 'value'
    specs.push({ ...ABOUT, role: 'system', isSystem: true, form, body: { content, kind: NODE.instructions } })
  }
  if (typeof input !== 'string') return [...specs, ...itemSpecs(checkMessages(input, 'input'))]
  return [...specs, { ...ABOUT, role: 'user', startsTurn: true, body: { content: input, kind: NODE.input } }]
}

function itemSpecs(items: readonly JsonObject[]): readonly MessageSpec[] {
  const isSystem = ({ role, ...item }: JsonObject): boolean => {
    return itemKind({ role, ...item } as JsonObject) === 'message' && (role === 'system' || role === 'developer')
  }
  const found = items.findIndex((item) => !isSystem(item))
  const leading = found < 0 ? items.length : found
  const specs = items.slice(0, leading).map((item) => ({ ...itemSpec(item), isSystem: true }))
  return [
    ...specs,
    ...runsOf(items.slice(leading)).map((run) => (run.length === 1 ? itemSpec(run[0]!) : groupSpec(run))),
  ]
}

/** The items of one reply, which are one message also where they are words only. */
function replySpecs(items: readonly JsonObject[]): readonly MessageSpec[] {
  const isOne = items.length > 1 && items.every((item) => answeredId(item) === undefined)
  return (isOne ? [groupSpec(items)] : itemSpecs(items)).map(asSaid)
}

/** A reply is the model's, also in items of a kind that is not known here. */
function asSaid(message: MessageSpec): MessageSpec {
  const said = (role: string | undefined): string | undefined => (role === 'tool' ? role : 'assistant')
  const { body } = message
  const parts = 'parts' in body ? body.parts.map((part) => ({ ...part, role: said(part.role) })) : undefined
  return { ...message, role: said(message.role), ...(parts === undefined ? {} : { body: { parts } }) }
}

/** Joins the items of one reply of the model. */
function runsOf(items: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const runs: JsonObject[][] = []
  let isRun = false
  for (const item of items) {
    const isSaid = saidByModel(item)
    if (isSaid && isRun) runs.at(-1)!.push(item)
    else runs.push([item])
    isRun = isSaid
  }
  return runs.flatMap((run) => (run.some(isStep) ? [run] : run.map((item) => [item])))
}

export function saidByModel(item: JsonObject): boolean {
  const kind = itemKind(item) ?? ''
  if (kind === 'message') return item['role'] === 'assistant'
  if (kind === 'tool_search_output') return item['execution'] === 'server'
  return Object.hasOwn(ITEM_KINDS, kind) && ITEM_KINDS[kind]!.by === 'model'
}

/** Words alone may be of several replies; thoughts and calls belong to their neighbours. */
function isStep(item: JsonObject): boolean {
  return itemKind(item) !== 'message'
}

function groupSpec(items: readonly JsonObject[]): MessageSpec {
  const thoughts = items
    .filter((item) => itemKind(item) === 'reasoning')
    .flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  // The ids of the items behind the thoughts.
  const led = items.flatMap((item, at) =>
    itemKind(item) === 'reasoning' && typeof item['id'] === 'string' ? [items[at + 1]?.['id'] ?? null] : [],
  )
  return {
    ...ABOUT,
    role: 'assistant',
    form: 'list',
    // The ids of all thoughts: a missing one is found by them.
    envelope: thoughts.length === 0 ? {} : { reasoning: thoughts, led },
    body: { parts: items.map(partSpec) },
  }
}

function itemSpec(item: JsonObject): MessageSpec {
  const { content, envelope = {}, role, form, ...header } = partSpec(item)
  const startsTurn = header.kind === NODE.message && role === 'user'
  return { ...ABOUT, role, startsTurn, envelope, form, body: { content, ...header } }
}

function partSpec(item: JsonObject): PartSpec {
  if (itemKind(item) === 'message') return messageSpec(item)
  const kind = itemKind(item)
  if (kind === 'compaction') return { content: item, kind: SUMMARY, role: 'assistant', isSummary: true }
  const callId = callIdOf(item)
  const answered = answeredId(item)
  return {
    content: item,
    kind: callId !== undefined ? 'call' : answered !== undefined ? 'result' : nodeKind(kind),
    callId: callId ?? answered,
    role: saidByModel(item)
      ? 'assistant'
      : answered !== undefined
        ? 'tool'
        : kind === 'additional_tools'
          ? 'developer'
          : 'user',
  }
}

function messageSpec(item: JsonObject): PartSpec {
  const { role, content, ...others } = item
  const isNamed = typeof role === 'string' && role !== ''
  const isPlain = typeof content === 'string' || Array.isArray(content)
  return {
    content: heldContent(content),
    kind: NODE.message,
    role: isNamed ? role : undefined,
    envelope: isNamed || role === undefined ? others : { role, ...others },
    form: isPlain ? undefined : content === undefined ? 'absent' : content === null ? 'null' : 'value',
  }
}

/** An item that calls itself as we call something else is still unknown. */
function nodeKind(kind: string | undefined): string | undefined {
  return kind === undefined || kind === '' || OURS.has(kind) ? undefined : kind
}

const OURS: ReadonlySet<string> = new Set(['call', 'result', 'text', ...Object.values(NODE)])

/** A response, or its output, whose items are sent back as they came. That of `/responses/compact` repeats the messages of the user, which are in the tree. */
export function readResponsesReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  const { output = copy, usage } = isObject(copy) ? copy : {}
  // A list alone may be anything, such as the events of a stream. A response may hold items that are not known here.
  if (
    !Array.isArray(output) ||
    (output === copy && output.length > 0 && !output.some((item) => isObject(item) && saidByModel(item)))
  )
    throw invalid(
      'reply',
      'The reply is a response with its output, or that output; of a stream it is the response at its end.',
    )
  const keepsUsers = isObject(copy) && copy['object'] === 'response.compaction'
  const given = checkMessages(output, 'output').map((item) => asSent(item))
  const items = keepsUsers ? given.filter((item) => itemKind(item) === 'compaction') : given
  const { status, incomplete_details: details } = isObject(copy) ? copy : {}
  const reason = isObject(details) ? details['reason'] : undefined
  const word = typeof reason === 'string' ? reason : status
  const { id, store } = isObject(copy) ? copy : {}
  return {
    keptAs: typeof id === 'string' && store !== false && !keepsUsers ? id : undefined,
    messages: replySpecs(items).map(withCutCalls),
    keepsUsers,
    usage: isObject(usage) ? readCounts(usage) : undefined,
    stop: typeof word === 'string' ? word : undefined,
    end: status === 'completed' && items.some(isRefusal) ? 'refusal' : undefined,
    about: isObject(copy) ? copy : undefined,
  }
}

function readCounts({
  input_tokens: input,
  output_tokens: output,
  input_tokens_details: of,
}: JsonObject): Usage | undefined {
  const { cached_tokens: read, cache_write_tokens: written, cache_write_tokens_details: by } = isObject(of) ? of : {}
  const { ttl_30m_tokens: short, ttl_12h_tokens: long } = isObject(by) ? by : {}
  return usageOf(input, output, read, written, Object.entries({ '30m': short, '12h': long }))
}

/** The words of `status` and of `incomplete_details.reason`. */
export const RESPONSES_REPLIES: ReplyTable = {
  stops: { completed: 'end', max_output_tokens: 'length', max_messages: 'length', content_filter: 'filter' },
  id: 'id',
  model: 'model',
  details: [
    'usage',
    'incomplete_details',
    'error',
    'service_tier',
    'conversation',
    'prompt_cache_options',
    'prompt_cache_diagnostics',
    'tool_usage',
    'moderation',
    'access_programs',
  ],
}

function isRefusal(item: JsonObject): boolean {
  const { content } = item
  return Array.isArray(content) && content.some((part: JsonValue) => isObject(part) && part['type'] === 'refusal')
}

/** A call that the response ended in says so itself. */
function withCutCalls(message: MessageSpec): MessageSpec {
  const marked = <Body extends PartSpec>(part: Body): Body =>
    part.kind === 'call' && isObject(part.content) && part.content['status'] === 'incomplete'
      ? { ...part, stop: CUT }
      : part
  const { body } = message
  return { ...message, body: 'parts' in body ? { parts: body.parts.map(marked) } : marked(body) }
}

/** A reply says null for what it does not have, and clients add what they read out of it. Some keys have to be there, null or not. */
function asSent(item: JsonObject): JsonObject {
  const kind = itemKind(item) ?? ''
  const needs = Object.hasOwn(ITEM_KINDS, kind) ? ITEM_KINDS[kind]!.needs : {}
  const isSent = ([key, value]: readonly [string, JsonValue]): boolean =>
    !ADDED.has(key) && (value !== null || Object.hasOwn(needs, key))
  const sent = Object.fromEntries(Object.entries(item).filter(isSent))
  const { content } = sent
  return Array.isArray(content)
    ? { ...sent, content: content.map((part) => (isObject(part) ? asSent(part) : part)) }
    : sent
}

/** Keys of clients, and the one that only replies have. */
const ADDED: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments', 'created_by'])
