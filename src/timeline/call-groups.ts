// Groups of nodes that belong together (D27, D48): a tool call, its results, and the reasoning directly before it. A provider refuses
// a thread that has one without the other, so pruning takes all of a group or none of it.

import { compareForPruning, type NodeRecord, type PruningKey } from '../core/index.js'
import type { Draft } from './draft.js'
import { sortByPlace } from './document-order.js'
import { childrenOf, recordOf } from './sequence.js'

export type CallGroup = Readonly<{ members: readonly NodeRecord[]; key: PruningKey }>

/** Whatever tells who refers to whom and who carries a call id: a draft, or a view of a snapshot. */
export type Tied = Pick<Draft, 'find' | 'nodeOf' | 'meant' | 'referrersOf' | 'carriersOf'>

/** The groups of one tree. Pruning takes groups whole, so they stay the same while it goes on. */
export class CallGroups {
  readonly #tree: Tied
  readonly #ofNode = new Map<string, CallGroup>()
  readonly #ofCall = new Map<string, ReadonlyMap<string, readonly NodeRecord[]>>()
  /** Adjacent reasoning nodes by the id of each, with the call after them, if there is one. */
  readonly #runs = new Map<string, readonly NodeRecord[]>()

  constructor(tree: Tied) {
    this.#tree = tree
  }

  /** The group of a node, of which it may be the only member. */
  of(record: NodeRecord): CallGroup {
    const known = this.#ofNode.get(record.id)
    if (known !== undefined) return known
    const members = new Map([[record.id, record]])
    const joined = new Set<readonly NodeRecord[]>()
    // A map is walked in the order of insertion, so members added on the way get their turn.
    for (const member of members.values()) {
      for (const ties of this.#tiesOf(member)) {
        if (joined.has(ties)) continue
        joined.add(ties)
        for (const tied of ties) members.set(tied.id, tied)
      }
    }
    const group = { members: [...members.values()], key: keyOf([...members.values()]) }
    for (const id of members.keys()) this.#ofNode.set(id, group)
    return group
  }

  /** Drops the group of a node whose neighbours have changed. */
  forget(record: NodeRecord): void {
    const members = this.#ofNode.get(record.id)?.members ?? NONE
    for (const { id } of [...members, ...(this.#runs.get(record.id) ?? NONE)]) {
      this.#ofNode.delete(id)
      this.#runs.delete(id)
    }
  }

  /** The lists of nodes that this one is tied to; members of one group share the list of a call id. */
  *#tiesOf(record: NodeRecord): Generator<readonly NodeRecord[], void, undefined> {
    for (const callId of record.callIds) yield this.#sharing(callId).get(record.id) ?? []
    if (record.kind === 'result') yield record.refs.flatMap((id) => this.#callMeantBy(id) ?? [])
    if (record.kind === 'call' || record.isMarker) {
      yield [...this.#tree.referrersOf(record)].filter(({ kind, refs }) => {
        return kind === 'result' && refs.some((id) => this.#callMeantBy(id) === record)
      })
    }
    const thought = record.kind === 'reasoning' ? record : isCall(record) ? this.#siblingOf(record, -1) : undefined
    if (thought?.kind !== 'reasoning') return
    const run = this.#runOf(thought)
    if (isCall(run.at(-1)!)) yield run
  }

  /** The run of adjacent reasoning nodes around this one, and the call that it leads to (D48). */
  #runOf(reasoning: NodeRecord): readonly NodeRecord[] {
    const known = this.#runs.get(reasoning.id)
    if (known !== undefined) return known
    const run = [reasoning]
    for (let up = this.#siblingOf(reasoning, -1); up?.kind === 'reasoning'; up = this.#siblingOf(up, -1)) run.push(up)
    run.reverse()
    let next = this.#siblingOf(reasoning, 1)
    for (; next?.kind === 'reasoning'; next = this.#siblingOf(next, 1)) run.push(next)
    for (const { id } of run) this.#runs.set(id, run)
    if (next !== undefined && isCall(next)) run.push(next)
    return run
  }

  #siblingOf(record: NodeRecord, step: 1 | -1): NodeRecord | undefined {
    if (record.nodeClass === 'root' || record.nodeClass === 'region') return undefined
    const children = childrenOf(this.#tree.nodeOf(this.#tree.find(record.parentId!)!))
    const sibling = children.at(children.rank(record) + step)
    return sibling && recordOf(sibling)
  }

  /** The call that a reference means; a marker in its place has no kind any more. */
  #callMeantBy(id: string): NodeRecord | undefined {
    const call = this.#tree.meant(id)
    return call !== undefined && (call.kind === 'call' || (call.isMarker && call.id !== id)) ? call : undefined
  }

  /** The nodes that carry a call id in document order, split at each call: an id may recur. */
  #sharing(callId: string): ReadonlyMap<string, readonly NodeRecord[]> {
    const known = this.#ofCall.get(callId)
    if (known !== undefined) return known
    const sharing = new Map<string, NodeRecord[]>()
    let current: NodeRecord[] = []
    for (const carrier of sortByPlace(this.#tree, [...this.#tree.carriersOf(callId)])) {
      if (isCall(carrier)) current = []
      current.push(carrier)
      sharing.set(carrier.id, current)
    }
    this.#ofCall.set(callId, sharing)
    return sharing
  }
}

const NONE: readonly NodeRecord[] = []

/** A call, or the marker in its place: that has no kind any more, but the call id and the role of the one who called. */
function isCall({ kind, isMarker, role, callIds }: NodeRecord): boolean {
  return kind === 'call' || (isMarker && role === 'assistant' && callIds.length > 0)
}

/** A group sorts by its highest priority and its oldest member. */
function keyOf(members: readonly NodeRecord[]): PruningKey {
  const priority = members.reduce((highest, member) => Math.max(highest, member.priority), -Infinity)
  const keys = members.map(({ createdAtNs, id }) => ({ priority, createdAtNs, id }))
  return keys.reduce((first, key) => (compareForPruning(key, first) < 0 ? key : first))
}
