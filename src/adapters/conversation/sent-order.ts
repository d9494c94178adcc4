// Where context blocks are sent (D57): in the opening of a turn as the documents order them, later ones after the last step that existed
// when they were made. So requests of an open turn only append. The rule reads creation headers alone, which sealing does not change.

import type { NodeRecord } from '../../core/index.js'
import type { Branch } from '../../timeline/index.js'
import { speakerOf, type Message } from './neutral.js'
import { stepEnds, tieIn, type TieOf } from './steps.js'

/** The messages of turns that are written together, each turn with its messages as the documents order them. */
export function inSentOrder(
  turns: readonly Readonly<{ turn: Branch; messages: readonly Message[] }>[],
  tieOf: TieOf | undefined,
): readonly Message[] {
  const placed = turns.flatMap(({ turn, messages }) => placedIn(turn.record, messages))
  return placed.some(isContext) ? behindSteps(placed, tieOf) : placed
}

function isContext({ place }: Message): boolean {
  return place === 'pre' || place === 'post'
}

/** The messages of one turn; what is between a call and its results is moved later. */
function placedIn(turn: NodeRecord, messages: readonly Message[]): readonly Message[] {
  const core = messages.filter((message) => !isContext(message))
  if (core.length === messages.length) return messages
  const [first] = core.filter((message) => speakerOf(message) === 'assistant').sort(byAge)
  if (first === undefined || hasTies(messages)) return messages
  const slots: Message[][] = Array.from({ length: core.length + 1 }, () => [])
  const behind = (made: Message): number => core.findLastIndex((each) => byAge(each, made) < 0) + 1
  const opening = behind(first)
  const late: Message[] = []
  const inserted: Message[] = []
  for (const message of messages) {
    if (!isContext(message)) continue
    const isInserted = isMadeLater(message.record, turn)
    if (!isInserted && byAge(message, first) > 0) late.push(message)
    else if (message.place === 'pre') slots[0]!.push(message)
    else if (isInserted) inserted.push(message)
    else slots[opening]!.push(message)
  }
  for (const message of late.sort(byAge)) slots[behind(message)]!.push(message)
  slots[core.length]!.push(...inserted)
  return slots.flatMap((slot, at) => (at === 0 ? slot : [core[at - 1]!, ...slot]))
}

/** True if a node was made after its turn was sealed: it was inserted, or moved there from a later turn, and goes where its place says. */
function isMadeLater({ createdAtNs }: NodeRecord, turn: NodeRecord): boolean {
  return turn.nodeClass === 'seg' && createdAtNs > turn.createdAtNs
}

/** By creation. Time comes before the cycle: a node that replaces another one keeps its age, and so its place. */
function byAge({ record: a }: Message, { record: b }: Message): number {
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs ? -1 : 1
  return a.cycle - b.cycle || a.creationIndex - b.creationIndex
}

/** True if two nodes have the same creation headers, as in a file that says nothing about them: then their order says nothing. */
function hasTies(messages: readonly Message[]): boolean {
  const sorted = messages.toSorted(byAge)
  return sorted.some((message, at) => at > 0 && byAge(sorted[at - 1]!, message) === 0)
}

/** Context blocks inside a step come after it. */
function behindSteps(messages: readonly Message[], tieOf: TieOf | undefined): readonly Message[] {
  const ends = stepEnds(messages, tieOf)
  if (ends.size === 0) return messages
  const placed: Message[] = []
  let held: Message[] = []
  let end = -1
  for (const [at, message] of messages.entries()) {
    if (at < end && isContext(message) && !message.parts.some((part) => tieIn(part, tieOf) !== undefined)) {
      held.push(message)
      continue
    }
    placed.push(message)
    end = Math.max(end, ends.get(at) ?? -1)
    if (at < end || held.length === 0) continue
    placed.push(...held)
    held = []
  }
  return [...placed, ...held]
}
