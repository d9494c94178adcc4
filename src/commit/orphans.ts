// Tool calls without a result, and results without their call, in the snapshot that a commit has made: a provider refuses a
// thread with half of such a pair. What belongs together is what D27 says: nodes that share a call id, split where the id
// recurs, and a result with the call that its refs name.
//
// Only what the commit changed is looked at, never the tree: for every node that came, changed or left, the nodes that
// carry one of its call ids or that its refs tie it to. One thing changes without a trace: once a newer segment is sealed,
// the conversation has gone on after the calls of the one before it, which may have waited for their results until then.
// So that segment is walked once, and no other. (What moves only with the container around it is not looked at.)

import type { Cause, NodeRecord } from '../core/index.js'
import { eachRecord, Gone, recordOf, sortByPlace, View, type Timeline, type TreeNode } from '../timeline/index.js'

export type Orphan = Readonly<{
  kind: 'orphan-call' | 'orphan-result'
  /** The call id that ties it to the other half; undefined if only refs do. */
  callId: string | undefined
  /** The nodes without their other half. */
  ids: readonly string[]
  /** The nodes that they lost in this commit, with the cause; empty if the other half never existed. */
  lost: readonly Readonly<{ id: string; cause: Cause }>[]
}>

/** Finds the orphans that the commit of a cycle has left. */
export function orphansAt(timeline: Timeline, cycle: number): readonly Orphan[] {
  // Made when first needed: most commits tie nothing and take nothing.
  let orphans: Orphans | undefined
  const look = (record: NodeRecord): void => {
    if (isTied(record)) (orphans ??= new Orphans(timeline, cycle)).look(record)
  }
  for (const version of timeline.changesAt(cycle)) {
    if (!(version instanceof Gone)) look(version)
    else (orphans ??= new Orphans(timeline, cycle)).lookAfter(version)
  }
  const closed = closedTurn(timeline, cycle)
  if (closed !== undefined) eachRecord(closed, look)
  return orphans?.judge() ?? NO_ORPHANS
}

const NO_ORPHANS: readonly Orphan[] = []

/** The newest segment before those that the commit has made, if it has made any. */
function closedTurn(timeline: Timeline, cycle: number): TreeNode | undefined {
  const { children } = timeline.treeAt(cycle)!.regions[1]
  for (let i = children.size - 1; i >= 0; i--) {
    const segment = children.at(i)!
    const isNew = timeline.find(recordOf(segment).id, cycle - 1) === undefined
    if (!isNew) return i < children.size - 1 ? segment : undefined
  }
  return undefined
}

/** True if a node can be half of a pair. */
function isTied({ kind, callIds }: NodeRecord): boolean {
  return kind === 'result' || callIds.length > 0
}

/** A node that has left in this commit. */
type Lost = Readonly<{ record: NodeRecord; cause: Cause }>

class Orphans {
  readonly #timeline: Timeline
  readonly #view: View
  /** The call ids to judge, each with the nodes that carried it and have left. */
  readonly #callIds = new Map<string, Lost[]>()
  /** Calls and results without a call id, which only refs tie together, with the nodes that they have lost. */
  readonly #byRefs = new Map<NodeRecord, Lost[]>()

  constructor(timeline: Timeline, cycle: number) {
    this.#timeline = timeline
    this.#view = View.ofSnapshot(timeline, cycle)
  }

  /** Notes a live node; a call that only refs can tie to a result may never have had one. */
  look(record: NodeRecord): void {
    for (const callId of record.callIds) this.#lostFrom(callId)
    if (record.kind === 'result' && record.callIds.length === 0) this.#note(record)
  }

  /** Takes note of a node that has left, for those it was tied to. */
  lookAfter({ id, cause }: Gone): void {
    const record = this.#timeline.find(id, this.#view.cycle - 1)
    if (record === undefined) return
    const lost = { record, cause }
    for (const callId of record.callIds) this.#lostFrom(callId).push(lost)
    if (record.kind === 'call') {
      for (const name of record.names) for (const result of this.#resultsNaming(name)) this.#note(result, lost)
    }
    if (!isResult(record)) return
    for (const ref of record.refs) {
      const call = this.#callMeantBy(ref)
      if (call !== undefined) this.#note(call, lost)
    }
  }

  judge(): readonly Orphan[] {
    const orphans: Orphan[] = []
    for (const [callId, lost] of this.#callIds) orphans.push(...this.#judgeCallId(callId, lost))
    for (const [record, lost] of this.#byRefs) {
      const isCall = record.kind === 'call'
      if (isCall ? !this.#isAnswered(record) : this.#hasLostCall(record)) {
        const isOther = ({ record: other }: Lost): boolean => (isCall ? isResult(other) : other.kind === 'call')
        orphans.push(orphan(isCall ? 'orphan-call' : 'orphan-result', undefined, [record], lost.filter(isOther)))
      }
    }
    return orphans
  }

  #lostFrom(callId: string): Lost[] {
    let lost = this.#callIds.get(callId)
    if (lost === undefined) this.#callIds.set(callId, (lost = []))
    return lost
  }

  #note(record: NodeRecord, lost?: Lost): void {
    // A node with a call id is judged together with all nodes that share it.
    for (const callId of record.callIds) if (lost !== undefined) this.#lostFrom(callId).push(lost)
    if (record.callIds.length > 0) return
    const known = this.#byRefs.get(record) ?? []
    if (lost !== undefined) known.push(lost)
    this.#byRefs.set(record, known)
  }

  #judgeCallId(callId: string, lost: readonly Lost[]): readonly Orphan[] {
    const { carriers, areAll } = this.#carriersOf(callId)
    const orphans: Orphan[] = []
    const judge = (call: NodeRecord | undefined, results: readonly NodeRecord[]): void => {
      if (call === undefined) {
        const alone = results.filter((result) => !result.refs.some((id) => this.#callMeantBy(id) !== undefined))
        const calls = lost.filter(({ record }) => record.kind === 'call')
        if (alone.length > 0 && areAll) orphans.push(orphan('orphan-result', callId, alone, calls))
      } else if (results.length === 0 && !this.#isAnswered(call)) {
        const answers = lost.filter(({ record }) => this.#hasAnswered(record, call, callId))
        if (answers.length > 0 || !this.#isPending(call)) orphans.push(orphan('orphan-call', callId, [call], answers))
      }
    }
    let call: NodeRecord | undefined
    let results: NodeRecord[] = []
    for (const carrier of carriers) {
      if (carrier.kind === 'call') {
        judge(call, results)
        call = carrier
        results = []
      } else if (isResult(carrier)) results.push(carrier)
    }
    judge(call, results)
    return orphans
  }

  /** The nodes that carry a call id, in document order; of an id that recurs without end the newest, so that it costs no more. */
  #carriersOf(callId: string): Readonly<{ carriers: readonly NodeRecord[]; areAll: boolean }> {
    const found = new Map<string, NodeRecord>()
    let asked = 0
    for (const id of this.#timeline.newestCarriersOf(callId)) {
      if (asked++ === MOST_CARRIERS) break
      const record = this.#view.find(id)
      if (record?.callIds.includes(callId) === true) found.set(id, record)
    }
    return { carriers: sortByPlace(this.#view, [...found.values()]), areAll: asked <= MOST_CARRIERS }
  }

  /** True if a result may still come: as long as nothing newer has been sealed. */
  #isPending(call: NodeRecord): boolean {
    const depth = this.#view.depthOf(call)
    return depth === 0 || depth === 1
  }

  /** True if a departed node was a result of this call; if the id recurs, an older result belongs to an older call. */
  #hasAnswered(lost: NodeRecord, call: NodeRecord, callId: string): boolean {
    if (!isResult(lost) || lost.createdAtNs < call.createdAtNs) return false
    return lost.callIds.includes(callId) || lost.refs.some((id) => this.#callMeantBy(id) === call)
  }

  /** True if the refs of a result mean a call. */
  #isAnswered(call: NodeRecord): boolean {
    for (const { kind } of this.#view.referrersOf(call)) if (kind === 'result') return true
    return false
  }

  *#resultsNaming(id: string): Generator<NodeRecord, void, undefined> {
    for (const referrerId of this.#timeline.referrersOf(id)) {
      const referrer = this.#view.find(referrerId)
      if (referrer?.kind === 'result' && referrer.refersTo(id)) yield referrer
    }
  }

  /** True if the refs of a result name a departed call, and no live one. */
  #hasLostCall({ refs }: NodeRecord): boolean {
    if (refs.some((id) => this.#callMeantBy(id) !== undefined)) return false
    return refs.some((id) => this.#lastOf(id)?.kind === 'call')
  }

  /** The call that a reference means (D41); a deletion marker in its place is no call. */
  #callMeantBy(id: string): NodeRecord | undefined {
    const call = this.#view.meant(id)
    return call?.kind === 'call' ? call : undefined
  }

  /** The last version of a node that has left. */
  #lastOf(id: string): NodeRecord | undefined {
    const gone = this.#view.departureOf(id)
    return gone === undefined ? undefined : this.#timeline.find(id, gone.born - 1)
  }
}

/** The number of carriers of one call id to look at. */
const MOST_CARRIERS = 64

/** A node that answers a call. A deletion marker has no kind either, and is left out of the thread (D30). */
function isResult(record: NodeRecord): boolean {
  const { kind, role, callIds } = record
  return kind === 'result' || (kind === undefined && role === 'tool' && callIds.length > 0 && !record.isMarker)
}

function orphan(
  kind: Orphan['kind'],
  callId: string | undefined,
  records: readonly NodeRecord[],
  lost: readonly Lost[],
): Orphan {
  return {
    kind,
    callId,
    ids: records.map(({ id }) => id),
    lost: lost.map(({ record, cause }) => ({ id: record.id, cause })),
  }
}
