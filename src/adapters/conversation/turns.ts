// Turns as they were written by themselves, and what the full leaves of a tree say together.

import type { Branch, Sequence } from '../../timeline/index.js'
import type { Message } from './neutral.js'
import type { OpenEnds } from './pair-calls.js'
import { Piece } from './piece.js'
import type { PlainObject } from './plain-json.js'
import type { Writing } from './writing.js'

export class Turn extends Piece {
  readonly branch: Branch
  /** What was open when it was looked at by itself. */
  readonly ends: OpenEnds
  readonly isOpen: boolean
  /** What it was written from, where it has open ends: they are known by their parts. */
  readonly read: readonly Message[] | undefined
  /** Ids that may stand once in a request. */
  readonly uniqueIds: readonly string[]
  /** Whether it may read otherwise at the end of a request. */
  readonly knowsLast: boolean

  constructor(
    branch: Branch,
    read: readonly Message[],
    list: readonly PlainObject[],
    writing: Writing,
    ends: OpenEnds,
    uniqueIds: readonly string[],
    look: unknown,
  ) {
    super(list, writing.repairs, writing.owners, look)
    this.branch = branch
    this.ends = ends
    this.isOpen = ends.openCalls.length + ends.openResults.length > 0
    this.read = this.isOpen ? read : undefined
    this.uniqueIds = uniqueIds
    this.knowsLast = writing.knowsLast
  }
}

/** The turns of a leaf. */
export class Leaf {
  readonly turns: readonly Turn[]
  /** All of them as one, in a leaf that is full and needs to know nothing of the rest. */
  readonly whole: Piece | undefined
  readonly isClosed: boolean
  readonly uniqueIds: readonly string[]
  /** What it ends, where all leaves up to it are sent as they are. */
  lead: Lead | undefined
  #callIds: readonly string[] | undefined

  /** `join` makes one piece of the turns of a leaf that does not change any more. */
  constructor(turns: readonly Turn[], join?: (turns: readonly Turn[]) => Piece) {
    this.turns = turns
    this.isClosed = !turns.some(({ isOpen }) => isOpen)
    this.uniqueIds = turns.flatMap((turn) => turn.uniqueIds)
    this.whole = join !== undefined && this.isClosed && areUnique(this.uniqueIds) ? join(turns) : undefined
    this.lead = undefined
  }

  /** The ids of all calls in it. */
  get callIds(): readonly string[] {
    return (this.#callIds ??= this.turns.flatMap((turn) => turn.ends.callIds))
  }
}

function areUnique(ids: readonly string[]): boolean {
  return ids.length < 2 || new Set(ids).size === ids.length
}

/** Pieces that are sent as they are, one behind another: none of them needs to know of another one. */
export class Run {
  readonly pieces: Piece[] = []
  readonly list: PlainObject[] = []
  readonly ids: Set<string> = new Set()
  readonly #texts: string[] = []
  /** How many of the pieces have theirs there. */
  #written = 0

  /** Their texts with the commas before them; written when somebody asks. */
  get texts(): readonly string[] {
    for (; this.#written < this.pieces.length; this.#written++) {
      const piece = this.pieces[this.#written]!
      if (!piece.isEmpty) this.#texts.push(piece.chunk.text)
    }
    return this.#texts
  }

  /** Adds what follows, unless it has an id that is there already. */
  add(piece: Piece, ids: readonly string[], before?: Run): boolean {
    for (let i = 0; i < ids.length; i++) if (this.ids.has(ids[i]!) || before?.ids.has(ids[i]!) === true) return false
    for (let i = 0; i < ids.length; i++) this.ids.add(ids[i]!)
    if (!piece.says) return true
    this.pieces.push(piece)
    for (let i = 0; i < piece.list.length; i++) this.list.push(piece.list[i]!)
    return true
  }
}

/** The full leaves of a tree, where all of them are sent as they are. */
export class Lead extends Run {
  readonly #leaves: readonly Sequence[]
  /** The turns that follow, all but the newest, which may be another one in the next request. */
  #following: Following | undefined

  private constructor(leaves: readonly Sequence[]) {
    super()
    this.#leaves = leaves
  }

  /** Kept with the last of the leaves; undefined where one of them cannot be sent as it is. */
  static of(leaves: readonly Sequence[], leafOf: (leaf: Sequence) => Leaf): Lead | undefined {
    const newest = leaves.length === 0 ? undefined : leafOf(leaves.at(-1)!)
    if (newest?.lead !== undefined && newest.lead.#isOf(leaves)) return newest.lead
    const lead = new Lead(leaves)
    for (const leaf of leaves) {
      const part = leafOf(leaf)
      if (part.whole === undefined || !lead.add(part.whole, part.uniqueIds)) return undefined
      // What an earlier one ended is let go.
      part.lead = undefined
    }
    if (newest !== undefined) newest.lead = lead
    return lead
  }

  #isOf(leaves: readonly Sequence[]): boolean {
    if (leaves.length !== this.#leaves.length) return false
    for (let i = 0; i < leaves.length; i++) if (leaves[i] !== this.#leaves[i]) return false
    return true
  }

  /** What follows it, up to the newest of these branches; undefined where one of them cannot be sent as it is. */
  following(branches: readonly Branch[], turnOf: (branch: Branch) => Turn): Run | undefined {
    const following = this.#following?.isStartOf(branches) === true ? this.#following : new Following()
    this.#following = following
    return following.grow(branches, turnOf, this) ? following : undefined
  }
}

/** Turns that are sent as they are, behind a lead. */
class Following extends Run {
  readonly #branches: Branch[] = []

  isStartOf(branches: readonly Branch[]): boolean {
    if (this.#branches.length >= branches.length) return this.#branches.length === 0
    for (let i = 0; i < this.#branches.length; i++) if (this.#branches[i] !== branches[i]) return false
    return true
  }

  /** Takes in all but the newest; tells whether it could. */
  grow(branches: readonly Branch[], turnOf: (branch: Branch) => Turn, lead: Run): boolean {
    for (let i = this.#branches.length; i < branches.length - 1; i++) {
      const turn = turnOf(branches[i]!)
      if (turn.isOpen || !this.add(turn, turn.uniqueIds, lead)) return false
      this.#branches.push(branches[i]!)
    }
    return true
  }
}
