// An index of names: the nodes that refer to an id, carry a call id, or stand in for an id (D41). Entries are hints: lists only grow, and every
// reader checks each node in its tree, so one index serves every snapshot and fork.

import type { NodeRecord } from '../core/index.js'

/** The lookups of an index. */
export type LinkHints = Pick<Links, 'referrersOf' | 'carriersOf' | 'standInsOf'>

export class Links {
  // Created on demand: most cycles have none of them.
  #referrers: Map<string, string[]> | undefined
  #carriers: Map<string, string[]> | undefined
  #standIns: Map<string, string[]> | undefined

  add(record: NodeRecord): void {
    if (record.rare === undefined) return
    for (const target of record.refs) push((this.#referrers ??= new Map()), target, record.id)
    for (const callId of record.callIds) push((this.#carriers ??= new Map()), callId, record.id)
    const { supersedes, standsFor } = record.rare
    if (supersedes !== undefined) push((this.#standIns ??= new Map()), supersedes, record.id)
    for (const earlier of standsFor ?? NONE) push((this.#standIns ??= new Map()), earlier, record.id)
  }

  /** Adds the entries of later versions. */
  addAll(later: Links): void {
    if (later.#referrers !== undefined) pushAll((this.#referrers ??= new Map()), later.#referrers)
    if (later.#carriers !== undefined) pushAll((this.#carriers ??= new Map()), later.#carriers)
    if (later.#standIns !== undefined) pushAll((this.#standIns ??= new Map()), later.#standIns)
  }

  /** Ids of nodes whose refs named this id in some version. */
  referrersOf(id: string): readonly string[] {
    return this.#referrers?.get(id) ?? NONE
  }

  /** Ids of nodes that carried this call id in some version. */
  carriersOf(callId: string): readonly string[] {
    return this.#carriers?.get(callId) ?? NONE
  }

  /** Ids of nodes that stood in for this id, or for any, in some version. */
  standInsOf(id: string | undefined): readonly string[] {
    if (this.#standIns === undefined) return NONE
    return id === undefined ? [...this.#standIns.values()].flat() : (this.#standIns.get(id) ?? NONE)
  }
}

const NONE: readonly string[] = []

function push(lists: Map<string, string[]>, name: string, id: string): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [id])
  else if (list.at(-1) !== id) list.push(id)
}

function pushAll(lists: Map<string, string[]>, later: ReadonlyMap<string, readonly string[]>): void {
  for (const [name, ids] of later) for (const id of ids) push(lists, name, id)
}
