// forget (D56): takes the content of nodes out of the working state, schedules, every snapshot there is, forks, attempts and undo
// steps. It is the one call that changes old bytes; ids, places and the tree around them stay.

import { PactError } from '../errors/index.js'
import { compareText } from '../core/index.js'
import type { Attempts } from '../attempts/index.js'
import { Erasing, View, type Thinned, type Timeline } from '../timeline/index.js'
import { checkDeleteOptions, type DeleteOptions } from '../edit/index.js'
import type { Home } from './edition.js'
import { EverSearch } from './ever-search.js'
import type { Family } from './family.js'
import type { OpenCycle } from './open-cycle.js'
import type { Queries } from './query.js'

/** The result of `forget`. */
export type ForgetReceipt = Readonly<{
  /** The nodes whose content, provenance and attributes were erased, sorted by id. */
  ids: readonly string[]
  /** The keys that return no more: their schedules held such content. */
  schedules: readonly string[]
  /** The number of erased versions of these nodes, in all snapshots and contexts. */
  versions: number
  /** In how many contexts: this one, the one it was forked from, and all forks that the program still has. */
  contexts: number
  author?: string
  reason?: string
}>

export type Forgetting = Readonly<{
  queries: Queries
  open: OpenCycle
  timeline: Timeline
  family: Family
  attempts: Pick<Attempts<unknown>, 'list' | 'dropQuotes'>
  home: Home
}>

export function forget(selector: string, options: DeleteOptions, host: Forgetting): ForgetReceipt {
  if (host.timeline.isBacked) throw keptElsewhere()
  const search = new EverSearch(host.queries.mutation(selector))
  const { author, reason } = checkDeleteOptions(options)
  const { timeline, attempts, home } = host
  search.lookBeside(host.open, attempts.list(), home.edition.dialect, snapshotsOf(timeline))
  const { ids, keys } = search.found
  // A kept request or an error message cannot be searched; its snapshot can, while it exists.
  attempts.dropQuotes((cycle) => timeline.treeAt(cycle) === undefined)
  if (ids.size === 0 && keys.size === 0 && !search.isOptional) throw nothingToForget()
  const erasing = new Erasing(ids, keys)
  const contexts = host.open.alone(() => host.family.erase(erasing))
  return Object.freeze({
    ids: Object.freeze([...ids].sort(compareText)),
    schedules: Object.freeze([...keys].sort(compareText)),
    versions: erasing.versions,
    contexts,
    ...(author === undefined ? {} : { author }),
    ...(reason === undefined ? {} : { reason }),
  })
}

export function nothingToForget(): PactError {
  // The message does not contain the selector, which may name the content to erase.
  const message =
    'Nothing matches, in the working state, in any snapshot or in any attempt; end the selector in ? to let that pass.'
  return new PactError('E_NODE_NOT_FOUND', message)
}

/** Checks the author and reason of an erasure. */
export function checkForget(options: DeleteOptions): DeleteOptions {
  return checkDeleteOptions(options)
}

/** Refuses `forget` where a store would keep the content. */
export function keptElsewhere(): PactError {
  const message =
    'This context is kept in a store, which would still have it; call store.erase(id, selector), which erases it there.'
  return new PactError('E_CONFLICT', message, { call: 'forget' })
}

/** The snapshots that a timeline has from a cycle on, the newest first. */
export function snapshotsOf(timeline: Timeline, from = 0, thinned: Thinned = timeline.thinned): readonly View[] {
  const { oldest = 1, newest = 0 } = timeline
  const views: View[] = []
  for (let cycle = newest; cycle >= Math.max(oldest, from); cycle--) {
    if (!thinned.has(cycle)) views.push(View.ofSnapshot(timeline, cycle))
  }
  return views
}
