// Turns as they were recorded: who spoke, what kind of block it was and what it said. They come from the shared folder of
// recordings where that is there, else from the four that come with the demo. What a recording says is data, never more.

import fs from 'node:fs'

import { listConversations } from '../demo/conversation.mjs'

const FOLDER = new URL('../../shared/data/', import.meta.url)
const LONG = 120

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
 * `source` says where the turns are from. A turn is a list of `{ role, kind, content }`, opened by a user's words; every
 * content is text, a call or an image being its JSON, so that libraries which know only text see the same.
 */
export function readRecordings(folder = FOLDER) {
  if (!fs.existsSync(folder)) return { source: 'the recordings of the demo', turns: readDemo() }
  return { source: 'the shared recordings', turns: readShared(folder) }
}

function readShared(folder) {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const lines = files.toSorted().flatMap((name) => fs.readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  return lines.flatMap((text) => turnsOf(JSON.parse(text).messages.flatMap(blocksOf)))
}

const DEMO = await listConversations()

/** The demo's turns are short; whole conversations in a row stand in for the long ones that agents have. */
function readDemo() {
  const conversations = DEMO.map(({ turns }) => turns.map((turn) => turn.map(plainBlock)))
  const long = conversations.map((turns) => {
    const all = turns.flat()
    return Array.from({ length: LONG }, (_, i) => all[i % all.length])
  })
  // About as rare as in the shared recordings.
  return [...Array.from({ length: 20 }, () => conversations.flat()).flat(), ...long]
}

function plainBlock({ role, kind = 'text', content }) {
  return { role, kind, content: textOf(content) }
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
