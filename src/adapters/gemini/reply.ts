// A reply of Gemini: what `generateContent` gives, the content in it, or the pieces of a stream, which the API gives as a list and no client
// puts together.

import type { AnyContext } from '../../context/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, invalid } from '../conversation/check-input.js'
import { isObject } from '../conversation/plain-json.js'
import { usageOf, type Reply, type Usage } from '../conversation/receive.js'
import { madeId } from './call-ids.js'
import { Calls, readContent } from './from.js'

export function readGeminiReply(ctx: AnyContext, reply: unknown): Reply {
  const pieces = Array.isArray(reply) ? (reply as readonly unknown[]) : [reply]
  if (pieces.length === 0) throw notAReply()
  const read = pieces.map((piece) => readPiece(piece))
  const parts = read.flatMap(({ parts }) => parts)
  return {
    // Where a prompt was blocked, or nothing was said before the end, there is nothing to be sent back.
    messages: parts.length === 0 ? [] : [readContent({ role: 'model', parts: joined(parts) }, 'reply', callsOf(ctx))],
    // Each piece counts all that came before it.
    usage: read.findLast(({ usage }) => usage !== undefined)?.usage,
  }
}

type Piece = Readonly<{ parts: readonly JsonValue[]; usage: Usage | undefined }>

/** What the client gives has more than JSON beside what is read here. */
function readPiece(piece: unknown): Piece {
  if (typeof piece !== 'object' || piece === null) throw notAReply()
  const { candidates, usageMetadata, promptFeedback, role, parts } = piece as Readonly<Record<string, unknown>>
  if (parts !== undefined && (role === 'model' || role === undefined)) {
    return { parts: partsOf({ parts: checkJson(parts, 'reply') }), usage: undefined }
  }
  const isKnown = Array.isArray(candidates) || promptFeedback !== undefined || usageMetadata !== undefined
  if (!isKnown || role !== undefined) throw notAReply()
  const [first] = Array.isArray(candidates) ? (candidates as readonly unknown[]) : []
  const { content } = typeof first === 'object' && first !== null ? (first as Readonly<{ content?: unknown }>) : {}
  const said = content === undefined || content === null ? undefined : checkJson(content, 'reply')
  const counted = usageMetadata === undefined ? undefined : checkJson(usageMetadata, 'usageMetadata')
  return { parts: said === undefined ? [] : partsOf(said), usage: isObject(counted) ? readCounts(counted) : undefined }
}

function partsOf(content: JsonValue): readonly JsonValue[] {
  const { parts = [] } = isObject(content) ? content : { parts: null }
  if (Array.isArray(parts)) return parts as readonly JsonValue[]
  throw notAReply()
}

/** What it thought is counted beside what it said. */
function readCounts(counted: JsonObject): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount: thought } = counted
  const said = candidatesTokenCount ?? (typeof thought === 'number' ? 0 : undefined)
  return usageOf(promptTokenCount, typeof said === 'number' && typeof thought === 'number' ? said + thought : said)
}

/** Texts that were cut by a stream; one with a signature is never joined to another, since it goes back in the part it came in. */
function joined(parts: readonly JsonValue[]): JsonValue[] {
  const all: JsonValue[] = []
  for (const part of parts) {
    const before = all.at(-1)
    if (isPlainText(part) && isPlainText(before) && part['thought'] === before['thought'])
      all[all.length - 1] = { ...before, text: before.text + part.text }
    else all.push(part)
  }
  return all
}

function isPlainText(part: JsonValue | undefined): part is JsonObject & { text: string } {
  if (!isObject(part) || typeof part['text'] !== 'string') return false
  return Object.keys(part).every((key) => key === 'text' || key === 'thought')
}

/** Calls without an id get one that no node of the open turn has. */
function callsOf(ctx: AnyContext): Calls {
  const dialect = '1.0'
  let n = ctx.count("^ah .block[kind='call']", { dialect })
  return new Calls(() => {
    for (;;) {
      const id = madeId(`${ctx.cycle} ${n++}`)
      if (ctx.count(`^ah .block[data_call_id='${id}']`, { dialect }) === 0) return id
    }
  })
}

function notAReply(): Error {
  return invalid(
    'reply',
    'The reply is what generateContent gives, { candidates, usageMetadata? }, a list of such pieces of a stream, or { role: "model", parts }.',
  )
}
