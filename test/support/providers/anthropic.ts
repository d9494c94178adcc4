// Judges the messages of a Messages request by what the provider refuses. Consecutive messages of one role are one turn, as
// they are for the provider; a `system` message further on is a turn of its own.

import { isDeepStrictEqual } from 'node:util'

import { MESSAGES, SYSTEM } from './anthropic-blocks.js'
import { notJson } from './shape.js'
import { Findings, isKeyed, repeated, textAt, type Keyed, type Violation } from './violations.js'

export type AnthropicOptions = Readonly<{
  /** False for models that take no `system` message among the messages (before Claude Opus 4.8, and on Bedrock). */
  midSystem?: boolean
  /** False for models that refuse a final assistant message. */
  prefill?: boolean
  /** True if the request asks for thinking; by default neither rule about it is judged. */
  thinking?: 'on' | 'off'
  /** The thinking blocks as they came from the model; what is sent back is one of them. */
  thought?: readonly unknown[]
}>

export const ANTHROPIC_RULES = {
  json: 'every value is JSON',
  request: '`messages` is a list with at least one message, and at most 100,000 [T]',
  role: 'the role is one of user, assistant, system [T]',
  shape: 'a message or block has the form of the client’s type [T]',
  part: 'a message of this role, and the top-level system, take blocks of these kinds only [T, R]',
  'unknown-key': 'a message has role and content, a block the keys of its type, and nothing else [E]',
  'empty-content': '`content` is not empty [E]',
  'empty-text': 'a text block is not empty and not only white space [E]',
  'system-first': 'a system message is not first; that text goes into `system` [E]',
  'system-place': 'a system message follows a user message and precedes an assistant message or the end [E]',
  'system-model': 'this model takes no system message among the messages [D]',
  'call-unanswered': 'each tool_use is answered in the next user turn [E]',
  between: 'nothing stands between a tool_use and its results [E]',
  'results-first': 'the results of a turn stand before anything else in it [E]',
  'result-orphan': 'a tool_result answers a tool_use of the turn right before, once [E]',
  'call-id': 'a call id is made of a-z, A-Z, 0-9, _ and - [E]',
  'call-id-twice': 'tool_use ids are unique [E]',
  'tool-name': 'the name of a tool is 1 to 128 of a-z, A-Z, 0-9, _ and - [E]',
  'server-unanswered': 'a server tool’s call has its result in the assistant turn, but for the last one [E, R]',
  'server-orphan': 'a server tool’s result follows its call in the assistant turn, once [E]',
  caller: 'a call made by code names a server tool’s call before it [R]',
  'code-waits': 'while code of the server waits for the results of its calls, the user’s turn holds results only [D]',
  signature: 'a thinking block has its signature [T]',
  'thinking-modified': 'a thinking block goes back as it came [T]',
  'thinking-last': 'an assistant turn does not end with thinking [E]',
  'thinking-on': 'with thinking on, the assistant turn of the running tool loop starts with its thinking [E]',
  'thinking-off': 'with thinking off, a final assistant message has none [E]',
  prefill: 'this model refuses a final assistant message [T]',
  'trailing-space': 'a final assistant message does not end in white space [E]',
  compaction: 'one compaction block at most has content, and a signed one is the first block of all [T]',
  'cache-count': 'a request has at most 4 cache marks [D]',
  'cache-order': 'longer lifetimes come before shorter ones: tools, system, messages [T, D]',
  'cache-place': 'a cache mark stands on no thinking and no empty text [E]',
} as const

type Rule = keyof typeof ANTHROPIC_RULES
type Found = Findings<Rule>
type Placed = Readonly<{ block: Keyed; path: string }>
type Turn = Readonly<{ role: string; blocks: Placed[] }>

const FAULTS = { shape: 'shape', kind: 'part', 'unknown-key': 'unknown-key' } as const
const THOUGHTS = ['thinking', 'redacted_thinking']
const SERVER_CALLS = ['server_tool_use', 'mcp_tool_use']

export function checkAnthropic(body: unknown, options: AnthropicOptions = {}): Violation[] {
  const findings: Found = new Findings(ANTHROPIC_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const request = isKeyed(body) ? body : {}
  const messages: readonly unknown[] = Array.isArray(request['messages']) ? request['messages'] : []
  if (messages.length === 0 || messages.length > 100_000) findings.add('request', 'messages')
  checkForms(request, messages, findings)
  const list = messages.map((message) => (isKeyed(message) ? message : {}))
  const turns = turnsOf(list)
  checkSystemMessages(list, options, findings)
  checkCalls(turns, findings)
  checkServerCalls(turns, findings)
  checkCallers(turns, findings)
  checkThinking(turns, options, findings)
  checkEnd(list, turns, options, findings)
  checkCompaction(turns, findings)
  checkCache(request, list, findings)
  return findings.list
}

// ---- Forms

function checkForms(request: Keyed, messages: readonly unknown[], findings: Found): void {
  if (request['system'] !== undefined) {
    for (const { fault, path, text } of SYSTEM(request['system'], 'system')) findings.add(FAULTS[fault], path, text)
    checkTexts(request['system'], 'system', findings)
  }
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    const role = isKeyed(message) ? message['role'] : undefined
    if (!isKeyed(message) || typeof role !== 'string' || !Object.hasOwn(MESSAGES, role)) {
      return findings.add('role', path, JSON.stringify(role) ?? '')
    }
    for (const { fault, path: at, text } of MESSAGES[role as keyof typeof MESSAGES](message, path)) {
      findings.add(FAULTS[fault], at, text)
    }
    if (!isDirective(message)) checkTexts(message['content'], `${path}.content`, findings)
  })
}

function checkTexts(content: unknown, path: string, findings: Found): void {
  if ((Array.isArray(content) && content.length === 0) || content === '') return findings.add('empty-content', path)
  if (typeof content === 'string' && content.trim() === '') findings.add('empty-text', path)
  for (const { block, path: at } of placed(content, path)) {
    if (block['type'] === 'text' && textAt(block, 'text')?.trim() === '') findings.add('empty-text', at)
    if (block['type'] !== 'tool_result') continue
    for (const part of placed(block['content'], `${at}.content`)) {
      if (part.block['type'] === 'text' && textAt(part.block, 'text')?.trim() === '') {
        findings.add('empty-text', part.path)
      }
    }
  }
}

/** A system message that only sets the output has no content, and may be anywhere [E]. */
function isDirective({ role, content, output_config: config }: Keyed): boolean {
  const empty = content === undefined || (Array.isArray(content) && content.length === 0)
  return role === 'system' && empty && isKeyed(config)
}

// ---- Turns

function turnsOf(messages: readonly Keyed[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const [at, message] of messages.entries()) {
    if (isDirective(message)) continue
    const role = textAt(message, 'role') ?? ''
    const content = message['content']
    const path = `messages[${at}].content`
    const blocks =
      typeof content === 'string' ? [{ block: { type: 'text', text: content }, path }] : placed(content, path)
    const last = turns.at(-1)
    if (last !== undefined && last.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  return turns
}

function placed(content: unknown, path: string): readonly Placed[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown, at) => (isKeyed(block) ? [{ block, path: `${path}[${at}]` }] : []))
}

function ofKind(turn: Turn | undefined, ...kinds: readonly string[]): readonly Placed[] {
  return turn?.blocks.filter(({ block }) => kinds.includes(String(block['type']))) ?? []
}

function checkSystemMessages(messages: readonly Keyed[], options: AnthropicOptions, findings: Found): void {
  const roles = messages.map((message) => message['role'])
  for (const [at, message] of messages.entries()) {
    if (message['role'] !== 'system') continue
    const path = `messages[${at}]`
    if (options.midSystem === false) findings.add('system-model', path)
    if (isDirective(message)) continue
    const before = roles.slice(0, at).findLast((role) => role !== 'system')
    const after = roles.slice(at + 1).find((role) => role !== 'system')
    if (before === undefined) findings.add('system-first', path)
    else if (before !== 'user' || after === 'user') findings.add('system-place', path)
  }
}

// ---- Calls and results

function checkCalls(turns: readonly Turn[], findings: Found): void {
  const ids = turns.flatMap((turn) => ofKind(turn, 'tool_use').flatMap(({ block }) => textAt(block, 'id') ?? []))
  for (const id of repeated(ids)) findings.add('call-id-twice', 'messages', id)
  for (const [at, turn] of turns.entries()) {
    for (const call of ofKind(turn, 'tool_use', ...SERVER_CALLS)) checkCallNames(call, findings)
    const calls = turn.role === 'assistant' ? ofKind(turn, 'tool_use') : []
    const next = turns[at + 1]
    const answered = new Set(next?.role === 'user' ? resultIds(next) : [])
    for (const { block, path } of calls) {
      const id = textAt(block, 'id') ?? ''
      if (answered.has(id)) continue
      const later = turns.slice(at + 1).some((other) => resultIds(other).includes(id))
      findings.add(later ? 'between' : 'call-unanswered', path, id)
    }
    checkResults(turn, turns[at - 1], findings)
  }
}

function checkResults(turn: Turn, before: Turn | undefined, findings: Found): void {
  const open = new Set(before?.role === 'assistant' ? ofKind(before, 'tool_use').map(({ block }) => block['id']) : [])
  for (const { block, path } of ofKind(turn, 'tool_result')) {
    if (!open.delete(block['tool_use_id'])) findings.add('result-orphan', path, String(block['tool_use_id']))
  }
  const first = turn.blocks.findIndex(({ block }) => block['type'] !== 'tool_result')
  const late = first < 0 ? undefined : turn.blocks.slice(first).find(({ block }) => block['type'] === 'tool_result')
  if (late !== undefined) findings.add('results-first', late.path)
}

function checkCallNames({ block, path }: Placed, findings: Found): void {
  const id = textAt(block, 'id')
  if (id !== undefined && !/^[a-zA-Z0-9_-]+$/.test(id)) findings.add('call-id', `${path}.id`, id)
  const name = textAt(block, 'name')
  if (name !== undefined && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) findings.add('tool-name', `${path}.name`, name)
}

function resultIds(turn: Turn): readonly unknown[] {
  return ofKind(turn, 'tool_result').map(({ block }) => block['tool_use_id'])
}

/** A server's call may stay open over the results of a client's tools: code that runs there can call them. */
function checkServerCalls(turns: readonly Turn[], findings: Found): void {
  let open: Placed[] = []
  for (const [at, turn] of turns.entries()) {
    const results = turn.role === 'user' && turn.blocks.every(({ block }) => block['type'] === 'tool_result')
    if (turn.role === 'system' || results) continue
    if (turn.role !== 'assistant') {
      for (const { block, path } of open) findings.add('server-unanswered', path, String(block['id']))
      open = []
      continue
    }
    // An open server call in a turn that calls no tool of the client is paused, and so the last of all.
    const paused = at === turns.length - 1 || ofKind(turn, 'tool_use').length > 0
    for (const { block, path } of turn.blocks) {
      const kind = String(block['type'])
      if (SERVER_CALLS.includes(kind)) open.push({ block, path })
      if (!kind.endsWith('_tool_result')) continue
      const call = open.find((other) => other.block['id'] === block['tool_use_id'])
      if (call === undefined) findings.add('server-orphan', path, String(block['tool_use_id']))
      open = open.filter((other) => other !== call)
    }
    if (paused) continue
    for (const { block, path } of open) findings.add('server-unanswered', path, String(block['id']))
    open = []
  }
}

// ---- Thinking, the end, compaction

function checkCallers(turns: readonly Turn[], findings: Found): void {
  const code = new Set<unknown>()
  const waiting = new Set<unknown>()
  for (const { role, blocks } of turns) {
    for (const { block, path } of blocks) {
      if (SERVER_CALLS.includes(String(block['type']))) code.add(block['id'])
      const caller = isKeyed(block['caller']) ? block['caller']['tool_id'] : undefined
      if (caller !== undefined && !code.has(caller)) findings.add('caller', path, JSON.stringify(caller))
      if (caller !== undefined && block['type'] === 'tool_use') waiting.add(caller)
      if (block['type'] !== 'tool_result') waiting.delete(block['tool_use_id'])
    }
    if (role === 'assistant' || waiting.size === 0) continue
    for (const { block, path } of blocks) if (block['type'] !== 'tool_result') findings.add('code-waits', path)
  }
}

function checkThinking(turns: readonly Turn[], options: AnthropicOptions, findings: Found): void {
  for (const turn of turns) {
    for (const { block, path } of ofKind(turn, ...THOUGHTS)) {
      if (block['type'] === 'thinking' && block['signature'] === '') findings.add('signature', path)
      const { thought } = options
      if (thought !== undefined && !thought.some((original) => isDeepStrictEqual(original, block))) {
        findings.add('thinking-modified', path)
      }
    }
  }
  for (const { role, blocks } of turns) {
    const last = blocks.at(-1)
    if (role === 'assistant' && last !== undefined && THOUGHTS.includes(String(last.block['type']))) {
      findings.add('thinking-last', last.path)
    }
  }
  if (options.thinking === 'on') checkRunningLoop(turns, findings)
  const final = turns.at(-1)
  if (options.thinking === 'off' && final?.role === 'assistant') {
    for (const { path } of ofKind(final, ...THOUGHTS)) findings.add('thinking-off', path)
  }
}

/** The loop begins behind the last user turn that says something. */
function checkRunningLoop(turns: readonly Turn[], findings: Found): void {
  const asked = turns.findLastIndex(({ role, blocks }) => {
    return role === 'user' && blocks.some(({ block }) => block['type'] !== 'tool_result')
  })
  const loop = turns.slice(asked + 1).filter(({ role }) => role === 'assistant')
  if (!loop.some((turn) => ofKind(turn, 'tool_use').length > 0)) return
  const first = loop[0]?.blocks[0]
  if (first !== undefined && !THOUGHTS.includes(String(first.block['type']))) findings.add('thinking-on', first.path)
}

function checkEnd(
  messages: readonly Keyed[],
  turns: readonly Turn[],
  options: AnthropicOptions,
  findings: Found,
): void {
  const final = turns.at(-1)
  if (messages.at(-1)?.['role'] !== 'assistant' || final === undefined) return
  const last = final.blocks.at(-1)
  if (last?.block['type'] === 'text' && /\s$/.test(textAt(last.block, 'text') ?? '')) {
    findings.add('trailing-space', last.path)
  }
  // A turn that the server paused is continued by sending it back.
  const closed = new Set(final.blocks.map(({ block }) => block['tool_use_id']))
  const isPaused = ofKind(final, ...SERVER_CALLS).some(({ block }) => !closed.has(block['id']))
  if (options.prefill === false && !isPaused) findings.add('prefill', `messages[${messages.length - 1}]`)
}

function checkCompaction(turns: readonly Turn[], findings: Found): void {
  const first = turns[0]?.blocks[0]
  const blocks = turns.flatMap((turn) => ofKind(turn, 'compaction'))
  const full = blocks.filter(({ block }) => (block['content'] ?? null) !== null)
  for (const { path } of full.slice(1)) findings.add('compaction', path, 'a second one')
  for (const { block, path } of blocks) {
    if (block['content'] === '') findings.add('compaction', path, 'its content is empty')
    if (typeof block['signature'] === 'string' && path !== first?.path) findings.add('compaction', path, 'not first')
  }
}

// ---- Cache marks

function checkCache(request: Keyed, messages: readonly Keyed[], findings: Found): void {
  const blocks = [
    ...placed(request['tools'], 'tools'),
    ...placed(request['system'], 'system'),
    ...messages.flatMap(({ content }, at) => placed(content, `messages[${at}].content`).flatMap(withInner)),
  ]
  const marked = blocks.filter(({ block }) => (block['cache_control'] ?? null) !== null)
  // A mark at the top level is one for the last block that can have it.
  const own = (request['cache_control'] ?? null) === null ? 0 : 1
  if (marked.length + own > 4) findings.add('cache-count', 'body', String(marked.length + own))
  let shorter = false
  for (const { block, path } of marked) {
    const mark = isKeyed(block['cache_control']) ? block['cache_control'] : {}
    if (mark['ttl'] === '1h' && shorter) findings.add('cache-order', path)
    shorter ||= mark['ttl'] !== '1h'
    const isEmpty = block['type'] === 'text' && textAt(block, 'text')?.trim() === ''
    if (THOUGHTS.includes(String(block['type'])) || isEmpty) findings.add('cache-place', path)
  }
}

function withInner({ block, path }: Placed): readonly Placed[] {
  // The parts of a result come before the result's own mark.
  return [...placed(block['content'], `${path}.content`), { block, path }]
}
