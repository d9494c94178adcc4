// The kinds of items in a Responses request: who says them, the keys that they have, which of them answer which, and how they are read.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  asCame,
  byKind,
  fields,
  type Fit,
  isKnown,
  flag,
  listOf,
  matching,
  nullable,
  number,
  object,
  refused,
  text,
  wordOf,
} from '../conversation/fit.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import type { CallPart, OutputPart, ReadPart } from '../conversation/neutral.js'
import {
  anyFitOf,
  asOutputPart,
  callPart,
  fitsOf,
  type PartOrigin,
  type PartReader,
  type PartTable,
  rowsOf,
  textIn,
  textRow,
  typedReader,
} from '../conversation/part-reader.js'
import { isObject, type PlainObject, textOf } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'

type Fits = Readonly<Record<string, Fit>>

/** Of a call that the caller answers: the key of its arguments, and the kind of its answer. */
type Answered = Readonly<{ input: string; answer: string }>

type ItemKind = Readonly<{
  /** The model, or the caller of the model. */
  by: 'model' | 'caller'
  /** The keys that an item of this kind must have. */
  needs: Fits
  /** The item with the keys that it may have. */
  fit: Fit
  call?: Answered | undefined
}>

/** Keys whose value is one of a few words, in any item. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  status: ['in_progress', 'completed', 'incomplete', 'searching', 'generating', 'failed', 'calling', 'interpreting'],
  phase: ['commentary', 'final_answer'],
  execution: ['server', 'client'],
  detail: ['auto', 'low', 'high', 'original'],
}

/** Lists and objects that no table looks into. */
const list = asCame(listOf(anything))
const given = asCame(object)
const word = asCame(text)
const id = matching(/./s)

/** The keys, of which those of words take these words only. */
function worded(keys: Fits): Fits {
  const fits = Object.entries(keys).map(([key, fit]) => [
    key,
    fit === text && Object.hasOwn(WORDS, key) ? wordOf(...WORDS[key]!) : fit,
  ])
  return Object.fromEntries(fits) as Fits
}

/** An object with these keys; each may be null. */
function keysOf(keys: Fits): Fit {
  const fits = Object.entries(worded(keys)).map(([key, fit]) => [key, nullable(fit)])
  return fields({}, { type: anything, ...(Object.fromEntries(fits) as Fits) })
}

function model(needs: Fits, may: Fits = {}, call?: Answered): ItemKind {
  return { by: 'model', needs: worded(needs), fit: keysOf({ ...needs, ...may }), call }
}

function caller(needs: Fits, may: Fits = {}): ItemKind {
  return { by: 'caller', needs: worded(needs), fit: keysOf({ ...needs, ...may }) }
}

/** Messages are not here: their keys are those of `MESSAGE_KEYS`. */
export const ITEM_KINDS: Readonly<Record<string, ItemKind>> = {
  function_call: model(
    { call_id: id, name: text, arguments: text },
    { id: text, async: flag, caller: given, namespace: text, status: text },
    { input: 'arguments', answer: 'function_call_output' },
  ),
  function_call_output: caller(
    { call_id: id, output: anything },
    { id: text, caller: given, name: text, namespace: text, status: text },
  ),
  custom_tool_call: model(
    { call_id: id, name: text, input: text },
    { id: text, async: flag, caller: given, namespace: text },
    { input: 'input', answer: 'custom_tool_call_output' },
  ),
  custom_tool_call_output: caller({ call_id: id, output: anything }, { id: text, caller: given }),
  reasoning: model(
    { id: text, summary: listOf(anything) },
    { content: listOf(anything), encrypted_content: text, status: text },
  ),
  item_reference: model({ id: text }),
  tool_search_call: model(
    { arguments: anything },
    { call_id: id, execution: text, id: text, status: text },
    { input: 'arguments', answer: 'tool_search_output' },
  ),
  tool_search_output: caller({ tools: list }, { call_id: id, execution: text, id: text, status: text }),
  additional_tools: caller({ role: word, tools: list }, { id: text }),
  compaction: model({ encrypted_content: word }, { id: text }),
  compaction_trigger: caller({}, { id: text }),
  configuration_update: caller({}, { id: text, reasoning: given, text: given }),
  file_search_call: model({ id: text, queries: list, status: text }, { results: list }),
  web_search_call: model({ id: text, action: given, status: text }),
  code_interpreter_call: model({
    id: text,
    code: nullable(text),
    container_id: text,
    outputs: asCame(anything),
    status: text,
  }),
  image_generation_call: model(
    { id: text, result: nullable(text), status: text },
    {
      action: word,
      background: word,
      error: given,
      output_format: word,
      quality: word,
      revised_prompt: text,
      size: word,
      svg_usage: given,
    },
  ),
  computer_call: model(
    { id: text, call_id: id, pending_safety_checks: list, status: text },
    { action: given, actions: list },
    { input: 'action', answer: 'computer_call_output' },
  ),
  computer_call_output: caller(
    { call_id: id, output: given },
    { id: text, acknowledged_safety_checks: list, status: text },
  ),
  local_shell_call: model(
    { id: text, call_id: id, action: given, status: text },
    {},
    { input: 'action', answer: 'local_shell_call_output' },
  ),
  local_shell_call_output: caller({ id: text, output: text }, { status: text }),
  shell_call: model(
    { call_id: id, action: given },
    { id: text, caller: given, environment: given, status: text },
    { input: 'action', answer: 'shell_call_output' },
  ),
  shell_call_output: caller(
    { call_id: id, output: list },
    { id: text, caller: given, max_output_length: number, status: text },
  ),
  apply_patch_call: model(
    { call_id: id, operation: given, status: text },
    { id: text, caller: given },
    { input: 'operation', answer: 'apply_patch_call_output' },
  ),
  apply_patch_call_output: caller({ call_id: id, status: text }, { id: text, caller: given, output: text }),
  mcp_list_tools: model({ id: text, server_label: text, tools: list }, { error: text }),
  mcp_approval_request: model({ id: text, arguments: text, name: text, server_label: text }),
  mcp_approval_response: caller({ approval_request_id: text, approve: flag }, { id: text, reason: text }),
  mcp_call: model(
    { id: text, arguments: text, name: text, server_label: text },
    { approval_request_id: text, error: asCame(anything), output: text, status: text },
  ),
  program: model({ id: text, call_id: id, code: text, fingerprint: word }),
  program_output: caller({ id: text, call_id: id, result: text, status: text }),
}

/** Calls that the provider runs itself. Each has an id, by which it belongs to the thought before it. */
export const HOSTED: ReadonlySet<string> = new Set([
  'file_search_call',
  'web_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'item_reference',
])

/** The keys of a message next to its role and its content. */
export const MESSAGE_KEYS: Fit = keysOf({ id: text, status: text, phase: text })

/** Calls that the caller answers. */
export const CALLS: Readonly<Record<string, Answered>> = Object.fromEntries(
  Object.entries(ITEM_KINDS).flatMap(([kind, { call }]) => (call === undefined ? [] : [[kind, call]])),
)

const ANSWERS: ReadonlySet<string> = new Set(Object.values(CALLS).map(({ answer }) => answer))

/** A message and a reference may leave their type out. Undefined for what is neither and says nothing. */
export function itemKind({ type, role, id }: JsonObject): string | undefined {
  if (typeof type === 'string') return type
  if (type !== undefined && type !== null) return undefined
  return role === undefined && id !== undefined ? 'item_reference' : 'message'
}

/** The id that a call goes by, if the caller has to answer it; a search that the server ran needs no answer. */
export function callIdOf(item: JsonObject): string | undefined {
  const kind = itemKind(item) ?? ''
  if (!Object.hasOwn(CALLS, kind) || item['execution'] === 'server') return undefined
  return textIn(item['call_id'])
}

/** True for a call whose result may come later: the model goes on without it. */
export function isLate({ raw, shape }: Pick<CallPart, 'raw' | 'shape'>): boolean {
  return shape === SHAPE && isObject(raw) && raw['async'] === true
}

/** The id of the call that an item answers. */
export function answeredId(item: JsonObject): string | undefined {
  const kind = itemKind(item) ?? ''
  if (!ANSWERS.has(kind) || item['execution'] === 'server') return undefined
  return textIn(item[kind === 'local_shell_call_output' ? 'id' : 'call_id'])
}

const SHAPE = 'openai-responses'

const mark = { prompt_cache_breakpoint: given }

/** Parts of messages and of outputs: what a tool gives is input. */
const PARTS: PartTable<'user' | 'assistant'> = {
  input_text: { read: textRow('text', true), by: ['user'], fit: keysOf({ text, ...mark }) },
  input_image: {
    read: readMedia,
    by: ['user'],
    fit: keysOf({ image_url: text, file_id: text, detail: text, ...mark }),
  },
  input_file: {
    read: readMedia,
    by: ['user'],
    fit: keysOf({ file_data: text, file_id: text, file_url: text, filename: text, detail: text, ...mark }),
  },
  output_text: {
    read: textRow('text', true),
    by: ['assistant'],
    fit: keysOf({ text, annotations: list, logprobs: list }),
  },
  refusal: { read: textRow('refusal', true), by: ['assistant'], fit: keysOf({ refusal: text }) },
  // The output of a computer, and of nothing else.
  computer_screenshot: { by: [], fit: refused },
}

/** The parts that a role may say. */
export const partsBy: (role: 'user' | 'assistant') => Fit = fitsOf(PARTS, (fits) => byKind('type', fits))

const knowsSaid = knownBy(anyFitOf(PARTS, (fits) => byKind('type', fits)))

/** True if every key of an item, or of a message and its parts, is known. */
export const knowsResponsesPart: KnowsPart = ({ content, envelope = {}, looksInside }) => {
  if (isObject(content)) {
    const kind = itemKind(content) ?? ''
    return Object.hasOwn(ITEM_KINDS, kind) && isKnown(content as PlainObject, ITEM_KINDS[kind]!.fit, looksInside)
  }
  if (!isKnown(envelope as PlainObject, MESSAGE_KEYS, looksInside)) return false
  return !Array.isArray(content) || content.every((part: JsonValue) => knowsSaid({ content: part, looksInside }))
}

const readSaid = typedReader(SHAPE, rowsOf(PARTS))

export const readResponsesPart: PartReader = (value, kind) => {
  const { type, name, summary } = value
  if (typeof type !== 'string') return undefined
  const common = { raw: value, shape: SHAPE }
  const callId = callIdOf(value)
  if (callId !== undefined) {
    const called = name === undefined ? type.replace(/_call$/, '') : name
    if (typeof called !== 'string') return undefined
    const call = callPart(common, callId, called, value[CALLS[type]!.input], true)
    return type === 'custom_tool_call' ? { ...call, isFreeText: true } : call
  }
  const answered = answeredId(value)
  if (answered !== undefined) return readResult(value, answered)
  if (type === 'compaction' && value['content'] === undefined) return { kind: 'other', ...common, isSummary: true }
  if (type === 'reasoning' && Array.isArray(summary)) return { kind: 'reasoning', ...common, text: summaryOf(summary) }
  return readSaid(value, kind) ?? readHosted(value, type)
}

function readResult(value: JsonObject, callId: string): ReadPart {
  const { output = '' } = value
  const parts = Array.isArray(output) ? output.map(outputPart) : [isObject(output) ? screenshot(output) : undefined]
  const common = { kind: 'result', raw: value, shape: SHAPE, callId, name: undefined, isError: false } as const
  if (!parts.includes(undefined)) return { ...common, output: { kind: 'parts', parts: parts as OutputPart[] } }
  return {
    ...common,
    output: typeof output === 'string' ? { kind: 'text', text: output } : { kind: 'json', value: output },
  }
}

/** The picture of a screen. */
function screenshot(output: JsonObject): OutputPart | undefined {
  const { type, image_url: url } = output
  if (type !== 'computer_screenshot' || typeof url !== 'string') return undefined
  const { source, mediaType = SOME_IMAGE } = sourceOf(url)
  return { kind: 'media', raw: output, shape: SHAPE, source, mediaType, filename: undefined }
}

function outputPart(part: JsonValue): OutputPart | undefined {
  return isObject(part) ? asOutputPart(readSaid(part, undefined)) : undefined
}

function readMedia(value: JsonObject, common: PartOrigin): ReadPart | undefined {
  const { type, image_url: image, file_data: data, file_url: url, file_id: id, filename: name } = value
  const media = { kind: 'media', ...common, filename: typeof name === 'string' ? name : undefined } as const
  if (type === 'input_image' && typeof image === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(image)
    return { ...media, source, mediaType }
  }
  if (type === 'input_file' && typeof data === 'string') return { ...media, ...bytesOf(data) }
  if (type === 'input_file' && typeof url === 'string') {
    return { ...media, source: { kind: 'url', url }, mediaType: undefined }
  }
  // A file that the provider has already means nothing to others.
  return typeof id === 'string' ? { kind: 'other', ...common } : undefined
}

/** An item that only this provider's server makes; a picture among them is one for all. */
function readHosted(value: JsonObject, type: string): ReadPart | undefined {
  const common = { raw: value, shape: SHAPE }
  const { result, output_format: made, revised_prompt: prompt } = value
  if (type === 'image_generation_call' && typeof result === 'string') {
    const source = { kind: 'base64', data: result } as const
    const mediaType = made === 'jpeg' || made === 'webp' ? `image/${made}` : 'image/png'
    const words = textIn(prompt)
    return { kind: 'media', ...common, source, mediaType, filename: undefined, ...(words && { words }) }
  }
  if (!Object.hasOwn(ITEM_KINDS, type)) return undefined
  const words = wordsOf(value)
  return { kind: 'other', ...common, ...(words === '' ? {} : { words }) }
}

/** The words of a hosted call that others can read. */
function wordsOf({ type, output, results, outputs, result, error }: JsonObject): string {
  const texts = (list: JsonValue | undefined, read: (each: JsonObject) => JsonValue | undefined): string =>
    Array.isArray(list)
      ? list
          .flatMap((each: JsonValue) => (isObject(each) ? [textIn(read(each)) ?? []] : []))
          .flat()
          .join('\n\n')
      : ''
  switch (type) {
    case 'mcp_call':
      return textIn(output) ?? (typeof error === 'string' ? error : '')
    case 'file_search_call':
      return texts(results, ({ text: found, filename }) =>
        typeof found === 'string' && typeof filename === 'string' ? `${filename}:\n${found}` : found,
      )
    case 'code_interpreter_call':
      return texts(outputs, ({ logs }) => logs)
    case 'program_output':
      return textIn(result) ?? ''
    default:
      return ''
  }
}

function summaryOf(summary: readonly JsonValue[]): string | undefined {
  const texts = summary.map((part) => (isObject(part) ? textOf(part['text'] ?? '') : ''))
  return texts.length === 0 ? undefined : texts.join('\n\n')
}
