// The form of a Responses request: a list of items, instructions, and perhaps what the server
// holds of the conversation.

import type { JsonObject, NodeRecord } from '../../core/index.js'
import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheKey } from '../conversation/cache-marks.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { OnlyNewOptions } from '../conversation/held.js'
import type { BlocksOptions } from '../conversation/message-options.js'
import { type Message, type Part, speakerOf } from '../conversation/neutral.js'
import { byKeys, isObject, NO_KEYS, plainJson, plainObject, type PlainObject } from '../conversation/plain-json.js'
import type { Head } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { RequestFacts } from '../conversation/request.js'
import type { Tie } from '../conversation/steps.js'
import { RESPONSES_CACHE } from './cache.js'
import type { OpenAIChatMark } from './chat-format.js'
import { BESIDE, RESPONSES_HELD } from './response-held.js'
import { ResponseItems } from './response-items.js'
import { isLate, readResponsesPart } from './response-kinds.js'
import { byNode, heldItem, ITEM_ORDER, oneText } from './response-parts.js'
import {
  NODE,
  type OpenAIResponsesInput,
  readResponsesReply,
  readResponsesRequest,
  RESPONSES,
  RESPONSES_REPLIES,
} from './response-read.js'

/** Parts of a user's message, a system text or the output of a tool. */
export type OpenAIResponsesPart =
  | ({ type: 'input_text'; text: string } & OpenAIChatMark)
  | ({
      type: 'input_image'
      image_url?: string | null
      file_id?: string | null
      detail: 'low' | 'high' | 'auto'
    } & OpenAIChatMark)
  | ({
      type: 'input_file'
      file_data?: string
      file_id?: string | null
      file_url?: string
      filename?: string
    } & OpenAIChatMark)

/** The items that this package makes; others that came from the API are given as they came. */
export type OpenAIResponsesItem =
  | {
      type?: 'message'
      role: 'user' | 'assistant' | 'system' | 'developer'
      content: string | OpenAIResponsesPart[]
      phase?: 'commentary' | 'final_answer' | null
    }
  | { type: 'function_call'; id?: string; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | OpenAIResponsesPart[] }
  | { type: 'custom_tool_call'; id?: string; call_id: string; name: string; input: string }
  | { type: 'custom_tool_call_output'; call_id: string; output: string | OpenAIResponsesPart[] }
  | {
      type: 'reasoning'
      id: string
      summary: { type: 'summary_text'; text: string }[]
      encrypted_content?: string | null
    }

/** A request of `toOpenAIResponses`, to be spread into a call, with its facts. */
export type OpenAIResponsesRequest = {
  instructions?: string
  previous_response_id?: string
  conversation?: string | { id: string }
  input: string | OpenAIResponsesItem[]
  prompt_cache_key?: string
  /** With `12h` or a comparison only the client's types from version 7 on name them. */
  prompt_cache_options?: { mode?: 'implicit' | 'explicit'; ttl?: '30m' }
} & RequestFacts

export type OpenAIResponsesOptions = RequestOptions &
  BlocksOptions<'user' | 'system' | 'developer'> &
  OnlyNewOptions &
  Readonly<{
    /** False where the request says so: then reasoning goes along only with its encrypted content. */
    store?: boolean | undefined
    /** The conversation at OpenAI that the request goes into: it has what was sent there, so only what is new is sent. */
    conversation?: string | undefined
    /** Marks where the provider's prompt cache should keep what comes before them; for models that take them. */
    cache?: boolean | CacheKey | undefined
  }>

export const OPENAI_RESPONSES: DefinedAdapter<OpenAIResponsesInput, OpenAIResponsesOptions, OpenAIResponsesRequest> =
  defineAdapter({
    calls: { from: 'fromOpenAIResponses', to: 'toOpenAIResponses', receive: 'receiveOpenAIResponses' },
    options: ['store', 'conversation'],
    format: {
      name: RESPONSES,
      version: 8,
      list: 'input',
      cache: RESPONSES_CACHE,
      held: RESPONSES_HELD,
      // The provider takes an empty text that it gave itself.
      isBlank: (text, { shape }) => text === '' && shape !== RESPONSES,
      ties: approvalTie,
      answersLate: isLate,
      summaries: 'in place',
      write: written,
      uniqueIds: itemIds,
      holdsCalls: (system) => system.some(({ parts }) => parts.some((part) => stateIn(part) !== undefined)),
      filler: (text) => byKeys(ITEM_ORDER, { role: 'user', content: text }),
      request: head,
    },
    params: () => ({ provider: 'openai', system: ['instructions'] }),
    readPart: readResponsesPart,
    readConversation: readResponsesRequest,
    readReply: readResponsesReply,
    replies: RESPONSES_REPLIES,
  })

/** An approval may be asked for in one turn and given in the next. */
function approvalTie({ shape, raw }: Part): Tie | undefined {
  if (shape !== RESPONSES || !isObject(raw)) return undefined
  const { type, id, approval_request_id: asked } = raw
  if (type === 'mcp_approval_request' && typeof id === 'string') return { opens: id }
  return type === 'mcp_approval_response' && typeof asked === 'string' ? { answers: asked } : undefined
}

/** The ids of items; that of a shell's output is the one of its call. */
function itemIds(items: readonly PlainObject[]): readonly string[] {
  const ids: string[] = []
  for (const { type, id } of items) if (typeof id === 'string' && type !== 'local_shell_call_output') ids.push(id)
  return ids
}

function written(
  messages: readonly Message[],
  out: RequestWriter,
  options: OpenAIResponsesOptions,
): readonly PlainObject[] {
  const items = new ResponseItems(messages, out, options)
  for (const message of messages) {
    if (out.repair || message.format !== RESPONSES) items.message(message)
    else {
      for (const [part] of byNode(message.parts)) {
        if (part!.kind === 'gone') continue
        items.put(out.own(heldItem(part!.record), part!.record))
      }
      // A message whose content is an empty list has no parts.
      const { record, parts } = message
      if (parts.length === 0 && record.nodeClass === 'block') items.put(out.own(heldItem(record), record))
    }
  }
  return items.done()
}

/** The keys next to the items: instructions, the server's state, and leading system messages. */
function head(
  system: readonly Message[],
  list: readonly PlainObject[],
  out: RequestWriter,
  options: OpenAIResponsesOptions,
): Head {
  const { conversation } = options
  if (system.length === 0 && conversation === undefined)
    return { before: NO_KEYS, instead: list.length === 1 ? oneText(list[0]!) : undefined }
  const texts = system.filter(isInstructions)
  const states = system.filter(({ parts }) => parts.some((part) => stateIn(part) !== undefined))
  const put = written(
    system.filter((message) => !texts.includes(message) && !states.includes(message)),
    out,
    options,
  )
  const only = list.length === 1 && put.length === 0 ? oneText(list[0]!) : undefined
  return {
    before: beside(texts, states, out, conversation),
    start: { drop: 0, put },
    instead: only,
  }
}

/** System text outside the items: that of a request, or of a context that came from elsewhere. */
function isInstructions(message: Message): boolean {
  if (message.format === RESPONSES) return message.record.kind === NODE.instructions
  return speakerOf(message) === 'system' && message.parts.every((part) => part.kind === 'text')
}

function stateIn({ kind, raw, record }: Part): JsonObject | undefined {
  return kind === 'other' && record.nodeClass !== 'block' && isObject(raw) ? raw : undefined
}

function beside(
  texts: readonly Message[],
  states: readonly Message[],
  out: RequestWriter,
  conversation: string | undefined,
): PlainObject {
  const [first] = texts
  const pieces = texts.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'text' ? [{ text: part.text, record: part.record }] : [])),
  )
  const { content = '' } = first?.record ?? {}
  for (const { parts, record } of out.repair ? texts : []) {
    if (!parts.some((part) => part.kind === 'text')) {
      out.note('left-out', record, `The instructions ${record.id} are left out: they are no text.`)
    }
  }
  const isHeld = !out.repair && texts.length === 1 && first!.format === RESPONSES
  const joined = pieces.length > 0 ? pieces.map(({ text }) => text).join(BETWEEN) : undefined
  const told = isHeld ? plainJson(content) : joined
  const state = states.reduce<PlainObject>((all, { parts }) => ({ ...all, ...plainObject(stateIn(parts[0]!)!) }), {})
  const values = byKeys(BESIDE, {
    ...(conversation !== undefined ? { conversation } : out.repair ? validState(state, states[0]?.record, out) : state),
    ...(texts.length > 0 && told !== undefined ? { instructions: told } : {}),
  })
  if (typeof values['instructions'] === 'string') out.ownTexts(values, 'instructions', pieces, BETWEEN)
  return values
}

/** The separator of system texts that are one text to the provider. */
const BETWEEN = '\n\n'

/** One of the two; a conversation has what a response led to. */
function validState(state: PlainObject, record: NodeRecord | undefined, out: RequestWriter): PlainObject {
  const { previous_response_id: response, conversation } = state
  const isTalk = typeof conversation === 'string' || (isObject(conversation) && typeof conversation['id'] === 'string')
  const kept = {
    ...(response === null || (typeof response === 'string' && !isTalk) ? { previous_response_id: response } : {}),
    ...(conversation === null || isTalk ? { conversation } : {}),
  }
  const dropped = Object.keys(state).filter((key) => !Object.hasOwn(kept, key))
  if (dropped.length > 0 && record !== undefined) {
    out.note('dropped-key', record, `The request is sent without ${dropped.join(', ')}: it would be refused.`)
  }
  return kept
}
