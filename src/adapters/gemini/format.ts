// Gemini's generateContent: a system instruction and contents, with calls after a user's words.

import type { RequestOptions } from '../conversation/adapter.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions } from '../conversation/message-options.js'
import type { Message } from '../conversation/neutral.js'
import type { Piece } from '../conversation/piece.js'
import {
  inOrder,
  NO_KEYS,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Changes } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldElement, systemParts, writtenPart } from '../conversation/write-part.js'
import { readGeminiPart } from './kinds.js'
import { type GeminiConversation, readConversation, readReply, REPLIES } from './read.js'
import { heldForm, isCall, isOwn, PART, partsIn, writeContents } from './write.js'
import type { GeminiRequest, GeminiSdkRequest } from './types.js'

export type GeminiOptions = RequestOptions &
  BlocksOptions<'user'> &
  Readonly<{
    /** `rest`, the default: the body of the REST call. `sdk`: `{ contents, config }` for the client's generateContent. */
    form?: 'rest' | 'sdk' | undefined
    /**
     * Gemini 3 wants a signature at the first call of each step. Calls that came from elsewhere get the documented stand-in;
     * `all` also gives it to calls of Gemini's own that have lost theirs, `none` to none.
     */
    signatures?: 'foreign' | 'all' | 'none' | undefined
  }>

export const GEMINI: DefinedAdapter<GeminiConversation, GeminiOptions, GeminiRequest & GeminiSdkRequest> =
  defineAdapter({
    calls: { from: 'fromGemini', to: 'toGemini', receive: 'receiveGemini' },
    options: ['form', 'signatures'],
    format: {
      name: 'gemini',
      version: 6,
      list: 'contents',
      // It takes an empty text of its own back.
      isBlank: (text, { shape }) => text === '' && shape !== 'gemini',
      write: writeContents,
      look: beginningOf,
      filler: (text) => inOrder({ role: 'user', parts: Object.freeze([inOrder({ text })]) }),
      request: (system, list, out, { form }, pieces) => {
        const instruction = out.repair ? instructionOf(system, out) : heldInstruction(system, out)
        const changed = out.repair ? callsBehindUsers(list, pieces, out) : undefined
        if (instruction === undefined) return { before: NO_KEYS, changed }
        const keys = { systemInstruction: instruction }
        // The provider reads it first, so it is before the contents: then a change to it shows as a change at the start.
        return { before: form === 'sdk' ? { config: inOrder(keys) } : keys, changed }
      },
    },
    // The client takes the model and a config, into which the system instruction goes; the REST call has the model in its URL.
    params: ({ form }) =>
      form === 'sdk'
        ? { provider: 'google', shared: 'config', tools: ['config', 'tools'], system: ['config', 'systemInstruction'] }
        : { provider: 'google', sendsModel: false, system: ['systemInstruction'] },
    readPart: readGeminiPart,
    readConversation,
    readReply,
    replies: REPLIES,
  })

/** A content with calls comes after a user's: joins what the model said before it, and adds a line if nothing is before it. */
function callsBehindUsers(list: readonly PlainObject[], pieces: readonly Piece[], out: RequestWriter): Changes {
  const changes = new Map<PlainObject, readonly PlainObject[]>()
  let start = 0
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!
    const { leading, isRight } = piece.look as Beginning
    const end = start + (isRight ? leading : piece.list.length)
    for (let at = start; at < end; at++) standBehindUser(list, at, piece, changes, out)
    start += piece.list.length
  }
  return changes
}

type Beginning = Readonly<{ leading: number; isRight: boolean }>

/** The number of contents of the model that a piece begins with, and whether each call behind them directly follows a user. */
function beginningOf(list: readonly PlainObject[]): Beginning {
  let leading = 0
  while (leading < list.length && isModel(list[leading]!)) leading++
  for (let at = leading + 1; at < list.length; at++) {
    const content = list[at]!
    if (isModel(content) && isModel(list[at - 1]!) && partsIn(content).some(isCall)) return { leading, isRight: false }
  }
  return { leading, isRight: true }
}

function isModel({ role }: PlainObject): boolean {
  return role === 'model'
}

function standBehindUser(
  list: readonly PlainObject[],
  at: number,
  { owners }: Piece,
  changes: Map<PlainObject, readonly PlainObject[]>,
  out: RequestWriter,
): void {
  const content = list[at]!
  if (content['role'] !== 'model' || !partsIn(content).some(isCall)) return
  let start = at
  while (start > 0 && list[start - 1]!['role'] === 'model') start--
  const run = list.slice(start, at + 1)
  const record = owners.originOf(content)
  if (run.length > 1) {
    if (record !== undefined) out.note('merged', record, `${record.id} is joined to what the model said before it.`)
    for (const each of run) changes.set(each, [])
    changes.set(content, [inOrder({ role: 'model', parts: Object.freeze(run.flatMap(partsIn)) })])
  }
  if (start > 0) return
  if (record !== undefined) out.note('added', record, `A user message is added before ${record.id}: Gemini needs one.`)
  changes.set(content, [FIRST, ...(changes.get(content) ?? [content])])
}

/** The content before calls that would come first. */
const FIRST: PlainObject = inOrder({ role: 'user', parts: Object.freeze([inOrder({ text: '(continued)' })]) })

function instructionOf(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  if (system.length === 0) return undefined
  const parts = systemParts(
    system.flatMap((message) => message.parts),
    'a system instruction holds text only',
    (part) => writtenPart(part, 'user', PART, out),
    out,
  )
  const [only] = system
  const role = system.length === 1 && isOwn(only!) ? only!.envelope['role'] : undefined
  return parts.length === 0
    ? undefined
    : inOrder({ role: typeof role === 'string' ? role : undefined, parts: Object.freeze(parts) })
}

function heldInstruction(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (system.length === 1 && isOwn(only) && only.form !== 'list') return plainJson(only.record.content ?? '')
  const parts = system.flatMap((message) => message.parts.flatMap((part) => heldElement(part, message, heldForm(out))))
  return inOrder({ parts }, system.length === 1 && isOwn(only) ? plainObject(only.envelope) : {})
}
