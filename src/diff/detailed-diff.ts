// The detailed diff (D38): values, causes and places in addition to the ids, so that one tree follows from the other and every change can
// be found in the sent thread (06 §4.4).

import { shownAttribute, type JsonObject, type JsonValue, type NodeRecord, type Schedule } from '../core/index.js'
import {
  canonicalJson,
  contentHashOfRecord,
  EMPTIED,
  encodeSchedule,
  fieldsOf,
  scheduleToJson,
  withJsonForm,
  withoutBigints,
} from '../codec/index.js'
import { Branch, type View } from '../timeline/index.js'
import { reasonOfArrival, reasonOfChange, reasonOfLeaving } from './reason.js'
import { compareViews, sidesOf, type ChangedNode, type Selection, type Sides } from './compare.js'
import { headersOf } from './headers.js'
import type {
  DetailedChange,
  DetailedDiff,
  DiffSide,
  InferredMove,
  ParentChange,
  PlacedNode,
  ValueChange,
} from './diff-types.js'

/** Goes from one view to another of the same context; the lenses are how the caller named them. */
export function diffDetailed(from: Named, to: Named, selection?: Selection): DetailedDiff {
  const sides = sidesOf(from.view, to.view)
  const difference = compareViews(sides, selection)
  const isForward = sides.newer === to.view
  const arrived = difference.onlyNewer.map((record) => placed(sides.newer, record, reasonOfArrival(sides, record)))
  const left = difference.onlyOlder.map((record) => placed(sides.older, record, reasonOfLeaving(sides, record)))
  const [added, removed] = isForward ? [arrived, left] : [left, arrived]
  const [gained, lost] = isForward
    ? [difference.onlyNewer, difference.onlyOlder]
    : [difference.onlyOlder, difference.onlyNewer]
  const { moves, warnings } = inferMoves(lost, gained)
  return withJson({
    from: sideOf(from),
    to: sideOf(to),
    added: Object.freeze(added),
    removed: Object.freeze(removed),
    changed: Object.freeze(difference.changed.map((change) => detailed(sides, change, isForward))),
    parents: parentsOf(gained.filter(isApart(from.view)), lost.filter(isApart(to.view)), difference.changed, isForward),
    moves,
    ...scheduleChanges(from.view, to.view),
    ...(warnings.length === 0 ? {} : { warnings: Object.freeze(warnings) }),
  })
}

/** By key. */
function scheduleChanges(from: View, to: View): Pick<DetailedDiff, 'schedules'> {
  const [before, after] = [from.tree.schedules, to.tree.schedules]
  if (before === after) return {}
  const added = [...after].filter(({ key }) => before.get(key) === undefined)
  const removed = [...before].filter(({ key }) => after.get(key) === undefined)
  const changed: Readonly<{ key: string; from: JsonObject; to: JsonObject }>[] = []
  for (const old of before) {
    const now = after.get(old.key)
    if (now === undefined || old === now) continue
    if (encodeSchedule(old) === encodeSchedule(now)) continue
    changed.push(Object.freeze({ key: old.key, from: scheduleToJson(old), to: scheduleToJson(now) }))
  }
  if (added.length + removed.length + changed.length === 0) return {}
  const listed = (schedules: readonly Schedule[]): readonly JsonObject[] => Object.freeze(schedules.map(scheduleToJson))
  return {
    schedules: Object.freeze({ added: listed(added), removed: listed(removed), changed: Object.freeze(changed) }),
  }
}

export type Named = Readonly<{ lens: string; view: View }>

/** Adds the form that JSON.stringify takes, where integers of any size are numbers. */
export function withJson<T extends object>(result: T): Readonly<T & { toJSON(): JsonObject }> {
  const toJSON = (): JsonObject => withoutBigints({ ...result } as JsonValue) as JsonObject
  // Not listed among the properties, so that results print and compare as the documents show them.
  return Object.freeze(Object.defineProperty(result, 'toJSON', { value: toJSON })) as Readonly<
    T & { toJSON(): JsonObject }
  >
}

function sideOf({ lens, view }: Named): DiffSide {
  return Object.freeze({ lens, cycle: view.cycle })
}

function placed(view: View, record: NodeRecord, { cause, cycle }: ReturnType<typeof reasonOfArrival>): PlacedNode {
  const node = record.nodeClass === 'root' ? undefined : view.nodeOf(record)
  const isSpent = node instanceof Branch && node.isSpent
  const header: JsonObject = Object.fromEntries(
    fieldsOf(record, view.ttlOf(record)).flatMap(([name, value]) => {
      const shown = shownAttribute(name, value)
      return shown === undefined ? [] : [[name, shown] as const]
    }),
  )
  return withJson({
    id: record.id,
    cause,
    cycle,
    parent: record.parentId ?? null,
    is_container: node === undefined || node instanceof Branch,
    node: withJson(isSpent ? { ...header, [EMPTIED]: true } : header),
    thread_index: view.threadIndexOf(record) ?? null,
  })
}

function detailed(sides: Sides, change: ChangedNode, isForward: boolean): DetailedChange {
  const { older, newer, fields } = change
  const [before, after] = isForward ? [older, newer] : [newer, older]
  const [from, to] = isForward ? [sides.older, sides.newer] : [sides.newer, sides.older]
  return withJson({
    id: newer.id,
    fields,
    delta: deltaOf({ record: before, view: from }, { record: after, view: to }, fields),
    ...contentChange(before, after),
    parent_changed: fields.includes('parent'),
    offset_changed: fields.includes('offset'),
    ...reasonOfChange(sides, change),
    thread_index: Object.freeze({
      from: from.threadIndexOf(before) ?? null,
      to: to.threadIndexOf(after) ?? null,
    }),
  })
}

/** The values of some fields on both sides. */
export function deltaOf(
  from: Parameters<typeof headersOf>[0],
  to: Parameters<typeof headersOf>[0],
  fields: readonly string[],
): Readonly<Record<string, ValueChange>> {
  // A running ttl is by far the most frequent change, and needs no look at the rest.
  if (fields.length === 1 && fields[0] === 'ttl') {
    return Object.freeze({ ttl: Object.freeze({ from: from.view.ttlOf(from.record), to: to.view.ttlOf(to.record) }) })
  }
  const [before, after] = [headersOf(from), headersOf(to)]
  const values = fields.map((name) => {
    const value =
      name === 'content'
        ? { from: from.record.content ?? null, to: to.record.content ?? null }
        : { from: before.get(name) ?? null, to: after.get(name) ?? null }
    return [name, Object.freeze(withJsonForm(value))] as const
  })
  return Object.freeze(Object.fromEntries(values))
}

function contentChange(from: NodeRecord, to: NodeRecord): Pick<DetailedChange, 'content'> {
  if (from.content === to.content) return {}
  const [before, after] = [from.content, to.content]
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return {}
  return {
    content: Object.freeze(
      withJsonForm({
        ...(before === undefined ? {} : { from: before }),
        ...(after === undefined ? {} : { to: after }),
      }),
    ),
  }
}

/** True if the other side has no such node at all, as opposed to a node that it does not select. */
function isApart(other: View): (record: NodeRecord) => boolean {
  return ({ id }) => other.find(id) === undefined
}

/** Children that came to a parent or left it, in the order they are listed in the diff. */
function parentsOf(
  gained: readonly NodeRecord[],
  lost: readonly NodeRecord[],
  changed: readonly ChangedNode[],
  isForward: boolean,
): readonly ParentChange[] {
  const parents = new Map<string, { children_added: string[]; children_removed: string[] }>()
  const at = (id: string | undefined): { children_added: string[]; children_removed: string[] } => {
    const key = id ?? ''
    let parent = parents.get(key)
    if (parent === undefined) parents.set(key, (parent = { children_added: [], children_removed: [] }))
    return parent
  }
  for (const { older, newer } of changed) {
    if (older.parentId === newer.parentId) continue
    const [from, to] = isForward ? [older, newer] : [newer, older]
    at(from.parentId).children_removed.push(from.id)
    at(to.parentId).children_added.push(to.id)
  }
  for (const { id, parentId } of gained) at(parentId).children_added.push(id)
  for (const { id, parentId } of lost) at(parentId).children_removed.push(id)
  parents.delete('')
  return Object.freeze(
    Array.from(parents, ([id, { children_added, children_removed }]) =>
      Object.freeze({
        id,
        children_added: Object.freeze(children_added),
        children_removed: Object.freeze(children_removed),
      }),
    ),
  )
}

/** Pairs departed and new nodes by content hash, in order; nodes without content are not paired. */
export function inferMoves(
  lost: readonly NodeRecord[],
  gained: readonly NodeRecord[],
  hashOf: (record: NodeRecord) => string = contentHashOfRecord,
): { moves: readonly InferredMove[]; warnings: string[] } {
  const byHash = new Map<string, NodeRecord[]>()
  // A node and its stand-in are at the same place: nothing has moved.
  const replaced = standIns(lost, gained)
  for (const record of lost) {
    if (!hasContent(record) || replaced.has(record.id)) continue
    const hash = hashOf(record)
    const known = byHash.get(hash)
    if (known === undefined) byHash.set(hash, [record])
    else known.push(record)
  }
  const moves: InferredMove[] = []
  const warnings: string[] = []
  for (const record of byHash.size === 0 ? [] : gained) {
    if (!hasContent(record) || replaced.has(record.id)) continue
    const hash = hashOf(record)
    const twin = byHash.get(hash)?.shift()
    if (twin === undefined) continue
    if (isSameContent(twin, record)) moves.push(Object.freeze({ from: twin.id, to: record.id, content_hash: hash }))
    else warnings.push(`${twin.id} and ${record.id} have the content hash ${hash}, but not the same content.`)
  }
  return { moves: Object.freeze(moves), warnings }
}

/** The ids of nodes that one side has and the other has a stand-in for, and of these stand-ins. */
function standIns(lost: readonly NodeRecord[], gained: readonly NodeRecord[]): ReadonlySet<string> {
  const ids = new Set<string>()
  const [before, after] = [new Set(lost.map(({ id }) => id)), new Set(gained.map(({ id }) => id))]
  for (const [records, others] of [[lost, after] as const, [gained, before] as const]) {
    for (const { id, rare } of records) {
      if (rare?.supersedes !== undefined && others.has(rare.supersedes)) ids.add(id).add(rare.supersedes)
    }
  }
  return ids
}

function hasContent({ content }: NodeRecord): boolean {
  return content !== undefined && content !== ''
}

function isSameContent(a: NodeRecord, b: NodeRecord): boolean {
  if (a.role !== b.role || a.kind !== b.kind) return false
  return a.content === b.content || canonicalJson(a.content ?? '') === canonicalJson(b.content ?? '')
}
