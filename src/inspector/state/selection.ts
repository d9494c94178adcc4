// Results of the selector bar: matches in the moment in view, in another one, or over a range of snapshots.

import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Failure } from '../api/http.js'
import * as routes from '../api/routes.js'
import { askedAt, faultOf, readQuery, type Fault, type Query } from '../words/selector.js'
import type { Edits } from './edits.js'
import type { At, Place } from './link.js'
import { createRangeRead, type RangeRead } from './range-read.js'
import { startRead } from './reads.js'
import type { Columns } from './timeline.js'

export type Selection = Readonly<{
  query: ReadonlySignal<Query>
  /** The fault, found by the page or by the server. */
  fault: ReadonlySignal<Fault | undefined>
  matches: ReadonlySignal<ReadonlySet<string> | undefined>
  /** The number of all nodes that match; `matches` has the first of them. */
  count: ReadonlySignal<number | undefined>
  /** The text around the words, by node, of the first nodes that have them. */
  hits: ReadonlySignal<ReadonlyMap<string, routes.Found['hits'][number]>>
  range: RangeRead['range']
  rangeRead: RangeRead
  /** The advice on a selector that found nothing and may mean something else. */
  advice: ReadonlySignal<string | undefined>
  isBusy: ReadonlySignal<boolean>
  /** True if the list of completions and errors may be shown. */
  isOpen: Signal<boolean>
}>

const MOST_MATCHES = 5000

export function createSelection(
  place: ReadonlySignal<Place>,
  moment: ReadonlySignal<At | null>,
  edits: Edits,
  columns: Columns,
): Selection {
  const q = computed(() => place.value.q)
  const query = computed(() => readQuery(q.value))
  const read = startRead(() => {
    const { context } = place.value
    const at = moment.value
    const asked = at === null ? null : askedAt(query.value, at)
    if (asked === null) return null
    const draft = at === 'working' ? edits.draft.value : null
    return routes.select(context, { ...asked, options: { limit: MOST_MATCHES } }, draft)
  }).state
  const words = startRead(() => {
    const at = moment.value
    if (at === null || query.value.kind !== 'words') return null
    return routes.search(place.value.context, query.value.words, at, edits.draft.value)
  }).state
  const rangeRead = createRangeRead(place, query, columns)
  const found = computed(() => {
    const { kind } = query.value
    const value =
      kind === 'words' ? words.value.value : kind === 'here' || kind === 'elsewhere' ? read.value.value : undefined
    return value !== undefined && 'ids' in value ? value : undefined
  })
  return {
    query,
    fault: computed(() => {
      if (query.value.kind === 'fault') return query.value.fault
      if (query.value.kind === 'range') return serverFault(rangeRead.reading.state.value.failure)
      return serverFault(read.value.failure)
    }),
    matches: computed(() => found.value && new Set(found.value.ids)),
    count: computed(() => found.value && ('total' in found.value ? found.value.total : found.value.count)),
    hits: computed(() => new Map((words.value.value?.hits ?? []).map((hit) => [hit.id, hit]))),
    range: rangeRead.range,
    rangeRead,
    isBusy: computed(
      () =>
        rangeRead.reading.state.value.isReading ||
        [words.value, read.value].some(({ isFresh, failure }) => !isFresh && failure === undefined),
    ),
    advice: computed(() => (found.value && 'advice' in found.value ? found.value.advice : undefined)),
    isOpen: signal(false),
  }
}

/** A fault only the server can find: a missing snapshot, a limit. */
function serverFault(failure: Failure | undefined): Fault | undefined {
  return failure?.kind === 'refused' ? faultOf({ message: failure.message, details: failure.details }) : undefined
}
