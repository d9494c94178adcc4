// Gemini's Interactions API: a list of typed steps, a system instruction, and perhaps what the server holds of the conversation.

import type { JsonObject } from '../../core/index.js'
import type { RequestOptions } from '../conversation/adapter.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { OnlyNewOptions } from '../conversation/held.js'
import type { BlocksOptions } from '../conversation/message-options.js'
import type { Message, Part } from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, plainJson, plainObject, type PlainObject } from '../conversation/plain-json.js'
import type { Head } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { RequestFacts } from '../conversation/request.js'
import { INTERACTIONS_HELD } from './interaction-held.js'
import { INTERACTIONS, knowsInteractionPart, readInteractionPart, serverTie } from './interaction-kinds.js'
import {
  type GeminiInteractionsInput,
  INTERACTION_REPLIES,
  readInteraction,
  readInteractionReply,
  SAID,
} from './interaction-read.js'
import { oneText, userInput, writeSteps } from './interaction-write.js'

/** Contents of a step that this package makes. */
export type GeminiStepContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio' | 'video' | 'document'; data?: string; uri?: string; mime_type?: string }

/** The steps that this package makes; others that came from the API are given as they came. */
export type GeminiStep =
  | { type: 'user_input' | 'model_output'; content: GeminiStepContent[] }
  | { type: 'thought'; signature?: string }
  | { type: 'function_call'; id: string; name: string; arguments: Record<string, unknown> }
  | {
      type: 'function_result'
      call_id: string
      name?: string
      result: string | GeminiStepContent[] | Record<string, unknown>
      is_error?: boolean
    }

/** A request of `toGeminiInteractions`, to be spread into a call, with its facts. */
export type GeminiInteractionsRequest = {
  system_instruction?: string
  previous_interaction_id?: string
  input: string | GeminiStep[]
} & RequestFacts

export type GeminiInteractionsOptions = RequestOptions & BlocksOptions<'user'> & OnlyNewOptions

export const GEMINI_INTERACTIONS: DefinedAdapter<
  GeminiInteractionsInput,
  GeminiInteractionsOptions,
  GeminiInteractionsRequest
> = defineAdapter({
  calls: { from: 'fromGeminiInteractions', to: 'toGeminiInteractions', receive: 'receiveGeminiInteractions' },
  format: {
    name: INTERACTIONS,
    version: 3,
    list: 'input',
    held: INTERACTIONS_HELD,
    // It takes an empty text of its own back.
    isBlank: (text, { shape }) => text === '' && shape !== INTERACTIONS,
    ties: serverTie,
    write: (messages, out) => writeSteps(messages, out),
    holdsCalls: (system) => system.some(isState),
    filler: userInput,
    request: head,
  },
  params: () => ({ provider: 'google', system: ['system_instruction'] }),
  readPart: readInteractionPart,
  knowsPart: knowsInteractionPart,
  readConversation: readInteraction,
  readReply: readInteractionReply,
  replies: INTERACTION_REPLIES,
})

function head(system: readonly Message[], list: readonly PlainObject[], out: RequestWriter): Head {
  const isHeld = system.some(isState)
  const before = beside(system, out)
  const [only] = list
  if (list.length === 1 && oneText(only!) !== undefined) return { before, instead: oneText(only!) }
  const isFirst = out.repair && !isHeld && isCallFirst(list)
  if (isFirst) out.noteOf(only!, 'added', (id) => `A user message is added before ${id}: Gemini needs one.`)
  return { before, start: isFirst ? { drop: 0, put: [FIRST] } : undefined }
}

/** True if a call comes before the first input of the user. */
function isCallFirst(list: readonly PlainObject[]): boolean {
  for (const { type } of list) if (type === SAID.input || type === 'function_call') return type === 'function_call'
  return false
}

const FIRST = userInput('(continued)')

function beside(system: readonly Message[], out: RequestWriter): PlainObject {
  const states = system.flatMap(({ parts }) => parts.map(stateIn).filter((state) => state !== undefined))
  const told = system.filter((message) => !isState(message))
  const state = Object.assign({}, ...states.map((each) => plainObject(each))) as PlainObject
  const [first] = told
  if (first === undefined) return states.length === 0 ? NO_KEYS : inOrder(state)
  if (!out.repair && told.length === 1 && first.format === INTERACTIONS)
    return inOrder({ system_instruction: plainJson(first.record.content ?? '') }, state)
  const pieces = told.flatMap(({ parts }) => parts.flatMap((part) => textIn(part, out) ?? []))
  if (pieces.length === 0) return inOrder(state)
  const values = inOrder({ system_instruction: pieces.map(({ text }) => text).join(BETWEEN) }, state)
  return out.ownTexts(values, 'system_instruction', pieces, BETWEEN)
}

/** The separator of system texts, which are one text to the provider. */
const BETWEEN = '\n\n'

function textIn(part: Part, out: RequestWriter): Readonly<{ text: string; record: Part['record'] }> | undefined {
  if (part.kind === 'text') return { text: part.text, record: part.record }
  return out.leaveOut(part, 'a system instruction holds text only')
}

function isState({ parts }: Message): boolean {
  return parts.some((part) => stateIn(part) !== undefined)
}

function stateIn({ kind, raw, record }: Part): JsonObject | undefined {
  return kind === 'other' && record.nodeClass !== 'block' && isObject(raw) ? raw : undefined
}
