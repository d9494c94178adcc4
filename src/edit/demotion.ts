// Overlap demotion (004 §6.1, D29): all older live instances of a key are strictly deeper than the newest. The rule is checked after the
// operation; an instance in the way of a newer one is appended to the post-context of the next deeper segment, with its id.

import { PactError } from '../errors/index.js'
import { compareSiblings, type NodeRecord, type SiblingKey } from '../core/index.js'
import {
  childrenOf,
  eachRecord,
  lineOf,
  recordOf,
  regionOf,
  sortByPlace,
  type Draft,
  type Sequence,
  type TreeNode,
} from '../timeline/index.js'
import { idsOf, nameOf, sessionWith, type EditSession } from './edit-session.js'
import { above, placedAt } from './make-node.js'
import { anchorAt, depthIn, isInSealedCore } from './resolve-position.js'

/** Nodes that an edit has placed, by key. */
type Placed = ReadonlyMap<string, readonly NodeRecord[]>

/**
 * Checks the keys of placed nodes and demotes instances that have to go deeper. With `areNew`, all nodes were made just now, so
 * none is newer, and only instances at their depth or above can be in the way.
 */
export function keepOrder(session: EditSession, placed: Iterable<NodeRecord>, areNew: boolean): void {
  const keys = byKey(placed)
  const judging = keys.size > FEW_KEYS ? withKeysAtHand(session) : session
  for (const [key, mine] of keys) judge(judging, key, mine, { areNew, areCarried: false })
}

/** Above this many, all keys are looked up in one walk. */
const FEW_KEYS = 8

function withKeysAtHand(session: EditSession): EditSession {
  let known: Placed | undefined
  return sessionWith(session, {
    committedWith: (key) => {
      known ??= byKey(session.committedWith(undefined))
      return key === undefined ? [...known.values()].flat() : (known.get(key) ?? [])
    },
  })
}

/** True if a new node of this key in the active head would meet another instance there or in `^sys`. */
export function isKeyFree(draft: Draft, key: string): boolean {
  return inHeadOrSystem(draft, key).length === 0
}

type Way = Readonly<{ areNew: boolean; areCarried: boolean }>

function judge(session: EditSession, key: string, ids: readonly NodeRecord[], { areNew, areCarried }: Way): void {
  const { draft } = session
  const mine = ids.map(({ id }) => draft.find(id)!)
  const depths = mine.map((record) => depthIn(draft, record))
  const newest = newestOf(areNew ? mine : instancesOf(session, key))
  if (newest === undefined) return
  if (!areCarried && new Set(depths).size < depths.length) throw violation(session, key, 'twice', mine[0]!, newest)
  const depth = depthIn(draft, newest)
  if (!mine.some(({ id }) => id === newest.id)) {
    const above = areCarried ? undefined : mine.find((_, i) => depths[i]! <= depth)
    if (above !== undefined) throw violation(session, key, 'older', above, newest)
    return
  }
  const reached = depth <= 0 ? inHeadOrSystem(draft, key) : instancesOf(session, key, depth)
  const offenders = reached.filter((record) => record.id !== newest.id && depthIn(draft, record) <= depth)
  if (offenders.length === 0) return
  const deeper = anchorAt(draft, depth + 1)
  for (const record of offenders) {
    const isMine = !areCarried && mine.some(({ id }) => id === record.id)
    const why = isMine ? 'crossed' : obstacle(draft, record, newest)
    if (why !== undefined) throw violation(session, key, why, newest, record)
  }
  if (session.odi === 'reject') throw violation(session, key, 'mode', newest, offenders[0]!)
  if (deeper?.nodeClass !== 'seg') throw violation(session, key, 'shallow', newest, offenders[0]!)
  const carried = demote(session, offenders, deeper)
  for (const [other, nodes] of byKey(carried)) {
    if (other !== key) judge(session, other, nodes, { areNew: false, areCarried: true })
  }
}

/** The reason that an older instance cannot be demoted: `^sys`, a sealed core, or the newest instance inside it. */
function obstacle(draft: Draft, record: NodeRecord, newest: NodeRecord): Refusal | undefined {
  if (depthIn(draft, record) === -1) return 'system'
  if (isInSealedCore(draft, record)) return 'sealed'
  return lineOf(draft, newest).some(({ id }) => id === record.id) ? 'inside' : undefined
}

/** Moves nodes to the end of a segment's post-context; gives the nodes that came along inside them. */
function demote(session: EditSession, offenders: readonly NodeRecord[], { id: segmentId }: NodeRecord): NodeRecord[] {
  const { draft } = session
  const carried: NodeRecord[] = []
  for (const record of outermost(draft, offenders)) {
    const node = draft.lift(draft.find(record.id)!, 'demoted')
    const path = draft.pathTo(segmentId)
    const last = path.at(-1)!.children.last
    const offset = above(Math.max(0, last === undefined ? 0 : recordOf(last).offset))
    const placed = placedAt(node, segmentId, offset, { draft, by: 'demotion' })
    draft.insert(path, placed)
    for (const child of childrenOf(placed)) eachRecord(child, (each) => carried.push(each))
  }
  return carried
}

/** The nodes in document order, without those that are inside others of them. */
export function outermost(draft: Draft, records: readonly NodeRecord[]): readonly NodeRecord[] {
  const ids = new Set(records.map(({ id }) => id))
  return sortByPlace(
    draft,
    records.filter((record) => !lineOf(draft, record).some(({ id }) => id !== record.id && ids.has(id))),
  )
}

function newestOf(records: readonly NodeRecord[]): NodeRecord | undefined {
  let newest: NodeRecord | undefined
  for (const record of records) {
    if (newest === undefined || compareAges(newest, record) < 0) newest = record
  }
  return newest
}

/** Older first (D29): the order of siblings that share an offset. */
export function compareAges(a: NodeRecord, b: NodeRecord): number {
  return compareSiblings(ageOf(a), ageOf(b))
}

/** A stand-in has the age of the node that it replaced (D29). */
function ageOf({ createdAtNs, creationIndex, id, rare }: NodeRecord): SiblingKey {
  return { offset: 0, createdAtNs, creationIndex, id: rare?.supersedes ?? id }
}

/**
 * The live instances of a key; down to a depth, if one is given. An instance that was not placed in this cycle is where the last
 * snapshot has it, or deeper: segments are added, and none is removed before the commit.
 */
export function instancesOf(session: EditSession, key: string, deepest?: number): readonly NodeRecord[] {
  return withLive(session.draft, key, session.draft.placedWith(key), session.committedWith(key, deepest))
}

/** Those in the active head and in `^sys`. */
export function inHeadOrSystem(draft: Draft, key: string): readonly NodeRecord[] {
  const { before } = draft
  const committed = before === undefined ? undefined : keysOf(regionOf(before, '^sys').children).get(key)
  return withLive(draft, key, draft.shallowWith(key), committed ?? [])
}

/** Nodes of this cycle, and those of the last snapshot that still have the key. */
function withLive(
  draft: Draft,
  key: string,
  placed: readonly NodeRecord[],
  committed: readonly NodeRecord[],
): readonly NodeRecord[] {
  if (committed.length === 0) return placed
  const found = new Map(placed.map((record) => [record.id, record]))
  for (const { id } of committed) {
    const record = draft.find(id)
    if (record?.instanceKey === key) found.set(id, record)
  }
  return [...found.values()]
}

/** Its keys are listed once for each committed state of the system region, which changes seldom. */
const systemKeys = new WeakMap<Sequence, Placed>()

function keysOf(system: Sequence): Placed {
  let keys = systemKeys.get(system)
  if (keys === undefined) systemKeys.set(system, (keys = byKey(recordsIn(system))))
  return keys
}

function recordsIn(nodes: Iterable<TreeNode>): readonly NodeRecord[] {
  const records: NodeRecord[] = []
  for (const node of nodes) eachRecord(node, (record) => records.push(record))
  return records
}

function byKey(records: Iterable<NodeRecord>): Placed {
  const keys = new Map<string, NodeRecord[]>()
  for (const record of records) {
    const key = record.instanceKey
    if (key === undefined) continue
    const known = keys.get(key)
    if (known === undefined) keys.set(key, [record])
    else known.push(record)
  }
  return keys
}

type Refusal = 'twice' | 'crossed' | 'older' | 'mode' | 'shallow' | 'system' | 'sealed' | 'inside'

/** The error for an instance that may not be where a call puts it, with the remedy. */
function violation(session: EditSession, key: string, why: Refusal, placed: NodeRecord, other: NodeRecord): PactError {
  const message = {
    twice: `This call puts the key "${key}" on two nodes at one depth; give it to one of them, which replace() or put() can change later.`,
    crossed: `This call puts the key "${key}" on ${nameOf(session, placed)} and on ${nameOf(session, other)}, which is older and not deeper; an older instance must be deeper than a newer one. Give the key to one of them, which replace() or put() can change later, or give it in two calls, to the older one first: that one is then demoted.`,
    older: `${nameOf(session, placed)} is an older instance of the key "${key}" than ${nameOf(session, other)} and must stay deeper; replace() or put() changes the newer one.`,
    mode: `${nameOf(session, other)} has the key "${key}" and would not be deeper than ${nameOf(session, placed)}, and odi is 'reject'; replace() or put() changes the one that is there.`,
    shallow: `${nameOf(session, other)} has the key "${key}", and an older instance must be deeper than a newer one, but no segment exists yet to take it; put() changes the one in the head, set() keeps one live instance, or commit() first.`,
    system: `${nameOf(session, other)} has the key "${key}" and is in ^sys, above everything; ctx.system.replace() changes it there, or take another key here, whose node put() and replace() change.`,
    sealed: `${nameOf(session, other)} has the key "${key}" and is sealed in a core that it cannot leave; replace() supersedes it, put() changes the one in the head.`,
    inside: `${nameOf(session, other)} has the key "${key}" and holds ${nameOf(session, placed)}, so it cannot go deeper; replace() or put() changes the one that is there.`,
  }[why]
  const details = { name: 'OverlapWouldViolateODI', key, ...idsOf(session, { id: placed, other }) }
  return new PactError('E_ODI_VIOLATION', message, details)
}
