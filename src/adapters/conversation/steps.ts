// Steps: a model's reply with its calls and everything that answers them. A commit may fall into the middle of a step, so the unit of writing is a stretch:
// one turn, or several where a step goes on from one to the next. Context blocks are sent in the opening of a turn as the documents order them, later
// ones after the last step that existed when they were made (D57), so requests of an open turn only append.

import type { NodeRecord } from '../../core/index.js'
import type { Branch } from '../../timeline/index.js'
import { type CallPart, type Message, type Part, speakerOf } from './neutral.js'

/** An id that a part opens for a later part to answer, or the id that it answers. */
export type Tie = Readonly<{ opens: string }> | Readonly<{ answers: string }>

/** The tie of a part to another one, beyond calls and their results: server tools, approvals. */
export type TieOf = (part: Part) => Tie | undefined

/** True for a call whose result may come later. */
type IsLate = ((call: CallPart) => boolean) | undefined

/** The ids that a turn leaves open, those of earlier turns that it answers, and every id that it opens. */
export type Ends = Readonly<{ open: readonly string[]; answers: readonly string[]; opened: readonly string[] }>

export const NO_ENDS: Ends = { open: [], answers: [], opened: [] }

/** The ends of a turn by itself. */
export function endsOf(messages: readonly Message[], tieOf: TieOf | undefined): Ends {
  const open = new Map<string, number>()
  const answers: string[] = []
  for (const { parts } of messages) {
    const own = new Set<string>()
    for (const part of parts) {
      const tie = tieIn(part, tieOf)
      if (tie === undefined) continue
      if ('opens' in tie) {
        // A later message with the same id ends the wait of an earlier one.
        open.set(tie.opens, own.has(tie.opens) ? open.get(tie.opens)! + 1 : 1)
        own.add(tie.opens)
      } else if (open.has(tie.answers)) open.set(tie.answers, Math.max(0, open.get(tie.answers)! - 1))
      else answers.push(tie.answers)
    }
  }
  if (open.size + answers.length === 0) return NO_ENDS
  return { open: [...open].flatMap(([id, count]) => (count > 0 ? [id] : [])), answers, opened: [...open.keys()] }
}

/** The tie of a part, as a call, as a result, or of the format's own. */
function tieIn(part: Part, tieOf: TieOf | undefined): Tie | undefined {
  if (part.kind === 'call') return { opens: part.callId }
  return part.kind === 'result' && part.callId !== '' ? { answers: part.callId } : tieOf?.(part)
}

/** The last message that answers a message, by the index of the message that opens. */
function stepEnds(messages: readonly Message[], tieOf: TieOf | undefined, isLate: IsLate): ReadonlyMap<number, number> {
  const opened = new Map<string, number>()
  const ends = new Map<number, number>()
  let newest: number | undefined
  for (const [at, { parts }] of messages.entries()) {
    for (const part of parts) {
      // A result that comes later does not hold up the step.
      if (part.kind === 'call' && isLate?.(part) === true) continue
      const tie = tieIn(part, tieOf)
      // A result that names no call answers one that is open.
      const isUnnamed = part.kind === 'result' && part.callId === ''
      if (tie !== undefined && 'opens' in tie) opened.set(tie.opens, (newest = at))
      const start = tie !== undefined && 'answers' in tie ? opened.get(tie.answers) : isUnnamed ? newest : undefined
      if (start !== undefined && start < at) ends.set(start, at)
    }
  }
  return ends
}

/** The first and the last turn of each stretch of more than one turn, in order. */
export function stretchesOf(turns: readonly Readonly<{ ends: Ends }>[]): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = []
  const waiting = new Map<string, number>()
  for (let at = 0; at < turns.length; at++) {
    const { ends } = turns[at]!
    if (ends === NO_ENDS) continue
    for (const id of ends.answers) {
      const start = waiting.get(id)
      if (start !== undefined) join(stretches, start, at)
    }
    if (waiting.size > 0) for (const id of ends.opened) waiting.delete(id)
    for (const id of ends.open) waiting.set(id, at)
  }
  return stretches
}

/** Adds a stretch; those that it overlaps become one with it. They are in order, so only the last ones can. */
function join(stretches: [number, number][], start: number, end: number): void {
  let first = start
  while (stretches.length > 0 && stretches.at(-1)![1] >= first) first = Math.min(first, stretches.pop()![0])
  stretches.push([first, end])
}

/** The messages of turns that are written together, each turn with its messages as the documents order them. */
export function inSentOrder(
  turns: readonly Readonly<{ turn: Branch; messages: readonly Message[] }>[],
  tieOf: TieOf | undefined,
  isLate?: IsLate,
): readonly Message[] {
  const placed = turns.flatMap(({ turn, messages }) => placedIn(turn.record, messages))
  return placed.some(isContext) ? behindSteps(placed, tieOf, isLate) : placed
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
export function byAge({ record: a }: Message, { record: b }: Message): number {
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs ? -1 : 1
  return a.cycle - b.cycle || a.creationIndex - b.creationIndex
}

/** True if two nodes have the same creation headers, as in a file that says nothing about them: then their order says nothing. */
function hasTies(messages: readonly Message[]): boolean {
  const sorted = messages.toSorted(byAge)
  return sorted.some((message, at) => at > 0 && byAge(sorted[at - 1]!, message) === 0)
}

/** Context blocks inside a step come after it. */
function behindSteps(messages: readonly Message[], tieOf: TieOf | undefined, isLate: IsLate): readonly Message[] {
  const ends = stepEnds(messages, tieOf, isLate)
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
