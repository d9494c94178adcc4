// Everything a format says while it writes: which node an object of the request comes from, and what had to be repaired.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import { recordOf } from '../../timeline/index.js'
import { type Dropped, droppedKeys, type Fit } from './fit.js'
import { type Owned, Owners } from './marks.js'
import { isGuessed, type Message, type Speaker, speakerOf } from './neutral.js'
import type { Piece, Thoughts } from './piece.js'
import { plainJson, type PlainObject, type PlainValue } from './plain-json.js'
import type { RecordReader } from './read-messages.js'
import { wellFormed, wellFormedRecord } from './well-formed.js'
import { isAsCame, isChanged } from './wire.js'

/** A text that is what a node says. */
export type OwnText = Readonly<{ text: string; record: NodeRecord }>

/** Ids that earlier parts of the request have and that may be there once. */
export type TakenIds = Readonly<{ has(id: string): boolean }>

/** The format of a request, and how far it is repaired. */
export type Writing = Readonly<{
  format: string
  /** True if the request is to be made valid; without it everything is written as the tree holds it. */
  repair: boolean
  /** True if parts and keys that the tables do not know are left out, although the provider sent them. */
  dropsUnknown: boolean
}>

/** Writes one stretch of a request, or the keys other than its list. */
export class RequestWriter implements Notes {
  readonly owners: Owners
  readonly repairs: Noted[] = []
  #thoughts: Map<object, NodeRecord> | undefined
  readonly #writing: Writing
  readonly taken: TakenIds
  readonly #isLast: boolean
  /** True if the writing may be another one where it is not the last. */
  knowsLast = false

  /** `pieces` were written before, and more may be said about them. */
  constructor(writing: Writing, taken: TakenIds, isLast: boolean, pieces?: readonly Piece[]) {
    this.#writing = writing
    this.taken = taken
    this.#isLast = isLast
    this.owners = new Owners(pieces)
  }

  /** True if the request is to be made valid; without it everything is written as the tree holds it. */
  get repair(): boolean {
    return this.#writing.repair
  }

  /** True if parts and keys that the tables do not know are left out. */
  get dropsUnknown(): boolean {
    return this.#writing.dropsUnknown
  }

  /** True if a node came from the provider of this request, is what it was, and may have parts and keys that the tables do not know. */
  keepsUnknown(record: NodeRecord): boolean {
    return !this.#writing.dropsUnknown && this.isAsCame(record)
  }

  /** True if a node came from the provider of this request with something that the tables do not know, and is what it was. */
  isAsCame(record: NodeRecord): boolean {
    return isAsCame(record, this.#writing.format)
  }

  /** For a value of a node that is fitted. */
  droppedOf(record: NodeRecord): Dropped {
    return droppedKeys(this.keepsUnknown(record), isChanged(record))
  }

  /** True if the request ends with what is being written. A format that asks writes the last turn of a request again. */
  get isLast(): boolean {
    this.knowsLast = true
    return this.#isLast
  }

  /** Says that an object of the request, and all of it, is what a node says; gives the object back. */
  own<T extends object>(made: T, { id }: NodeRecord): T {
    this.owners.own(made, id)
    return made
  }

  /** Says the same of the one value under a key, where the object has more than one node's words. */
  ownAt<T extends object>(made: T, key: string, { id }: NodeRecord): T {
    this.owners.ownAt(made, key, id)
    return made
  }

  /** Says that the text under a key is these texts, each a node's, with `between` between them. */
  ownTexts<T extends object>(made: T, key: string, texts: readonly OwnText[], between: string): T {
    this.owners.ownAt(made, key, joinedTexts(texts, between))
    return made
  }

  /** Says that an object takes the place of another one, and is the same node's. */
  like<T extends object>(made: T, original: object): T {
    this.owners.like(made, original)
    return made
  }

  /** Says that a block is a thought, which may be left out of a request. */
  think<T extends object>(made: T, record: NodeRecord): T {
    ;(this.#thoughts ??= new Map()).set(made, record)
    return made
  }

  /** Undefined if there are none. */
  get thoughts(): Thoughts | undefined {
    return this.#thoughts
  }

  /** Says which node a message comes from: repairs that are made to it later name that node. */
  comesFrom<T extends object>(made: T, record: NodeRecord): T {
    this.owners.comesFrom(made, record)
    return made
  }

  originOf(made: object): NodeRecord | undefined {
    return this.owners.originOf(made)
  }

  /** Notes a repair; `callId` where its cause may be looked up by it. */
  note(code: RepairCode, { id }: NodeRecord, text: string, callId?: string): void {
    this.repairs.push({ repair: Object.freeze({ code, node: id, text }), callId })
  }

  /** Notes a repair of a message that was written before; nothing is noted of a message that comes from no node. */
  noteOf(made: PlainObject, code: RepairCode, text: string | ((id: string) => string)): void {
    const record = this.originOf(made)
    if (record !== undefined) this.note(code, record, typeof text === 'string' ? text : text(record.id))
  }

  /** Notes that a part is left out; gives undefined, which is what is written of it. */
  leaveOut({ record }: Readonly<{ record: NodeRecord }>, why: string): undefined {
    this.note('left-out', record, `${record.id} is left out: ${why}.`)
    return undefined
  }

  /** Notes keys that are not sent, if there are any; `what` is how the text calls the node. */
  dropKeys(record: NodeRecord, keys: readonly string[], why: string, what = ''): void {
    if (keys.length === 0) return
    this.note('dropped-key', record, `${what}${record.id} is sent without ${keys.join(', ')}: ${why}.`)
  }

  /** A value as the provider takes it, undefined if it does not; keys that it refuses are dropped. `who` is the provider. */
  fitted(made: PlainObject, fit: Fit, record: NodeRecord, who: string): PlainObject | undefined {
    const dropped = this.droppedOf(record)
    const fitted = fit(made, dropped) as PlainObject | undefined
    if (fitted !== undefined) this.dropKeys(record, [...dropped], `${who} refuses what is there`)
    return fitted
  }

  /** The record of a node with whole characters only, as providers ask for them. */
  readonly recordOf: RecordReader = (node) => {
    const record = recordOf(node)
    return this.repair ? this.#whole(record, wellFormedRecord(record)) : record
  }

  #whole<Value>(record: NodeRecord, made: Value, given: unknown = record): Value {
    if (made !== given)
      this.note('half-character', record, `${record.id} has half of a character, which is sent as U+FFFD.`)
    return made
  }

  /** A value as a request has it; integers that a request cannot have to the digit are noted, and halves of characters. */
  plain(given: JsonValue, record: NodeRecord): PlainValue {
    const value = this.repair ? this.#whole(record, wellFormed(given), given) : given
    return plainJson(value, () =>
      this.note('rounded', record, `An integer in ${record.id} is rounded: a request has none beyond 2^53.`),
    )
  }

  /** The speaker of a message; a role that no format knows is noted. */
  speakerOf(message: Message): Speaker {
    const speaker = speakerOf(message)
    if (isGuessed(message)) {
      const { record, role } = message
      this.note(
        'converted',
        record,
        `The message ${record.id} is sent with the role ${speaker}: the role ${role} is unknown.`,
      )
    }
    return speaker
  }
}

function joinedTexts(texts: readonly OwnText[], between: string): readonly Owned[] {
  return texts.flatMap(({ text, record }, i) => [
    ...(i === 0 || between === '' ? [] : [{ text: between, node: undefined }]),
    { text, node: record.id },
  ])
}

/** The kind of a repair: callers may branch on it. */
export type RepairCode =
  | 'left-out' // a part or message that is empty, deleted, forgotten or refused
  | 'orphan-result' // a result without its call
  | 'stub-result' // a call whose result is gone got a short text
  | 'stale-thought' // a signed thought is left out: what was before it has changed
  | 'summarized' // nodes are left out: a summary that the provider made stands for them
  | 'stale-summary' // such a summary is left out: a node that it stands for has changed
  | 'cut-call' // a call whose arguments were cut off is left out
  | 'moved-result' // a result was put directly behind its call
  | 'converted' // a part was written in another form than it came in
  | 'renamed-id' // a call id that the provider refuses, or has twice
  | 'dropped-key' // a key that the provider refuses
  | 'merged' // messages were joined
  | 'moved-system' // system text is elsewhere
  | 'added' // something the provider asks for was put in
  | 'rounded' // an integer beyond a double
  | 'half-character' // half of a character, from a text that was cut, is U+FFFD
  | 'over-budget' // nothing was done: the request has more tokens than the context's limit

/** One intervention: which node, and what happened to it, in a sentence. A request over budget has the limit and its tokens. */
export type Repair = Readonly<{
  code: RepairCode
  node: string
  text: string
  /** Why the result is gone, or what happened to the node that `changed` names. */
  cause?: string
  /** Of a stale thought: the node before it that changed, if the history tells. */
  changed?: string
  limit?: number
  actual?: number
}>

/** A repair, with the call id by which its cause may be found, or the thought whose beginning has changed. */
export type Noted = Readonly<{ repair: Repair; callId: string | undefined; stale?: NodeRecord | undefined }>

export type Notes = {
  /** Notes a repair; `callId` where the cause may be looked up by it. */
  note(code: RepairCode, record: NodeRecord, text: string, callId?: string): void
}
