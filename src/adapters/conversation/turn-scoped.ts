// Context blocks that are sent for one turn (`expiry: 'clear-at'`). A provider shows such a message until a message of the user follows, results of tools
// included, and then hides it. So the message is sent again behind every run of user messages in its turn, and all copies stay in later requests: the
// beginning of the conversation does not change when the block expires. Nothing is stored for this: a block with ttl 1 is in one snapshot (D24), and
// is read from there.

import type { NodeRecord } from '../../core/index.js'
import { recordOf, type Branch, type View } from '../../timeline/index.js'
import { speakerOf, type Message } from './neutral.js'
import { messagesOf } from './read-messages.js'
import { byAge } from './steps.js'

/** The blocks of one turn, and the branch that holds them: the turn itself, or the turn in the snapshot that it was sealed in. */
export type ScopedTurn = Readonly<{
  source: Branch
  blocks: readonly Message[]
  /** True if a reply to the turn may follow in a later one: the blocks were sent behind its last message, too. */
  isAsked: boolean
}>

/** The blocks of all turns of a request. */
export class ScopedTurns {
  readonly #view: View
  readonly #newest: Branch | undefined
  readonly #turns = new Map<Branch, ScopedTurn | undefined>()
  /** The newest turn whose snapshot is missing: what expired in it is not known. */
  missing: NodeRecord | undefined

  constructor(turns: readonly Branch[], view: View) {
    this.#view = view
    this.#newest = turns.at(-1)
    for (const [at, turn] of turns.entries()) this.#turns.set(turn, this.#find(turn, turns[at + 1]))
  }

  of(turn: Branch): ScopedTurn | undefined {
    return this.#turns.get(turn)
  }

  #find(turn: Branch, next: Branch | undefined): ScopedTurn | undefined {
    const cycle = this.#cycleOf(turn)
    if (turn === this.#newest && cycle >= this.#view.shown) return scopedIn(turn, cycle, () => true, true)
    const sealed = this.#sealed(turn)
    if (sealed === undefined) this.missing = turn.record
    if (sealed === undefined || sealed === turn) return undefined
    const isAsked = next !== undefined && this.#cycleOf(next) === cycle + 1 && this.#opensWithReply(next)
    return scopedIn(sealed, cycle, (block) => this.#isExpired(block), isAsked)
  }

  #cycleOf({ record }: Branch): number {
    return record.nodeClass === 'seg' ? record.cycle : this.#view.cycle
  }

  /** The turn in the snapshot that it was sealed in; the turn itself if it is not there, or still open. */
  #sealed(turn: Branch): Branch | undefined {
    const cycle = this.#cycleOf(turn)
    if (cycle >= this.#view.cycle) return turn
    const tree = this.#view.treeAt(cycle)
    const last = tree?.regions[1].children.last as Branch | undefined
    return last === undefined ? undefined : recordOf(last).id === turn.record.id ? last : turn
  }

  /** True if a turn begins with the reply to the snapshot before it: nothing was written in between (D47). */
  #opensWithReply(turn: Branch): boolean {
    const [first] = messagesOf(this.#sealed(turn) ?? turn).toSorted(byAge)
    return first !== undefined && speakerOf(first) === 'assistant'
  }

  /** True if nothing but its ttl took the block out, and it said to the end what its snapshot says. */
  #isExpired({ record: { id, expiry } }: Message): boolean {
    if (this.#view.meant(id) !== undefined) return false
    const gone = this.#view.departureAt(id, expiry)
    return gone === undefined || (gone.cause === 'expired' && gone.successor === undefined && !gone.wasEdited)
  }
}

/** The blocks that the turn of a cycle was given for that cycle alone. */
function scopedIn(
  source: Branch,
  cycle: number,
  isWanted: (block: Message) => boolean,
  isAsked: boolean,
): ScopedTurn | undefined {
  if (source.children.due > cycle + 1) return undefined
  const blocks = messagesOf(source).filter((message) => isScoped(message, cycle) && isWanted(message))
  return blocks.length === 0 ? undefined : { source, blocks, isAsked }
}

/** True for a context block of text with a ttl of 1, and with no role or that of the system. */
function isScoped({ record, role, place, format, parts }: Message, cycle: number): boolean {
  if (record.ttl !== 1 || record.ttlFrom !== cycle || (place !== 'pre' && place !== 'post')) return false
  // A forgotten block is left out, and the request says so.
  const isText = parts.every(({ kind }) => kind === 'text' || kind === 'gone')
  return (role === undefined || role === 'system') && format === undefined && isText
}

/** The blocks of a turn as they are sent, and the ids of the nodes of its messages. */
export type ScopedMessages = Pick<ScopedTurn, 'blocks' | 'isAsked'> & Readonly<{ nodes: ReadonlySet<string> }>

/**
 * The messages with the blocks behind every run of user messages in their turn that comes before a later reply. If a turn begins with a reply, or has
 * no message at all, its blocks are before that reply: what comes before the turn decides whether the provider takes them there.
 */
export function withScoped(messages: readonly Message[], turns: readonly ScopedMessages[]): readonly Message[] {
  /** The blocks before each message, and at the end. */
  const placed: Message[][] = Array.from({ length: messages.length + 1 }, () => [])
  for (const turn of turns) {
    if (turn.blocks.length === 0) continue
    const isOwn = (message: Message): boolean => turn.nodes.has(message.record.id)
    const before = (reply: Message | undefined): readonly Message[] =>
      turn.blocks.filter((block) => (reply && isOwn(reply) ? byAge(block, reply) < 0 : turn.isAsked))
    const first = messages.findIndex(isOwn)
    const reply = first < 0 ? undefined : messages[first]
    if (reply === undefined || !isUsers(reply)) placed[first < 0 ? messages.length : first]!.push(...before(reply))
    for (const [at, message] of messages.entries()) {
      const next = messages.slice(at + 1).find((each) => !isSystems(each))
      const isEnd = next === undefined || !isUsers(next)
      if (isOwn(message) && isUsers(message) && isEnd) placed[at + 1]!.push(...before(next))
    }
  }
  return placed.flatMap((blocks, at) => (at === messages.length ? blocks : [...blocks, messages[at]!]))
}

/** True if the model sees the message: no message of the user follows it. */
export function isShown(id: string, messages: readonly Message[]): boolean {
  return messages.findLastIndex(({ record }) => record.id === id) > messages.findLastIndex(isUsers)
}

function isUsers(message: Message): boolean {
  const speaker = speakerOf(message)
  return speaker === 'user' || speaker === 'tool'
}

function isSystems(message: Message): boolean {
  const speaker = speakerOf(message)
  return speaker === 'system' || speaker === 'developer'
}
