// Schedules hold content too (D46): a call that changes or deletes nodes also tests each schedule's node, as if it came
// now and stood in its zone of the active head.

import { PactError } from '../errors/index.js'
import { compareText, type NodeRecord, type Schedule, type Template } from '../core/index.js'
import { recordOf, View, type TreeNode } from '../timeline/index.js'
import { madeUp, type Bench } from './bench.js'
import { checkHeight, heightOf } from './make.js'
import { placeNew } from './place.js'
import { resolve } from './target.js'

/** The nodes of one schedule that are meant, by their place in its template: a container before what it holds. */
export type ScheduledHit = Readonly<{ schedule: Schedule; at: ReadonlySet<number> }>

/** Finds what a selector means in schedules. The draft must be as it was marked: every node is tried and taken back. */
export function scheduledHits(bench: Bench, matches: (view: View) => readonly NodeRecord[]): readonly ScheduledHit[] {
  const { draft } = bench
  const hits: ScheduledHit[] = []
  for (const schedule of [...draft.tree.schedules].sort((a, b) => compareText(a.key, b.key))) {
    const ids = imagine(bench, schedule)
    const found = new Set(matches(View.ofWorking(draft)).map(({ id }) => id))
    draft.rewind()
    const at = new Set(ids.flatMap((id, i) => (found.has(id) ? [i] : [])))
    if (at.size > 0) hits.push({ schedule, at })
  }
  return hits
}

/** All of a schedule's node. */
export function wholeOf(schedule: Schedule): ScheduledHit {
  return { schedule, at: new Set(nodesOf(schedule.node).keys()) }
}

function nodesOf(template: Template): readonly Template[] {
  return [template, ...template.children.flatMap(nodesOf)]
}

/** Puts the next instance where it would come; gives the ids of its nodes in the order of the template. */
function imagine(bench: Bench, { zone, offset, node }: Schedule): readonly string[] {
  const { draft } = bench
  const put = (at: number | undefined): readonly string[] => {
    const { trial, ids } = madeUp(bench)
    placeNew(trial, node, resolve(trial, { kind: 'depth', depth: 0, zone }, { offset: at }, 'ordinary'))
    // The head's core, if it had to be made, came before them.
    return [...ids].slice(-nodesOf(node).length)
  }
  try {
    return put(offset)
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_PLACEMENT_INVALID') throw error
    // No offset is free behind the others; for being asked, any will do.
    draft.rewind()
    return put(zone === 'pre' ? -1 : zone === 'post' ? 1 : 0)
  }
}

/** Ends the schedules that are meant. */
export function endScheduled({ draft }: Bench, hits: readonly ScheduledHit[]): void {
  let { schedules } = draft.tree
  for (const { schedule } of hits) schedules = schedules.without(schedule.key)
  if (schedules !== draft.tree.schedules) draft.schedule(schedules)
}

/** Gives one node of a template in another form; undefined ends the schedule. */
export type Rewrite = (template: Template, isTop: boolean) => Template | undefined

/**
 * Rewrites what is meant, and what it holds unless `isWhole`; the count goes on as it was, whatever else the call has
 * written under the same key.
 */
export function rewriteScheduled(
  { draft }: Bench,
  hits: readonly ScheduledHit[],
  rewrite: Rewrite,
  isWhole: boolean,
): void {
  let { schedules } = draft.tree
  const changed = hits
    .map(({ schedule, at }) => ({ schedule, node: rewriteAt(schedule.node, at, rewrite, isWhole, { next: 0 }) }))
    .filter(({ schedule, node }) => node !== schedule.node)
  for (const { schedule } of changed) schedules = schedules.without(schedule.key)
  const given = new Set<string>()
  for (const { schedule, node } of changed) {
    if (node === undefined) continue
    checkHeight(heightOf(node), SEALED_DEPTH)
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

/** How deep the parent of a node stands once it is sealed in a core. */
const SEALED_DEPTH = 4

function rewriteAt(
  template: Template,
  at: ReadonlySet<number>,
  rewrite: Rewrite,
  isWhole: boolean,
  place: { next: number },
): Template | undefined {
  const isTop = place.next === 0
  const isMeant = at.has(place.next++)
  const own = isMeant ? rewrite(template, isTop) : template
  if (own === undefined || (isMeant && isWhole)) {
    place.next += nodesOf(template).length - 1
    return own
  }
  const children = template.children.map((child) => rewriteAt(child, at, rewrite, isWhole, place))
  // What must not come again in a part of the node must not come again at all.
  if (children.includes(undefined)) return undefined
  if (children.every((child, i) => child === template.children[i])) return own
  return { ...own, children: children as readonly Template[] }
}

/** The schedules of which these nodes are instances. */
export function schedulesOf(bench: Bench, nodes: Iterable<TreeNode>): readonly Schedule[] {
  const { schedules } = bench.draft.tree
  const found = new Set<Schedule>()
  for (const node of nodes) {
    const key = recordOf(node).instanceKey
    const schedule = key === undefined ? undefined : schedules.get(key)
    if (schedule !== undefined) found.add(schedule)
  }
  return [...found]
}
