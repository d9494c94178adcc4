// Calls and results of different turns (D48): what no turn could settle by itself, settled in the order of the conversation. Each call
// gets the first result with its id that no call claimed, up to the next call with that id.

import type { CallPart, ResultPart } from './neutral.js'
import type { Brought, OpenCall, OpenResult, Settled } from './pair-calls.js'

/** One stretch with open ends; every stretch that mentions one of their ids is given, so that waits end where they should. */
export type OpenStretch = Readonly<{
  openCalls: readonly OpenCall[]
  openResults: readonly OpenResult[]
  /** All ids called in the stretch. */
  callIds: readonly string[]
  /** Its number among the stretches that say anything. */
  at: number
}>

/** What a stretch is told that has nothing to be settled, or whose open ends nothing meets. */
export function nothingSettled(areHeld: boolean): Settled {
  return { brought: new Map(), taken: new Set(), kept: new Map(), areHeld }
}

type Pair<T> = Readonly<{ call: OpenCall; from: T; result: OpenResult; to: T }>

/** What becomes of the open ends, by stretch; `areHeld` where the provider holds calls that are not here. */
export function settle<T extends OpenStretch>(stretches: readonly T[], areHeld: boolean): ReadonlyMap<T, Settled> {
  const pairs = pairsOf(stretches)
  const answered = new Map<T, Pair<T>[]>()
  for (const pair of pairs) answered.set(pair.from, [...(answered.get(pair.from) ?? []), pair])
  const settled = new Map(
    stretches.map((stretch) => [
      stretch,
      {
        brought: new Map<CallPart, Brought>(),
        taken: new Set<ResultPart>(),
        kept: new Map<ResultPart, CallPart>(),
        areHeld,
      },
    ]),
  )
  for (const { call, from, result, to } of pairs) {
    const inPlace = standRight(from, answered.get(from)!)
    const { part, message } = result
    settled.get(from)!.brought.set(call.part, { part, message, inPlace })
    if (inPlace) settled.get(to)!.kept.set(part, call.part)
    else settled.get(to)!.taken.add(part)
  }
  return settled
}

function pairsOf<T extends OpenStretch>(stretches: readonly T[]): readonly Pair<T>[] {
  const waiting = new Map<string, Readonly<{ call: OpenCall; from: T }>[]>()
  const pairs: Pair<T>[] = []
  for (const stretch of stretches) {
    for (const result of stretch.openResults) {
      const wait = waiting.get(result.part.callId)?.shift()
      if (wait !== undefined) pairs.push({ ...wait, result, to: stretch })
    }
    // Whoever waits in an earlier stretch waits up to the next call with that id.
    for (const callId of stretch.callIds) waiting.delete(callId)
    for (const call of stretch.openCalls) {
      const { callId } = call.part
      waiting.set(callId, [...(waiting.get(callId) ?? []), { call, from: stretch }])
    }
  }
  return pairs
}

/** Whether all calls at the very end of a stretch are answered at the very beginning of the next one. */
function standRight<T extends OpenStretch>(from: T, pairs: readonly Pair<T>[]): boolean {
  if (pairs.length < from.openCalls.length) return false
  return pairs.every(({ call, result, to }) => call.isLast && result.isLeading && to.at === from.at + 1)
}
