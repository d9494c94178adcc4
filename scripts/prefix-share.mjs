// Measures, on recorded conversations, what a prompt cache could use again: the share of each request that is the beginning of the one before it,
// with a memory that is behind the newest turn and with one at the top. `node scripts/prefix-share.mjs` prints the table of docs/caching.md.

import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { recordingsOf } from '../test/recordings/read.mjs'

const FILES = { 'tau-bench': 'sierra-research__tau-bench', 'pi-mono': 'badlogic__pi-mono' }

/** The rows of the table; `engine` has `createContext` and `toOpenAIChat`. */
export function prefixShares(engine) {
  return Object.entries(FILES).map(([name, file]) => {
    const conversations = recordingsOf(file).map(({ record }) => stepsOf(record.messages))
    const behind = conversations.map((steps) => replay(engine, steps, 'behind'))
    const top = conversations.map((steps) => replay(engine, steps, 'top'))
    return {
      name,
      conversations: conversations.length,
      requests: sum(behind.map(({ requests }) => requests)),
      behind: shareOf(behind),
      top: shareOf(top),
    }
  })
}

export function tableOf(rows) {
  const line = ({ name, conversations, requests, behind, top }) =>
    `| ${name} | ${conversations} | ${requests} | ${percent(behind)} | ${percent(top)} |`
  return [
    '| Recording | Conversations | Requests | Memory by `set` | Memory at the top |',
    '|---|---|---|---|---|',
    ...rows.map(line),
  ].join('\n')
}

/** Plays a conversation; a request comes before each reply, and each of the user's messages opens a turn and changes the memory. */
function replay({ createContext, toOpenAIChat }, steps, place) {
  const ctx = createContext()
  const told = { requests: 0, bytes: 0, same: 0 }
  let turn = 0
  let before
  if (place === 'top') ctx.system.add('Memory: nothing yet.', { key: 'memory' })
  for (const [at, { role, content, header }] of steps.entries()) {
    if (role === 'system') {
      ctx.system.add(content)
      continue
    }
    if (role === 'user') {
      if (turn++ > 0) ctx.commit()
      const memory = `Memory: turn ${turn}; the user said: ${content.slice(0, 200)}`
      if (place === 'top') ctx.system.set('memory', memory)
      else ctx.set('memory', memory)
    }
    // A reply of several parts answers one request.
    if (role === 'assistant' && steps[at - 1]?.role !== 'assistant' && turn > 0) {
      const body = Buffer.from(toOpenAIChat(ctx).bytes)
      if (before !== undefined) {
        told.requests++
        told.bytes += body.length
        told.same += sameStart(before, body)
      }
      before = body
    }
    ctx[role](content, header)
  }
  return told
}

/** A recording as calls of the API, from Chat Completions or the messages of pi. */
export function stepsOf(messages) {
  return messages.flatMap((message) => {
    const { role, content, tool_calls: calls, tool_call_id: answered } = message
    if (role === 'toolResult' || role === 'tool') {
      const header = { kind: 'result', data_call_id: answered ?? message.toolCallId }
      return [{ role: 'tool', content: textOf(content) || '(nothing)', header }]
    }
    const parts = Array.isArray(content) ? content : []
    const made = [
      ...parts.filter(({ type }) => type === 'toolCall').map(({ id, name, arguments: input }) => ({ id, name, input })),
      ...(calls ?? []).map(({ id, function: { name, arguments: text } }) => ({ id, name, input: JSON.parse(text) })),
    ]
    const text = textOf(content)
    return [
      ...(text === '' ? [] : [{ role, content: text }]),
      ...made.map(({ id, name, input }) => ({
        role: 'assistant',
        content: { name, arguments: input },
        header: { kind: 'call', data_call_id: id },
      })),
    ]
  })
}

function textOf(content) {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n')
}

function sameStart(before, after) {
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before[same] === after[same]) same++
  return same
}

function shareOf(told) {
  return sum(told.map(({ same }) => same)) / sum(told.map(({ bytes }) => bytes))
}

function sum(values) {
  return values.reduce((all, value) => all + value, 0)
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const dist = (file) => import(pathToFileURL(fileURLToPath(new URL(`../dist/${file}`, import.meta.url))).href)
  const { createContext } = await dist('index.js')
  const { toOpenAIChat } = await dist('adapters/openai/index.js')
  console.log(tableOf(prefixShares({ createContext, toOpenAIChat })))
}
