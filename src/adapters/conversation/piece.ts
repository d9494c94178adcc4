// A part of a request's list of messages, as it was written: a turn, the turns of a leaf, or what was put in. It does not change, so
// whatever follows from it, such as its text, is kept with it.

import type { Keeper } from '../../timeline/index.js'
import { Owners } from './owners.js'
import type { PlainObject } from './plain-json.js'
import type { Noted } from './repairs.js'

export class Piece implements Keeper {
  readonly list: readonly PlainObject[]
  readonly repairs: readonly Noted[]
  readonly owners: Owners
  /** What its format has to know of it for the request as a whole, where that knows anything. */
  readonly look: unknown
  /** What it was made of, where that is known: its text is theirs. */
  readonly parts: readonly Piece[] | undefined
  /** Whether there is anything in it, if only a note of what is not. */
  readonly says: boolean
  facts: readonly unknown[] | undefined

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
    this.parts = parts
    this.says = list.length + repairs.length > 0
    this.facts = undefined
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

  get isEmpty(): boolean {
    return this.list.length === 0
  }
}

/** There may be ten thousand messages: concat copies lists whole, where others look at each message. */
export function listOf(pieces: readonly Piece[]): readonly PlainObject[] {
  const none: readonly PlainObject[] = []
  return none.concat(...pieces.map((piece) => piece.list))
}
