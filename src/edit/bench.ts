// What an edit works with. Everything that can fail is tried before an id is given or the clock is read (D37): an edit
// that may fail half-way is rehearsed with made-up identities, taken back, and then done.

import type { Dialect, Maker, Mint, NodeRecord, Stamp, StampRequest } from '../core/index.js'
import type { Draft } from '../timeline/index.js'

/** What to do with older instances of a key that stand in the way of a new one (D29). */
export type OdiMode = 'demote' | 'reject'

/** Who calls: the system capability sees and writes `^sys`, everybody else the rest (D31). */
export type Caller = 'ordinary' | 'system'

export type Bench = Readonly<{
  draft: Draft
  dialect: Dialect
  odi: OdiMode
  /** The call that this is. */
  by: Maker
  /** The time up to which everything in the tree was made. */
  lastNs: () => bigint
  /** Gives identities, in order. */
  stamp: (requests: readonly StampRequest[]) => readonly Stamp[]
  /** Whether a node has only the identity of a rehearsal. */
  isMadeUp: (record: NodeRecord) => boolean
  /** Nodes of the last snapshot that had this key there, or any, in any order; down to a depth, if one is given. */
  committedWith: (key: string | undefined, deepest?: number) => readonly NodeRecord[]
}>

/** What comes from the mint. */
export function fromMint(draft: Draft, mint: Mint): Pick<Bench, 'lastNs' | 'stamp' | 'isMadeUp'> {
  return {
    isMadeUp: () => false,
    lastNs: () => mint.counters.lastNs,
    stamp: (requests) => mint.stamp(requests, (id) => draft.holds(id)),
  }
}

/** The same bench with made-up identities, what was asked of it, and the ids it gave, in order. */
export function madeUp(
  bench: Bench,
): Readonly<{ trial: Bench; requests: readonly StampRequest[]; given: readonly string[] }> {
  const { draft } = bench
  const lastNs = bench.lastNs()
  const requests: StampRequest[] = []
  const given: string[] = []
  const ids = new Set<string>()
  const stampFor = (request: StampRequest): Stamp => {
    const n = requests.push(request)
    const { createdAtNs, creationIndex } = request.age ?? { createdAtNs: lastNs + BigInt(n), creationIndex: n }
    const id = freeId(draft, n)
    ids.add(id)
    given.push(id)
    return { id, createdAtNs, creationIndex, cycle: draft.cycle }
  }
  const trial = { ...bench, stamp: (wanted: readonly StampRequest[]) => wanted.map(stampFor) }
  return { trial: { ...trial, isMadeUp: ({ id }) => ids.has(id) }, requests, given }
}

/** Makes a change that can fail: first with made-up identities, then, if that went through, with real ones. */
export function rehearsed<T>(bench: Bench, change: (bench: Bench) => T): T {
  const { draft } = bench
  const { trial, requests } = madeUp(bench)
  const tried = change(trial)
  if (requests.length === 0) return tried
  draft.rewind()
  const stamps = bench.stamp(requests)
  let given = 0
  return change({ ...bench, stamp: (wanted) => stamps.slice(given, (given += wanted.length)) })
}

function freeId(draft: Draft, n: number): string {
  let id = `new:${n}`
  while (draft.holds(id)) id = `new:${id}`
  return id
}

/** A node in a sentence: one that is not there yet has no id to tell. */
export function nameOf(bench: Bench, record: NodeRecord): string {
  if (!bench.isMadeUp(record)) return record.id
  return record.nodeClass === 'core' ? 'the core' : record.nodeClass === 'seg' ? 'the new segment' : 'the new node'
}

/** The same for the details of an error. */
export function idsOf(bench: Bench, nodes: Readonly<Record<string, NodeRecord>>): Readonly<Record<string, string>> {
  const known = Object.entries(nodes).filter(([, record]) => !bench.isMadeUp(record))
  return Object.fromEntries(known.map(([name, { id }]) => [name, id]))
}
