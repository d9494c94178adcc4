// The life of one node: the runs of cycles whose snapshots hold it, and its events. Nothing is searched: the versions of an id say since
// when each of them holds, so walking them from the newest back gives almost everything. A node also moves, or is sealed, with the
// container around it, without a version of its own; so the versions of its ancestors are walked too, each for the cycles in which it was
// one.

import { PactError, short } from '../errors/index.js'
import type { Cause, NodeRecord } from '../core/index.js'
import { canonicalJson, fieldsOf } from '../codec/index.js'
import { ruleFor } from './place.js'
import { Gone, View, type Draft, type Version } from '../timeline/index.js'

export type Life = Readonly<{
  /** The cycles whose snapshots hold it, from the oldest run to the newest; both bounds are included. */
  runs: readonly Readonly<{ from: number; to: number }>[]
  /** The events, oldest first, including those of the open cycle. */
  events: readonly LifeEvent[]
}>

export type LifeEvent = Readonly<{
  cycle: number
  what:
    | Exclude<Cause, 'aged'>
    /** It came with a file. */
    | 'imported'
    /** An edit took it out, and no marker replaces it. */
    | 'dropped'
  /** The call that did it; for a pruned node the limit, for a superseded or compacted node the id of its successor. */
  by?: string
}>

/** The life of an id up to the open cycle. `mayRecur` is true if a free id may be given again. */
export function lifeOf(id: string, draft: Draft, mayRecur: boolean): Life {
  const { timeline } = draft
  const versions = new Versions(draft)
  if (mayRecur) timeline.needAll('An id may have been given before, and what came first is')
  const own = [...versions.backFrom(id, draft.cycle)].toReversed()
  if (own.length === 0) {
    View.ofWorking(draft).checkWhole(id, 'the working state')
    const message = `There is no node ${short(id)} in the working state, and no snapshot holds one.`
    throw new PactError('E_NODE_NOT_FOUND', message, { id })
  }
  const [first] = own as [Version, ...Version[]]
  // Its ancestors may have moved in any cycle since.
  timeline.need(first.born)
  // A node that came back may have been there before; a removal up to the oldest snapshot is not reported.
  const isBack = !(first instanceof Gone) && !first.isFirst
  if (isBack && first.cycle < versions.oldest) timeline.needAll(`${short(id)} came back, and its life before is`)
  const stays = staysOf(own, draft)
  const events = stays.flatMap((stay) => [...eventsOf(stay, versions)].map((event) => Object.freeze(event)))
  return Object.freeze({ runs: Object.freeze(runsOf(stays, draft)), events: Object.freeze(events) })
}

/** One stay of a node in the tree: its versions, oldest first, and how it ended, if it has. */
type Stay = Readonly<{ versions: readonly NodeRecord[]; last: number; end: Gone | undefined }>

/** An id that was free may have been given again, to another node: that is another stay. */
function staysOf(own: readonly Version[], draft: Draft): Stay[] {
  const stays: Stay[] = []
  let versions: NodeRecord[] = []
  for (const version of own) {
    if (!(version instanceof Gone)) versions.push(version)
    else {
      stays.push({ versions, last: version.born - 1, end: version })
      versions = []
    }
  }
  if (versions.length > 0) stays.push({ versions, last: draft.cycle, end: undefined })
  return stays
}

/** Stays cut to the snapshots there are. */
function runsOf(stays: readonly Stay[], { timeline }: Draft): Life['runs'][number][] {
  const { oldest = 1, newest = 0, thinned } = timeline
  return stays
    .map(({ versions, last }) => ({
      from: thinned.next(Math.max(versions[0]!.born, oldest)),
      to: thinned.previous(Math.min(last, newest)),
    }))
    .filter(({ from, to }) => from <= to)
    .map((run) => Object.freeze(run))
}

function* eventsOf({ versions, last, end }: Stay, all: Versions): Generator<LifeEvent, void, undefined> {
  const first = versions[0]!
  const moves = new Map<number, LifeEvent>()
  addMoves(moves, all, first.id, first.born, last)
  const edits = new Map<number, LifeEvent>()
  for (const [i, version] of versions.entries()) {
    if (i > 0 && isEdited(versions[i - 1]!, version)) edits.set(version.born, editOf(version))
  }
  for (const cycle of [...new Set([first.born, ...moves.keys(), ...edits.keys()])].sort((a, b) => a - b)) {
    if (cycle < all.oldest) continue
    if (cycle === first.born && all.isArrival(first)) yield arrivalOf(first)
    const own = [moves.get(cycle), edits.get(cycle)]
    for (const event of own) if (event !== undefined && event.what !== 'sealed') yield event
    if (all.isSealing(first.id, cycle)) yield { cycle, what: 'sealed' }
  }
  if (end !== undefined) yield departureOf(end, all)
}

function arrivalOf({ born: cycle, by }: NodeRecord): LifeEvent {
  if (by === 'cadence') return { cycle, what: 'cadence' }
  // It was made before, and came back in place of its summary.
  if (by === 'expand') return { cycle, what: 'expanded' }
  return by === 'import' ? { cycle, what: 'imported' } : { cycle, what: 'created', by }
}

function departureOf({ id, born: cycle, cause, successor }: Gone, all: Versions): LifeEvent {
  // The nodes that it stood for came back; theirs is the event `expanded`.
  if (cause === 'expanded') return { cycle, what: 'dropped', by: 'expand' }
  const what = cause === 'edited' || cause === 'aged' ? 'dropped' : cause
  const by = cause === 'pruned' ? all.ruleFor(id, cycle) : successor
  return by === undefined ? { cycle, what } : { cycle, what, by }
}

/** True if anything except its place changed; a ttl that only ran is no edit (D24). */
function isEdited(before: NodeRecord, after: NodeRecord): boolean {
  return versionText(before, after.born) !== versionText(after, after.born)
}

function versionText(record: NodeRecord, cycle: number): string {
  const ttl = record.ttl === null ? null : Math.max(0, record.expiry - cycle)
  return canonicalJson(
    Object.fromEntries(fieldsOf(record, ttl).filter(([name]) => name !== 'offset' && !name.startsWith('pact:'))),
  )
}

function editOf({ born: cycle, by }: NodeRecord): LifeEvent {
  // A version knows the last call that touched it, which may have moved it after another one had changed it.
  return isMove(by) || by === 'demotion' ? { cycle, what: 'edited' } : { cycle, what: 'edited', by }
}

function isMove(by: string): boolean {
  return by === 'move' || by === 'system.move'
}

/** Adds the moves of a node after `from`, by itself or with an ancestor; its own moves come first. */
function addMoves(moves: Map<number, LifeEvent>, all: Versions, id: string, from: number, to: number): void {
  let last = to
  for (const version of all.backFrom(id, to)) {
    if (version instanceof Gone) return
    const before = version.born > from ? all.at(id, version.born - 1) : undefined
    const isSame = before !== undefined && !(before instanceof Gone)
    const move = isSame ? moveOf(before, version, all) : undefined
    if (move !== undefined && !moves.has(version.born)) moves.set(version.born, move)
    const { parentId } = version
    // In the cycle of this version the parent counts only if it was the parent before.
    const since = isSame && before.parentId === parentId ? version.born - 1 : Math.max(version.born, from)
    if (parentId !== undefined) addMoves(moves, all, parentId, since, last)
    if (version.born <= from) return
    last = version.born - 1
  }
}

function moveOf(
  before: NodeRecord,
  { id, parentId, offset, born: cycle, by }: NodeRecord,
  all: Versions,
): LifeEvent | undefined {
  const isElsewhere = before.parentId !== parentId
  if (!isElsewhere && before.offset === offset) return undefined
  // A node that moves with its container keeps the maker of its version before, so the maker is compared last.
  const parent = isElsewhere ? all.at(parentId!, cycle) : undefined
  if (parent !== undefined && !(parent instanceof Gone) && parent.rare?.supersedes === before.parentId) {
    return { cycle, what: 'moved', by: parent.by }
  }
  // A commit may only seal the head of a snapshot: an empty core, or nodes that an import left there.
  const isOnlySealed = before.offset === offset && all.isInHead(id, cycle - 1) && all.isSealing(id, cycle)
  if (isOnlySealed) return { cycle, what: 'sealed' }
  if (by === 'demotion') return { cycle, what: 'demoted' }
  return isMove(by) ? { cycle, what: 'moved', by } : { cycle, what: 'moved' }
}

/** The parents of an id at the end of any cycle, the open one included. */
class Versions {
  readonly #draft: Draft

  constructor(draft: Draft) {
    this.#draft = draft
  }

  at(id: string, cycle: number): Version | undefined {
    const { timeline, cycle: open } = this.#draft
    const current = cycle >= open ? this.#draft.versionOf(id) : undefined
    return current ?? timeline.versionAt(id, Math.min(cycle, open - 1))
  }

  /** The oldest known cycle (D56). */
  get oldest(): number {
    return this.#draft.timeline.oldest ?? 0
  }

  /** True if the oldest known version of a node is its first. */
  isArrival(record: NodeRecord): boolean {
    return record.isFirst || this.#draft.timeline.knowsBefore(record.born)
  }

  /** The versions of an id, newest first. */
  *backFrom(id: string, cycle: number): Generator<Version, void, undefined> {
    for (let version = this.at(id, cycle); version !== undefined; version = this.#before(version)) yield version
  }

  /** A first version has none before it; that is asked only where ids are given once. */
  #before(version: Version): Version | undefined {
    const { timeline } = this.#draft
    const cycle = version.born - 1
    if (timeline.lacks(cycle) && !(version instanceof Gone) && timeline.isSurelyFirst(version)) return undefined
    return this.at(version.id, cycle)
  }

  /** True if the commit of this cycle sealed a head with this node in it. */
  isSealing(id: string, cycle: number): boolean {
    const segment = this.#above(id, cycle, 'seg')
    return segment !== undefined && segment.id !== id && segment.born === cycle && segment.by === 'commit'
  }

  isInHead(id: string, cycle: number): boolean {
    return this.#above(id, cycle, 'region')?.nodeType === '^ah'
  }

  /** The limit that took a node at the commit of this cycle. */
  ruleFor(id: string, cycle: number): string | undefined {
    return ruleFor(id, cycle, this.#draft.timeline)
  }

  #above(id: string, cycle: number, nodeClass: 'seg' | 'region'): NodeRecord | undefined {
    let version = this.at(id, cycle)
    while (version !== undefined && !(version instanceof Gone) && version.nodeClass !== nodeClass) {
      version = version.parentId === undefined ? undefined : this.at(version.parentId, cycle)
    }
    return version instanceof Gone ? undefined : version
  }
}
