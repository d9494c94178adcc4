// Turns of the recorded conversations (test/recordings): who spoke, what kind of block it was and what it said.

import { readRecordings } from '../test/recordings/read.mjs'

const ROLES = {
  human: 'user',
  gpt: 'assistant',
  model: 'assistant',
  reasoning: 'assistant',
  function_call: 'assistant',
  tool_search_call: 'assistant',
  toolResult: 'tool',
  observation: 'tool',
  function: 'tool',
  function_call_output: 'tool',
  tool_search_output: 'tool',
}
const LEFT_OUT = new Set(['system', 'developer', 'compaction'])
const CALL = /^(?:tool_?use|tool_?call|function_?call|tool_search_call)$/i
const RESULT = /^(?:tool_?result|function_?response|function_call_output|tool_search_output)$/i
const THOUGHT = /^(?:thinking|redacted_thinking|reasoning|reasoningContent)$/

/**
 * A turn is a list of `{ role, kind, content }` that starts with a user's words. Every content is text, and a call or an image is its JSON, so
 * that libraries which know only text see the same.
 */
export function recordedTurns() {
  return readRecordings().flatMap(({ record }) => turnsOf(record.messages.flatMap(blocksOf)))
}

function turnsOf(blocks) {
  const turns = []
  for (const block of blocks) {
    if (turns.length === 0 || (block.role === 'user' && block.opens)) turns.push([])
    turns.at(-1).push({ role: block.role, kind: block.kind, content: block.content })
  }
  return turns
}

/** One block for each part of a message and each call that it makes; the first part of a user's message opens a turn. */
function blocksOf(message) {
  const name = message.role ?? message.from ?? message.type
  if (LEFT_OUT.has(name)) return []
  const role = ROLES[name] ?? name
  const said = message.parts ?? message.content ?? message.value ?? message.output ?? message.arguments
  const parts = (Array.isArray(said) ? said : [said]).filter((part) => part !== undefined && part !== null)
  const blocks = parts.map((part) => blockOf(role, name, part))
  for (const call of message.tool_calls ?? []) blocks.push({ role: 'assistant', kind: 'call', content: textOf(call) })
  return blocks.map((block, i) => ({ ...block, opens: i === 0 }))
}

function blockOf(role, name, part) {
  const kind = kindOf(role, [name, part.type, ...(typeof part === 'object' ? Object.keys(part) : [])])
  return { role: kind === 'result' ? 'tool' : role, kind, content: textOf(part.text ?? part) }
}

function kindOf(role, names) {
  const has = (pattern) => names.some((name) => name !== undefined && pattern.test(name))
  if (role === 'tool' || has(RESULT)) return 'result'
  if (has(CALL)) return 'call'
  if (has(THOUGHT)) return 'thinking'
  return has(/image|document|file/i) ? 'file' : 'text'
}

function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
