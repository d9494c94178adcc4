// What each commit changed, as data: with the working state, all that a context holds, so that two contexts compare by it.
// The price is what changed in all cycles, not a tree per snapshot; paid by whoever looks.

import type { JsonObject, Receipt } from '../core/index.js'
import { fieldsOf, withJsonForm } from '../codec/index.js'
import { Gone, type Timeline, type Version } from '../timeline/index.js'

/** One committed cycle: the nodes that it brought or changed, in the documents' form, and those that left. */
export type PastCycle = Readonly<{ cycle: number; receipt: Receipt; changes: readonly JsonObject[] }>

/** Oldest first. */
export function pastOf(timeline: Timeline): readonly PastCycle[] {
  timeline.needAll('Some of the past is')
  const { bounds } = timeline
  const past: PastCycle[] = []
  for (let cycle = bounds?.oldest ?? 1; cycle <= (bounds?.newest ?? 0); cycle++) {
    const changes = Object.freeze(timeline.changesAt(cycle).map(changeOf))
    past.push(Object.freeze({ cycle, receipt: timeline.receiptAt(cycle), changes }))
  }
  return Object.freeze(past)
}

function changeOf(version: Version): JsonObject {
  if (version instanceof Gone) return Object.freeze({ id: version.id, left: version.cause })
  const change: JsonObject = { parent: version.parentId ?? null, ...Object.fromEntries(fieldsOf(version, version.ttl)) }
  return Object.freeze(withJsonForm(change))
}
