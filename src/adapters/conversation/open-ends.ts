// Calls and results of different turns (D48): what no turn could settle by itself, settled in the order of the conversation. Each call
// gets the first result with its id that no call claimed, up to the next call with that id.

import type { CallPart, ResultPart } from './neutral.js'
import type { Brought, MayStand, OpenCall, OpenEnds, OpenResult, Settled } from './pair-calls.js'
import type { Leaf, Turn } from './turns.js'

/** One stretch with open ends; every stretch that mentions one of their ids is given, so that waits end where they should. */
type OpenStretch = Readonly<{
  turn: Turn
  ends: OpenEnds
  /** Its number among the stretches that say anything. */
  at: number
}>

/** Who answers whom over turns. Only turns with open ends matter, and calls that end a wait. */
export function settleTurns(
  leaves: readonly Leaf[],
  areHeld: boolean,
  mayStand: MayStand = () => true,
): ReadonlyMap<Turn, Settled> {
  if (leaves.every(({ isClosed }) => isClosed)) return NONE_OPEN
  const open = leaves.filter(({ isClosed }) => !isClosed)
  const ids = new Set<string>()
  for (const { turns } of open) {
    for (const { ends } of turns) for (const { part } of ends.openCalls) ids.add(part.callId)
  }
  const stretches: OpenStretch[] = []
  let at = 0
  for (const leaf of leaves) {
    // A leaf without open ends matters only where it calls again what waits for an answer.
    const matters = !leaf.isClosed || (ids.size > 0 && leaf.callIds.some((id) => ids.has(id)))
    for (const turn of leaf.turns) {
      if (!turn.isEmpty) at++
      if (matters) stretches.push({ turn, ends: turn.ends, at })
    }
  }
  return settle(stretches, areHeld, mayStand)
}

const NONE_OPEN: ReadonlyMap<Turn, Settled> = new Map()

/** Whether whatever the open ends of a turn are about stands where it should. */
export function standsRight({ ends: { openCalls, openResults } }: Turn, settled: Settled): boolean {
  const isAnswered = ({ part }: OpenCall): boolean => settled.brought.get(part)?.inPlace === true
  // Where a result does not say whose it is, the call has to.
  const isKept = ({ part }: OpenResult): boolean => part.name !== undefined && settled.kept.has(part)
  return openCalls.every(isAnswered) && openResults.every(isKept)
}

/** What a stretch is told that has nothing to be settled, or whose open ends nothing meets. */
export function nothingSettled(areHeld: boolean): Settled {
  return { brought: new Map(), taken: new Set(), kept: new Map(), areHeld }
}

type Pair = Readonly<{ call: OpenCall; from: OpenStretch; result: OpenResult; to: OpenStretch }>

/** What becomes of the open ends, by turn; `areHeld` where the provider holds calls that are not here. */
function settle(stretches: readonly OpenStretch[], areHeld: boolean, mayStand: MayStand): ReadonlyMap<Turn, Settled> {
  const pairs = pairsOf(stretches)
  const answered = new Map<OpenStretch, Pair[]>()
  for (const pair of pairs) answered.set(pair.from, [...(answered.get(pair.from) ?? []), pair])
  const settled = new Map(
    stretches.map(({ turn }) => [
      turn,
      {
        brought: new Map<CallPart, Brought>(),
        taken: new Set<ResultPart>(),
        kept: new Map<ResultPart, CallPart>(),
        areHeld,
      },
    ]),
  )
  for (const { call, from, result, to } of pairs) {
    const inPlace = standRight(from, answered.get(from)!, mayStand)
    const { part, message } = result
    settled.get(from.turn)!.brought.set(call.part, { part, message, inPlace })
    if (inPlace) settled.get(to.turn)!.kept.set(part, call.part)
    else settled.get(to.turn)!.taken.add(part)
  }
  return settled
}

function pairsOf(stretches: readonly OpenStretch[]): readonly Pair[] {
  const waiting = new Map<string, Readonly<{ call: OpenCall; from: OpenStretch }>[]>()
  const pairs: Pair[] = []
  for (const stretch of stretches) {
    const { openCalls, openResults, callIds } = stretch.ends
    for (const result of openResults) {
      const wait = waiting.get(result.part.callId)?.shift()
      if (wait !== undefined) pairs.push({ ...wait, result, to: stretch })
    }
    // Whoever waits in an earlier stretch waits up to the next call with that id.
    for (const callId of callIds) waiting.delete(callId)
    for (const call of openCalls) {
      const { callId } = call.part
      waiting.set(callId, [...(waiting.get(callId) ?? []), { call, from: stretch }])
    }
  }
  return pairs
}

/** Whether all calls at the very end of a stretch are answered at the very beginning of the next one, in an order that will do. */
function standRight(from: OpenStretch, pairs: readonly Pair[], mayStand: MayStand): boolean {
  const { openCalls, step } = from.ends
  if (pairs.length < openCalls.length || step === undefined) return false
  const areNext = pairs.every(({ call, result, to }) => call.isLast && result.isLeading && to.at === from.at + 1)
  return areNext && mayStand(step.asked, [...step.answered, ...pairs.map(({ call }) => call.part)])
}
