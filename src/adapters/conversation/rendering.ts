// A tree as a provider's request. Each turn is written by itself and kept with its part of the tree, and so are the
// turns of a full leaf together: after a commit, a request costs what the commit touched. Turns with open ends (a call that
// is answered in another turn, an id that an earlier turn has) are written anew each time, with what they need to know.

import type { NodeRecord } from '../../core/index.js'
import { Fact, type Branch, type Sequence, type View } from '../../timeline/index.js'
import { withBlocks, type BlocksOptions } from './context-blocks.js'
import type { Message } from './neutral.js'
import { nothingSettled, settleTurns, standsRight } from './open-ends.js'
import type { Owners } from './owners.js'
import { NO_ENDS, pairCalls, type Settled } from './pair-calls.js'
import { listOf, Piece } from './piece.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import { messagesOf, systemMessages } from './read-messages.js'
import type { Noted } from './repairs.js'
import { withoutBlanks, type Changes, type Pen, type Start, type RequestFormat } from './request-format.js'
import { TakenIds } from './taken-ids.js'
import { Lead, Leaf, Turn, type Run } from './turns.js'
import { Writing } from './writing.js'

/** A whole request, in pieces. */
export type Rendered = Readonly<{
  before: Readonly<Record<string, PlainValue>>
  after: Readonly<Record<string, PlainValue>>
  /** The list of messages, by the pieces it was made of: one and the same piece wherever nothing changed. */
  pieces: readonly Piece[]
  /** The same, with those as one that are known as one. */
  parts: readonly (Piece | Run)[]
  /** The whole list, made for this request. */
  list: readonly PlainObject[]
  /** Of what stands beside the list. */
  owners: Owners
  repairs: readonly Noted[]
  /** One text in the place of the list. */
  instead: Readonly<{ text: string; node: string }> | undefined
}>

export class RequestRendering<Options extends BlocksOptions<string>> {
  readonly format: RequestFormat<Options>
  readonly #options: Options
  readonly #repair: boolean
  readonly #turns: Fact<Branch, Turn>
  readonly #leaves: Fact<Sequence, Leaf>

  constructor(format: RequestFormat<Options>, options: Options, repair: boolean) {
    this.format = format
    this.#options = options
    this.#repair = repair
    this.#turns = new Fact((branch) => this.#turn(branch, messagesOf(branch), undefined, NO_IDS, false))
    const join = (turns: readonly Turn[]): Piece => Piece.joined(turns, format.look)
    this.#leaves = new Fact((leaf) => new Leaf((leaf.items as readonly Branch[]).map(this.#turnOf), join))
  }

  readonly #turnOf = (branch: Branch): Turn => this.#turns.of(branch)
  readonly #leafOf = (leaf: Sequence): Leaf => this.#leaves.of(leaf)

  render(view: View): Rendered {
    const { root, regions } = view.tree
    const system = systemMessages(regions[0])
    const areHeld = this.format.holdsCalls?.(system) === true
    const leaves = leavesIn(regions[1].children, [])
    // The newest still grows, and what is kept of it are its turns.
    const growing = leaves.pop()!.items as readonly Branch[]
    const branches = regions[2].children.size > 0 ? [...growing, regions[2]] : growing
    const lead = Lead.of(leaves, this.#leafOf)
    const following = lead?.following(branches, this.#turnOf)
    const newest = branches.length === 0 ? undefined : this.#turns.of(branches[branches.length - 1]!)
    if (lead !== undefined && following !== undefined && newest !== undefined && isAsItIs(newest, lead, following)) {
      const pieces = lead.pieces.concat(following.pieces, newest)
      const list = lead.list.concat(following.list, newest.list)
      return this.#whole(system, pieces, [lead, following, newest], list, root, areHeld)
    }
    const all = [...leaves.map(this.#leafOf), new Leaf(branches.map(this.#turnOf))]
    const settled = this.#settled(all, lead, areHeld)
    return this.#whole(system, settled, settled, listOf(settled), root, areHeld)
  }

  /** All that the leaves say, in pieces that know what they need to know of the rest. */
  #settled(leaves: readonly Leaf[], lead: Lead | undefined, areHeld: boolean): readonly Piece[] {
    const settled = settleTurns(leaves, areHeld, this.format.mayStand)
    const last = lastIn(leaves)
    const anew = last?.knowsLast === true ? last : undefined
    // What leads is as it is, if what is written anew does not stand in it.
    const isLed = lead !== undefined && (anew === undefined || leaves.at(-1)!.turns.includes(anew))
    const taken = new TakenIds(isLed ? [lead.ids] : [])
    const pieces: Piece[] = isLed ? [...lead.pieces] : []
    for (const leaf of isLed ? leaves.slice(-1) : leaves) {
      const { whole, turns, uniqueIds } = leaf
      const isAsItIs = whole !== undefined && !(anew !== undefined && turns.includes(anew))
      if (isAsItIs && taken.take(uniqueIds)) pieces.push(whole)
      else for (const turn of turns) pieces.push(this.#placed(turn, settled.get(turn), taken, turn === anew, areHeld))
    }
    return pieces.filter((piece) => piece.says)
  }

  /** A turn as it is, or anew if it has open ends that do not stand right, or ids that stand before it already. */
  #placed(turn: Turn, found: Settled | undefined, taken: TakenIds, isLast: boolean, areHeld: boolean): Piece {
    const settled = turn.isOpen ? (found ?? nothingSettled(areHeld)) : undefined
    const isRight = settled === undefined || standsRight(turn, settled)
    if (isRight && !isLast && taken.take(turn.uniqueIds)) return turn
    const piece = this.#turn(turn.branch, turn.read ?? messagesOf(turn.branch), settled, taken, isLast)
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
    const pen = new Writing(this.#repair, taken, isLast)
    if (!this.#repair) {
      const held = this.format.write(withBlocks(read, this.#options), pen, this.#options)
      return new Turn(branch, read, held, pen, NO_ENDS, NO_LIST, undefined)
    }
    const messages = withBlocks(withoutBlanks(read, this.format, pen), this.#options)
    const waiting = this.format.waiting?.(messages) ?? NO_IDS
    const paired = pairCalls(messages, settled, waiting.size > 0 && pen.isLast ? waiting : NO_IDS, pen)
    const list = this.format.write(paired.messages, pen, this.#options)
    const { uniqueIds, look } = this.format
    return new Turn(branch, read, list, pen, paired.ends, uniqueIds?.(list) ?? NO_LIST, look?.(list))
  }

  #whole(
    system: readonly Message[],
    pieces: readonly Piece[],
    parts: Rendered['parts'],
    list: readonly PlainObject[],
    root: NodeRecord,
    areHeld: boolean,
  ): Rendered {
    const pen = new Writing(this.#repair, NO_IDS, true, pieces)
    const kept = this.#repair ? withoutBlanks(system, this.format, pen) : system
    const whole = this.format.request(kept, list, pen, this.#options, pieces)
    const { before, after = NO_VALUES, start, instead, changed } = whole
    const { owners, repairs } = pen
    let ended = pieces
    if (changed !== undefined && changed.size > 0) ended = withChanges(ended, changed, owners)
    if (start !== undefined && start.drop + start.put.length > 0) ended = withStart(ended, start, owners)
    if (this.#repair && !areHeld && ended.every((piece) => piece.isEmpty)) {
      pen.note('added', root, `There is no message to send; a line that says so stands for the whole.`)
      ended = [...ended, new Piece([this.format.filler(NO_MESSAGES)], [], owners)]
    }
    return {
      before,
      after,
      pieces: ended,
      parts: ended === pieces ? parts : ended,
      list: ended === pieces ? list : listOf(ended),
      owners,
      repairs,
      instead: instead && { text: instead.text, node: instead.record.id },
    }
  }
}

/** Other messages here and there; pieces without any of them stay as they are. */
function withChanges(pieces: readonly Piece[], changed: Changes, owners: Owners): readonly Piece[] {
  return pieces.map((piece) => {
    if (!piece.list.some((message) => changed.has(message))) return piece
    const list = piece.list.flatMap((message) => changed.get(message) ?? [message])
    return piece.with(list, owners)
  })
}

/** Other messages at the start; pieces that it does not reach stay as they are. */
function withStart(pieces: readonly Piece[], start: Start, owners: Owners): readonly Piece[] {
  let { drop } = start
  const rest = pieces.map((piece) => {
    const taken = Math.min(drop, piece.list.length)
    drop -= taken
    return taken === 0 ? piece : piece.with(piece.list.slice(taken))
  })
  return start.put.length === 0 ? rest : [new Piece(start.put, [], owners), ...rest]
}

/** What is sent where nothing is left to be sent. */
const NO_MESSAGES = '(no messages)'
const NO_IDS: ReadonlySet<string> = new Set()
const NO_LIST: readonly never[] = []
const NO_VALUES = {} as const

/** The leaves in order; a plain call, since every request makes it. */
function leavesIn(children: Sequence, leaves: Sequence[]): Sequence[] {
  if (children.isLeaf) leaves.push(children)
  else for (const chunk of children.chunks!) leavesIn(chunk, leaves)
  return leaves
}

/** Whether the newest turn needs to know nothing of what stands before it, nor that it is the last. */
function isAsItIs({ isOpen, isEmpty, knowsLast, uniqueIds }: Turn, lead: Run, following: Run): boolean {
  if (isOpen || isEmpty || knowsLast) return false
  for (let i = 0; i < uniqueIds.length; i++) {
    if (lead.ids.has(uniqueIds[i]!) || following.ids.has(uniqueIds[i]!)) return false
  }
  return true
}

/** The last turn that says anything. */
function lastOf(turns: readonly Turn[]): Turn | undefined {
  for (let at = turns.length - 1; at >= 0; at--) if (!turns[at]!.isEmpty) return turns[at]
  return undefined
}

function lastIn(leaves: readonly Leaf[]): Turn | undefined {
  for (let i = leaves.length - 1; i >= 0; i--) {
    const last = lastOf(leaves[i]!.turns)
    if (last !== undefined) return last
  }
  return undefined
}
