// The description of a provider's format: how a stretch of messages is written, what may not meet, what must be unique, and how the
// request is put together. Everything else, order, pairs, caching, source maps, is the same for all.

import { CUT, STOP } from '../../codec/index.js'
import type { ThoughtFormat } from './bound.js'
import type { CacheFormat } from './cache-marks.js'
import type { HeldFormat } from './held.js'
import { isBroken } from './media.js'
import type { CallPart, Message, Output, OutputPart, Part, ResultPart, TextPart } from './neutral.js'
import type { Piece } from './piece.js'
import { isObject, type PlainObject, type PlainValue } from './plain-json.js'
import type { Notes, OwnText, RequestWriter } from './request-writer.js'
import type { TieOf } from './steps.js'

export type RequestFormat<Options> = Readonly<{
  /** The name that attempts and the attribute `data_format` use. */
  name: string
  /** Goes up whenever one tree gives other bytes than before: attempts that were sent with another version cannot be rendered again. */
  version: number
  /** The key of the request that holds the list of messages: `messages`, `contents`, `input`. */
  list: string
  /** True if the provider refuses such a text. */
  isBlank(text: string, part: TextPart): boolean
  /** True if a message without parts says something all the same. */
  saysWithoutParts?(message: Message): boolean
  /** The ids of calls in the last turn that need no result yet. */
  waiting?(messages: readonly Message[]): ReadonlySet<string>
  /** True for a call whose result may come later than in the next request, or never: the model goes on without it. */
  answersLate?(call: CallPart): boolean
  /** The ties between parts beyond calls and results, so that a commit between them changes nothing. */
  ties?: TieOf
  /** True for two neighbouring messages of the model that are one to the provider. They have no results. */
  areOne?(before: Message, after: Message): boolean
  /** Writes a stretch: a turn, or several that a step joins. Steps are whole, markers and blanks are gone (if `out.repair`). */
  write(messages: readonly Message[], out: RequestWriter, options: Options): readonly PlainObject[]
  /** Ids in what was written that must be unique in a request. */
  uniqueIds?: (written: readonly PlainObject[]) => readonly string[]
  /** A fact about a piece of the list that `request` needs; found once for each piece. */
  look?: (written: readonly PlainObject[]) => unknown
  /** True if the provider has calls of the conversation that are not in the request, by what `^sys` says. */
  holdsCalls?(system: readonly Message[]): boolean
  /** A user's message with this text: providers take no empty list. */
  filler(text: string): PlainObject
  /** The thoughts that are bound to what is before them, where the provider has such (D58). */
  thoughts?: ThoughtFormat
  /** A context block as a message that the provider shows until a message of the user follows, where it has such (see turn-scoped.ts). */
  scoped?(block: Message): Message
  /** The provider makes summaries and takes them back: as the first part of a request, or where they are. */
  summaries?: 'first' | 'in place'
  /** The cache marks, where the provider has them. */
  cache?: CacheFormat
  /** Requests that go on from a reply, where the provider keeps replies. */
  held?: HeldFormat
  /**
   * The fields next to the list, made from `^sys`, and the changes to the list itself. `pieces` are the parts that the list was joined from, each
   * with the result of `look`.
   */
  request(
    system: readonly Message[],
    list: readonly PlainObject[],
    out: RequestWriter,
    options: Options,
    pieces: readonly Piece[],
  ): Head
}>

export type Head = Readonly<{
  /** The request's keys before the list, in their order, and behind it. */
  before: Readonly<Record<string, PlainValue>>
  after?: Readonly<Record<string, PlainValue>> | undefined
  /** One text in place of the list. */
  instead?: OwnText | undefined
  /** The number of messages to drop at the start, and the messages to put there. */
  start?: Start | undefined
  /** Messages of the list that are different in this request, or left out. */
  changed?: Changes | undefined
}>

/** The messages that replace a message of the list. */
export type Changes = ReadonlyMap<PlainObject, readonly PlainObject[]>

export type Start = Readonly<{ drop: number; put: readonly PlainObject[] }>

/** The messages without parts that say nothing, and that the provider would refuse. */
export function withoutBlanks(messages: readonly Message[], format: Speech, notes: Notes): readonly Message[] {
  const saysAll = ({ parts }: Message): boolean =>
    parts.length > 0 && parts.every((part) => isSaid(part, format) && !isBrokenIn(part))
  return messages.every(saysAll) ? messages : messages.flatMap((message) => spoken(message, format, notes))
}

type Speech = Pick<RequestFormat<never>, 'isBlank' | 'saysWithoutParts'>

function isSaid(part: Part, format: Speech): boolean {
  if (part.kind === 'text') return !format.isBlank(part.text, part)
  return part.kind === 'call' ? !isCutCall(part) : part.kind !== 'gone' && !hasNoBytes(part)
}

/** True for a result with media that are broken. */
function isBrokenIn(part: Part): part is ResultPart {
  if (part.kind !== 'result' || part.output.kind !== 'parts') return false
  return part.output.parts.some((each) => hasNoBytes(each))
}

/** Known for each part as it came, which never changes: looking through large bytes again would slow every request of a turn. */
const broken = new WeakMap<object, boolean>()

/** True for media whose bytes an edit has changed. */
function hasNoBytes(part: Part | OutputPart): boolean {
  const { kind, raw } = part
  if (kind !== 'media' || !isObject(raw)) return isBroken(part)
  const isKnown = broken.get(raw) ?? isBroken(part)
  broken.set(raw, isKnown)
  return isKnown
}

/** The result without its broken media; it is made of what all formats share. */
function withoutBroken(part: ResultPart, notes: Notes): ResultPart {
  const parts = part.output.kind === 'parts' ? part.output.parts.filter((each) => !hasNoBytes(each)) : []
  notes.note('left-out', part.record, `Media in the result ${part.record.id} are left out: ${NO_BYTES}.`)
  const output: Output = parts.length === 0 ? { kind: 'text', text: '' } : { kind: 'parts', parts }
  return { ...part, raw: undefined, shape: undefined, output }
}

const NO_BYTES = 'an edit has changed their bytes'

/** True for a call whose arguments were cut off: what the model asked for is not known. */
export function isCutCall({ record }: CallPart): boolean {
  return record.rare?.attributes?.get(STOP) === CUT
}

/** The message without blank and deleted parts, and without calls that were cut off. */
function spoken(message: Message, format: Speech, notes: Notes): readonly Message[] {
  if (message.parts.length === 0) {
    if (format.saysWithoutParts?.(message) === true) return [message]
    notes.note('left-out', message.record, `The message ${message.record.id} is left out: it is empty.`)
    return []
  }
  const parts = message.parts
    .filter((part) => isSaid(part, format))
    .map((part) => (isBrokenIn(part) ? withoutBroken(part, notes) : part))
  for (const part of message.parts) {
    const { id } = part.record
    if (part.kind === 'gone')
      notes.note('left-out', part.record, `${id} is left out: what it said was taken out of the context.`)
    else if (part.kind === 'call' && isCutCall(part))
      notes.note('cut-call', part.record, `The call ${id} is left out: its arguments were cut off.`)
    else if (hasNoBytes(part)) notes.note('left-out', part.record, `The media in ${id} are left out: ${NO_BYTES}.`)
    else if (!isSaid(part, format)) notes.note('left-out', part.record, `${id} is left out: it has no text.`)
  }
  if (parts.length === 0) return []
  const isAsItWas = parts.length === message.parts.length && parts.every((part, i) => part === message.parts[i])
  return [isAsItWas ? message : { ...message, parts }]
}
