// The items of a Responses request as what is put into a context: one item, one block. What a model gave in one go, its
// reasoning, its words, its calls, stands in one container, so that a budget takes all of it or nothing.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { answeredId, callIdOf, ITEM_KINDS, itemKind } from './item-kinds.js'

export const RESPONSES = 'openai-responses'

/** Kinds of nodes that are no items: the text beside the input, an input that is one text, and a message. */
export const NODE = { instructions: 'instructions', input: 'input', message: 'message' } as const

/** What a request says beside its items. */
export type Beside = Readonly<{ instructions?: JsonValue; state?: JsonObject }>

const ABOUT = { isSystem: false, startsTurn: false, format: RESPONSES, form: undefined, envelope: {} } as const

/** The text beside the input, and what the server holds of the conversation. */
export function besideSpecs({ instructions, state }: Beside): readonly MessageSpec[] {
  const told: MessageSpec[] = []
  if (state !== undefined) told.push({ ...ABOUT, role: undefined, isSystem: true, request: state, body: { parts: [] } })
  if (instructions !== undefined) {
    const form = instructions === null ? 'null' : typeof instructions === 'string' ? undefined : 'value'
    const body = { content: instructions, kind: NODE.instructions }
    told.push({ ...ABOUT, role: 'system', isSystem: true, form, body })
  }
  return told
}

/** An input that is one text. */
export function inputSpec(text: string): MessageSpec {
  return { ...ABOUT, role: 'user', startsTurn: true, body: { content: text, kind: NODE.input } }
}

export function itemSpecs(items: readonly JsonObject[]): readonly MessageSpec[] {
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

/** Items that a model gave in one go stand together. */
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

/** Words alone may be of several replies; thoughts and calls belong to what stands beside them. */
function isStep(item: JsonObject): boolean {
  return itemKind(item) !== 'message'
}

function groupSpec(items: readonly JsonObject[]): MessageSpec {
  const thoughts = items
    .filter((item) => itemKind(item) === 'reasoning')
    .flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  return {
    ...ABOUT,
    role: 'assistant',
    form: 'list',
    // Whether a thought is missing can be told only by who knows which there were.
    envelope: thoughts.length === 0 ? {} : { reasoning: thoughts },
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
    content: content ?? (content === null ? null : ''),
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
