// Calls and results of different turns (D48): what no turn could settle by itself, settled in the order of the conversation. Each call
// gets the first result with its id that no call claimed, up to the next call with that id.

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

const NOTHING: Settled = { brought: new Map(), taken: new Set() }

/** What becomes of the open ends, by stretch. */
export function settle<T extends OpenStretch>(stretches: readonly T[]): ReadonlyMap<T, Settled> {
  const waiting = new Map<string, Readonly<{ call: OpenCall; stretch: T }>>()
  const brought = new Map<T, Map<string, Brought>>()
  const taken = new Map<T, Set<string>>()
  for (const stretch of stretches) {
    for (const result of stretch.openResults) {
      const { callId } = result.part
      const wait = waiting.get(callId)
      if (wait === undefined) continue
      waiting.delete(callId)
      const isNext = wait.call.isLast && result.isFirst && stretch.at === wait.stretch.at + 1
      entry(brought, wait.stretch, () => new Map<string, Brought>()).set(wait.call.part.record.id, {
        ...result,
        isNext,
      })
      entry(taken, stretch, () => new Set<string>()).add(result.part.record.id)
    }
    // Whoever waits in an earlier stretch waits up to the next call with that id.
    for (const callId of stretch.callIds) waiting.delete(callId)
    for (const call of stretch.openCalls) waiting.set(call.part.callId, { call, stretch })
  }
  return new Map(
    stretches.map((stretch) => [
      stretch,
      { brought: brought.get(stretch) ?? NOTHING.brought, taken: taken.get(stretch) ?? NOTHING.taken },
    ]),
  )
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}
