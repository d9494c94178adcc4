// What an adapter knows of its provider: how a stretch of messages is written, what may not meet, what must be unique, and how the
// request is put together. Everything else, order, pairs, caching, source maps, is the same for all.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import type { CacheFormat } from './cache-marks.js'
import type { Format } from './names.js'
import type { Message, Part, TextPart } from './neutral.js'
import { plainJson, type PlainObject, type PlainValue } from './plain-json.js'
import type { Note } from './repairs.js'

/** What a format writes with: it says which node an object is, and what had to be done. */
export type Pen = Readonly<{
  /** Says that an object of the request, and all of it, is what a node says; gives it back. */
  own<T extends object>(made: T, record: NodeRecord): T
  /** Says the same of the one value under a key, where the object has more than one node's words. */
  ownAt<T extends object>(made: T, key: string, record: NodeRecord): T
  /** Says that the text under a key is these texts, each a node's, with `between` between them. */
  ownTexts<T extends object>(made: T, key: string, texts: readonly OwnText[], between: string): T
  /** Says that an object takes the place of another one, and is the same node's. */
  like<T extends object>(made: T, original: object): T
  note: Note
  /** Whether the request ends with what is being written; told to formats that know of it. */
  isLast: boolean
  /** Whether the request is to be made valid; without it everything is written as the tree holds it. */
  repair: boolean
  /** Ids that earlier parts of the request have and that may stand there once. */
  taken: Readonly<{ has(id: string): boolean }>
}>

/** A text that is what a node says. */
export type OwnText = Readonly<{ text: string; record: NodeRecord }>

export type RequestFormat<Options> = Readonly<{
  name: Format
  /** Goes up whenever one tree gives other bytes than before: attempts that were sent with another version cannot be rendered again. */
  version: number
  /** The key of the request that holds the list of messages: `messages`, `contents`, `input`. */
  list: string
  /** Whether the provider refuses such a text. */
  isBlank(text: string, part: TextPart): boolean
  /** Whether the last turn may read otherwise than the same turn with others behind it. */
  knowsLast?: boolean
  /** Whether a message without parts says something all the same. */
  saysWithoutParts?(message: Message): boolean
  /** The ids of calls in the last turn that need no result yet. */
  waiting?(messages: readonly Message[]): ReadonlySet<string>
  /** Writes a stretch: a turn, the active head. Pairs are whole, markers and blanks are gone (if `pen.repair`). */
  write(messages: readonly Message[], pen: Pen, options: Options): readonly PlainObject[]
  /** Where two stretches meet: what stands there instead of the two messages, or undefined if they may stay. */
  seam?(before: PlainObject, after: PlainObject): readonly PlainObject[] | undefined
  /** Ids in what was written that must stand once in a request. */
  uniqueIds?(written: readonly PlainObject[]): readonly string[]
  /** Whether the provider has calls of the conversation that are not in the request, by what `^sys` says. */
  holdsCalls?(system: readonly Message[]): boolean
  /** A user's message with this text: providers take no empty list. */
  filler(text: string): PlainObject
  /** How cache marks are set, where the provider has them. */
  cache?: CacheFormat
  /**
   * What stands beside the list, from what `^sys` says, and what has to change in it. `stretches` are the parts that the list was joined of:
   * the same ones as before wherever nothing changed, so what is asked of each is worked out once (`askedOnce`).
   */
  request(
    system: readonly Message[],
    list: readonly PlainObject[],
    pen: Pen,
    options: Options,
    stretches: readonly Stretch[],
  ): Head
}>

/** Part of a list of messages; it does not change. */
export type Stretch = readonly PlainObject[]

/** The same question, answered once for each stretch: a request of ten thousand messages costs a look at a few hundred parts. */
export function askedOnce<T extends object | boolean>(ask: (stretch: Stretch) => T): (stretch: Stretch) => T {
  const known = new WeakMap<Stretch, T>()
  return (stretch) => {
    let answer = known.get(stretch)
    if (answer === undefined) known.set(stretch, (answer = ask(stretch)))
    return answer
  }
}

export type Head = Readonly<{
  /** The request's keys before the list, in their order, and behind it. */
  before: Readonly<Record<string, PlainValue>>
  after?: Readonly<Record<string, PlainValue>> | undefined
  /** One text that stands in the place of the list. */
  instead?: OwnText | undefined
  /** How many messages go at either end, and what stands there instead. */
  start?: End | undefined
  end?: End | undefined
  /** Messages of the list that stand otherwise in this request, or not at all. */
  changed?: Changes | undefined
}>

/** What stands in the place of a message of the list. */
export type Changes = ReadonlyMap<PlainObject, readonly PlainObject[]>

export type End = Readonly<{ drop: number; put: readonly PlainObject[] }>

/** A value as a request has it; integers that it cannot have to the digit are told of. */
export function plainOf(value: JsonValue, record: NodeRecord, pen: Pen): PlainValue {
  return plainJson(value, () =>
    pen.note('rounded', record, `An integer in ${record.id} is rounded: a request has none beyond 2^53.`),
  )
}

type IsBlank = (text: string, part: TextPart) => boolean

/** A message without parts that the provider would refuse. */
export function withoutBlanks(
  messages: readonly Message[],
  { isBlank, saysWithoutParts }: Pick<RequestFormat<never>, 'isBlank' | 'saysWithoutParts'>,
  note: Note,
): readonly Message[] {
  const kept: Message[] = []
  for (const message of messages) {
    const parts = message.parts.filter((part) => isKept(part, isBlank, note))
    if (parts.length === 0 && message.parts.length === 0 && saysWithoutParts?.(message) === true) kept.push(message)
    else if (parts.length > 0) kept.push(parts.length === message.parts.length ? message : { ...message, parts })
    else if (message.parts.length === 0)
      note('left-out', message.record, `The message ${message.record.id} is left out: it is empty.`)
  }
  return kept
}

function isKept(part: Part, isBlank: IsBlank, note: Note): boolean {
  const { id } = part.record
  if (part.kind === 'gone') {
    note('left-out', part.record, `${id} is left out: what it said was taken out of the context.`)
    return false
  }
  if (part.kind !== 'text' || !isBlank(part.text, part)) return true
  note('left-out', part.record, `${id} is left out: it has no text.`)
  return false
}
