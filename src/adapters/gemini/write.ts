// Messages of a stretch as Gemini takes them: user and model. The next content has the responses to all calls of a content, and nothing else. Gemini's
// calls often have no id. In a context they have one of ours, by which their results find them; to Gemini both go back without it, in one order.

import type { NodeRecord } from '../../core/index.js'
import { exactType } from '../conversation/media.js'
import {
  type CallPart,
  hasKind,
  isGuessed,
  type MediaPart,
  type Message,
  type Part,
  type ResultPart,
  speakerOf,
  derivedId,
} from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, plainObject, type PlainObject, textOf } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import {
  ELSEWHERE,
  type HeldForm,
  heldMessage,
  inputObject,
  isOf,
  type PartForm,
  type NameRule,
  textsIn,
  toolName,
  validName,
  writtenPart,
} from '../conversation/write-part.js'
import type { GeminiOptions } from './format.js'
import { camel, PART_FIT } from './kinds.js'

export function writeContents(
  messages: readonly Message[],
  out: RequestWriter,
  options: GeminiOptions,
): readonly PlainObject[] {
  if (!out.repair) return messages.map((message) => heldMessage(message, heldForm(out), out))
  const writer = new Writer(out, options)
  for (let i = 0; i < messages.length; i++) writer.add(messages[i]!)
  return writer.done()
}

type Role = 'user' | 'model'

/** A response as it is written. */
type Answer = Readonly<{ made: PlainObject; callId: string; name: string | undefined; record: NodeRecord }>

class Writer {
  readonly #out: RequestWriter
  readonly #options: GeminiOptions
  readonly #written: PlainObject[] = []
  /** Media of results: it comes behind all results of the step. */
  #carried: PlainObject[] = []
  /** The ids of the calls of the last step, and what answers them so far. */
  #asked: readonly string[] = []
  #answers: readonly Answer[] = []

  constructor(out: RequestWriter, options: GeminiOptions) {
    this.#out = out
    this.#options = options
  }

  add(message: Message): void {
    const role = this.#role(message)
    this.#noteKeys(message)
    if (!hasKind(message.parts, 'result')) return this.#say(message, message.parts, role)
    const results = message.parts.filter(isResult)
    const rest = message.parts.filter((part) => part.kind !== 'result')
    if (results.length > 0 && rest.length > 0) {
      const text = `The results of ${message.record.id} get a content of their own: Gemini allows nothing else in it.`
      this.#out.note('converted', message.record, text)
    }
    this.#respond(message, results)
    if (rest.length > 0) this.#say(message, rest, role)
  }

  done(): readonly PlainObject[] {
    this.#flush()
    return this.#written
  }

  #respond(message: Message, results: readonly ResultPart[]): void {
    const given = [...this.#answers]
    for (const part of results) {
      const made = writtenPart(part, 'user', PART, this.#out)
      const { callId, name, record } = part
      if (made === undefined) continue
      given.push({ made, callId, name, record })
      if (!hasMedia(made)) this.#carried.push(...mediaIn(part, this.#out))
    }
    if (given.length === this.#answers.length) return
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
      const text = `The result ${record.id} has the position of its call among the results of that name: neither has an id.`
      this.#out.note('moved-result', record, text)
    }
  }

  #say(message: Message, said: readonly Part[], role: Role): void {
    const parts: PlainObject[] = []
    const asked: string[] = []
    for (const part of said) {
      const made = writtenPart(part, 'user', PART, this.#out)
      if (made !== undefined) parts.push(made)
      if (part.kind === 'call') asked.push(part.callId)
    }
    if (parts.length === 0) return
    this.#flush()
    const first = parts.findIndex(isCall)
    this.#asked = asked
    this.#answers = []
    if (first >= 0 && role === 'model') parts[first] = this.#signed(parts[first]!, message)
    this.#put(parts, role, message)
  }

  #put(parts: readonly PlainObject[], role: Role, message: Message): void {
    const isUnsaid = role === 'user' && isOwn(message) && message.envelope['role'] === null
    Object.freeze(parts)
    const made: PlainObject = Object.freeze(isUnsaid ? { parts } : { role, parts })
    this.#written.push(this.#out.comesFrom(made, message.record))
  }

  #flush(): void {
    if (this.#carried.length === 0) return
    this.#written.push(inOrder({ role: 'user', parts: Object.freeze(this.#carried) }))
    this.#carried = []
  }

  /** The first call of a step has the signature; without one Gemini 3 refuses the step. */
  #signed(call: PlainObject, message: Message): PlainObject {
    const { signatures = 'foreign' } = this.#options
    if (signatures === 'none' || (signatures === 'foreign' && isOwn(message) && !hasLostCall(message))) return call
    if (call['thoughtSignature'] !== undefined || call['thought_signature'] !== undefined) return call
    const { record } = message
    this.#out.note(
      'added',
      record,
      `The first call of ${record.id} has the signature that stands in for a missing one.`,
    )
    return this.#out.like(Object.freeze({ ...call, thoughtSignature: STAND_IN }), call)
  }

  #role(message: Message): Role {
    const { record, role } = message
    const speaker = speakerOf(message)
    if (isGuessed(message) || (isOwn(message) && typeof message.envelope['role'] === 'string')) {
      const text = `The content ${record.id} is the ${speaker}'s: Gemini knows no other role than user and model.`
      this.#out.note('converted', record, text)
    }
    if (speaker === 'system' || speaker === 'developer') {
      const text = `The ${role} message ${record.id} is given as the user's: Gemini takes none in mid-conversation.`
      this.#out.note('moved-system', record, text)
    }
    return speaker === 'assistant' ? 'model' : 'user'
  }

  #noteKeys({ envelope, record }: Message): void {
    if (envelope === NO_KEYS) return
    const keys = Object.keys(envelope).filter((key) => !ELSEWHERE.includes(key))
    this.#out.dropKeys(record, keys, 'Gemini refuses such keys', 'The message ')
  }
}

/**
 * True if a part of a reply that stood before its first call is gone: that was the call with the signature. The parts of a reply are made one after
 * another, directly behind the reply itself.
 */
function hasLostCall({ record, parts }: Message): boolean {
  if (record.nodeClass === 'block') return false
  const first = parts.findIndex(({ kind }) => kind === 'call')
  return parts.slice(0, first + 1).some((part, at) => part.record.creationIndex !== record.creationIndex + 1 + at)
}

/** The documented signature for calls that Gemini did not make. */
const STAND_IN = 'skip_thought_signature_validator'

/** True for a response that came with its pictures and files. */
function hasMedia(response: PlainObject): boolean {
  return Object.values(response).some((data) => isObject(data) && Array.isArray(data['parts']))
}

function mediaIn(part: ResultPart, out: RequestWriter): PlainObject[] {
  const { output, record } = part
  if (output.kind !== 'parts') return []
  if (output.parts.some(({ kind }) => kind === 'other')) {
    out.note('left-out', record, `A part of the result ${record.id} is left out: only its own provider understands it.`)
  }
  return output.parts.flatMap((each) => (each.kind === 'media' ? [out.own(mediaPart(each), record)] : []))
}

/** A content as the tree holds it. */
export const heldForm = (out: RequestWriter): HeldForm => ({
  format: 'gemini',
  key: 'parts',
  about: (message) => {
    const speaker = message.role === 'assistant' || message.role === 'model' ? 'model' : 'user'
    if (!isOwn(message)) return { role: speaker }
    const { role, ...envelope } = plainObject(message.envelope)
    return { role: role === undefined ? speaker : ((role ?? undefined) as string | undefined), envelope }
  },
  element: (part) => writtenPart(part, 'user', PART, out),
})

export const isOwn: (message: Message) => boolean = isOf('gemini')

export function partsIn({ parts }: PlainObject): readonly PlainObject[] {
  return parts as readonly PlainObject[]
}

function isResult(part: Part): part is ResultPart {
  return part.kind === 'result'
}

export function isCall(part: PlainObject): boolean {
  return part['functionCall'] !== undefined || part['function_call'] !== undefined
}

export const PART: PartForm<'user'> = {
  format: 'gemini',
  who: 'Gemini',
  takesAnyThought: true,
  own: (held, part, _role, out) => out.fitted(paired(held, part, out), PART_FIT, part.record, 'Gemini'),
  text: (text) => Object.freeze({ text }),
  call: (part, out) =>
    Object.freeze({
      functionCall: inOrder({ id: idOf(part), name: toolName(part, NAME, out), args: inputObject(part, out) }),
    }),
  result: (part, out) => {
    const response = responseOf(part, out)
    return Object.freeze({
      functionResponse: inOrder({ id: idOf(part), name: validName(part.name ?? 'tool', NAME), response }),
    })
  },
  media: mediaPart,
  leavesOut: {
    thought: 'what another model thought cannot be given to Gemini',
    other: 'Gemini has no such part',
  },
}

/** The names of tools, as the client's types describe them. */
export const NAME: NameRule = { most: 128, refused: /[^a-zA-Z0-9_.:-]/g, start: /^[a-zA-Z_]/ }

/** A response has the name of its call, and both have one id if they have any, whatever an edit made of them. */
function paired(held: PlainObject, part: Part, out: RequestWriter): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const kind = part.kind === 'call' ? 'functionCall' : 'functionResponse'
  const key = Object.keys(held).find((each) => camel(each) === kind)
  const data = key === undefined ? undefined : held[key]
  if (key === undefined || !isObject(data)) return held
  const given = idOf(part)
  // One that came with an id has it still: an edit may have taken it out.
  const isBare = data['id'] === undefined && (given === undefined || !part.record.callIds.includes(given))
  const id = isBare || data['id'] === given ? {} : { id: given }
  const called = part.kind === 'call' ? toolName(part, NAME, out) : validName(part.name ?? 'tool', NAME)
  const name =
    data['name'] === called || (part.name === undefined && typeof data['name'] === 'string') ? {} : { name: called }
  if (Object.keys(id).length + Object.keys(name).length === 0) return held
  return Object.freeze({ ...held, [key]: inOrder({ ...data, ...id, ...name }) })
}

function idOf({ callId }: CallPart | ResultPart): string | undefined {
  return callId === '' || isMade(callId) ? undefined : callId
}

/** Gemini takes an object. */
function responseOf(part: ResultPart, out: RequestWriter): PlainObject {
  const { output, isError, record } = part
  const key = isError ? 'error' : 'output'
  if (output.kind === 'text') return Object.freeze({ [key]: output.text })
  if (output.kind === 'parts') return inOrder({ [key]: textsIn(part).join('\n') })
  const value = out.plain(output.value, record)
  return isObject(output.value) && !isError
    ? (value as PlainObject)
    : inOrder({ [key]: isError ? textOf(output.value) : value })
}

export function mediaPart(part: Omit<MediaPart, 'record'>): PlainObject {
  const { mediaType, source, filename } = part
  const isImage = mediaType?.startsWith('image/') === true
  const mimeType = exactType(part) ?? (isImage ? 'image/png' : 'application/octet-stream')
  return source.kind === 'url'
    ? inOrder({ fileData: inOrder({ mimeType, fileUri: source.url }) })
    : inOrder({ inlineData: inOrder({ mimeType, data: source.data, displayName: filename }) })
}

/** The id of a call that came without one; other providers take it. */
export function madeId(text: string): string {
  return `gemini_${derivedId(text).slice('call_'.length)}`
}

function isMade(callId: string): boolean {
  return callId.startsWith('gemini_') && MADE.test(callId)
}

const MADE = /^gemini_[0-9a-f]{24}$/

/** The same answers, in which those to calls of one name that have no ids follow each other as their calls do. */
function inCallOrder<Given extends Answer>(answers: readonly Given[], asked: readonly string[]): readonly Given[] {
  if (!answers.some(({ callId }) => isMade(callId))) return answers
  const places = answers.map(({ callId }) => (isMade(callId) ? asked.indexOf(callId) : -1))
  const ordered = [...answers]
  for (const name of new Set(answers.map((each) => each.name))) {
    const slots = answers.flatMap((each, i) => (each.name === name && places[i]! >= 0 ? [i] : []))
    const sorted = slots.toSorted((a, b) => places[a]! - places[b]!)
    for (const [i, slot] of slots.entries()) ordered[slot] = answers[sorted[i]!]!
  }
  return ordered
}
