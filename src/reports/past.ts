// The changes of each commit, as data. Together with the working state they are everything that a context holds, so that two contexts
// compare by them. The cost is that of the changes in all cycles, not a tree per snapshot, and only a caller of `past` pays it.

import type { JsonObject, Receipt } from '../core/index.js'
import { fieldsOf, withJsonForm } from '../codec/index.js'
import { Gone, type Timeline, type Version } from '../timeline/index.js'

/** One committed cycle: the new and changed nodes, in the documents' form, and the departed ones. */
export type PastCycle = Readonly<{ cycle: number; receipt: Receipt; changes: readonly JsonObject[] }>

/** Oldest first. */
export function pastOf(timeline: Timeline): readonly PastCycle[] {
  timeline.needAll('Some of the past is')
  const { bounds } = timeline
  const past: PastCycle[] = []
  let folded = new Map<string, Version>()
  for (let cycle = bounds?.oldest ?? 1; cycle <= (bounds?.newest ?? 0); cycle++) {
    // The changes of thinned cycles are listed with the next existing cycle, in their last form (N77).
    for (const version of timeline.changesAt(cycle)) {
      folded.delete(version.id)
      folded.set(version.id, version)
    }
    if (timeline.thinned.has(cycle)) continue
    const before = past.at(-1)?.cycle ?? 0
    const isSeen = (version: Version): boolean => {
      if (!(version instanceof Gone) || timeline.thinned.size === 0) return true
      return timeline.find(version.id, before) !== undefined
    }
    const changes = Object.freeze([...folded.values()].filter(isSeen).map(changeOf))
    past.push(Object.freeze({ cycle, receipt: timeline.receiptAt(cycle), changes }))
    folded = new Map()
  }
  return Object.freeze(past)
}

function changeOf(version: Version): JsonObject {
  if (version instanceof Gone) return Object.freeze({ id: version.id, left: version.cause })
  const change: JsonObject = { parent: version.parentId ?? null, ...Object.fromEntries(fieldsOf(version, version.ttl)) }
  return Object.freeze(withJsonForm(change))
}
