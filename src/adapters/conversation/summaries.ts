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
import { isChanged } from './wire.js'

/** The summary that a request uses, if one is not stale, and the nodes that it stands for. */
export type Covering = Readonly<{ summary: NodeRecord | undefined; covered: ReadonlySet<string> }>

const ALL_STALE: Covering = { summary: undefined, covered: new Set() }

/** The summaries of one format. */
export class Summaries {
  readonly #format: string
  readonly #coverings = new WeakMap<NodeRecord, Covering>()
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
        if (!isChanged(summary) && coversOf(summary)!.every((node) => isAsKnown(node, view)))
          return this.#coveringOf(summary)
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
      if (summary === undefined || part.record.id !== summary.id) {
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

  #coveringOf(summary: NodeRecord): Covering {
    let covering = this.#coverings.get(summary)
    if (covering === undefined) {
      covering = { summary, covered: new Set(coversOf(summary)!.map(([id]) => id)) }
      this.#coverings.set(summary, covering)
    }
    return covering
  }
}

const NONE: readonly never[] = []

export function isSummary(part: Part): boolean {
  return part.kind === 'other' && part.isSummary === true
}

/**
 * True if a node says what it said when the summary was made, or has expired. A shed result counts by its original. Any other node that is gone has left
 * with a reason, such as an edit or a budget.
 */
function isAsKnown([id, hash, expiry]: CoveredNode, view: View): boolean {
  const node = view.meant(id)
  if (node === undefined) return expiry !== undefined && expiry <= view.cycle
  if (node.id === id && contentHashOfRecord(node) === hash) return true
  return shedOf(node)?.id === id && contentHashOfRecord(withOriginal(node)) === hash
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
  const messages = turnsOf(view).flatMap((turn) => messagesOf(turn))
  return messages.flatMap((message) => message.parts.filter((part) => !isKept(message, part)).map(entryOf))
}

function entryOf({ record }: Part): CoveredNode {
  const { id, expiry } = record
  const hash = contentHashOfRecord(record)
  return expiry === NEVER ? [id, hash] : [id, hash, expiry]
}

function turnsOf({ tree }: View): readonly Branch[] {
  const [, seq, ah] = tree.regions
  return [...(seq.children.toArray() as readonly Branch[]), ah]
}
