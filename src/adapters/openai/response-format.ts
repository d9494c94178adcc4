// How the Responses API wants a conversation: items one behind another, instructions beside them, and perhaps what the server
// holds of the conversation.

import type { JsonObject, NodeRecord } from '../../core/index.js'
import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheKey } from '../conversation/cache-options.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import type { Message, Part } from '../conversation/neutral.js'
import { byKeys, isObject, NO_KEYS, plainJson, plainObject, type PlainObject } from '../conversation/plain-json.js'
import type { Head, Pen, RequestFormat } from '../conversation/request-format.js'
import { speakerOf } from '../conversation/speaker.js'
import { RESPONSES_CACHE } from './response-cache.js'
import { byNode, heldItem, ITEM_ORDER, oneText } from './response-held.js'
import { ResponseItems } from './response-items.js'
import { NODE, RESPONSES, saidByModel } from './response-specs.js'

export type OpenAIResponsesOptions = RequestOptions &
  BlocksOptions<'user' | 'system' | 'developer'> &
  Readonly<{
    /** False where the request says so: then reasoning goes along only with its encrypted content. */
    store?: boolean | undefined
    /** Marks where the provider's prompt cache should keep what stands before them; for models that take them. */
    cache?: boolean | CacheKey | undefined
  }>

export const RESPONSES_FORMAT: RequestFormat<OpenAIResponsesOptions> = {
  name: RESPONSES,
  version: 1,
  list: 'input',
  cache: RESPONSES_CACHE,
  // The provider takes an empty text that it gave itself.
  isBlank: (text, { shape }) => text === '' && shape !== RESPONSES,
  write: written,
  uniqueIds: itemIds,
  holdsCalls: (system) => system.some(({ parts }) => parts.some((part) => stateIn(part) !== undefined)),
  filler: (text) => byKeys(ITEM_ORDER, { role: 'user', content: text }),
  request: head,
}

/** The ids of items; that of a shell's output is the one of its call. */
function itemIds(items: readonly PlainObject[]): readonly string[] {
  const ids: string[] = []
  for (const { type, id } of items) if (typeof id === 'string' && type !== 'local_shell_call_output') ids.push(id)
  return ids
}

function written(messages: readonly Message[], pen: Pen, options: OpenAIResponsesOptions): readonly PlainObject[] {
  const items = new ResponseItems(messages, pen, options)
  for (const message of messages) {
    if (pen.repair || message.format !== RESPONSES) items.message(message)
    else {
      for (const [part] of byNode(message.parts)) {
        if (part!.kind === 'gone') continue
        items.put(pen.own(heldItem(part!.record), part!.record))
      }
      // A message whose content is an empty list has no parts.
      const { record, parts } = message
      if (parts.length === 0 && record.nodeClass === 'block') items.put(pen.own(heldItem(record), record))
    }
  }
  return pen.repair ? withoutLoneThoughts(items.done(), messages, pen) : items.done()
}

/** A thought is followed by what it led to. */
function withoutLoneThoughts(
  items: readonly PlainObject[],
  messages: readonly Message[],
  pen: Pen,
): readonly PlainObject[] {
  if (!items.some(({ type }) => type === 'reasoning')) return items
  const kept: PlainObject[] = []
  for (const item of items.toReversed()) {
    const next = kept.at(-1)
    if (item['type'] !== 'reasoning' || (next !== undefined && saidByModel(next))) kept.push(item)
    else noteThought(item, messages, pen)
  }
  return kept.toReversed()
}

function noteThought({ id }: PlainObject, messages: readonly Message[], pen: Pen): void {
  const parts = messages.flatMap((message) => message.parts)
  const part = parts.find(({ raw }) => isObject(raw) && raw['id'] === id)
  const text = `The reasoning ${part?.record.id} is left out: what it led to is gone.`
  if (part !== undefined) pen.note('left-out', part.record, text)
}

/** What stands beside the items: instructions, what the server holds, and system messages that lead. */
function head(
  system: readonly Message[],
  list: readonly PlainObject[],
  pen: Pen,
  options: OpenAIResponsesOptions,
): Head {
  if (system.length === 0) return { before: NO_KEYS, instead: list.length === 1 ? oneText(list[0]!) : undefined }
  const texts = system.filter(isInstructions)
  const states = system.filter(({ parts }) => parts.some((part) => stateIn(part) !== undefined))
  const put = written(
    system.filter((message) => !texts.includes(message) && !states.includes(message)),
    pen,
    options,
  )
  const only = list.length === 1 && put.length === 0 ? oneText(list[0]!) : undefined
  return {
    before: beside(texts, states, pen),
    start: { drop: 0, put },
    instead: only,
  }
}

/** System text that stands beside the items: that of a request, or of a context that came from elsewhere. */
function isInstructions(message: Message): boolean {
  if (message.format === RESPONSES) return message.record.kind === NODE.instructions
  return speakerOf(message) === 'system' && message.parts.every((part) => part.kind === 'text')
}

function stateIn({ kind, raw, record }: Part): JsonObject | undefined {
  return kind === 'other' && record.nodeClass !== 'block' && isObject(raw) ? raw : undefined
}

function beside(texts: readonly Message[], states: readonly Message[], pen: Pen): PlainObject {
  const [first] = texts
  const pieces = texts.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'text' ? [{ text: part.text, record: part.record }] : [])),
  )
  const { content = '' } = first?.record ?? {}
  for (const { parts, record } of pen.repair ? texts : []) {
    if (!parts.some((part) => part.kind === 'text')) {
      pen.note('left-out', record, `The instructions ${record.id} are left out: they are no text.`)
    }
  }
  const isHeld = !pen.repair && texts.length === 1 && first!.format === RESPONSES
  const joined = pieces.length > 0 ? pieces.map(({ text }) => text).join(BETWEEN) : undefined
  const told = isHeld ? plainJson(content) : joined
  const state = states.reduce<PlainObject>((all, { parts }) => ({ ...all, ...plainObject(stateIn(parts[0]!)!) }), {})
  const values = byKeys(BESIDE, {
    ...(pen.repair ? validState(state, states[0]?.record, pen) : state),
    ...(texts.length > 0 && told !== undefined ? { instructions: told } : {}),
  })
  if (typeof values['instructions'] === 'string') pen.ownTexts(values, 'instructions', pieces, BETWEEN)
  return values
}

const BESIDE: readonly string[] = ['instructions', 'previous_response_id', 'conversation']

/** What stands between two system texts that are one text to the provider. */
const BETWEEN = '\n\n'

/** One of the two; a conversation has what a response led to. */
function validState(state: PlainObject, record: NodeRecord | undefined, pen: Pen): PlainObject {
  const { previous_response_id: response, conversation } = state
  const isTalk = typeof conversation === 'string' || (isObject(conversation) && typeof conversation['id'] === 'string')
  const kept = {
    ...(response === null || (typeof response === 'string' && !isTalk) ? { previous_response_id: response } : {}),
    ...(conversation === null || isTalk ? { conversation } : {}),
  }
  const dropped = Object.keys(state).filter((key) => !Object.hasOwn(kept, key))
  if (dropped.length > 0 && record !== undefined) {
    pen.note('dropped-key', record, `The request is sent without ${dropped.join(', ')}: it would be refused.`)
  }
  return kept
}
