// Tools that run at the provider are called and answered within one turn of the assistant; half of that is left out.

import type { JsonObject } from '../../core/index.js'
import type { Part } from '../conversation/neutral.js'
import { isObject, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { Tie } from '../conversation/steps.js'
import { blocksIn, messageLike } from './blocks.js'

export function withoutHalves(written: readonly PlainObject[], out: RequestWriter): readonly PlainObject[] {
  if (!written.some((message) => blocksIn(message).some(isServerTool))) return written
  const halves = halvesIn(written, out)
  if (halves.size === 0) return written
  return written.flatMap((message) => {
    const blocks = blocksIn(message)
    const kept = blocks.filter((block) => !halves.has(block))
    if (kept.length === blocks.length) return [message]
    const text = 'Half of what a tool of the server did is left out: its call or its result is gone.'
    out.noteOf(message, 'left-out', text)
    return kept.length === 0 ? [] : [messageLike('assistant', Object.freeze(kept), message, out)]
  })
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
