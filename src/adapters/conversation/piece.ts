// A part of a request's list of messages, as it was written: a turn, the turns of a leaf, or what was put in. It does not change, so
// its text is kept with it.

import type { Chunk } from '../../thread/index.js'
import { WrittenChunk } from './marks.js'
import { Owners } from './owners.js'
import type { PlainObject } from './plain-json.js'
import type { Noted } from './repairs.js'

export class Piece {
  readonly list: readonly PlainObject[]
  readonly repairs: readonly Noted[]
  readonly owners: Owners
  /** What its format has to know of it for the request as a whole, where that knows anything. */
  readonly look: unknown
  readonly isEmpty: boolean
  /** Whether there is anything in it, if only a note of what is not. */
  readonly says: boolean
  /** What it was made of, if of others: its text is theirs. */
  readonly #parts: readonly Piece[] | undefined
  #chunk: Chunk | undefined
  #first: Chunk | undefined

  constructor(
    list: readonly PlainObject[],
    repairs: readonly Noted[],
    owners: Owners,
    look?: unknown,
    parts?: readonly Piece[],
  ) {
    this.list = list
    this.repairs = repairs
    this.owners = owners
    this.look = look
    this.isEmpty = list.length === 0
    this.says = list.length + repairs.length > 0
    this.#parts = parts
  }

  static joined(pieces: readonly Piece[], look: ((list: readonly PlainObject[]) => unknown) | undefined): Piece {
    const list = pieces.flatMap((piece) => piece.list)
    const repairs = pieces.flatMap((piece) => piece.repairs)
    return new Piece(list, repairs, Owners.joined(pieces), look?.(list), pieces)
  }

  /** The same with other messages; `owners` where these are told of elsewhere. */
  with(list: readonly PlainObject[], owners: Owners = this.owners): Piece {
    return new Piece(list, this.repairs, owners)
  }

  /** Its text, with a comma before each message. */
  get chunk(): Chunk {
    return (this.#chunk ??= new WrittenChunk(this.#text(), this.owners, (marks) => {
      for (const message of this.list) {
        marks.text(',')
        marks.item(message)
      }
    }))
  }

  get texts(): readonly string[] {
    return this.isEmpty ? [] : [this.chunk.text]
  }

  /** The same at the beginning of the list. */
  get asFirst(): Chunk {
    return (this.#first ??= new WrittenChunk(this.chunk.text.slice(1), this.owners, (marks) => {
      for (const [i, message] of this.list.entries()) {
        if (i > 0) marks.text(',')
        marks.item(message)
      }
    }))
  }

  #text(): string {
    if (this.isEmpty) return ''
    // What JSON.stringify writes between the brackets.
    if (this.#parts === undefined) return `,${JSON.stringify(this.list).slice(1, -1)}`
    const texts = this.#parts.map((part) => part.#chunk?.text ?? part.#text())
    // From now on the whole has the texts of its parts, so they need not.
    for (const part of this.#parts) part.#chunk = part.#first = undefined
    return texts.join('')
  }
}

/** There may be ten thousand messages: concat copies lists whole, where others look at each message. */
export function listOf(pieces: readonly Piece[]): readonly PlainObject[] {
  const none: readonly PlainObject[] = []
  return none.concat(...pieces.map((piece) => piece.list))
}
