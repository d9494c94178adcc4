// Why a node is where it is, and what will happen to it: as data, and in words.

import { PactError } from '../errors/index.js'
import { zoneOfOffset, type Cause, type Maker, type NodeRecord, type Zone } from '../core/index.js'
import { coordinateOf, createdAtIso, lineOf, type View } from '../timeline/index.js'
import type { PrunePolicy } from '../commit/index.js'

export interface Explanation {
  readonly id: string
  readonly nodeType: string | undefined
  /** How the tree was named that it is about. */
  readonly lens: string
  /** Whether that tree holds the node. */
  readonly isThere: boolean
  /** When the node was made and by which call; `commit` and `cadence` are the engine's own doing. */
  readonly created: Readonly<{ cycle: number; by: Maker; at: string }> | undefined
  /** The last cycle in which a call changed it after that; sealing and running ttls are no changes. */
  readonly changed: Readonly<{ cycle: number; by: Maker }> | undefined
  readonly place: ExplainedPlace | undefined
  /** The first cycle whose snapshot is without it because of its ttl; undefined where it has none. */
  readonly expires: Readonly<{ cycle: number; ttl: number }> | undefined
  /** When its key comes again (D28). */
  readonly returns: Readonly<{ key: string; cad: number; cycle: number }> | undefined
  /** What stands between it and expiry or pruning. */
  readonly keptBy: Readonly<{ pinned: boolean; held: boolean; refs: readonly string[] }>
  /** Whether a budget can take it. */
  readonly prunable: boolean
  readonly supersedes: string | undefined
  readonly supersededBy: string | undefined
  /** For a node that is not there any more: since which snapshot, and why. */
  readonly left: Readonly<{ cycle: number; cause: Cause }> | undefined
  /** The same in words. */
  readonly sentences: readonly string[]
  /** The sentences as one text. */
  toString(): string
}

export type ExplainedPlace = Readonly<{
  region: string
  /** -1 in `^sys`, 0 in the active head, 1 and up in history; undefined for the root and `^seq`. */
  depth: number | undefined
  /** The zone of its segment or of the active head that it stands in. */
  zone: Zone | undefined
  parent: string | undefined
  coordinate: string
}>

/** What only the context knows. */
export type ExplainInput = Readonly<{
  lens: string
  view: View
  isHeld: (id: string) => boolean
  policy: PrunePolicy | undefined
}>

/** Explains one node; a node that is gone is explained by its last version and by what took it. */
export function explain(id: string, input: ExplainInput): Explanation {
  const { view, lens } = input
  const record = view.find(id)
  const gone = record === undefined ? view.departureOf(id) : undefined
  if (record === undefined && gone === undefined) {
    const message = `There is no node ${id} in ${lens}, and there was none before.`
    throw new PactError('E_NODE_NOT_FOUND', message, { id, lens })
  }
  const facts = record === undefined ? departed(id, input, gone!) : present(record, input)
  const sentences = Object.freeze(inWords(facts))
  return Object.freeze(Object.defineProperty({ ...facts, sentences }, 'toString', { value: () => sentences.join(' ') }))
}

type Facts = Omit<Explanation, 'sentences' | 'toString'>

function present(record: NodeRecord, { lens, view, isHeld, policy }: ExplainInput): Facts {
  const { id, ttl, rare, expiry } = record
  const refs = [...view.referrersOf(id)].map((referrer) => referrer.id).filter((each) => each !== id)
  const place = placeOf(view, record)
  return {
    id,
    nodeType: record.nodeType,
    lens,
    isThere: true,
    created: createdOf(view, record),
    changed: changedOf(view, record),
    place,
    expires: ttl === null ? undefined : Object.freeze({ cycle: expiry, ttl: view.ttlOf(record)! }),
    returns: returnOf(view, rare?.key),
    keptBy: Object.freeze({ pinned: rare?.pinned === true, held: isHeld(id), refs: Object.freeze(refs) }),
    prunable: isPrunable(record, place, policy) && rare?.pinned !== true && !isHeld(id) && refs.length === 0,
    supersedes: rare?.supersedes,
    supersededBy: undefined,
    left: undefined,
  }
}

function departed(id: string, { lens, view }: ExplainInput, gone: NonNullable<ReturnType<View['departureOf']>>): Facts {
  const last = view.oldVersionAt(id, gone.born - 1)
  return {
    id,
    nodeType: last?.nodeType,
    lens,
    isThere: false,
    created: last && createdOf(view, last),
    changed: undefined,
    place: undefined,
    expires: undefined,
    returns: returnOf(view, last?.rare?.key),
    keptBy: Object.freeze({ pinned: false, held: false, refs: Object.freeze([]) }),
    prunable: false,
    supersedes: last?.rare?.supersedes,
    supersededBy: gone.successor,
    left: Object.freeze({ cycle: gone.born, cause: gone.cause }),
  }
}

function createdOf(view: View, record: NodeRecord): Facts['created'] {
  const { by } = view.firstVersionOf(record)
  return Object.freeze({ cycle: record.cycle, by, at: createdAtIso(record) })
}

function changedOf(view: View, record: NodeRecord): Facts['changed'] {
  const { by, born } = record
  const before = view.versionAt(record.id, born - 1)
  // The first version is no change; one that sealing made has the maker of the one before.
  if (view.firstVersionOf(record) === record || (before !== undefined && 'by' in before && before.by === by)) {
    return undefined
  }
  return Object.freeze({ cycle: born, by })
}

function placeOf(view: View, record: NodeRecord): ExplainedPlace {
  const line = record.nodeClass === 'root' ? [record] : lineOf(view, record)
  const [region] = line
  const top = region!.nodeType === '^seq' ? line[2] : region!.nodeType === '^ah' ? line[1] : undefined
  return Object.freeze({
    region: region!.nodeType,
    depth: view.depthOf(record),
    zone: top && zoneOfOffset(top.offset),
    parent: record.parentId,
    coordinate: coordinateOf(view, record),
  })
}

function returnOf(view: View, key: string | undefined): Facts['returns'] {
  const schedule = key === undefined ? undefined : view.tree.schedules.get(key)
  if (schedule === undefined) return undefined
  const { cad, firstCycle } = schedule
  const next = firstCycle + (Math.floor((view.cycle - firstCycle) / cad) + 1) * cad
  return Object.freeze({ key: schedule.key, cad, cycle: next })
}

function isPrunable(record: NodeRecord, place: ExplainedPlace, policy: PrunePolicy | undefined): boolean {
  if (policy === undefined || (record.nodeClass !== 'block' && record.nodeClass !== 'cont')) return false
  // What stands in the head now is in the newest segment after the commit.
  return place.region === '^seq' && place.depth! > (policy.protectSegments ?? 1)
}

function inWords(facts: Facts): string[] {
  const { id, created, changed, place, expires, returns, keptBy, supersedes, supersededBy, left } = facts
  const words: string[] = []
  if (created !== undefined) words.push(`${id} ${madeBy(created.by)} in cycle ${created.cycle}, at ${created.at}.`)
  if (supersedes !== undefined) words.push(`It stands in for ${supersedes}, which earlier snapshots still hold.`)
  if (changed !== undefined) words.push(`${sentenceOf(changed.by)} it in cycle ${changed.cycle}.`)
  if (left !== undefined) {
    const instead = supersededBy === undefined ? '' : `; ${supersededBy} stands in its place`
    words.push(`It is in no snapshot from cycle ${left.cycle} on: ${left.cause}${instead}.`)
  }
  const fixed = STRUCTURE.get(facts.nodeType ?? '')
  if (fixed !== undefined) return [...words, fixed]
  if (place !== undefined) words.push(wherePlaced(place))
  if (expires !== undefined) words.push(whenExpired(expires, keptBy))
  else if (facts.isThere) words.push('It has no ttl, so time does not end it.')
  if (keptBy.refs.length > 0) words.push(`${list(keptBy.refs)} ${keptBy.refs.length === 1 ? 'refers' : 'refer'} to it.`)
  if (keptBy.held) words.push('A hold keeps it from expiry and pruning.')
  if (keptBy.pinned) words.push('It is pinned, so no budget takes it.')
  if (facts.prunable) words.push('A budget can prune it.')
  if (returns !== undefined) {
    const every = returns.cad === 1 ? 'every cycle' : `every ${returns.cad} cycles`
    words.push(`Its key "${returns.key}" returns ${every}, next in cycle ${returns.cycle}.`)
  }
  return words
}

/** What is there in every tree, for good. */
const STRUCTURE: ReadonlyMap<string, string> = new Map([
  ['^root', 'It is the root, which holds the three regions.'],
  ['^sys', 'It is the system region, at depth -1.'],
  ['^seq', 'It is the history: the sealed segments, oldest first.'],
  ['^ah', 'It is the active head, at depth 0: the next commit seals what it holds.'],
])

function madeBy(by: Maker): string {
  if (by === 'commit') return 'was made by the commit'
  if (by === 'cadence') return 'came by its cadence'
  if (by === 'import') return 'was imported; it was made'
  if (by === 'createContext') return 'has been there since the context was made,'
  return `was made by ${by}()`
}

function sentenceOf(by: Maker): string {
  if (by === 'demotion') return 'A newer instance of its key demoted'
  return by === 'move' || by === 'system.move' ? `${by}() moved` : `${by}() changed`
}

function wherePlaced({ region, depth, zone, coordinate }: ExplainedPlace): string {
  const part = zone === undefined ? '' : zone === 'core' ? ', in the core' : `, in the ${zone}-context`
  if (region === '^sys') return `It stands in ^sys, at ${coordinate}.`
  if (region === '^ah') return `It stands in the active head${part}, at ${coordinate}; the next commit seals it.`
  return `It stands at depth ${depth}${part}, at ${coordinate}.`
}

function whenExpired({ cycle, ttl }: NonNullable<Facts['expires']>, keptBy: Facts['keptBy']): string {
  const isKept = keptBy.held || keptBy.refs.length > 0
  const end = `its ttl is ${ttl}, and the snapshot of cycle ${cycle} is the first without it`
  return isKept
    ? `Expiry may be put off by what needs it: ${end} otherwise.`
    : `${end[0]!.toUpperCase()}${end.slice(1)}.`
}

function list(ids: readonly string[]): string {
  return ids.length <= FEW ? ids.join(', ') : `${ids.slice(0, FEW).join(', ')} and ${ids.length - FEW} more`
}

/** How many ids a sentence names. */
const FEW = 3
