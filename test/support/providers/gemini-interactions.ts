// Judges a request to Gemini's Interactions API: by the client's types, and by the order of calls and results that generateContent is known to ask for.
// The server's state (`previous_interaction_id`) cannot be seen from here, so a request that names it may answer calls that are not in it.

import type { Interactions } from '@google/genai'

import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  notJson,
  number,
  object,
  oneOf,
  optional,
  text,
  type Shape,
} from './shape.js'
import { Findings, isKeyed, keyedList, textAt, type Keyed, type Violation } from './violations.js'

export const INTERACTION_RULES = {
  json: 'every value is JSON',
  request:
    '`input` is a text or a list of steps, not empty unless the server holds the rest, and the instruction a text [T]',
  kind: 'a step or content is of a kind that the type names [T]',
  shape: 'a step has the form of the client’s type [T]',
  'unknown-key': 'a step has the keys of its type and no others [T]',
  'empty-content': 'an input or output says something',
  'media-source': 'a picture or file has its bytes or an address [T]',
  'call-first': 'a call comes after something that the user said [as generateContent, E]',
  'call-unanswered': 'every call has its result behind it [as generateContent, E]',
  between: 'nothing but results comes between a call and its result [as generateContent, E]',
  'result-orphan': 'a result answers a call before it, once [T]',
  'result-name': 'a result has the name of its call, or none',
  'tool-name': 'a name begins with a letter or _ and has 1 to 128 of a-z, A-Z, 0-9, _ . : - [T]',
  'server-half': 'a step of one of the provider’s tools has its other half, unless it is the last thing that happened',
} as const

type Rule = keyof typeof INTERACTION_RULES
type Found = Findings<Rule>
type Media = Pick<Interactions.DocumentContent, 'data' | 'uri'> & { mime_type?: string }

const source = { data: optional(text), uri: optional(text), mime_type: optional(text) }
const CONTENT_KINDS: Readonly<Record<string, Shape>> = {
  text: fields<Interactions.TextContent>({ type: oneOf('text'), text, annotations: optional(listOf(object)) }),
  image: fields<Interactions.ImageContent & Media>({ type: oneOf('image'), ...source, resolution: optional(text) }),
  audio: fields<Interactions.AudioContent & Media>({
    type: oneOf('audio'),
    ...source,
    channels: optional(number),
    sample_rate: optional(number),
  }),
  document: fields<Interactions.DocumentContent & Media>({ type: oneOf('document'), ...source }),
  video: fields<Interactions.VideoContent & Media>({
    type: oneOf('video'),
    ...source,
    name: optional(text),
    resolution: optional(text),
    processing: optional(either(text, object)),
  }),
}
const CONTENT = byKind('type', CONTENT_KINDS)
const RESULT = either(text, object, listOf(CONTENT))
const signature = optional(text)

const STEP = byKind('type', {
  user_input: fields<Interactions.UserInputStep>({ type: oneOf('user_input'), content: optional(listOf(CONTENT)) }),
  model_output: fields<Interactions.ModelOutputStep>({
    type: oneOf('model_output'),
    content: optional(listOf(CONTENT)),
    error: optional(object),
  }),
  thought: fields<Interactions.ThoughtStep>({
    type: oneOf('thought'),
    signature,
    summary: optional(listOf(byKind('type', { text: CONTENT_KINDS['text']!, image: CONTENT_KINDS['image']! }))),
  }),
  function_call: fields<Interactions.FunctionCallStep>({
    type: oneOf('function_call'),
    id: text,
    name: text,
    arguments: object,
  }),
  function_result: fields<Interactions.FunctionResultStep>({
    type: oneOf('function_result'),
    call_id: text,
    name: optional(text),
    is_error: optional(flag),
    result: RESULT,
  }),
  code_execution_call: fields<Interactions.CodeExecutionCallStep>({
    type: oneOf('code_execution_call'),
    id: text,
    arguments: object,
    signature,
  }),
  code_execution_result: fields<Interactions.CodeExecutionResultStep>({
    type: oneOf('code_execution_result'),
    call_id: text,
    // A list since version 3 of the client.
    result: either(text, listOf(CONTENT)),
    is_error: optional(flag),
    signature,
  }),
  google_search_call: fields<Interactions.GoogleSearchCallStep>({
    type: oneOf('google_search_call'),
    id: text,
    arguments: object,
    search_type: optional(text),
    signature,
  }),
  google_search_result: fields<Interactions.GoogleSearchResultStep>({
    type: oneOf('google_search_result'),
    call_id: text,
    result: listOf(object),
    is_error: optional(flag),
    signature,
  }),
  google_maps_call: fields<Interactions.GoogleMapsCallStep>({
    type: oneOf('google_maps_call'),
    id: text,
    arguments: optional(object),
    signature,
  }),
  google_maps_result: fields<Interactions.GoogleMapsResultStep>({
    type: oneOf('google_maps_result'),
    call_id: text,
    result: listOf(object),
    signature,
  }),
  url_context_call: fields<Interactions.URLContextCallStep>({
    type: oneOf('url_context_call'),
    id: text,
    arguments: object,
    signature,
  }),
  url_context_result: fields<Interactions.URLContextResultStep>({
    type: oneOf('url_context_result'),
    call_id: text,
    result: listOf(object),
    is_error: optional(flag),
    signature,
  }),
  file_search_call: fields<Interactions.FileSearchCallStep>({ type: oneOf('file_search_call'), id: text, signature }),
  file_search_result: fields<Interactions.FileSearchResultStep & { result?: unknown }>({
    type: oneOf('file_search_result'),
    call_id: text,
    // The events of a stream have it, the step does not.
    result: optional(anything),
    signature,
  }),
  retrieval_call: fields<Interactions.RetrievalCallStep>({
    type: oneOf('retrieval_call'),
    id: text,
    arguments: object,
    retrieval_type: optional(text),
    signature,
  }),
  retrieval_result: fields<Interactions.RetrievalResultStep>({
    type: oneOf('retrieval_result'),
    call_id: text,
    is_error: optional(flag),
    signature,
  }),
  processing_call: fields<Interactions.ProcessingCallStep>({ type: oneOf('processing_call'), id: text, signature }),
  processing_result: fields<Interactions.ProcessingResultStep>({
    type: oneOf('processing_result'),
    call_id: text,
    signature,
  }),
  // The client's types of these two have no signature; the adapter takes one, as for all tools of the provider.
  mcp_server_tool_call: fields<Interactions.MCPServerToolCallStep & { signature?: string }>({
    type: oneOf('mcp_server_tool_call'),
    id: text,
    name: text,
    server_name: text,
    arguments: object,
    signature,
  }),
  mcp_server_tool_result: fields<Interactions.MCPServerToolResultStep & { signature?: string }>({
    type: oneOf('mcp_server_tool_result'),
    call_id: text,
    name: optional(text),
    server_name: optional(text),
    result: RESULT,
    signature,
  }),
} satisfies Readonly<Record<Interactions.Step['type'], Shape>>)

export function checkGeminiInteractions(body: unknown): Violation[] {
  const findings: Found = new Findings(INTERACTION_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const request = isKeyed(body) ? body : {}
  const { input, system_instruction: told, previous_interaction_id: previous } = request
  const isHeld = typeof previous === 'string'
  if (told !== undefined && typeof told !== 'string') findings.add('request', 'system_instruction')
  if (typeof input === 'string') return findings.list
  if (!Array.isArray(input) || (input.length === 0 && !isHeld)) findings.add('request', 'input')
  const steps: readonly unknown[] = Array.isArray(input) ? input : []
  for (const [at, step] of steps.entries()) checkStep(step, `input[${at}]`, findings)
  checkCalls(keyedList(steps), isHeld, findings)
  checkServerTools(keyedList(steps), findings)
  return findings.list
}

function checkStep(step: unknown, path: string, findings: Found): void {
  for (const { fault, path: place, text: said } of STEP(step, path)) findings.add(fault, place, said)
  if (!isKeyed(step)) return
  const { type, content } = step
  const isSaid = type === 'user_input' || type === 'model_output'
  if (isSaid && (!Array.isArray(content) || content.length === 0)) findings.add('empty-content', path)
  for (const each of [...keyedList(content), ...keyedList(step['result'])]) {
    const isMedia = ['image', 'audio', 'video', 'document'].includes(String(each['type']))
    if (isMedia && each['data'] === undefined && each['uri'] === undefined) findings.add('media-source', path)
  }
  const name = type === 'function_call' || type === 'function_result' ? textAt(step, 'name') : undefined
  if (name !== undefined && !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name)) findings.add('tool-name', path, name)
}

function checkCalls(steps: readonly Keyed[], isHeld: boolean, findings: Found): void {
  const asked = new Map<string, Keyed>()
  let isAsked = isHeld
  for (const [at, step] of steps.entries()) {
    const path = `input[${at}]`
    const { type } = step
    if (type === 'user_input') isAsked = true
    if (type === 'function_result') {
      const id = textAt(step, 'call_id') ?? ''
      const call = asked.get(id)
      if (call === undefined && !isHeld) findings.add('result-orphan', path, id)
      if (call !== undefined && step['name'] !== undefined && step['name'] !== call['name'])
        findings.add('result-name', path)
      asked.delete(id)
      continue
    }
    // The model may think and call in turns, before anything is answered.
    if (type === 'function_call') {
      if (!isAsked) findings.add('call-first', path)
      asked.set(textAt(step, 'id') ?? '', step)
    } else if (type === 'user_input') {
      for (const id of asked.keys()) {
        const isLater = steps.slice(at).some((each) => each['type'] === 'function_result' && each['call_id'] === id)
        findings.add(isLater ? 'between' : 'call-unanswered', path, id)
      }
      asked.clear()
    }
  }
  for (const id of asked.keys()) findings.add('call-unanswered', 'input', id)
}

function checkServerTools(steps: readonly Keyed[], findings: Found): void {
  const open = new Map<string, number>()
  const lastInput = steps.findLastIndex(({ type }) => type === 'user_input')
  for (const [at, step] of steps.entries()) {
    const type = String(step['type'])
    if (type.startsWith('function_')) continue
    if (type.endsWith('_call')) open.set(textAt(step, 'id') ?? '', at)
    if (type.endsWith('_result') && !open.delete(textAt(step, 'call_id') ?? ''))
      findings.add('server-half', `input[${at}]`)
  }
  for (const at of open.values()) if (at < lastInput) findings.add('server-half', `input[${at}]`)
}
