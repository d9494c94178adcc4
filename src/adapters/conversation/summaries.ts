// Summaries that a provider made itself (D63): a block of Claude, an item of OpenAI. Such a summary stands for the nodes of the request that it
// answers. These nodes stay in the tree. A request to the same provider leaves them out and has the summary instead; every other provider gets the
// nodes. A summary is
// stale once one of its nodes was replaced, redacted, erased or pruned: it may hold what was taken out, so it is left out and the nodes are sent.

import { contentHashOfRecord } from '../../codec/index.js'
import {
  coversOf,
  NEVER,
  shedOf,
  withOriginal,
  type CoveredNode,
  type Covers,
  type NodeRecord,
} from '../../core/index.js'
import { eachRecord, Fact, type Branch, type View } from '../../timeline/index.js'
import { speakerOf, type Message, type Part } from './neutral.js'
import { messagesOf } from './read-messages.js'
import type { Notes } from './request-writer.js'

/** The summary that a request uses, if one is not stale, and the nodes that it stands for. */
export type Covering = Readonly<{ summary: NodeRecord | undefined; covered: ReadonlyMap<string, string> }>

const ALL_STALE: Covering = { summary: undefined, covered: new Map() }

/** A summary with its list, and the turns that were found to be as it knows them. */
type Checked = Covering & Readonly<{ summary: NodeRecord; kept: ReadonlySet<string>; fresh: WeakSet<Branch> }>

/** The summaries of one format. */
export class Summaries {
  readonly #format: string
  readonly #checked = new WeakMap<NodeRecord, Checked>()
  readonly #inTurn: Fact<Branch, readonly NodeRecord[]> = new Fact((turn) => this.#find(turn))

  constructor(format: string) {
    this.#format = format
  }

  /** The newest summary that is not stale; undefined if there is no summary at all. */
  in(turns: readonly Branch[], view: View): Covering | undefined {
    let isAny = false
    for (let at = turns.length - 1; at >= 0; at--) {
      for (const summary of this.#inTurn.of(turns[at]!).toReversed()) {
        isAny = true
        const checked = this.#checkedOf(summary)
        const isWhole = coversOf(summary)!.nodes.every(([id, , expiry]) => isThere(id, expiry, view))
        if (isWhole && turns.every((turn, i) => isFresh(turn, checked, Math.sign(i - at)))) return checked
      }
    }
    return isAny ? ALL_STALE : undefined
  }

  /** The messages without the nodes that the summary stands for, and without every other summary. `isApart` leaves out the summary, too. */
  left(messages: readonly Message[], covering: Covering, isApart: boolean, notes: Notes): readonly Message[] {
    const { summary, covered } = covering
    const isLeft = (part: Part): boolean => {
      if (covered.has(part.record.id)) return false
      if (!this.#isOwn(part)) return true
      if (part.record !== summary) {
        const text = `The summary ${part.record.id} is left out: a node that it stands for has changed, or another summary is newer.`
        notes.note('stale-summary', part.record, text)
        return false
      }
      if (covered.size > 0)
        notes.note('summarized', summary, `The summary ${summary.id} is sent in place of ${covered.size} nodes.`)
      return !isApart
    }
    return messages.flatMap((message) => {
      const parts = message.parts.filter(isLeft)
      if (parts.length === message.parts.length) return covered.has(message.record.id) ? [] : [message]
      return parts.length === 0 ? [] : [{ ...message, parts }]
    })
  }

  #find(turn: Branch): readonly NodeRecord[] {
    let isAny = false
    eachRecord(turn, (record) => (isAny ||= coversOf(record) !== undefined))
    if (!isAny) return NONE
    const parts = messagesOf(turn).flatMap((message) => message.parts)
    return parts.filter((part) => this.#isOwn(part)).map(({ record }) => record)
  }

  #isOwn(part: Part): boolean {
    return isSummary(part) && part.shape === this.#format && coversOf(part.record) !== undefined
  }

  #checkedOf(summary: NodeRecord): Checked {
    let checked = this.#checked.get(summary)
    if (checked === undefined) {
      const { nodes, kept } = coversOf(summary)!
      const covered = new Map(nodes.map(([id, hash]) => [id, hash]))
      checked = { summary, covered, kept: new Set(kept), fresh: new WeakSet() }
      this.#checked.set(summary, checked)
    }
    return checked
  }
}

const NONE: readonly never[] = []

export function isSummary(part: Part): boolean {
  return part.kind === 'other' && part.isSummary === true
}

/** True if a node is there, or has expired or was shed: the summary may say what it said. Any other node has left with a reason, such as a budget. */
function isThere(id: string, expiry: number | undefined, view: View): boolean {
  if (view.find(id) !== undefined || (expiry !== undefined && expiry <= view.cycle)) return true
  const standIn = view.meant(id)
  return standIn !== undefined && shedOf(standIn)?.id === id
}

/**
 * True if a turn is as the summary knows it. A node that replaced another one, such as the marker of a redaction, is one that the list does not have
 * and that was made since. `place` is -1 for a turn before that of the summary, 0 for its own and 1 for a later one.
 */
function isFresh(turn: Branch, { summary, covered, kept, fresh }: Checked, place: number): boolean {
  if (fresh.has(turn)) return true
  let isAsKnown = true
  const look = (record: NodeRecord, isBefore: boolean): void => {
    const hash = covered.get(record.id)
    const shed = shedOf(record)
    if (hash !== undefined && contentHashOfRecord(record) === hash) return
    if (shed !== undefined && contentHashOfRecord(withOriginal(record)) === covered.get(shed.id)) return
    if (hash !== undefined || (isBefore && !kept.has(record.id) && isNewer(record, summary))) isAsKnown = false
  }
  if (place !== 0) eachRecord(turn, (record) => look(record, place < 0))
  else for (const { record, isBefore } of ownTurn(turn, summary)) look(record, isBefore)
  // Turns change by being replaced.
  if (isAsKnown) fresh.add(turn)
  return isAsKnown
}

/** Notes of pruning say what has left, and are no other text in the place of one. */
function isNewer({ nodeClass, cycle, kind }: NodeRecord, summary: NodeRecord): boolean {
  return nodeClass === 'block' && cycle >= summary.cycle && kind !== PRUNED
}

const PRUNED = 'pruned'

/**
 * The nodes of the turn of a summary, without the rest of its own message. Those before it are in the core, since context blocks that come later are
 * sent later.
 */
function ownTurn(turn: Branch, summary: NodeRecord): readonly Readonly<{ record: NodeRecord; isBefore: boolean }>[] {
  const messages = messagesOf(turn)
  const at = messages.findIndex(({ parts }) => parts.some(({ record }) => record === summary))
  return messages.flatMap(({ place, parts }, i) =>
    i === at ? [] : parts.map(({ record }) => ({ record, isBefore: place === 'core' && i < at })),
  )
}

/** The nodes that a summary stands for which was made of everything in a tree. */
export function coversIn(view: View): Covers {
  return coversBut(view, () => false)
}

/**
 * The nodes that the summary in a reply stands for. If the provider asks for the messages of the user next to it (`keepsUsers`), it stands for
 * those that an earlier summary had already replaced, and for no others.
 */
export function coversOfReply(view: View, format: string, keepsUsers: boolean): Covers {
  if (!keepsUsers) return coversIn(view)
  const covered = new Summaries(format).in(turnsOf(view), view)?.covered
  return coversBut(view, (message, { record }) => speakerOf(message) === 'user' && covered?.has(record.id) !== true)
}

function coversBut(view: View, isKept: (message: Message, part: Part) => boolean): Covers {
  const nodes: CoveredNode[] = []
  const kept: string[] = []
  for (const message of turnsOf(view).flatMap(messagesOf)) {
    for (const part of message.parts) {
      const { id, expiry } = part.record
      if (isKept(message, part)) kept.push(id)
      else {
        const hash = contentHashOfRecord(part.record)
        nodes.push(expiry === NEVER ? [id, hash] : [id, hash, expiry])
      }
    }
  }
  return { nodes, kept }
}

function turnsOf({ tree }: View): readonly Branch[] {
  const [, seq, ah] = tree.regions
  return [...(seq.children.toArray() as readonly Branch[]), ah]
}
