// A call of a tool: the check of its arguments, the command, and the answer in parts that a model can read.

import { checkInput } from '../api/index.js'
import { HANDLERS, type ContextPool } from '../commands/index.js'
import { invalid, isRecord, PactError } from '../errors/index.js'
import { isPaged, type Fields, type Tool } from './tools.js'

/** The result of a call, as the protocol has it. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
}

type Run = (pool: ContextPool, input: never) => Promise<object>

/** Runs a tool. Errors of the engine are results too, since a model can act on them. */
export async function callTool(pool: ContextPool, tool: Tool, given: unknown, most: number): Promise<ToolResult> {
  try {
    return await answerOf(pool, tool, given, most)
  } catch (error) {
    if (!PactError.is(error)) throw error
    return failed(error)
  }
}

async function answerOf(pool: ContextPool, tool: Tool, given: unknown, most: number): Promise<ToolResult> {
  const { cursor, ...own } = isPaged(tool) && isRecord(given) ? given : { cursor: undefined, ...(given as Fields) }
  checkInput(tool.input, own)
  // Read before the answer: a commit in between makes the cursor stale, so parts of two answers are never joined.
  const version = tool.needs === undefined ? await versionOf(pool, own) : ''
  const from = cursor === undefined ? 0 : offsetIn(cursor, version)
  const run: Run = HANDLERS[tool.endpoint]
  const answer = await run(pool, (tool.toInput?.(own) ?? own) as never)
  const value: unknown =
    'bytes' in answer ? JSON.parse(Buffer.from(answer.bytes as Uint8Array).toString('utf8')) : answer
  const whole = JSON.stringify(value)
  if (from === 0 && (whole.length <= most || !isPaged(tool))) {
    return { content: [{ type: 'text', text: whole }], structuredContent: { answer: value } }
  }
  const all = tool.endpoint === 'recall' ? recalledText(answer, whole) : whole
  const end = endOf(all, from + most)
  const next = end < all.length ? { nextCursor: `${end}.${version}` } : {}
  const part = all.slice(from, end)
  const more =
    'nextCursor' in next
      ? `\n\n(${all.length - end} characters follow; call again with cursor "${next.nextCursor}")`
      : ''
  return {
    content: [{ type: 'text', text: `${part}${more}` }],
    structuredContent: { part, total: all.length, ...next },
  }
}

/** The original itself, if it is a text. */
function recalledText(answer: object, whole: string): string {
  return 'content' in answer && typeof answer.content === 'string' ? answer.content : whole
}

/** Never between the halves of a surrogate pair. */
function endOf(text: string, wanted: number): number {
  const code = text.charCodeAt(wanted - 1)
  return wanted < text.length && code >= 0xd800 && code <= 0xdbff ? wanted - 1 : Math.min(wanted, text.length)
}

/** Changes when the answer may change. Snapshots change only by an erasure. */
async function versionOf(pool: ContextPool, { id, lens, at, a, b }: Fields): Promise<string> {
  if (typeof id !== 'string') return '0'
  const { epoch, version } = await pool.state(id)
  const named = [lens, at, a, b].filter((each) => each !== undefined)
  return named.length > 0 && named.every((each) => typeof each === 'string' && /^@c\d+$/.test(each))
    ? `e${epoch}`
    : version
}

function offsetIn(cursor: unknown, version: string): number {
  const [, offset, of] = /^(\d{1,12})\.(.+)$/.exec(String(cursor)) ?? []
  if (offset === undefined) throw invalid('cursor', 'cursor is the nextCursor of the part before.')
  if (of !== version) {
    const message = 'The context has changed since the first part; call again without a cursor.'
    throw new PactError('E_CONFLICT', message, { reason: 'changed' })
  }
  return Number(offset)
}

function failed({ code, message, details }: PactError): ToolResult {
  const isStale = code === 'E_CONFLICT' && details['reason'] === 'stale'
  const advice = isStale ? ` Read what is new with \`log\`, then call again with base ${String(details['head'])}.` : ''
  return {
    content: [{ type: 'text', text: `${code}: ${message}${advice}` }],
    structuredContent: { code, message, details },
    isError: true,
  }
}
