// forget (D56): takes out what nodes say, in the working state, in schedules and in every snapshot there is, in forks and in
// what else remembers it. It is the one call that changes old bytes; ids, places and the tree around them stay.

import { PactError } from '../errors/index.js'
import { compareText, EMPTY_RECEIPT, type Schedule } from '../core/index.js'
import { Erasing, Frame, lineOf, View, type Timeline } from '../timeline/index.js'
import { checkDeleteOptions, scheduledHits, type DeleteOptions, type EditSession } from '../edit/index.js'
import type { Family } from './family.js'
import type { OpenCycle } from './open-cycle.js'
import type { AskedEver } from './mutation-query.js'
import type { Queries } from './query.js'

/** What a call of `forget` has done. */
export type ForgetReceipt = Readonly<{
  /** The nodes whose content, provenance and attributes are gone, in the order of their ids. */
  ids: readonly string[]
  /** The keys that return no more: their schedules held such content. */
  schedules: readonly string[]
  /** How many versions of these nodes there were, in all snapshots and contexts. */
  versions: number
  /** In how many contexts: this one, the one it was forked from, and all forks that the program still has. */
  contexts: number
  author?: string
  reason?: string
}>

export type Forgetting = Readonly<{ queries: Queries; open: OpenCycle; timeline: Timeline; family: Family }>

export function forget(selector: string, options: DeleteOptions, host: Forgetting): ForgetReceipt {
  if (host.timeline.isBacked) throw keptElsewhere()
  const { choices, isOptional } = host.queries.mutation(selector)
  const { author, reason } = checkDeleteOptions(options, 'forget')
  const { ids, keys } = host.open.ask((session) => findFirst(session, choices, host.timeline))
  if (ids.size === 0 && keys.size === 0 && !isOptional) {
    // Without the selector, which may name what is to be forgotten.
    const message =
      'Nothing matches, in the working state or in any snapshot there is; end the selector in ? to let that pass.'
    throw new PactError('E_NODE_NOT_FOUND', message)
  }
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

/** What a store has of it would stay. */
export function keptElsewhere(): PactError {
  const message =
    'This context is kept in a store, which would still have it; that is for store.erase, which this version does not have yet.'
  return new PactError('E_CONFLICT', message, { call: 'forget' })
}

type Found = Readonly<{ ids: ReadonlySet<string>; keys: ReadonlySet<string> }>

/** `A ?? B`: what A finds anywhere, or else what B does. */
function findFirst(session: EditSession, choices: readonly AskedEver[], timeline: Timeline): Found {
  const { cycle, undone } = session.draft
  const lost = undone.map((tree) => View.alone(new Frame(tree, cycle, true), EMPTY_RECEIPT))
  for (const asked of choices) {
    const hits = asked.matchesEver(lost)
    const keys = new Set<string>()
    // What an instance says its schedule would bring again (D46).
    const every = [...schedulesEver(session, timeline)]
    const scheduled = new Set(every.map(({ key }) => key))
    for (const { record, view } of scheduled.size === 0 ? [] : hits) {
      const line = record.nodeClass === 'root' ? [record] : lineOf(view, record)
      for (const { instanceKey } of line)
        if (instanceKey !== undefined && scheduled.has(instanceKey)) keys.add(instanceKey)
    }
    if (!asked.isWindowed || hits.length === 0) {
      for (const schedule of every) if (isHit(session, schedule, asked)) keys.add(schedule.key)
    }
    if (hits.length > 0 || keys.size > 0) return { ids: new Set(hits.map(({ record }) => record.id)), keys }
  }
  return { ids: new Set(), keys: new Set() }
}

/** Every schedule of the working state and of the snapshots there are, each once. */
function schedulesEver({ draft }: EditSession, timeline: Timeline): ReadonlySet<Schedule> {
  const sets = new Set([draft.tree.schedules])
  const { oldest = 1, newest = 0 } = timeline
  for (let cycle = oldest; cycle <= newest; cycle++) sets.add(timeline.treeAt(cycle)!.schedules)
  return new Set([...sets].flatMap((schedules) => [...schedules]))
}

/** Whether a selector means a schedule's node, if it stood in the active head now. */
function isHit(session: EditSession, schedule: Schedule, asked: AskedEver): boolean {
  return session.draft.withSchedules([schedule], () => scheduledHits(session, asked).length > 0)
}
