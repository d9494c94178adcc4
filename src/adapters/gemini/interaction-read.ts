// Interactions as a context takes them, and replies: one step, one block. The steps of one reply are in one container, so that a budget takes all of
// them or none.

import { CUT } from '../../codec/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { describe, invalid } from '../../errors/index.js'
import { checkJson, checkMessages, checkRequest } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, type Usage, usageOf } from '../conversation/reported.js'
import { elementSpec, formOf, heldContent } from '../conversation/specs.js'
import { INTERACTIONS, readInteractionPart } from './interaction-kinds.js'
import { interactionOf } from './interaction-stream.js'

/** A request as `interactions.create` takes it, or an interaction as `interactions.get` gives it; other keys are not looked at. */
export type GeminiInteractionsInput = Readonly<{
  system_instruction?: string | null | undefined
  previous_interaction_id?: string | null | undefined
  input?: string | object | readonly object[] | null | undefined
  steps?: readonly object[] | null | undefined
}>

/** Kinds of nodes that hold a list of contents, and that of an input that is one text. */
export const SAID = { input: 'user_input', output: 'model_output', text: 'input' } as const

/** The kinds of nodes whose content is what is said, and not a step. */
export function isSaid({ kind }: Readonly<{ kind: string | undefined }>): boolean {
  return kind === SAID.input || kind === SAID.output || kind === SAID.text
}

const ABOUT = { isSystem: false, startsTurn: false, format: INTERACTIONS, form: undefined, envelope: {} } as const

export function readInteraction(given: GeminiInteractionsInput): readonly MessageSpec[] {
  const { system_instruction: told, previous_interaction_id: previous, input, steps } = checkRequest(given, FORM)
  const specs: MessageSpec[] = []
  if (previous !== undefined) {
    const request = { previous_interaction_id: checkJson(previous, 'previous_interaction_id') }
    specs.push({ ...ABOUT, role: undefined, isSystem: true, request, body: { parts: [] } })
  }
  if (told !== undefined) {
    const content = checkJson(told, 'system_instruction')
    specs.push({ ...ABOUT, role: 'system', isSystem: true, form: formOf(content), body: { content } })
  }
  if (typeof input === 'string' && steps === undefined)
    return [...specs, { ...ABOUT, role: 'user', startsTurn: true, body: { content: input, kind: SAID.text } }]
  if ((input ?? steps ?? undefined) === undefined) {
    if (previous === undefined) throw invalid('input', `fromGeminiInteractions takes ${FORM}.`)
    return specs
  }
  const made = steps === undefined || steps === null ? [] : checkMessages(steps, 'steps')
  // A stored interaction has its input among its steps.
  const asked = made.some((step) => step['type'] === SAID.input) ? [] : stepsOf(input ?? [])
  return [...specs, ...stepSpecs([...asked, ...made])]
}

const FORM = '{ input: […] }'

/** The input as steps: a text, a content or a list of contents is an input of the user. */
function stepsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') return [inputStep([{ type: 'text', text: input }])]
  if (!Array.isArray(input) && typeof input !== 'object')
    throw invalid('input', `input is a text, a content or a list of steps, not ${describe(input)}.`)
  const given = checkMessages(Array.isArray(input) ? input : [input], 'input')
  const isList = given.length > 0 && given.every(({ type }) => CONTENT_TYPES.includes(type as string))
  const untyped = given.findIndex(({ type }) => typeof type !== 'string')
  if (untyped >= 0)
    throw invalid('input', `input[${untyped}] has no type; a step is { type, … }, such as a user_input.`)
  return isList ? [inputStep(given)] : given
}

const CONTENT_TYPES: readonly string[] = ['text', 'image', 'audio', 'document', 'video']

function inputStep(content: readonly JsonObject[]): JsonObject {
  return { type: SAID.input, content }
}

function stepSpecs(steps: readonly JsonObject[]): readonly MessageSpec[] {
  return runsOf(steps).map((run) => (run.length === 1 ? stepSpec(run[0]!) : groupSpec(run)))
}

/** The steps of each reply together; a reply that is nothing but words is a message by itself. */
function runsOf(steps: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const runs: JsonObject[][] = []
  let isRun = false
  for (const step of steps) {
    const isModel = isOfModel(step)
    if (isModel && isRun) runs.at(-1)!.push(step)
    else runs.push([step])
    isRun = isModel
  }
  return runs.flatMap((run) => (run.some(({ type }) => type !== SAID.output) ? [run] : run.map((step) => [step])))
}

/** True for a step of the model, also for one of a kind that is not known here. */
export function isOfModel({ type }: Readonly<Record<string, unknown>>): boolean {
  return typeof type === 'string' && type !== SAID.input && type !== 'function_result'
}

function groupSpec(steps: readonly JsonObject[]): MessageSpec {
  return { ...ABOUT, role: 'assistant', form: 'list', body: { parts: steps.map(partSpec) } }
}

function stepSpec(step: JsonObject): MessageSpec {
  const { content, envelope = {}, role, form, ...header } = partSpec(step)
  return { ...ABOUT, role, startsTurn: role === 'user', envelope, form, body: { content, ...header } }
}

function partSpec(step: JsonObject): PartSpec {
  const { type, content, ...others } = step
  const role = isOfModel(step) ? 'assistant' : type === 'function_result' ? 'tool' : 'user'
  if (type !== SAID.input && type !== SAID.output)
    return { ...elementSpec(step, readInteractionPart(step, undefined)), role }
  const form = formOf(content)
  return {
    content: heldContent(content),
    kind: type,
    role,
    envelope: others,
    form: form === 'list' || form === 'text' ? undefined : form,
  }
}

/** An interaction, or the list of all events of a streamed one. What the caller said is in the tree already. */
export function readInteractionReply(reply: unknown): Reply {
  const { interaction, cut } = interactionOf(reply)
  const { id, status, usage } = interaction
  if (status === 'in_progress' || status === 'queued')
    throw invalid('reply', 'The interaction is still running; get it again once it is done, and receive that.')
  const steps = Array.isArray(interaction['steps']) ? checkMessages(interaction['steps'], 'steps') : []
  const called = new Set(steps.flatMap(({ type, id }) => (type === 'function_call' ? [id] : [])))
  const isReply = ({ type, call_id: id }: JsonObject): boolean =>
    type === 'function_result' ? called.has(id) : type !== SAID.input
  return {
    messages: stepSpecs(steps.filter(isReply)).map((message) => withCut(message, cut)),
    usage: isObject(usage) ? readCounts(usage) : undefined,
    stop: typeof status === 'string' ? status : undefined,
    // An interaction that was not stored has no id, or an empty one.
    keptAs: typeof id === 'string' && id !== '' ? id : undefined,
    about: interaction,
  }
}

/** The call with this id is not whole. */
function withCut(message: MessageSpec, cut: string | undefined): MessageSpec {
  if (cut === undefined) return message
  const marked = <Body extends PartSpec>(part: Body): Body =>
    part.kind === 'call' && part.callId === cut ? { ...part, stop: CUT } : part
  const { body } = message
  return { ...message, body: 'parts' in body ? { parts: body.parts.map(marked) } : marked(body) }
}

/** Thoughts are counted apart from the answer, and what the provider's tools read apart from the prompt. */
function readCounts(usage: JsonObject): Usage | undefined {
  const sum = (...counts: readonly (JsonValue | undefined)[]): number | undefined => {
    const given = counts.filter((count) => typeof count === 'number')
    return given.length === 0 ? undefined : given.reduce((all, count) => all + count, 0)
  }
  return usageOf(
    sum(usage['total_input_tokens'], usage['total_tool_use_tokens']),
    sum(usage['total_output_tokens'], usage['total_thought_tokens']),
    usage['total_cached_tokens'],
  )
}

/** The words of `status`. */
export const INTERACTION_REPLIES: ReplyTable = {
  stops: {
    completed: 'end',
    requires_action: 'calls',
    requires_continuation: 'pause',
    incomplete: 'length',
    budget_exceeded: 'length',
  },
  id: 'id',
  model: 'model',
  details: [
    'usage',
    'errors',
    'error',
    'previous_interaction_id',
    'continuation_token',
    'continuation_ids',
    'environment_id',
    'service_tier',
    'agent',
  ],
}
