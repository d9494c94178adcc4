// A part of a request's list of messages, as it was written: a turn, several turns that belong together, or messages that were put in. It
// does not change, so its text is kept with it.

import type { NodeRecord } from '../../core/index.js'
import type { Chunk } from '../../thread/index.js'
import { type Owners, WrittenChunk } from './marks.js'
import type { PlainObject } from './plain-json.js'
import type { Noted } from './request-writer.js'

/** The thoughts of a piece, by the block that each is in the request. */
export type Thoughts = ReadonlyMap<object, NodeRecord>

/** A piece without its stale thoughts, and all that decides which are: the digests before it, and whether none is stale before it (bound.ts). */
export type CheckedPiece = Readonly<{
  start: string
  tools: string | undefined
  isWhole: boolean
  /** The digest behind it. */
  end: string
  made: Piece
}>

export class Piece {
  readonly list: readonly PlainObject[]
  readonly repairs: readonly Noted[]
  readonly owners: Owners
  /** The answer of `look` of its format. */
  readonly look: unknown
  readonly isEmpty: boolean
  /** True if it has messages or repairs. */
  readonly says: boolean
  /** Undefined if it has none. */
  readonly thoughts: Thoughts | undefined
  /** Messages of nodes that have expired; they are in the list so that it begins as before. */
  readonly past: readonly PlainObject[]
  /** The answer of the newest request, so that the next one need not look. */
  checked: CheckedPiece | undefined
  #chunk: Chunk | undefined
  #first: Chunk | undefined

  constructor(
    list: readonly PlainObject[],
    repairs: readonly Noted[],
    owners: Owners,
    look?: unknown,
    thoughts?: Thoughts,
    past: readonly PlainObject[] = NONE,
  ) {
    this.list = list
    this.repairs = repairs
    this.owners = owners
    this.look = look
    this.thoughts = thoughts
    this.past = past
    this.isEmpty = list.length === 0
    this.says = list.length + repairs.length > 0
  }

  /** The same with other messages; `owners` if their nodes are known from elsewhere. */
  with(
    list: readonly PlainObject[],
    owners: Owners = this.owners,
    thoughts: Thoughts | undefined = this.thoughts,
  ): Piece {
    return new Piece(list, this.repairs, owners, undefined, thoughts)
  }

  /** The same without some thoughts. */
  without(list: readonly PlainObject[], left: readonly Noted[], owners: Owners): Piece {
    return new Piece(list, [...this.repairs, ...left], owners, this.look, this.thoughts)
  }

  /** Its text, with a comma before each message. */
  get chunk(): Chunk {
    return (this.#chunk ??= this.#written(','))
  }

  /** The same at the beginning of the list. */
  get asFirst(): Chunk {
    return (this.#first ??= this.#written(''))
  }

  #written(before: '' | ','): Chunk {
    const text = `${before}${JSON.stringify(this.list).slice(1, -1)}`
    return new WrittenChunk(text, this.owners, (marks) => {
      for (const [at, message] of this.list.entries()) {
        marks.text(at === 0 ? before : ',')
        marks.item(message)
      }
    })
  }
}

const NONE: readonly never[] = []

/** The messages of all pieces. There may be ten thousand, and `concat` makes room for all of them at once. */
export function listOf(pieces: readonly Piece[]): readonly PlainObject[] {
  let list: PlainObject[] = []
  for (let at = 0; at < pieces.length; at += AT_ONCE) {
    list = list.concat(...pieces.slice(at, at + AT_ONCE).map((piece) => piece.list))
  }
  return list
}

/** The number of arguments that a call takes safely. */
const AT_ONCE = 10_000
