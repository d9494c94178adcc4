// The difference of an attempt's thread from the thread of its base snapshot (D32), at the cost of the uncommitted nodes; and from the
// thread of a later attempt of the same cycle, at the cost of the changes between them.

import { COMPACTED, SHED, type JsonObject, type JsonValue, type NodeRecord, type OpenNodes } from '../core/index.js'
import { fieldsOf } from '../codec/index.js'
import { eachRecord, regionNameOf, sortByPlace, type View } from '../timeline/index.js'

/** A thread that was sent from the open cycle, and what it does not share with its base cycle. */
export type SentThread = Readonly<{ view: View; open: OpenNodes }>

/**
 * Describes a thread by its difference from the base: take the items of the base, leave out those that are absent or listed, and
 * insert each listed node at its index. Items that are not listed keep their order, because neither they nor anything above them
 * has moved. Nodes that an earlier attempt has recorded are not recorded again.
 */
export function openNodes(view: View, base: View | undefined, before?: SentThread): OpenNodes {
  const nodes = new Set<NodeRecord>()
  const absent: NodeRecord[] = []
  const take = (record: NodeRecord): void => {
    if (record.isRendered) nodes.add(record)
  }
  if (base === undefined) {
    take(view.tree.root)
    for (const region of view.tree.regions) eachRecord(region, take)
  } else {
    for (const id of new Set(view.changedSince(base, Infinity))) {
      const [before, after] = [base.find(id), view.find(id)]
      if (before === after) continue
      if (before?.isRendered === true && after?.isRendered !== true) absent.push(before)
      if (after === undefined) continue
      take(after)
      if (before !== undefined && hasMoved(before, after)) eachRecord(view.nodeOf(after), take)
    }
  }
  const inOrder = sortByPlace(view, [...nodes])
  return {
    nodes: writeNodes(view, inOrder, before),
    thread_indexes: Object.freeze(inOrder.map((record) => view.threadIndexOf(record)!)),
    absent_ids: Object.freeze(base === undefined ? [] : sortByPlace(base, absent).map(({ id }) => id)),
  }
}

/**
 * Describes a thread by its difference from a later attempt of the same cycle and lens. An item that neither of them lists is the
 * same in both, so only listed items are compared.
 */
export function openNodesBefore(later: SentThread, earlier: SentThread): OpenNodes {
  const listed = new Set<string>()
  for (const { nodes, absent_ids: absent } of [earlier.open, later.open]) {
    for (const node of nodes) listed.add(node['id'] as string)
    for (const id of absent) listed.add(id)
  }
  const [here, there] = [earlier, later].map(({ view }) => placesIn(view, listed)) as [Places, Places]
  const kept: Kept[] = []
  for (const [id, { record, above }] of here) {
    const other = there.get(id)
    if (other === undefined || other.above !== above) continue
    if (isSameForm(earlier.view, record, later.view, other.record)) kept.push({ id, index: other.index })
  }
  const stay = new Set(longestRise(kept).map(({ id }) => id))
  const own = [...here].filter(([id]) => !stay.has(id))
  return {
    nodes: writeNodes(
      earlier.view,
      own.map(([, { record }]) => record),
      earlier,
    ),
    thread_indexes: Object.freeze(own.map(([, { index }]) => index)),
    absent_ids: Object.freeze([...there.keys()].filter((id) => !here.has(id))),
  }
}

/** The positions of listed items in a thread, in its order; `above` counts the items before them that are not listed. */
type Places = ReadonlyMap<string, Readonly<{ record: NodeRecord; index: number; above: number }>>

function placesIn(view: View, ids: Iterable<string>): Places {
  const found: { record: NodeRecord; index: number }[] = []
  for (const id of ids) {
    const record = view.find(id)
    const index = record && view.threadIndexOf(record)
    if (index !== undefined) found.push({ record: record!, index })
  }
  found.sort((a, b) => a.index - b.index)
  return new Map(found.map(({ record, index }, i) => [record.id, { record, index, above: index - i }]))
}

type Kept = Readonly<{ id: string; index: number }>

/** The longest common order of both threads: all items, unless something was moved. */
function longestRise(items: readonly Kept[]): readonly Kept[] {
  /** The last item of the best row of each length, and the item before each in its row. */
  const ends: Kept[] = []
  const before = new Map<Kept, Kept | undefined>()
  for (const item of items) {
    let [low, high] = [0, ends.length]
    // Usually it goes behind all others.
    if (high > 0 && ends[high - 1]!.index < item.index) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]!.index < item.index) low = middle + 1
      else high = middle
    }
    before.set(item, ends[low - 1])
    ends[low] = item
  }
  const rise: Kept[] = []
  for (let item = ends.at(-1); item !== undefined; item = before.get(item)) rise.push(item)
  return rise
}

/** Nodes as records show them; one object for all attempts that sent a node in one form. */
export function writeNodes(
  view: View,
  records: readonly NodeRecord[],
  before: SentThread | undefined,
): readonly JsonObject[] {
  const written = new Map(before?.open.nodes.map((node) => [node['id'], node]))
  return Object.freeze(
    records.map((record) => {
      const known = written.get(record.id)
      const old = known && before!.view.find(record.id)
      if (old !== undefined && isSameForm(before!.view, old, view, record)) return known!
      return freezeDeep(sentForm(record, view.ttlOf(record)))
    }),
  )
}

/** A node as a record holds it: without the originals of a shed result or of a summary, which were not sent. */
export function sentForm(record: NodeRecord, ttl: number | null): JsonObject {
  return Object.fromEntries(fieldsOf(record, ttl).filter(([name]) => name !== SHED && name !== COMPACTED))
}

/** True if a record and a thread show two versions of a node alike; neither shows the parent. */
export function isSameForm(aView: View, a: NodeRecord, bView: View, b: NodeRecord): boolean {
  return (
    a.nodeType === b.nodeType &&
    a.offset === b.offset &&
    a.priority === b.priority &&
    a.cycle === b.cycle &&
    a.createdAtNs === b.createdAtNs &&
    a.creationIndex === b.creationIndex &&
    a.role === b.role &&
    a.kind === b.kind &&
    a.content === b.content &&
    a.rare === b.rare &&
    aView.ttlOf(a) === bView.ttlOf(b) &&
    isInSystem(aView, a) === isInSystem(bView, b)
  )
}

/** The position decides the role of a node that has none (D36). */
function isInSystem(view: View, record: NodeRecord): boolean {
  return record.role === undefined && regionNameOf(view, record) === '^sys'
}

/** True if a node has another place among its siblings, or another parent, with everything below it. */
function hasMoved(before: NodeRecord, after: NodeRecord): boolean {
  return (
    before.parentId !== after.parentId ||
    before.offset !== after.offset ||
    before.createdAtNs !== after.createdAtNs ||
    before.creationIndex !== after.creationIndex
  )
}

function freezeDeep<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}
