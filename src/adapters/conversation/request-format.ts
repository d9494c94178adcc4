// What an adapter knows of its provider: how a stretch of messages is written, what may not meet, what must be unique, and how the
// request is put together. Everything else, order, pairs, caching, source maps, is the same for all.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import type { FormatName } from '../../formats/index.js'
import type { CacheFormat } from './cache-marks.js'
import type { Message, Part, TextPart } from './neutral.js'
import type { MayStand } from './pair-calls.js'
import { plainJson, type PlainObject, type PlainValue } from './plain-json.js'
import type { Piece } from './piece.js'
import type { Notes } from './repairs.js'

/** What a format writes with: it says which node an object is, and what had to be done. */
export type Pen = Notes & {
  /** Says that an object of the request, and all of it, is what a node says; gives it back. */
  own<T extends object>(made: T, record: NodeRecord): T
  /** Says the same of the one value under a key, where the object has more than one node's words. */
  ownAt<T extends object>(made: T, key: string, record: NodeRecord): T
  /** Says that the text under a key is these texts, each a node's, with `between` between them. */
  ownTexts<T extends object>(made: T, key: string, texts: readonly OwnText[], between: string): T
  /** Says that an object takes the place of another one, and is the same node's. */
  like<T extends object>(made: T, original: object): T
  /** Says which node a message comes from: what is done to it later is told of that node. */
  comesFrom<T extends object>(made: T, record: NodeRecord): T
  originOf(made: object): NodeRecord | undefined
  /** Whether the request ends with what is being written: who asks is asked again for the last turn of a request. */
  readonly isLast: boolean
  /** Whether the request is to be made valid; without it everything is written as the tree holds it. */
  readonly repair: boolean
  /** Ids that earlier parts of the request have and that may stand there once. */
  readonly taken: Readonly<{ has(id: string): boolean }>
}

/** A text that is what a node says. */
export type OwnText = Readonly<{ text: string; record: NodeRecord }>

export type RequestFormat<Options> = Readonly<{
  name: FormatName
  /** Goes up whenever one tree gives other bytes than before: attempts that were sent with another version cannot be rendered again. */
  version: number
  /** The key of the request that holds the list of messages: `messages`, `contents`, `input`. */
  list: string
  /** Whether the provider refuses such a text. */
  isBlank(text: string, part: TextPart): boolean
  /** Whether a message without parts says something all the same. */
  saysWithoutParts?(message: Message): boolean
  /** The ids of calls in the last turn that need no result yet. */
  waiting?(messages: readonly Message[]): ReadonlySet<string>
  /** Writes a stretch: a turn, the active head. Pairs are whole, markers and blanks are gone (if `pen.repair`). */
  write(messages: readonly Message[], pen: Pen, options: Options): readonly PlainObject[]
  /** Whether a turn may begin with answers to the last calls of the turn before in this order; in any order, where nothing is said. */
  mayStand?: MayStand
  /** Ids in what was written that must stand once in a request. */
  uniqueIds?: (written: readonly PlainObject[]) => readonly string[]
  /** What `request` has to know of a piece of the list; found out once for each. */
  look?: (written: readonly PlainObject[]) => unknown
  /** Whether the provider has calls of the conversation that are not in the request, by what `^sys` says. */
  holdsCalls?(system: readonly Message[]): boolean
  /** A user's message with this text: providers take no empty list. */
  filler(text: string): PlainObject
  /** How cache marks are set, where the provider has them. */
  cache?: CacheFormat
  /**
   * What stands beside the list, from what `^sys` says, and what has to change in it. `pieces` are what the list was joined of, each
   * with what `look` found in it.
   */
  request(
    system: readonly Message[],
    list: readonly PlainObject[],
    pen: Pen,
    options: Options,
    pieces: readonly Piece[],
  ): Head
}>

export type Head = Readonly<{
  /** The request's keys before the list, in their order, and behind it. */
  before: Readonly<Record<string, PlainValue>>
  after?: Readonly<Record<string, PlainValue>> | undefined
  /** One text that stands in the place of the list. */
  instead?: OwnText | undefined
  /** How many messages go at the start, and what stands there instead. */
  start?: Start | undefined
  /** Messages of the list that stand otherwise in this request, or not at all. */
  changed?: Changes | undefined
}>

/** What stands in the place of a message of the list. */
export type Changes = ReadonlyMap<PlainObject, readonly PlainObject[]>

export type Start = Readonly<{ drop: number; put: readonly PlainObject[] }>

/** A value as a request has it; integers that it cannot have to the digit are told of. */
export function plainOf(value: JsonValue, record: NodeRecord, pen: Pen): PlainValue {
  return plainJson(value, () =>
    pen.note('rounded', record, `An integer in ${record.id} is rounded: a request has none beyond 2^53.`),
  )
}

/** The messages without parts that say nothing, and that the provider would refuse. */
export function withoutBlanks(messages: readonly Message[], format: Speech, notes: Notes): readonly Message[] {
  for (let i = 0; i < messages.length; i++) {
    if (!saysAll(messages[i]!.parts, format)) return messages.flatMap((message) => spoken(message, format, notes))
  }
  return messages
}

type Speech = Pick<RequestFormat<never>, 'isBlank' | 'saysWithoutParts'>

function saysAll(parts: readonly Part[], format: Speech): boolean {
  for (let i = 0; i < parts.length; i++) if (!isSaid(parts[i]!, format)) return false
  return parts.length > 0
}

function isSaid(part: Part, format: Speech): boolean {
  return part.kind === 'text' ? !format.isBlank(part.text, part) : part.kind !== 'gone'
}

/** What is left of a message. */
function spoken(message: Message, format: Speech, notes: Notes): readonly Message[] {
  if (message.parts.length === 0) {
    if (format.saysWithoutParts?.(message) === true) return [message]
    notes.note('left-out', message.record, `The message ${message.record.id} is left out: it is empty.`)
    return []
  }
  const parts = message.parts.filter((part) => isSaid(part, format))
  for (const part of message.parts) {
    const { id } = part.record
    if (part.kind === 'gone')
      notes.note('left-out', part.record, `${id} is left out: what it said was taken out of the context.`)
    else if (!isSaid(part, format)) notes.note('left-out', part.record, `${id} is left out: it has no text.`)
  }
  if (parts.length === 0) return []
  return [parts.length === message.parts.length ? message : { ...message, parts }]
}
