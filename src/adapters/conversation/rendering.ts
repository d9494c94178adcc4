// A tree as a provider's request. Each turn is written by itself and kept with its part of the tree, so a request after a commit costs
// what the commit touched, and a look at every older turn. Turns that a step joins are written together (steps.ts).

import type { NodeRecord } from '../../core/index.js'
import type { CallPrompt } from '../../thread/index.js'
import { type Branch, Fact, recordOf, type Sequence, type View } from '../../timeline/index.js'
import type { BoundThoughts } from './bound.js'
import type { Owners } from './marks.js'
import {
  type BlocksOptions,
  type ExpiryOptions,
  type ThinkingOptions,
  type UnknownOptions,
  withBlocks,
  withoutThoughts,
} from './message-options.js'
import type { Message } from './neutral.js'
import { pairCalls } from './pair-calls.js'
import { listOf, Piece } from './piece.js'
import { NO_KEYS, type PlainObject, type PlainValue } from './plain-json.js'
import { messagesOf, type RecordReader, systemMessages } from './read-messages.js'
import { partsOf } from './read-part.js'
import { type Changes, type RequestFormat, type Start, withoutBlanks } from './request-format.js'
import { type Noted, RequestWriter, type TakenIds, type Writing } from './request-writer.js'
import { byAge, type Ends, endsOf, inSentOrder, NO_ENDS, stretchesOf } from './steps.js'
import { type Covering, Summaries } from './summaries.js'
import { isShown, type ScopedMessages, type ScopedTurn, ScopedTurns, withScoped } from './turn-scoped.js'
import { withWords } from './words.js'

/** A whole request, in pieces. */
export type Rendered = Readonly<{
  before: Readonly<Record<string, PlainValue>>
  after: Readonly<Record<string, PlainValue>>
  /** The list of messages, by the pieces it was made of: one and the same piece wherever nothing changed. */
  pieces: readonly Piece[]
  /** The whole list, made for this request. */
  list: readonly PlainObject[]
  /** Of the keys other than the list. */
  owners: Owners
  repairs: readonly Noted[]
  /** One text in the place of the list. */
  instead: Readonly<{ text: string; node: string }> | undefined
}>

/** Several turns, or one, as they were written together. */
class Stretch extends Piece {
  readonly branches: readonly Branch[]
  /** The blocks of each turn that are sent for it alone. */
  readonly scoped: readonly (ScopedTurn | undefined)[]
  readonly about: About
  /** The ties of the turn to other turns, where it is one turn. */
  readonly ends: Ends
  /** Ids that may be in a request once. */
  readonly uniqueIds: readonly string[]
  /** True if it may read otherwise at the end of a request. */
  readonly knowsLast: boolean

  constructor(
    branches: readonly Branch[],
    scoped: Stretch['scoped'],
    about: About,
    written: Readonly<{ list: readonly PlainObject[]; ends: Ends; uniqueIds: readonly string[]; look: unknown }>,
    out: RequestWriter,
  ) {
    const past = new Set(branches.flatMap((turn, at) => expiredIn(turn, scoped[at])))
    const isPast = (message: PlainObject): boolean => past.has(out.originOf(message)?.id ?? '')
    super(
      written.list,
      out.repairs,
      out.owners,
      written.look,
      out.thoughts,
      past.size > 0 ? written.list.filter(isPast) : NO_LIST,
    )
    this.branches = branches
    this.scoped = scoped
    this.about = about
    this.ends = written.ends
    this.uniqueIds = written.uniqueIds
    this.knowsLast = out.knowsLast
  }

  isOf(branches: readonly Branch[], scoped: Stretch['scoped'], about: About): boolean {
    if (this.about !== about || this.branches.length !== branches.length) return false
    return this.branches.every((branch, at) => {
      return branch === branches[at] && isSameScope(this.scoped[at], scoped[at])
    })
  }
}

/** The ids of blocks that the turn itself does not have any more. */
function expiredIn(turn: Branch, scoped: ScopedTurn | undefined): readonly string[] {
  return scoped === undefined || scoped.source === turn ? NO_LIST : scoped.blocks.map(({ record }) => record.id)
}

function isSameScope(a: ScopedTurn | undefined, b: ScopedTurn | undefined): boolean {
  if (a === undefined || b === undefined || a.isAsked !== b.isAsked) return a === b
  return a.blocks.length === b.blocks.length && a.blocks.every(({ record }, at) => record === b.blocks[at]!.record)
}

/** Facts of the request that a stretch depends on: whether it is the last, and whether the provider holds calls (see pair-calls.ts). */
type About = Readonly<{
  isLast: boolean
  areHeld: boolean
  /** The summary in use, if the provider made one. */
  covering: Covering | undefined
  /** True if that summary is written by itself, before everything else. */
  isApart: boolean
}>

export class RequestRendering<
  Options extends BlocksOptions<string> & ThinkingOptions & ExpiryOptions & UnknownOptions,
> {
  readonly format: RequestFormat<Options>
  readonly #options: Options
  readonly #repair: boolean
  readonly #writing: Writing
  /** Undefined if all thoughts are sent, or none. */
  readonly #bound: BoundThoughts | undefined
  readonly #summaries: Summaries | undefined
  /** One object for equal facts, since stretches are compared by it. */
  readonly #abouts = new WeakMap<object, Map<string, About>>()
  /** The stretches that end with a turn, the newest few. Without it, a request after a commit would be written as a whole. */
  readonly #kept = new Fact<Branch, Stretch[]>(() => [])

  /** `bound` looks after the format's thoughts, if it has some that are bound. */
  constructor(format: RequestFormat<Options>, options: Options, repair: boolean, bound?: BoundThoughts) {
    this.format = format
    this.#options = options
    this.#repair = repair
    this.#writing = { format: format.name, repair, dropsUnknown: options.unknown === 'drop' }
    this.#summaries = repair && format.summaries !== undefined ? new Summaries(format.name) : undefined
    this.#bound = repair && (options.thinking ?? 'bound') === 'bound' ? bound : undefined
  }

  /** `prompt` is the part of the prompt that is in the params of the call, if they are known. */
  render(view: View, prompt?: CallPrompt): Rendered {
    const rendered = this.#all(view)
    return this.#bound === undefined ? rendered : this.#bound.check(rendered, prompt)
  }

  #all(view: View): Rendered {
    const { root, regions } = view.tree
    const areHeld = this.format.holdsCalls?.(systemMessages(regions[0], recordOf)) === true
    const branches = branchesIn(regions[1].children, [])
    if (regions[2].children.size > 0) branches.push(regions[2])
    const covering = this.#summaries?.in(branches, view)
    const scoped = this.#repair && this.#options.expiry === 'clear-at' ? new ScopedTurns(branches, view) : undefined
    const pieces = this.#pieces(branches, this.#about({ isLast: false, areHeld, covering, isApart: false }), scoped)
    return this.#whole(
      regions[0],
      pieces.filter((piece) => piece.says),
      root,
      areHeld,
      scoped?.missing,
    )
  }

  #about(about: About): About {
    const { covering = this, isLast, areHeld, isApart } = about
    let abouts = this.#abouts.get(covering)
    if (abouts === undefined) this.#abouts.set(covering, (abouts = new Map()))
    const key = `${isLast} ${areHeld} ${isApart}`
    const known = abouts.get(key)
    if (known === undefined) abouts.set(key, about)
    return known ?? about
  }

  /** Everything in order; a summary that has to be first is put there if other nodes are before it. */
  #pieces(branches: readonly Branch[], about: About, scoped: ScopedTurns | undefined): readonly Piece[] {
    const pieces = this.#placed(this.#stretches(branches, about, scoped))
    const summary = about.covering?.summary
    if (summary === undefined || this.format.summaries !== 'first') return pieces
    const first = pieces.find((piece) => !piece.isEmpty)
    const out = new RequestWriter(this.#writing, NO_IDS, false)
    if (first !== undefined && this.#read(first.branches, about, out)[0]?.parts[0]?.record.id === summary.id)
      return pieces
    const parts = partsOf(out.recordOf(summary), this.format.name)
    const place = { place: 'core', role: 'assistant', format: this.format.name, form: 'list' } as const
    const written = this.format.write([{ ...place, record: summary, envelope: NO_KEYS, parts }], out, this.#options)
    const rest = this.#placed(this.#stretches(branches, this.#about({ ...about, isApart: true }), scoped))
    return [new Piece(written, [], out.owners, this.format.look?.(written)), ...rest]
  }

  /** The turns, those that a step joins as one. */
  #stretches(branches: readonly Branch[], about: About, scoped: ScopedTurns | undefined): Stretch[] {
    const written = (turns: readonly Branch[]): Stretch =>
      this.#stretch(turns, scoped === undefined ? NO_LIST : turns.map((turn) => scoped.of(turn)), about)
    const turns = branches.map((branch) => written([branch]))
    const joined = stretchesOf(turns)
    if (joined.length === 0) return turns
    const stretches: Stretch[] = []
    let at = 0
    for (const [start, end] of joined) {
      stretches.push(...turns.slice(at, start), written(branches.slice(start, end + 1)))
      at = end + 1
    }
    return [...stretches, ...turns.slice(at)]
  }

  /** Writes the last one as the last where it asks for that, and those whose ids an earlier one has with other ids. */
  #placed(stretches: Stretch[]): readonly Stretch[] {
    const at = stretches.findLastIndex((stretch) => !stretch.isEmpty)
    const last = stretches[at]
    if (last?.knowsLast === true)
      stretches[at] = this.#stretch(last.branches, last.scoped, this.#about({ ...last.about, isLast: true }))
    if (this.format.uniqueIds === undefined) return stretches
    const taken = new Set<string>()
    for (let i = 0; i < stretches.length; i++) {
      const { branches, scoped, about, uniqueIds } = stretches[i]!
      if (uniqueIds.some((id) => taken.has(id))) stretches[i] = this.#write(branches, scoped, about, taken)
      for (const id of stretches[i]!.uniqueIds) taken.add(id)
    }
    return stretches
  }

  #stretch(branches: readonly Branch[], scoped: Stretch['scoped'], about: About): Stretch {
    // A stretch with a text of an earlier snapshot is kept with that snapshot: it goes when the text is forgotten there.
    const source = scoped.find((turn) => turn !== undefined)?.source
    const kept = this.#kept.of(source ?? branches[branches.length - 1]!)
    const known = kept.find((each) => each.isOf(branches, scoped, about))
    if (known !== undefined) return known
    const stretch = this.#write(branches, scoped, about, NO_IDS)
    kept.unshift(stretch)
    if (kept.length > MOST_KEPT) kept.pop()
    return stretch
  }

  #write(
    branches: readonly Branch[],
    scoped: Stretch['scoped'],
    about: About,
    taken: TakenIds,
    ordinary: ReadonlySet<string> = NO_IDS,
  ): Stretch {
    const out = new RequestWriter(this.#writing, taken, about.isLast)
    const ids = scoped.flatMap((turn): readonly string[] => turn?.blocks.map(({ record }) => record.id) ?? NO_LIST)
    const blocks = new Set(ids.filter((id) => !ordinary.has(id)))
    const all = this.#read(branches, about, out)
    const read = blocks.size === 0 ? all : all.filter(({ record }) => !blocks.has(record.id))
    if (!this.#repair) {
      const list = this.format.write(withBlocks(read, this.#options), out, this.#options)
      return new Stretch(branches, scoped, about, { list, ends: NO_ENDS, uniqueIds: NO_LIST, look: undefined }, out)
    }
    const said = withBlocks(withoutBlanks(read, this.format, out), this.#options)
    const thought = this.#options.thinking === 'off' ? withoutThoughts(said, out) : said
    const messages = withWords(thought, this.format.name, out)
    const { ties, uniqueIds, look, areOne } = this.format
    const ends = branches.length > 1 ? NO_ENDS : endsOf(messages, ties)
    const asked = this.format.waiting?.(messages) ?? NO_IDS
    const waiting = asked.size > 0 && out.isLast ? asked : NO_IDS
    const isLate = this.format.answersLate
    const paired = pairCalls(messages, { waiting, areHeld: about.areHeld, areOne, isLate }, out)
    const isBlock = ({ record }: Message): boolean => blocks.has(record.id)
    const live = blocks.size === 0 ? NO_LIST : all.filter(isBlock)
    const turns = branches.map((turn, at) => this.#scopedIn(turn, scoped[at], isBlock, live, about, out))
    const sent = blocks.size === 0 ? paired : withScoped(paired, turns)
    // A block that is alive is sent like others if the model would not see it.
    const left = live.flatMap(({ record }) => (isShown(record.id, sent) ? [] : [record.id]))
    if (left.length > 0) return this.#write(branches, scoped, about, taken, new Set([...ordinary, ...left]))
    const list = this.format.write(sent, out, this.#options)
    return new Stretch(
      branches,
      scoped,
      about,
      { list, ends, uniqueIds: uniqueIds?.(list) ?? NO_LIST, look: look?.(list) },
      out,
    )
  }

  /** The blocks of a turn that are sent for it alone; `live` are those that the turn itself has. */
  #scopedIn(
    turn: Branch,
    scoped: ScopedTurn | undefined,
    isBlock: (message: Message) => boolean,
    live: readonly Message[],
    { covering }: About,
    out: RequestWriter,
  ): ScopedMessages {
    if (scoped === undefined) return NO_SCOPED
    const ids = new Set(scoped.blocks.map(({ record }) => record.id))
    const reader: RecordReader = (node) => (ids.has(recordOf(node).id) ? out.recordOf(node) : recordOf(node))
    const own = scoped.source === turn ? live : messagesOf(scoped.source, reader)
    const blocks = own.filter((message) => ids.has(message.record.id) && isBlock(message))
    const uncovered = blocks.filter(({ record }) => covering?.covered.has(record.id) !== true)
    const said = withBlocks(withoutBlanks(uncovered, this.format, out), this.#options)
    const nodes = messagesOf(turn).flatMap(({ record, parts }) => [record, ...parts.map((part) => part.record)])
    return {
      blocks: said.map((block) => this.format.scoped!(block)).toSorted(byAge),
      isAsked: scoped.isAsked,
      nodes: new Set(nodes.map(({ id }) => id)),
    }
  }

  /** The messages of the turns, in the order in which they are sent. */
  #read(branches: readonly Branch[], { covering, isApart }: About, out: RequestWriter): readonly Message[] {
    const messages =
      this.#options.blocks?.place === 'thread'
        ? branches.flatMap((turn) => messagesOf(turn, out.recordOf))
        : inSentOrder(
            branches.map((turn) => ({ turn, messages: messagesOf(turn, out.recordOf) })),
            this.format.ties,
            this.format.answersLate,
          )
    return covering === undefined ? messages : this.#summaries!.left(messages, covering, isApart, out)
  }

  #whole(
    region: Branch,
    pieces: readonly Piece[],
    root: NodeRecord,
    areHeld: boolean,
    missing: NodeRecord | undefined,
  ): Rendered {
    const list = listOf(pieces)
    const out = new RequestWriter(this.#writing, NO_IDS, true, pieces)
    const system = systemMessages(region, out.recordOf)
    if (missing !== undefined) out.note('left-out', missing, expiredUnknown(missing))
    const kept = this.#repair ? withoutBlanks(system, this.format, out) : system
    const whole = this.format.request(kept, list, out, this.#options, pieces)
    const { before, after = NO_VALUES, start, instead, changed } = whole
    const { owners, repairs } = out
    let ended = pieces
    if (changed !== undefined && changed.size > 0) ended = withChanges(ended, changed, owners)
    if (start !== undefined && start.drop + start.put.length > 0) ended = withStart(ended, start, owners)
    if (this.#repair && !areHeld && ended.every((piece) => piece.isEmpty)) {
      out.note('added', root, `There is no message to send; a line that says so stands for the whole.`)
      ended = [...ended, new Piece([this.format.filler(NO_MESSAGES)], [], owners)]
    }
    return {
      before,
      after,
      pieces: ended,
      list: ended === pieces ? list : listOf(ended),
      owners,
      repairs,
      instead: instead && { text: instead.text, node: instead.record.id },
    }
  }
}

/** Other messages here and there; pieces without any of them stay as they are. */
function withChanges(pieces: readonly Piece[], changed: Changes, owners: Owners): readonly Piece[] {
  const isChanged = (piece: Piece): boolean => piece.list.some((message) => changed.has(message))
  // A message that joins others has the thoughts of all of them.
  const thoughts = new Map(pieces.filter(isChanged).flatMap((piece) => [...(piece.thoughts ?? [])]))
  return pieces.map((piece) => {
    if (!isChanged(piece)) return piece
    const list = piece.list.flatMap((message) => changed.get(message) ?? [message])
    return piece.with(list, owners, thoughts.size === 0 ? undefined : thoughts)
  })
}

/** Other messages at the start; pieces that it does not reach stay as they are. */
export function withStart(pieces: readonly Piece[], start: Start, owners: Owners): readonly Piece[] {
  let { drop } = start
  const rest = pieces.map((piece) => {
    const taken = Math.min(drop, piece.list.length)
    drop -= taken
    return taken === 0 ? piece : piece.with(piece.list.slice(taken))
  })
  return start.put.length === 0 ? rest : [new Piece(start.put, [], owners), ...rest]
}

function expiredUnknown({ id, cycle }: NodeRecord): string {
  return `Context blocks that expired in ${id} or before it are left out: the snapshot of cycle ${cycle} is not here. If it is in a store, loadHistory() brings it.`
}

/** The text of a request without messages. */
const NO_MESSAGES = '(no messages)'
const NO_IDS: ReadonlySet<never> = new Set<never>()
const NO_LIST: readonly never[] = []
const NO_SCOPED: ScopedMessages = { blocks: NO_LIST, isAsked: false, nodes: NO_IDS }
const NO_VALUES = {} as const

/** The number of stretches kept with one turn: the turn alone, as the last, and joined to the turns before. */
const MOST_KEPT = 4

/** The turns in order. */
function branchesIn(children: Sequence, branches: Branch[]): Branch[] {
  if (children.isLeaf) for (const item of children.items!) branches.push(item as Branch)
  else for (const chunk of children.chunks!) branchesIn(chunk, branches)
  return branches
}
