// Messages of a turn as Gemini takes them: user and model, the responses to all calls of a content in the next one and nothing else
// beside them. Where contents with calls may stand is looked at in the whole request (places.ts).

import type { NodeRecord } from '../../core/index.js'
import { hasKind, type Message, type Part, type ResultPart } from '../conversation/neutral.js'
import {
  inOrder,
  NO_KEYS,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { isGuessed, speakerOf } from '../conversation/speaker.js'
import { inCallOrder } from './call-ids.js'
import { mediaPart, partOf } from './parts.js'
import type { GeminiOptions } from './types.js'

export function writeContents(messages: readonly Message[], pen: Pen, options: GeminiOptions): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const writer = new Writer(pen, options)
  for (let i = 0; i < messages.length; i++) writer.add(messages[i]!)
  return writer.done()
}

type Role = 'user' | 'model'

/** A response as it is written. */
type Answer = Readonly<{ made: PlainObject; callId: string; name: string | undefined; record: NodeRecord }>

class Writer {
  readonly #pen: Pen
  readonly #options: GeminiOptions
  readonly #written: PlainObject[] = []
  /** What results hold beside their text: it comes behind all results of the step. */
  #carried: { part: PlainObject; record: NodeRecord }[] = []
  /** How many calls of the last step have no response yet. */
  #open = 0
  /** The ids of the calls of the last step, and what answers them so far. */
  #asked: readonly string[] = []
  #answers: readonly Answer[] = []

  constructor(pen: Pen, options: GeminiOptions) {
    this.#pen = pen
    this.#options = options
  }

  add(message: Message): void {
    const role = this.#role(message)
    this.#noteKeys(message)
    if (!hasKind(message.parts, 'result')) return this.#say(message, message.parts, role)
    const results = message.parts.filter(isResult)
    const rest = message.parts.filter((part) => part.kind !== 'result')
    if (results.length > 0 && rest.length > 0) {
      const text = `The results of ${message.record.id} stand in a content of their own: Gemini has nothing beside them.`
      this.#pen.note('converted', message.record, text)
    }
    this.#respond(message, results)
    if (rest.length > 0) this.#say(message, rest, role)
  }

  done(): readonly PlainObject[] {
    if (this.#open > 0) {
      // Another turn has the other results of the step, and nothing may stand between.
      for (const { record } of this.#carried) {
        this.#pen.note(
          'left-out',
          record,
          `What ${record.id} holds beside text is left out: the step goes on behind it.`,
        )
      }
    } else this.#flush()
    return this.#written
  }

  #respond(message: Message, results: readonly ResultPart[]): void {
    const given = [...this.#answers]
    for (const part of results) {
      const made = partOf(part, this.#pen)
      const { callId, name, record } = part
      if (made !== undefined) given.push({ made, callId, name, record })
    }
    if (given.length === this.#answers.length) return
    this.#open -= given.length - this.#answers.length
    for (const part of results) if (part.output.kind === 'parts') this.#carried.push(...mediaIn(part, this.#pen))
    if (this.#answers.length > 0) this.#written.pop()
    this.#answers = inCallOrder(given, this.#asked)
    if (this.#answers !== given) this.#noteMoved(given)
    this.#put(
      this.#answers.map(({ made }) => made),
      'user',
      message,
    )
  }

  #noteMoved(given: readonly Answer[]): void {
    for (const [i, { record }] of this.#answers.entries()) {
      if (given[i]!.record === record) continue
      const text = `The result ${record.id} stands where its call does among those of its name: neither has an id.`
      this.#pen.note('moved-result', record, text)
    }
  }

  #say(message: Message, said: readonly Part[], role: Role): void {
    const parts: PlainObject[] = []
    const asked: string[] = []
    for (const part of said) {
      const made = partOf(part, this.#pen)
      if (made !== undefined) parts.push(made)
      if (part.kind === 'call') asked.push(part.callId)
    }
    if (parts.length === 0) return
    this.#flush()
    const first = parts.findIndex(isCall)
    this.#open = first < 0 ? 0 : parts.filter(isCall).length
    this.#asked = asked
    this.#answers = []
    if (first >= 0 && role === 'model') parts[first] = this.#signed(parts[first]!, message)
    this.#put(parts, role, message)
  }

  #put(parts: readonly PlainObject[], role: Role, message: Message): void {
    const isUnsaid = role === 'user' && isOwn(message) && message.envelope['role'] === null
    Object.freeze(parts)
    const made: PlainObject = Object.freeze(isUnsaid ? { parts } : { role, parts })
    this.#written.push(this.#pen.comesFrom(made, message.record))
  }

  #flush(): void {
    if (this.#carried.length === 0) return
    this.#written.push(inOrder({ role: 'user', parts: Object.freeze(this.#carried.map(({ part }) => part)) }))
    this.#carried = []
  }

  /** The first call of a step has the signature; without one Gemini 3 refuses the step. */
  #signed(call: PlainObject, message: Message): PlainObject {
    const { signatures = 'foreign' } = this.#options
    if (signatures === 'none' || (signatures === 'foreign' && isOwn(message))) return call
    if (call['thoughtSignature'] !== undefined || call['thought_signature'] !== undefined) return call
    const { record } = message
    this.#pen.note(
      'added',
      record,
      `The first call of ${record.id} has the signature that stands in for a missing one.`,
    )
    return this.#pen.like(Object.freeze({ ...call, thoughtSignature: STAND_IN }), call)
  }

  #role(message: Message): Role {
    const { record, role } = message
    const speaker = speakerOf(message)
    if (isGuessed(message) || (isOwn(message) && typeof message.envelope['role'] === 'string')) {
      const text = `The content ${record.id} is the ${speaker}'s: Gemini knows no other role than user and model.`
      this.#pen.note('converted', record, text)
    }
    if (speaker === 'system' || speaker === 'developer') {
      const text = `The ${role} message ${record.id} is given as the user's: Gemini takes none in mid-conversation.`
      this.#pen.note('moved-system', record, text)
    }
    return speaker === 'assistant' ? 'model' : 'user'
  }

  #noteKeys({ envelope, record }: Message): void {
    if (envelope === NO_KEYS) return
    const keys = Object.keys(envelope).filter((key) => !ELSEWHERE.includes(key))
    if (keys.length === 0) return
    const text = `The message ${record.id} is sent without ${keys.join(', ')}: Gemini refuses such keys.`
    this.#pen.note('dropped-key', record, text)
  }
}

/** Keys of other formats whose values stand elsewhere here. */
const ELSEWHERE: readonly string[] = ['role', 'tool_call_id', 'tool_calls', 'call_id', 'type']

/** What the documents name for calls that Gemini did not make. */
const STAND_IN = 'skip_thought_signature_validator'

function mediaIn(part: ResultPart, pen: Pen): { part: PlainObject; record: NodeRecord }[] {
  const { output, record, shape } = part
  if (output.kind !== 'parts' || shape === 'gemini') return []
  if (output.parts.some(({ kind }) => kind === 'other')) {
    pen.note('left-out', record, `A part of the result ${record.id} is left out: only its own provider understands it.`)
  }
  return output.parts.flatMap((each) =>
    each.kind === 'media' ? [{ part: pen.own(mediaPart(each), record), record }] : [],
  )
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
  const made = partOf(part, pen)
  return made === undefined ? [] : [made]
}

export function isOwn({ format }: Message): boolean {
  return format === 'gemini'
}

export function partsIn({ parts }: PlainObject): readonly PlainObject[] {
  return parts as readonly PlainObject[]
}

function isResult(part: Part): part is ResultPart {
  return part.kind === 'result'
}

export function isCall(part: PlainObject): boolean {
  return part['functionCall'] !== undefined || part['function_call'] !== undefined
}
