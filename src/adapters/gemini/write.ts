// Messages of a turn as Gemini takes them: user and model, the responses to all calls of a content in the next one, and a content with calls
// only behind a user's or behind responses.

import type { Message, Part, ResultPart } from '../conversation/neutral.js'
import { inOrder, plainJson, plainObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { mediaPart, partOf } from './parts.js'
import type { GeminiOptions } from './types.js'

export function writeContents(messages: readonly Message[], pen: Pen, options: GeminiOptions): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const names = new Map<string, string>()
  const written: PlainObject[] = []
  for (const message of messages) {
    for (const part of message.parts) if (part.kind === 'call') names.set(part.callId, part.name)
    for (const content of contentsOf(message, names, pen, options)) {
      const last = written.at(-1)
      const joined = last && (joinResponses(last, content) ?? joinCalls(last, content))
      if (joined === undefined) written.push(content)
      else written[written.length - 1] = joined
    }
  }
  return written
}

/** The contents of a message: what results hold beside their text comes behind them. */
function contentsOf(
  message: Message,
  names: ReadonlyMap<string, string>,
  pen: Pen,
  options: GeminiOptions,
): readonly PlainObject[] {
  const role = roleOf(message, pen)
  const keys = isOwn(message) ? Object.keys(message.envelope).filter((key) => key !== 'role') : []
  if (keys.length > 0) {
    pen.note(
      'dropped-key',
      message.record,
      `The keys ${keys.join(', ')} of ${message.record.id} are left out: Gemini refuses them.`,
    )
  }
  const parts = message.parts
    .map((part) => partOf(part, part.kind === 'result' ? names.get(part.callId) : undefined, pen))
    .filter((part) => part !== undefined)
  const signed = role === 'model' ? withSignature(parts, message, pen, options) : parts
  const media = message.parts.flatMap((part) => (part.kind === 'result' ? mediaIn(part, pen) : []))
  return [signed, media].filter((list) => list.length > 0).map((list) => inOrder({ role, parts: list }))
}

function mediaIn(part: ResultPart, pen: Pen): readonly PlainObject[] {
  if (part.output.kind !== 'parts' || part.shape === 'gemini') return []
  return part.output.parts.flatMap((each) => (each.kind === 'media' ? [pen.own(mediaPart(each), part.record)] : []))
}

/** What the documents name for calls that Gemini did not make. */
const STAND_IN = 'skip_thought_signature_validator'

/** The first call of a step has the signature; without one Gemini 3 refuses the step. */
function withSignature(
  parts: readonly PlainObject[],
  message: Message,
  pen: Pen,
  { signatures = 'foreign' }: GeminiOptions,
): readonly PlainObject[] {
  const at = parts.findIndex(isCall)
  if (at < 0 || signatures === 'none' || (signatures === 'foreign' && isOwn(message))) return parts
  const call = parts[at]!
  if (call['thoughtSignature'] !== undefined || call['thought_signature'] !== undefined) return parts
  pen.note(
    'added',
    message.record,
    `The first call of ${message.record.id} has the signature that stands in for a missing one.`,
  )
  return parts.with(at, pen.like(inOrder({ ...call, thoughtSignature: STAND_IN }), call))
}

/** All responses of a step stand in one content. */
function joinResponses(before: PlainObject, after: PlainObject): PlainObject | undefined {
  const [a, b] = [partsIn(before), partsIn(after)]
  if (before['role'] === 'model' || after['role'] === 'model' || !a.every(isResponse) || !b.every(isResponse))
    return undefined
  return inOrder({ role: 'user', parts: [...a, ...b] })
}

/** A content with calls stands behind a user's; behind another of the model's it is joined to that. */
export function joinCalls(before: PlainObject, after: PlainObject): PlainObject | undefined {
  if (before['role'] !== 'model' || after['role'] !== 'model' || !partsIn(after).some(isCall)) return undefined
  return inOrder({ role: 'model', parts: [...partsIn(before), ...partsIn(after)] })
}

function roleOf({ role, record }: Message, pen: Pen): 'user' | 'model' {
  if (role === 'assistant' || role === 'model') return 'model'
  if (role === 'system' || role === 'developer') {
    pen.note(
      'moved-system',
      record,
      `The system message ${record.id} is given as the user's: Gemini takes none in mid-conversation.`,
    )
  }
  return 'user'
}

/** A message as the tree holds it: to the letter, if it came from Gemini. */
function asHeld(message: Message, pen: Pen): PlainObject {
  const { role, form, parts, record } = message
  const speaker = role === 'assistant' || role === 'model' ? 'model' : 'user'
  if (!isOwn(message)) return inOrder({ role: speaker, parts: parts.flatMap((part) => elementOf(part, pen)) })
  const { role: given, ...envelope } = plainObject(message.envelope)
  const about = { role: given === undefined ? speaker : (given ?? undefined) }
  if (form === 'absent') return pen.own(inOrder(about, envelope), record)
  if (form === 'value')
    return pen.own(inOrder({ ...about, parts: plainJson(record.content ?? null) }, envelope), record)
  return inOrder({ ...about, parts: parts.flatMap((part) => elementOf(part, pen)) }, envelope)
}

export function elementOf(part: Part, pen: Pen): readonly PlainValue[] {
  const { record } = part
  if (record.kind === 'string' || record.kind === 'value') return [plainJson(record.content ?? '')]
  const made = partOf(part, undefined, pen)
  return made === undefined ? [] : [made]
}

export function isOwn({ format }: Message): boolean {
  return format === 'gemini'
}

export function partsIn({ parts }: PlainObject): readonly PlainObject[] {
  return parts as readonly PlainObject[]
}

export function isCall(part: PlainObject): boolean {
  return part['functionCall'] !== undefined || part['function_call'] !== undefined
}

function isResponse(part: PlainObject): boolean {
  return part['functionResponse'] !== undefined || part['function_response'] !== undefined
}
