// Results of the selector bar: matches in the moment in view, in another one, or over a range of snapshots.

import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Failure } from '../api/http.js'
import * as routes from '../api/routes.js'
import type { JsonObject } from '../../api/index.js'
import { askedAt, faultOf, readQuery, type Fault, type Query } from '../words/selector.js'
import type { Edits } from './edits.js'
import type { At, Place } from './link.js'
import { startRead } from './reads.js'

export type Selection = Readonly<{
  query: ReadonlySignal<Query>
  /** The fault, found by the page or by the server. */
  fault: ReadonlySignal<Fault | undefined>
  matches: ReadonlySignal<ReadonlySet<string> | undefined>
  count: ReadonlySignal<number | undefined>
  range: ReadonlySignal<JsonObject | undefined>
  isBusy: ReadonlySignal<boolean>
  /** True if the list of completions and errors may be shown. */
  isOpen: Signal<boolean>
}>

const MOST_MATCHES = 5000

export function createSelection(
  place: ReadonlySignal<Place>,
  moment: ReadonlySignal<At | null>,
  edits: Edits,
): Selection {
  const q = computed(() => place.value.q)
  const query = computed(() => readQuery(q.value))
  const read = startRead(() => {
    const { context } = place.value
    const at = moment.value
    const asked = at === null ? null : askedAt(query.value, at)
    if (asked === null) return null
    const isRange = query.value.kind === 'range'
    const draft = at === 'working' && !isRange ? edits.draft.value : null
    return routes.select(context, { ...asked, options: isRange ? {} : { limit: MOST_MATCHES } }, draft)
  }).state
  const answer = computed(() =>
    query.value.kind === 'none' || query.value.kind === 'fault' || query.value.kind === 'cycle'
      ? undefined
      : read.value.value,
  )
  const found = computed(() => (answer.value !== undefined && 'ids' in answer.value ? answer.value : undefined))
  const range = computed(() => {
    const value = answer.value
    return query.value.kind === 'range' && value !== undefined && 'range' in value ? value : undefined
  })
  return {
    query,
    fault: computed(() => {
      if (query.value.kind === 'fault') return query.value.fault
      return serverFault(read.value.failure)
    }),
    matches: computed(() => found.value && new Set(found.value.ids)),
    count: computed(() => found.value?.count),
    range: computed(() => range.value?.range),
    isBusy: computed(() => !read.value.isFresh && read.value.failure === undefined),
    isOpen: signal(false),
  }
}

/** A fault only the server can find: a missing snapshot, a limit. */
function serverFault(failure: Failure | undefined): Fault | undefined {
  return failure?.kind === 'refused' ? faultOf({ message: failure.message, details: failure.details }) : undefined
}
