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

/** What becomes of the open ends, by stretch. */
export function settle<T extends OpenStretch>(stretches: readonly T[]): ReadonlyMap<T, Settled> {
  const waiting = new Map<string, Readonly<{ call: OpenCall; stretch: T }>[]>()
  const settled = new Map(
    stretches.map((stretch) => [stretch, { brought: new Map<CallPart, Brought>(), taken: new Set<ResultPart>() }]),
  )
  for (const stretch of stretches) {
    for (const [order, result] of stretch.openResults.entries()) {
      const wait = waiting.get(result.part.callId)?.shift()
      if (wait === undefined) continue
      const isNext = wait.call.isLast && result.isFirst && stretch.at === wait.stretch.at + 1
      const { part, message } = result
      settled.get(wait.stretch)!.brought.set(wait.call.part, { part, message, isNext, order })
      settled.get(stretch)!.taken.add(result.part)
    }
    // Whoever waits in an earlier stretch waits up to the next call with that id.
    for (const callId of stretch.callIds) waiting.delete(callId)
    for (const call of stretch.openCalls) {
      const { callId } = call.part
      const others = waiting.get(callId)
      if (others === undefined) waiting.set(callId, [{ call, stretch }])
      else others.push({ call, stretch })
    }
  }
  return settled
}
