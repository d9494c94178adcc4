// Messages of a stretch as steps of an interaction. A step that came in this format goes back as it came; words of others are steps of their own.

import type { JsonObject, NodeRecord } from '../../core/index.js'
import { exactType } from '../conversation/media.js'
import {
  ATTRIBUTES,
  type CallPart,
  type MediaPart,
  type Message,
  type OutputPart,
  type Part,
  type ResultPart,
} from '../conversation/neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
  textOf,
} from '../conversation/plain-json.js'
import { formOf, objectIn } from '../conversation/read-part.js'
import type { OwnText, RequestWriter } from '../conversation/request-writer.js'
import type { Tie } from '../conversation/steps.js'
import {
  inputObject,
  OTHERS_KNOW,
  outputList,
  type PartForm,
  toolName,
  validName,
  withKeys,
  writtenPart,
} from '../conversation/write-part.js'
import { CONTENT_FIT, INPUT_KEYS, INTERACTIONS, OUTPUT_KEYS, serverTie, STEP_FIT } from './interaction-kinds.js'
import { isSaid, SAID } from './interaction-read.js'
import { NAME } from './write.js'

export function writeSteps(messages: readonly Message[], out: RequestWriter): readonly PlainObject[] {
  const writer = new StepWriter(messages, out)
  for (const message of messages) {
    if (out.repair || message.format !== INTERACTIONS) writer.message(message)
    else writer.held(message)
  }
  return writer.steps
}

class StepWriter {
  readonly steps: PlainObject[] = []
  readonly #out: RequestWriter
  /** The calls of the provider's own tools that have their results, and those that are written. */
  readonly #answered: ReadonlySet<string>
  readonly #called = new Set<string>()

  constructor(messages: readonly Message[], out: RequestWriter) {
    this.#out = out
    const ties = messages.flatMap(({ parts }) => parts.flatMap((part) => this.#tie(part) ?? []))
    this.#answered = new Set(ties.flatMap((tie) => ('answers' in tie ? [tie.answers] : [])))
  }

  /** Each node as the tree has it. */
  held({ parts, record }: Message): void {
    const records = new Set(parts.flatMap((part) => (part.kind === 'gone' ? [] : [part.record])))
    if (parts.length === 0 && record.nodeClass === 'block') records.add(record)
    for (const each of records) this.steps.push(this.#out.own(heldStep(each), each))
  }

  message(message: Message): void {
    const isOwn = message.format === INTERACTIONS
    const type = this.#type(message)
    if (!isOwn) this.#out.dropKeys(message.record, Object.keys(message.envelope), OTHERS_KNOW, 'The message ')
    let said: Part[] = []
    for (const part of message.parts) {
      const isStep = isStepOf(part, isOwn)
      if (isStep || (isOwn && said.length > 0 && said[0]!.record !== part.record)) {
        this.#say(message, type, said)
        said = []
      }
      if (isStep) this.#step(message, part)
      else said.push(part)
    }
    this.#say(message, type, said)
  }

  /** One step of what a user or the model says, if anything is left of it. */
  #say(message: Message, type: PlainValue, parts: readonly Part[]): void {
    if (parts.length === 0) return
    const { record } = parts[0]!
    const content = parts.flatMap((part) => writtenPart(part, 'content', PART, this.#out) ?? [])
    if (content.length === 0) return
    const keys = message.format === INTERACTIONS ? (objectIn(record, ATTRIBUTES.message) ?? {}) : {}
    const fit = type === SAID.output ? OUTPUT_KEYS : INPUT_KEYS
    const more = Object.keys(keys).length === 0 ? NO_KEYS : withKeys(keys, fit, record, this.#out)
    const made = inOrder({ type, content: Object.freeze(content) }, more)
    this.steps.push(this.#out.comesFrom(asInput(made, parts), message.record))
  }

  #step(message: Message, part: Part): void {
    // The words of a step that was changed are for the model to read, where it has some.
    if (part.kind === 'other' && part.words !== undefined && !this.#fits(part))
      return this.#say(message, SAID.output, [part])
    if (this.#isHalf(part)) {
      this.#out.leaveOut(part, 'it was changed, or the other half of this step of a tool is not there')
      return
    }
    const made = writtenPart(part, 'step', PART, this.#out)
    if (made !== undefined) this.steps.push(this.#out.comesFrom(made, part.record))
  }

  /** A call of one of the provider's tools without its result, or the other way round. What the model did last may still go on. */
  #isHalf(part: Part): boolean {
    const tie = this.#tie(part)
    if (tie === undefined) return serverTie(part) !== undefined
    if ('answers' in tie) return !this.#called.delete(tie.answers)
    if (this.#called.has(tie.opens)) return true
    const isKept = this.#answered.has(tie.opens) || this.#out.isLast
    if (isKept) this.#called.add(tie.opens)
    return !isKept
  }

  /** The tie of a step that can be written; an edit may have made one that Gemini refuses. */
  #tie(part: Part): Tie | undefined {
    const tie = serverTie(part)
    return tie === undefined || this.#fits(part) ? tie : undefined
  }

  #fits({ raw, record }: Part): boolean {
    // As it is written: what is not known passes where it is kept, a value of a wrong type does not.
    return !this.#out.repair || STEP_FIT(plainObject(raw as JsonObject), this.#out.droppedOf(record)) !== undefined
  }

  #type(message: Message): string {
    const speaker = this.#out.speakerOf(message)
    if (speaker === 'system' || speaker === 'developer') {
      const { record, role } = message
      const text = `The ${role} message ${record.id} is given as the user's: Gemini takes none in mid-conversation.`
      this.#out.note('moved-system', record, text)
    }
    return speaker === 'assistant' ? SAID.output : SAID.input
  }
}

/** True for a part that is a step by itself. */
function isStepOf({ kind, record }: Part, isOwn: boolean): boolean {
  if (kind === 'call' || kind === 'result' || kind === 'reasoning') return true
  return kind === 'other' && isOwn && !isSaid(record)
}

/** A step as the tree holds it. */
function heldStep(record: NodeRecord): PlainObject {
  const { content = '', role } = record
  if (record.kind === SAID.text && typeof content === 'string') {
    return asText(userInput(content), { text: content, record })
  }
  if (isSaid(record)) {
    const held = formOf(record) === 'absent' ? undefined : plainJson(content)
    return inOrder({ type: record.kind!, content: held }, plainObject(objectIn(record, ATTRIBUTES.message) ?? {}))
  }
  // Somebody put a text in the place of a step.
  if (!isObject(content))
    return inOrder({ type: role === 'assistant' ? SAID.output : SAID.input, content: plainJson(content) })
  return inOrder({ type: plainJson(content['type'] ?? null) }, plainObject(content))
}

export function userInput(text: string): PlainObject {
  return inOrder({ type: SAID.input, content: Object.freeze([inOrder({ type: 'text', text })]) })
}

/** Steps that were a whole input: alone they are one again. */
const inputs = new WeakMap<object, OwnText>()

function asInput(made: PlainObject, [only, ...others]: readonly Part[]): PlainObject {
  if (only?.kind !== 'text' || only.record.kind !== SAID.text || others.length > 0) return made
  return asText(made, { text: only.text, record: only.record })
}

function asText(made: PlainObject, text: OwnText): PlainObject {
  inputs.set(made, text)
  return made
}

/** The text that a step alone is, if it came as one. */
export function oneText(step: PlainObject): OwnText | undefined {
  return inputs.get(step)
}

/** A content, or a step. */
type Place = 'content' | 'step'

const PART: PartForm<Place> = {
  format: INTERACTIONS,
  who: 'Gemini',
  first: { type: 'text' },
  own: (held, part, place, out) =>
    out.fitted(paired(held, part, out), place === 'content' ? CONTENT_FIT : STEP_FIT, part.record, 'Gemini'),
  text: (text) => Object.freeze({ type: 'text', text }),
  call: (part, out) =>
    inOrder({
      type: 'function_call',
      id: part.callId,
      name: toolName(part, NAME, out),
      arguments: inputObject(part, out),
    }),
  result: (part, out) =>
    inOrder({
      type: 'function_result',
      call_id: part.callId,
      name: part.name === undefined ? undefined : validName(part.name, NAME),
      result: resultOf(part, out),
      is_error: part.isError ? true : undefined,
    }),
  media: mediaContent,
  leavesOut: {
    thought: 'what another model thought cannot be given to Gemini',
    other: 'Gemini has no such step',
  },
}

/** A call and its result have one id and one name, whatever an edit made of them. */
function paired(held: PlainObject, part: Part, out: RequestWriter): PlainObject {
  if (part.kind !== 'call' && part.kind !== 'result') return held
  const keys = part.kind === 'call' ? calledAs(part, out) : answeredAs(part)
  return Object.entries(keys).every(([key, value]) => held[key] === value) ? held : inOrder({ ...held, ...keys })
}

function calledAs(part: CallPart, out: RequestWriter): PlainObject {
  return { id: part.callId, name: toolName(part, NAME, out) }
}

/** A result need not have a name. */
function answeredAs({ callId, name, raw }: ResultPart): PlainObject {
  const isNamed = name !== undefined && isObject(raw) && raw['name'] !== undefined
  return { ...(callId === '' ? {} : { call_id: callId }), ...(isNamed ? { name: validName(name, NAME) } : {}) }
}

function resultOf({ output, record }: ResultPart, out: RequestWriter): PlainValue {
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return isObject(output.value) ? out.plain(output.value, record) : textOf(output.value)
  const list = outputList(output.parts, record, 'Gemini', (part) => outputContent(part, record, out), out)
  return (list as readonly PlainValue[]).length === 0 ? '' : list
}

function outputContent(part: OutputPart, record: NodeRecord, out: RequestWriter): PlainObject | undefined {
  const own = part.shape === INTERACTIONS && isObject(part.raw) ? plainObject(part.raw) : undefined
  const fitted = own && out.repair ? (CONTENT_FIT(own, out.droppedOf(record)) as PlainObject | undefined) : own
  if (fitted !== undefined) return fitted
  if (part.kind === 'text') return Object.freeze({ type: 'text', text: part.text })
  return part.kind === 'media' ? mediaContent(part) : undefined
}

function mediaContent(part: Omit<MediaPart, 'record'>): PlainObject {
  const { source, mediaType = '' } = part
  const [general] = mediaType.split('/')
  const type = ['image', 'audio', 'video'].includes(general!) ? general! : 'document'
  const mime = exactType(part) ?? (type === 'image' ? 'image/png' : undefined)
  return source.kind === 'url'
    ? inOrder({ type, uri: source.url, mime_type: mime })
    : inOrder({ type, data: source.data, mime_type: mime ?? 'application/octet-stream' })
}
