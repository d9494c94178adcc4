// Tools that run at the provider: their calls and results are blocks of the assistant, and go together. Code that runs there can call tools of the
// client, and waits for their results.

import type { JsonObject } from '../../core/index.js'
import { hasKind, type Message, type Part, speakerOf } from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { Tie } from '../conversation/steps.js'
import { blocksIn, messageLike } from './messages.js'

/** The messages without half of what a tool of the server did, and without the names of code that is gone. */
export function withoutHalves(written: readonly PlainObject[], out: RequestWriter): readonly PlainObject[] {
  if (!written.some((message) => blocksIn(message).some((block) => isServerTool(block) || hasCaller(block)))) {
    return written
  }
  const halves = halvesIn(written, out)
  const opened = new Set<unknown>()
  return written.flatMap((message) => {
    const blocks = blocksIn(message)
    let isSame = true
    const kept = blocks.flatMap((block) => {
      if (halves.has(block)) return []
      if (isServerTool(block)) opened.add(block['id'])
      if (!hasCaller(block) || opened.has(callerOf(block))) return [block]
      isSame = false
      return [withoutCaller(block, message, out)]
    })
    if (isSame && kept.length === blocks.length) return [message]
    if (kept.length < blocks.length) {
      const text = 'Half of what a tool of the server did is left out: its call or its result is gone.'
      out.noteOf(message, 'left-out', text)
    }
    return kept.length === 0 ? [] : [messageLike('assistant', Object.freeze(kept), message, out)]
  })
}

/** The id of the code that made a call, if code of the server did. */
function callerOf({ caller }: JsonObject): unknown {
  return isObject(caller) ? caller['tool_id'] : undefined
}

function hasCaller(block: JsonObject): boolean {
  return callerOf(block) !== undefined
}

/** A call of code that is not in the request any more is one of the model itself. */
function withoutCaller(block: PlainObject, message: PlainObject, out: RequestWriter): PlainObject {
  const { caller: _caller, ...rest } = block
  out.noteOf(message, 'dropped-key', (id) => `A call in ${id} is sent without caller: the code that made it is gone.`)
  return out.like(inOrder(rest), block)
}

/**
 * The messages without context blocks that have to wait: while code of the server waits for results of tools that it calls, Claude takes nothing
 * but these results. They are sent behind the step once it has ended. A user's message ends the step instead.
 */
export function withoutWaiting(messages: readonly Message[], out: RequestWriter): readonly Message[] {
  const start = openCode(messages.map(({ parts }) => parts.map(blockOf)))
  if (start < 0 || !out.isLast) return messages
  const isLate = ({ place, parts }: Message, at: number): boolean =>
    at > start && (place === 'pre' || place === 'post') && !hasKind(parts, 'result')
  const isSpoken = messages.some((message, at) => {
    return (
      at > start &&
      speakerOf(message) === 'user' &&
      !message.parts.every(({ kind }) => kind === 'result') &&
      !isLate(message, at)
    )
  })
  if (isSpoken) return messages
  return messages.filter((message, at) => {
    if (!isLate(message, at)) return true
    out.leaveOut(message, 'code of the server waits for the results of its calls, and Claude takes nothing else then')
    return false
  })
}

/** The first of some messages, each given as its blocks, with code of the server that has called tools and not ended; -1 if there is none. */
export function openCode(messages: readonly (readonly JsonObject[])[]): number {
  const callers = new Set<unknown>()
  const ended = new Set<unknown>()
  for (const blocks of messages) {
    for (const block of blocks) {
      if (hasCaller(block)) callers.add(callerOf(block))
      if (isServerTool(block)) ended.add(block['tool_use_id'])
    }
  }
  if (callers.size === 0) return -1
  const isOpen = ({ type, id }: JsonObject): boolean => type === 'server_tool_use' && callers.has(id) && !ended.has(id)
  return messages.findIndex((blocks) => blocks.some(isOpen))
}

/** A part as Claude gave it. */
function blockOf({ shape, raw }: Part): JsonObject {
  return shape === 'anthropic' && isObject(raw) ? raw : NO_KEYS
}

/** The calls without a result in the same run of assistant messages, unless it is the last, and the results without a call. */
function halvesIn(written: readonly PlainObject[], out: RequestWriter): ReadonlySet<PlainObject> {
  const halves = new Set<PlainObject>()
  let open = new Map<unknown, PlainObject>()
  const close = (): void => {
    for (const block of open.values()) halves.add(block)
    open = new Map()
  }
  for (const [at, message] of written.entries()) {
    if (message['role'] === 'user' && !isOnlyResults(message)) close()
    if (message['role'] !== 'assistant') continue
    for (const block of blocksIn(message)) {
      if (!isServerTool(block)) continue
      const id = block['tool_use_id']
      if (id === undefined) open.set(block['id'], block)
      else if (!open.delete(id)) halves.add(block)
    }
    // A turn that ends with a server's call open and calls nothing else was paused: nothing may follow it.
    const isOver = at < written.length - 1 && written[at + 1]!['role'] !== 'assistant'
    if (isOver && !blocksIn(message).some(({ type }) => type === 'tool_use')) close()
  }
  if (!out.isLast) close()
  return halves
}

/** The turn goes on behind it. */
function isOnlyResults(message: PlainObject): boolean {
  const blocks = blocksIn(message)
  return blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
}

/** A paused turn may be committed before the server's result comes. */
export function serverTie({ shape, raw }: Part): Tie | undefined {
  if (shape !== 'anthropic' || !isObject(raw) || !isServerTool(raw)) return undefined
  const { id, tool_use_id: answered } = raw
  if (typeof answered === 'string') return { answers: answered }
  return typeof id === 'string' ? { opens: id } : undefined
}

function isServerTool({ type }: JsonObject): boolean {
  return typeof type === 'string' && !USUAL.has(type) && SERVER.test(type)
}

const SERVER = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/
/** Most blocks are one of these. */
const USUAL: ReadonlySet<string> = new Set(['text', 'tool_use', 'tool_result'])
