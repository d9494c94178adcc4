// Steps: a model's reply with its calls and everything that answers them. A commit may fall into the middle of a step, so the unit of
// writing is a stretch: one turn, or several where a step goes on from one to the next. A writer sees whole steps only.

import type { Message, Part } from './neutral.js'

/** An id that a part opens for a later part to answer, or the id that it answers. */
export type Tie = Readonly<{ opens: string }> | Readonly<{ answers: string }>

/** The tie of a part to another one, beyond calls and their results: server tools, approvals. */
export type TieOf = (part: Part) => Tie | undefined

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
export function tieIn(part: Part, tieOf: TieOf | undefined): Tie | undefined {
  if (part.kind === 'call') return { opens: part.callId }
  return part.kind === 'result' && part.callId !== '' ? { answers: part.callId } : tieOf?.(part)
}

/** The last message that answers a message, by the index of the message that opens. */
export function stepEnds(messages: readonly Message[], tieOf: TieOf | undefined): ReadonlyMap<number, number> {
  const opened = new Map<string, number>()
  const ends = new Map<number, number>()
  let newest: number | undefined
  for (const [at, { parts }] of messages.entries()) {
    for (const part of parts) {
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
