// Judges the input of a Responses request by what the provider refuses. What the server holds (`previous_response_id`,
// `conversation`, a referenced item) cannot be seen from here, so a request that names it may answer calls that are not in it.

import { ITEM, kindOf } from './openai-items.js'
import { notJson } from './shape.js'
import { Findings, isKeyed, keyedList, repeated, textAt, type Keyed, type Violation } from './violations.js'

export type ResponsesOptions = Readonly<{
  /** False where the server keeps nothing: reasoning then carries its encrypted content. */
  store?: boolean
  /** True where every item with an id came from a model that reasons, so that its reasoning item comes before it. */
  reasoned?: boolean
  /** The provider takes empty texts [R]; a caller who wants none says so. */
  emptyText?: 'refused' | 'passed'
}>

export const RESPONSES_RULES = {
  json: 'every value is JSON',
  request: '`input` is a text or a list of items, not empty, and `instructions` a text [T]',
  state: '`previous_response_id` and `conversation` are not used together [T]',
  kind: 'an item, role or part is of a kind that the type names [T]',
  shape: 'an item has the form of the client’s type [T]',
  'unknown-key': 'an item has the keys of its type and no others [E]',
  'empty-content': '`content` is not an empty list',
  'empty-text': 'a text is not empty, if the caller asks for that',
  'call-unanswered': 'every call has an output behind it [E]',
  between: 'no message of another stands between a call and its output',
  'output-orphan': 'an output answers a call before it, once [E]',
  'call-id': 'a call id has 1 to 64 characters [E]',
  'call-id-twice': 'no two calls with one id are open at a time',
  'tool-name': 'the name of a tool is 1 to 128 of a-z, A-Z, 0-9, _ and - [E]',
  'item-id': 'an item’s id begins as its kind does and has 1 to 64 of a-z, A-Z, 0-9, _ and - [E]',
  'item-id-twice': 'an item id stands once [E]',
  'reasoning-alone': 'a reasoning item is followed by what it led to [E]',
  'reasoning-missing': 'an item with an id has its reasoning item before it [E]',
  'not-stored': 'without storage, reasoning carries its encrypted content and nothing is referenced [T, E]',
} as const

type Rule = keyof typeof RESPONSES_RULES
type Found = Findings<Rule>

const FAULTS = { shape: 'shape', kind: 'kind', 'unknown-key': 'unknown-key' } as const

/** Calls that the client answers, the kind of their answer, and the key in it that names the call. */
const ANSWERS: Readonly<Record<string, readonly [kind: string, key: string]>> = {
  function_call: ['function_call_output', 'call_id'],
  custom_tool_call: ['custom_tool_call_output', 'call_id'],
  computer_call: ['computer_call_output', 'call_id'],
  shell_call: ['shell_call_output', 'call_id'],
  apply_patch_call: ['apply_patch_call_output', 'call_id'],
  local_shell_call: ['local_shell_call_output', 'id'],
  tool_search_call: ['tool_search_output', 'call_id'],
}
const OUTPUTS = new Map(Object.entries(ANSWERS).map(([call, [output, key]]) => [output, { call, key }]))

/** Other items of a model, next to calls and messages: reasoning may lead to any of them. */
const SAID = [
  'reasoning',
  'file_search_call',
  'web_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
  'program',
  'compaction',
  'item_reference',
]

/** The prefixes of ids, for the kinds where an error was seen. Compatible servers have ids of their own: a thought of theirs shows it. */
const PREFIXES: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' }

export function checkOpenAIResponses(body: unknown, options: ResponsesOptions = {}): Violation[] {
  const findings: Found = new Findings(RESPONSES_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const request = isKeyed(body) ? body : {}
  const { instructions, input } = request
  const isHeld = ['previous_response_id', 'conversation'].filter((key) => (request[key] ?? null) !== null)
  if (isHeld.length > 1) findings.add('state', 'body')
  if (instructions !== undefined && typeof instructions !== 'string') findings.add('request', 'instructions')
  const items: readonly unknown[] = Array.isArray(input) ? input : []
  const isText = typeof input === 'string' && input !== ''
  if (!isText && !Array.isArray(input)) findings.add('request', 'input')
  if (Array.isArray(input) && input.length === 0 && isHeld.length === 0) findings.add('request', 'input')
  const list = items.map((item) => (isKeyed(item) ? item : {}))
  const isForeign = list.some((item) => kindOf(item) === 'reasoning' && textAt(item, 'id')?.startsWith('rs') === false)
  const prefixes = isForeign ? {} : PREFIXES
  items.forEach((item, at) => checkItem(item, `input[${at}]`, options, prefixes, findings))
  checkCalls(list, isHeld.length > 0 || list.some((item) => kindOf(item) === 'item_reference'), findings)
  checkReasoning(list, options, findings)
  const ids = list
    .filter((item) => OUTPUTS.get(kindOf(item) ?? '')?.key !== 'id')
    .flatMap((item) => textAt(item, 'id') ?? [])
  for (const id of repeated(ids)) findings.add('item-id-twice', 'input', id)
  return findings.list
}

function checkItem(
  item: unknown,
  path: string,
  options: ResponsesOptions,
  prefixes: Readonly<Record<string, string>>,
  findings: Found,
): void {
  for (const { fault, path: at, text } of ITEM(item, path)) findings.add(FAULTS[fault], at, text)
  if (!isKeyed(item)) return
  const kind = kindOf(item) ?? ''
  if (kind === 'message') checkContent(item['content'], `${path}.content`, options, findings)
  const callId = textAt(item, 'call_id')
  if (callId !== undefined && (callId.length < 1 || callId.length > 64)) findings.add('call-id', path, callId)
  const id = textAt(item, 'id')
  const prefix = prefixes[kind] ?? ''
  if (id !== undefined && (!id.startsWith(prefix) || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)))
    findings.add('item-id', path, id)
  const name = kind === 'function_call' || kind === 'custom_tool_call' ? textAt(item, 'name') : undefined
  if (name !== undefined && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) findings.add('tool-name', path, name)
}

function checkContent(content: unknown, path: string, options: ResponsesOptions, findings: Found): void {
  if (Array.isArray(content) && content.length === 0) findings.add('empty-content', path)
  if (options.emptyText !== 'refused') return
  if (content === '') findings.add('empty-text', path)
  for (const [at, part] of keyedList(content).entries()) {
    const isText = part['type'] === 'input_text' || part['type'] === 'output_text'
    if (isText && part['text'] === '') findings.add('empty-text', `${path}[${at}].text`)
  }
}

// ---- Calls and outputs

/** A call that waits for its output; an asynchronous one may wait for ever. */
type Open = Readonly<{ kind: string; id: string; path: string; isLate: boolean }>

function checkCalls(items: readonly Keyed[], isHeld: boolean, findings: Found): void {
  let open: Open[] = []
  for (const [at, item] of items.entries()) {
    const path = `input[${at}]`
    const kind = kindOf(item) ?? ''
    const answer = OUTPUTS.get(kind)
    if (answer !== undefined) {
      const id = textAt(item, answer.key)
      const call = open.find((other) => other.kind === answer.call && other.id === id)
      if (call === undefined && id !== undefined && !isHeld) findings.add('output-orphan', path, id)
      open = open.filter((other) => other !== call)
    }
    const id = Object.hasOwn(ANSWERS, kind) ? textAt(item, 'call_id') : undefined
    // A search that the server ran needs no answer of ours.
    if (id !== undefined && item['execution'] !== 'server') {
      if (open.some((other) => other.id === id)) findings.add('call-id-twice', path, id)
      open = [...open, { kind, id, path, isLate: item['async'] === true }]
    }
    const isAnothers = kind === 'message' && item['role'] !== 'assistant'
    for (const call of isAnothers ? open.filter(({ isLate }) => !isLate) : []) {
      if (items.slice(at).some((later) => answers(later, call))) findings.add('between', path, call.id)
    }
  }
  for (const { path, id, isLate } of open) if (!isLate) findings.add('call-unanswered', path, id)
  checkApprovals(items, isHeld, findings)
}

function answers(item: Keyed, call: Open): boolean {
  const answer = OUTPUTS.get(kindOf(item) ?? '')
  return answer?.call === call.kind && item[answer.key] === call.id
}

function checkApprovals(items: readonly Keyed[], isHeld: boolean, findings: Found): void {
  const asked = new Set<unknown>()
  for (const [at, item] of items.entries()) {
    if (kindOf(item) === 'mcp_approval_request') asked.add(item['id'])
    if (kindOf(item) !== 'mcp_approval_response' || isHeld) continue
    if (!asked.delete(item['approval_request_id'])) findings.add('output-orphan', `input[${at}]`)
  }
}

// ---- Reasoning

function checkReasoning(items: readonly Keyed[], options: ResponsesOptions, findings: Found): void {
  let reasoned = false
  for (const [at, item] of items.entries()) {
    const kind = kindOf(item) ?? ''
    const path = `input[${at}]`
    const next = items[at + 1]
    if (kind === 'reasoning' && (next === undefined || !isSaid(next))) findings.add('reasoning-alone', path)
    reasoned = isSaid(item) && (reasoned || kind === 'reasoning')
    if (options.reasoned === true && isSaid(item) && !reasoned && typeof item['id'] === 'string') {
      findings.add('reasoning-missing', path)
    }
    if (options.store !== false) continue
    const isBare = kind === 'reasoning' && (item['encrypted_content'] ?? '') === ''
    if (isBare || kind === 'item_reference') findings.add('not-stored', path)
  }
}

function isSaid(item: Keyed): boolean {
  const kind = kindOf(item) ?? ''
  return SAID.includes(kind) || Object.hasOwn(ANSWERS, kind) || (kind === 'message' && item['role'] === 'assistant')
}
