// Schedules hold content too (D46): a call that changes or deletes nodes also tests each schedule's node, as if it came
// now and stood in its zone of the active head.

import { PactError } from '../errors/index.js'
import { type NodeRecord, type Schedule, type Template, type Zone } from '../core/index.js'
import { coreOf, lineOf, recordOf, View } from '../timeline/index.js'
import { madeUp, type EditSession } from './edit-session.js'
import { checkHeight, heightOf, nextOffset, PARENT_DEPTH } from './make-node.js'
import { placeNew } from './choose-offset.js'
import { resolve } from './resolve-position.js'

/** The targets in one schedule, by their place in its template: a container before its children. */
export type ScheduledHit = Readonly<{ schedule: Schedule; at: ReadonlySet<number> }>

/** A selector that can be run; `isWindowed` if a match depends on other matches: on a window, or on a position in a row. */
export type Asked = Readonly<{ matches: (view: View) => readonly NodeRecord[]; isWindowed: boolean }>

/**
 * Finds the targets of a selector in schedules. The draft must be as it was marked: every node is tried and taken back. A
 * selector that counts is run on each schedule by itself.
 */
export function scheduledHits(session: EditSession, { matches, isWindowed }: Asked): readonly ScheduledHit[] {
  const schedules = [...session.draft.tree.schedules]
  if (schedules.length === 0) return []
  return isWindowed
    ? schedules.flatMap((each) => hitsAmong(session, [each], matches))
    : hitsAmong(session, schedules, matches)
}

function hitsAmong(
  session: EditSession,
  schedules: readonly Schedule[],
  matches: Asked['matches'],
): readonly ScheduledHit[] {
  const { draft } = session
  const offsets = nextOffsets(session)
  const { trial, given } = madeUp(session)
  const ids = schedules.map(({ zone, offset = offsets[zone], node }) => {
    placeNew(trial, node, resolve(trial, { kind: 'depth', depth: 0, zone }, { offset }, 'ordinary'))
    // The head's core, if it had to be made, came before them.
    return given.slice(-nodesOf(node).length)
  })
  const found = new Set(matches(View.ofWorking(draft)).map(({ id }) => id))
  draft.rewind()
  return schedules.flatMap((schedule, i): readonly ScheduledHit[] => {
    const at = new Set(ids[i]!.flatMap((id, place) => (found.has(id) ? [place] : [])))
    return at.size === 0 ? [] : [{ schedule, at }]
  })
}

/** The place of the next node of each zone, whatever else is tried. */
function nextOffsets({ draft, dialect }: EditSession): Readonly<Record<Zone, number>> {
  const head = draft.region('^ah')
  const [last, lastInCore] = [head.children.last, coreOf(head)?.children.last]
  const highest = last === undefined ? 0 : Math.max(0, recordOf(last).offset)
  return {
    pre: -1,
    core: nextOffset(lastInCore && recordOf(lastInCore).offset, dialect),
    // For being asked, the last place there is will do.
    post: Math.min(highest + 1, Number.MAX_SAFE_INTEGER),
  }
}

/** A hit on the whole node of a schedule, not on a part of it. */
export function wholeOf(schedule: Schedule): ScheduledHit {
  return { schedule, at: new Set(nodesOf(schedule.node).keys()) }
}

function nodesOf(template: Template): readonly Template[] {
  return [template, ...template.children.flatMap(nodesOf)]
}

/** Ends the schedules that are meant. */
export function endScheduled({ draft }: EditSession, hits: readonly ScheduledHit[]): void {
  let { schedules } = draft.tree
  for (const { schedule } of hits) schedules = schedules.without(schedule.key)
  if (schedules !== draft.tree.schedules) draft.schedule(schedules)
}

/** For targets inside other targets: only the outer ones, or all. */
type Which = 'outermost' | 'each'

/** Gives one node of a schedule's template, at a place counted from its top, in another form; undefined ends the schedule. */
export type Rewrite = (template: Template, at: number, schedule: Schedule) => Template | undefined

/**
 * Rewrites the targets, only the outermost or each by itself; the cadence continues as before, whatever else the call has written
 * under the same key.
 */
export function rewriteScheduled(
  { draft }: EditSession,
  hits: readonly ScheduledHit[],
  rewrite: Rewrite,
  which: Which,
): void {
  let { schedules } = draft.tree
  const changed = hits
    .map(({ schedule, at }) => {
      const each: Rewriting = (template, place) => rewrite(template, place, schedule)
      return { schedule, node: rewriteAt(schedule.node, at, each, which, { next: 0 }) }
    })
    .filter(({ schedule, node }) => node !== schedule.node)
  for (const { schedule } of changed) schedules = schedules.without(schedule.key)
  const given = new Set<string>()
  for (const { schedule, node } of changed) {
    if (node === undefined) continue
    checkHeight(heightOf(node), PARENT_DEPTH.core)
    const { key, cad } = node.rare as Readonly<{ key: string; cad: number }>
    if (given.has(key)) {
      const message = `This call gives the key "${key}" to two schedules; give each its own.`
      throw new PactError('E_ODI_VIOLATION', message, { name: 'OverlapWouldViolateODI', key })
    }
    given.add(key)
    schedules = schedules.with({ ...schedule, key, cad, node })
  }
  if (schedules !== draft.tree.schedules) draft.schedule(schedules)
}

type Rewriting = (template: Template, at: number) => Template | undefined

function rewriteAt(
  template: Template,
  at: ReadonlySet<number>,
  rewrite: Rewriting,
  which: Which,
  place: { next: number },
): Template | undefined {
  const ownAt = place.next++
  const isMeant = at.has(ownAt)
  const own = isMeant ? rewrite(template, ownAt) : template
  if (own === undefined || (isMeant && which === 'outermost')) {
    place.next += nodesOf(template).length - 1
    return own
  }
  const children = template.children.map((child) => rewriteAt(child, at, rewrite, which, place))
  // If a part of the node must not return, the node must not return.
  if (children.includes(undefined)) return undefined
  if (children.every((child, i) => child === template.children[i])) return own
  return { ...own, children: children as readonly Template[] }
}

/** The schedules whose instances these nodes are, or are inside of. */
export function schedulesOf({ draft }: EditSession, records: readonly NodeRecord[]): readonly Schedule[] {
  const { schedules } = draft.tree
  const found = new Set<Schedule>()
  for (const record of schedules.size === 0 ? [] : records) {
    // One that was dropped has nothing around it any more.
    for (const { instanceKey } of draft.find(record.id) === record ? lineOf(draft, record) : [record]) {
      const schedule = instanceKey === undefined ? undefined : schedules.get(instanceKey)
      if (schedule !== undefined) found.add(schedule)
    }
  }
  return [...found]
}
