// Tools that run at the provider are called and answered within one turn of the assistant; half of that is left out.

import type { PlainObject } from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { blocksIn, messageLike } from './made.js'

export function withoutHalves(written: readonly PlainObject[], pen: Pen): readonly PlainObject[] {
  if (!written.some((message) => blocksIn(message).some(isServerTool))) return written
  const halves = halvesIn(written, pen)
  if (halves.size === 0) return written
  return written.flatMap((message) => {
    const blocks = blocksIn(message)
    const kept = blocks.filter((block) => !halves.has(block))
    if (kept.length === blocks.length) return [message]
    const record = pen.originOf(message)
    const text = 'Half of what a tool of the server did is left out: its call or its result is gone.'
    if (record !== undefined) pen.note('left-out', record, text)
    return kept.length === 0 ? [] : [messageLike('assistant', Object.freeze(kept), message, pen)]
  })
}

/** The calls without a result in the same run of assistant messages, unless it is the last, and the results without a call. */
function halvesIn(written: readonly PlainObject[], pen: Pen): ReadonlySet<PlainObject> {
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
  if (!pen.isLast) close()
  return halves
}

/** The turn goes on behind it. */
function isOnlyResults(message: PlainObject): boolean {
  const blocks = blocksIn(message)
  return blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
}

function isServerTool({ type }: PlainObject): boolean {
  return typeof type === 'string' && !USUAL.has(type) && SERVER.test(type)
}

const SERVER = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/
/** Most blocks are one of these. */
const USUAL: ReadonlySet<string> = new Set(['text', 'tool_use', 'tool_result'])
