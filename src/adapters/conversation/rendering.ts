// A tree as a provider's request. Each turn is written by itself and kept with its part of the tree, and so are the
// turns of a full leaf together: after a commit, a request costs what the commit touched. Turns with open ends (a call that
// is answered in another turn, an id that an earlier turn has) are written anew each time, with what they need to know.

import type { NodeRecord } from '../../core/index.js'
import { Fact, type Branch, type Sequence, type View } from '../../timeline/index.js'
import { withBlocks, type BlocksOptions } from './context-blocks.js'
import type { Message } from './neutral.js'
import { Owners, type Owned } from './owners.js'
import { nothingSettled, settle, type OpenStretch } from './open-ends.js'
import { pairCalls, type OpenCall, type OpenResult, type Settled } from './pair-calls.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import { isWhole, TakenIds, wholeBefore } from './taken-ids.js'
import { messagesOf, systemMessages } from './read-messages.js'
import { withoutBlanks, type Changes, type End, type OwnText, type Pen, type RequestFormat } from './request-format.js'
import type { Repair } from './repairs.js'

/** A part of the request's list, as it was written, with what is known of it. */
export type Piece = Readonly<{ list: readonly PlainObject[]; repairs: readonly Noted[] }>

/** A repair, with the call id by which its cause may be found. */
export type Noted = Readonly<{ repair: Repair; callId: string | undefined }>

/** A whole request, in pieces. */
export type Rendered = Readonly<{
  before: Readonly<Record<string, PlainValue>>
  after: Readonly<Record<string, PlainValue>>
  /** The list of messages, by the pieces it was made of: one and the same piece wherever nothing changed. */
  pieces: readonly Piece[]
  /** The whole list, made for this request. */
  list: readonly PlainObject[]
  owners: Owners
  /** One text in the place of the list. */
  instead: Readonly<{ text: string; node: string }> | undefined
  /** Those of what stands beside the list. */
  repairs: readonly Noted[]
}>

/** A turn as it was written by itself. */
export type Turn = Piece &
  Readonly<{
    branch: Branch
    /** What it was written from, where it has open ends: they are known by their parts. */
    read: readonly Message[] | undefined
    openCalls: readonly OpenCall[]
    openResults: readonly OpenResult[]
    callIds: readonly string[]
    uniqueIds: readonly string[]
  }>

/** The turns of a leaf; `pieces` if they need to know nothing of the rest: one of a leaf that is kept, else one for each turn. */
export type Leaf = Readonly<{
  turns: readonly Turn[]
  pieces: readonly Piece[] | undefined
  uniqueIds: readonly string[]
  callIds: readonly string[]
}>

export class RequestRendering<Options extends BlocksOptions<string>> {
  readonly format: RequestFormat<Options>
  readonly #options: Options
  readonly #repair: boolean
  readonly #owners = new Owners()
  readonly #turns: Fact<Branch, Turn>
  readonly #leaves: Fact<Sequence, Leaf>

  constructor(format: RequestFormat<Options>, options: Options, repair: boolean) {
    this.format = format
    this.#options = options
    this.#repair = repair
    this.#turns = new Fact((branch) => this.#turn(branch, messagesOf(branch), undefined, NO_IDS, false))
    this.#leaves = new Fact((leaf) => this.#leaf(leaf, true))
  }

  render(view: View): Rendered {
    const [sys, seq, ah] = view.tree.regions
    const leaves = [...this.#leavesOf(seq)]
    if (ah.children.size > 0) leaves.push(this.#leafOf([this.#turns.of(ah)], false))
    const system = systemMessages(sys)
    const areHeld = this.format.holdsCalls?.(system) === true
    return this.#whole(system, this.#joined(this.#settled(leaves, areHeld)), view.tree.root, areHeld)
  }

  /** The leaves of `^seq`; the newest still grows, and what is kept of it are its turns. */
  *#leavesOf({ children }: Branch): Generator<Leaf, void, undefined> {
    const leaves = [...children.leaves()]
    for (const [i, leaf] of leaves.entries())
      yield i === leaves.length - 1 ? this.#leaf(leaf, false) : this.#leaves.of(leaf)
  }

  #leaf(leaf: Sequence, isKept: boolean): Leaf {
    return this.#leafOf(
      leaf.items!.map((item) => this.#turns.of(item as Branch)),
      isKept,
    )
  }

  #leafOf(turns: readonly Turn[], isKept: boolean): Leaf {
    const uniqueIds: string[] = []
    const callIds: string[] = []
    let isClosed = true
    // The newest leaf is looked at after every commit, and most turns have none of these.
    for (const turn of turns) {
      if (turn.openCalls.length + turn.openResults.length > 0) isClosed = false
      for (const id of turn.uniqueIds) uniqueIds.push(id)
      for (const id of turn.callIds) callIds.push(id)
    }
    const isAlone = isClosed && (uniqueIds.length < 2 || new Set(uniqueIds).size === uniqueIds.length)
    return {
      turns,
      pieces: isAlone || !this.#repair ? (isKept ? [onePiece(this.#joined(turns))] : turns) : undefined,
      uniqueIds,
      callIds: isClosed ? callIds : [],
    }
  }

  /** Every leaf as pieces that know what they need to know of the rest. */
  #settled(leaves: readonly Leaf[], areHeld: boolean): readonly Piece[] {
    if (!this.#repair) return leaves.flatMap((leaf) => leaf.pieces!)
    const settled = settleTurns(leaves, areHeld)
    const nothing = nothingSettled(areHeld)
    const last = this.format.knowsLast === true ? lastTurn(leaves) : undefined
    const { before, whole } = wholeBefore(leaves, last)
    const taken = new TakenIds(before)
    const pieces: Piece[] = leaves.slice(0, whole).flatMap((leaf) => leaf.pieces!)
    for (const leaf of leaves.slice(whole)) {
      if (isWhole(leaf, last) && !leaf.uniqueIds.some((id) => taken.has(id))) {
        pieces.push(...leaf.pieces)
        taken.add(leaf.uniqueIds)
      } else {
        for (const turn of leaf.turns)
          pieces.push(this.#again(turn, settled.get(turn) ?? nothing, taken, turn === last))
      }
    }
    return pieces
  }

  /** A turn as it is, or anew if it has open ends that do not stand right, or ids that stand before it already. */
  #again(turn: Turn, settled: Settled, taken: TakenIds, isLast: boolean): Piece {
    const isDouble = turn.uniqueIds.some((id) => taken.has(id))
    if (standsRight(turn, settled) && !isDouble && !isLast) {
      taken.add(turn.uniqueIds)
      return turn
    }
    const read = turn.read ?? messagesOf(turn.branch)
    const piece = this.#turn(turn.branch, read, settled, taken, isLast)
    taken.add(piece.uniqueIds)
    return piece
  }

  #turn(
    branch: Branch,
    read: readonly Message[],
    settled: Settled | undefined,
    taken: Pen['taken'],
    isLast: boolean,
  ): Turn {
    const writing = new Writing({ repair: this.#repair, taken, isLast }, this.#owners)
    if (!this.#repair) {
      const list = this.format.write(withBlocks(read, this.#options), writing.pen, this.#options)
      return { ...CLOSED, branch, list, repairs: writing.repairs }
    }
    const kept = withoutBlanks(read, this.format, writing.pen.note)
    const messages = withBlocks(kept, this.#options)
    const waiting = (isLast ? this.format.waiting?.(messages) : undefined) ?? NO_IDS
    const paired = pairCalls(messages, settled, waiting, writing.pen.note)
    const list = this.format.write(paired.messages, writing.pen, this.#options)
    const { openCalls, openResults } = paired
    return {
      branch,
      list,
      repairs: writing.repairs,
      read: openCalls.length + openResults.length > 0 ? read : undefined,
      openCalls,
      openResults,
      callIds: callIdsIn(messages),
      uniqueIds: this.format.uniqueIds?.(list) ?? [],
    }
  }

  /** The pieces with their seams mended. */
  #joined(pieces: readonly Piece[]): readonly Piece[] {
    const { seam } = this.format
    const joined: Piece[] = []
    for (const piece of pieces) {
      if (piece.list.length === 0 && piece.repairs.length === 0) continue
      const last = this.#repair && seam !== undefined ? joined.findLast(({ list }) => list.length > 0) : undefined
      const mended = last && piece.list.length > 0 ? seam!(last.list.at(-1)!, piece.list[0]!) : undefined
      if (mended === undefined) {
        joined.push(piece)
        continue
      }
      joined[joined.lastIndexOf(last!)] = { ...last!, list: last!.list.slice(0, -1) }
      joined.push({ list: mended, repairs: [] }, { ...piece, list: piece.list.slice(1) })
    }
    return joined
  }

  #whole(system: readonly Message[], pieces: readonly Piece[], root: NodeRecord, areHeld: boolean): Rendered {
    const writing = new Writing({ repair: this.#repair, taken: NO_IDS, isLast: true }, this.#owners)
    const kept = this.#repair ? withoutBlanks(system, this.format, writing.pen.note) : system
    const list = listOf(pieces)
    const stretches = pieces.map((piece) => piece.list)
    const head = this.format.request(kept, list, writing.pen, this.#options, stretches)
    const { before, after = {}, start, end, instead, changed } = head
    const ended = withEnd(withStart(withChanges(pieces, changed), start), end)
    const isSame = ended === pieces
    const isEmpty = this.#repair && !areHeld && ended.every((piece) => piece.list.length === 0)
    if (isEmpty)
      writing.pen.note('added', root, `There is no message to send; a line that says so stands for the whole.`)
    const filled = isEmpty ? [...ended, { list: [this.format.filler(NO_MESSAGES)], repairs: [] }] : ended
    return {
      before,
      after,
      pieces: filled,
      list: isSame && !isEmpty ? list : listOf(filled),
      owners: this.#owners,
      instead: instead && { text: instead.text, node: instead.record.id },
      repairs: writing.repairs,
    }
  }
}

/** Other messages here and there; pieces without any of them stay as they are. */
function withChanges(pieces: readonly Piece[], changed: Changes | undefined): readonly Piece[] {
  if (changed === undefined || changed.size === 0) return pieces
  return pieces.map((piece) => {
    if (!piece.list.some((message) => changed.has(message))) return piece
    return { ...piece, list: piece.list.flatMap((message) => changed.get(message) ?? [message]) }
  })
}

/** Other messages at the start; pieces that it does not reach stay as they are. */
function withStart(pieces: readonly Piece[], start: End | undefined): readonly Piece[] {
  if (start === undefined || start.drop + start.put.length === 0) return pieces
  let { drop } = start
  const rest = pieces.map((piece) => {
    const taken = Math.min(drop, piece.list.length)
    drop -= taken
    return taken === 0 ? piece : { ...piece, list: piece.list.slice(taken) }
  })
  return start.put.length === 0 ? rest : [{ list: start.put, repairs: [] }, ...rest]
}

function withEnd(pieces: readonly Piece[], end: End | undefined): readonly Piece[] {
  if (end === undefined || end.drop + end.put.length === 0) return pieces
  let { drop } = end
  const rest = pieces.toReversed().map((piece) => {
    const taken = Math.min(drop, piece.list.length)
    drop -= taken
    return taken === 0 ? piece : { ...piece, list: piece.list.slice(0, piece.list.length - taken) }
  })
  const kept = rest.toReversed()
  return end.put.length === 0 ? kept : [...kept, { list: end.put, repairs: [] }]
}

/** What is sent where nothing is left to be sent. */
const NO_MESSAGES = '(no messages)'
const NO_IDS: ReadonlySet<string> = new Set()
const NONE_OPEN: ReadonlyMap<Turn, Settled> = new Map()
const CLOSED = { read: undefined, openCalls: [], openResults: [], callIds: [], uniqueIds: [] } as const

/** Notes what a format does while it writes. */
class Writing {
  readonly pen: Pen
  readonly repairs: Noted[] = []

  constructor({ repair, taken, isLast }: Pick<Pen, 'repair' | 'taken' | 'isLast'>, owners: Owners) {
    this.pen = {
      repair,
      taken,
      isLast,
      own: (made, { id }) => owners.own(made, id),
      ownAt: (made, key, { id }) => owners.ownAt(made, key, id),
      ownTexts: (made, key, texts, between) => owners.ownAt(made, key, joinedTexts(texts, between)),
      like: (made, original) => owners.like(made, original),
      note: (code, { id }, text, callId) => {
        this.repairs.push({ repair: Object.freeze({ code, node: id, text }), callId })
      },
    }
  }
}

function joinedTexts(texts: readonly OwnText[], between: string): readonly Owned[] {
  return texts.flatMap(({ text, record }, i) => [
    ...(i === 0 || between === '' ? [] : [{ text: between, node: undefined }]),
    { text, node: record.id },
  ])
}

function callIdsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [part.callId] : [])))
}

/** Who answers whom over turns. Only turns with open ends matter, and calls that end a wait. */
function settleTurns(leaves: readonly Leaf[], areHeld: boolean): ReadonlyMap<Turn, Settled> {
  if (leaves.every(({ pieces }) => pieces !== undefined)) return NONE_OPEN
  const ids = new Set<string>()
  for (const { pieces, turns } of leaves) {
    if (pieces !== undefined) continue
    for (const { openCalls } of turns) for (const { part } of openCalls) ids.add(part.callId)
  }
  const stretches: (OpenStretch & Readonly<{ turn: Turn }>)[] = []
  let at = 0
  for (const { pieces, turns, callIds } of leaves) {
    // A leaf without open ends matters only where it calls again what waits for an answer.
    const matters = pieces === undefined || (ids.size > 0 && callIds.some((id) => ids.has(id)))
    for (const turn of turns) {
      if (turn.list.length > 0) at++
      if (matters) stretches.push({ ...turn, at, turn })
    }
  }
  return new Map([...settle(stretches, areHeld)].map(([{ turn }, settled]) => [turn, settled]))
}

/** Whether whatever its open ends are about stands where it should. */
function standsRight({ openCalls, openResults }: Turn, settled: Settled): boolean {
  const isAnswered = ({ part }: OpenCall): boolean => settled.brought.get(part)?.inPlace === true
  // Where a result does not say whose it is, the call has to.
  const isKept = ({ part }: OpenResult): boolean => part.name !== undefined && settled.kept.has(part)
  return openCalls.every(isAnswered) && openResults.every(isKept)
}

/** The last turn that says anything. */
function lastTurn(leaves: readonly Leaf[]): Turn | undefined {
  for (const { turns } of leaves.toReversed()) {
    const last = turns.findLast(({ list }) => list.length > 0)
    if (last !== undefined) return last
  }
  return undefined
}

/** There may be ten thousand messages: concat copies lists whole, where others look at each message. */
function listOf(pieces: readonly Piece[]): readonly PlainObject[] {
  const none: readonly PlainObject[] = []
  return none.concat(...pieces.map((piece) => piece.list))
}

function onePiece(pieces: readonly Piece[]): Piece {
  return { list: pieces.flatMap((piece) => piece.list), repairs: pieces.flatMap((piece) => piece.repairs) }
}
