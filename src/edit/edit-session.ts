// What an edit works with. Everything that can fail is tried before an id is given or the clock is read (D37): an edit
// that may fail half-way is rehearsed with made-up identities, taken back, and then done.

import type { Dialect, Maker, Mint, NodeRecord, Stamp, StampRequest } from '../core/index.js'
import type { Draft } from '../timeline/index.js'

/** What to do with older instances of a key that stand in the way of a new one. */
export type OdiMode = 'demote' | 'reject'

/** Who calls: the system capability sees and writes `^sys`, everybody else the rest (D31). */
export type Caller = 'ordinary' | 'system'

export type EditSession = Readonly<{
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

/** What comes from the mint; `made` gets what it gives. */
export function fromMint(draft: Draft, mint: Mint, made: string[]): Pick<EditSession, 'lastNs' | 'stamp' | 'isMadeUp'> {
  return {
    isMadeUp: () => false,
    lastNs: () => mint.counters.lastNs,
    stamp: (requests) => {
      const stamps = mint.stamp(requests, (id) => draft.holds(id))
      for (const { id } of stamps) made.push(id)
      return stamps
    },
  }
}

/** The same session with made-up identities, what was asked of it, and the ids it gave, in order. */
export function madeUp(
  session: EditSession,
): Readonly<{ trial: EditSession; requests: readonly StampRequest[]; given: readonly string[] }> {
  const { draft } = session
  const lastNs = session.lastNs()
  const requests: StampRequest[] = []
  const given: string[] = []
  const ids = new Set<string>()
  const stampFor = (request: StampRequest): Stamp => {
    const n = requests.push(request)
    const { createdAtNs, creationIndex } = request.age ?? { createdAtNs: lastNs + BigInt(n), creationIndex: n }
    const id = draft.makeUpId()
    ids.add(id)
    given.push(id)
    return { id, createdAtNs, creationIndex, cycle: draft.cycle }
  }
  const trial = { ...session, stamp: (wanted: readonly StampRequest[]) => wanted.map(stampFor) }
  return { trial: { ...trial, isMadeUp: ({ id }) => ids.has(id) }, requests, given }
}

/** Makes a change that can fail: first with made-up identities, then, if that went through, with real ones. */
export function rehearsed<T>(session: EditSession, change: (session: EditSession) => T): T {
  const { draft } = session
  const { trial, requests } = madeUp(session)
  const tried = change(trial)
  if (requests.length === 0) return tried
  draft.rewind()
  const stamps = session.stamp(requests)
  let given = 0
  return change({ ...session, stamp: (wanted) => stamps.slice(given, (given += wanted.length)) })
}

/** A node in a sentence: one that is not there yet has no id to tell. */
export function nameOf(session: EditSession, record: NodeRecord): string {
  if (!session.isMadeUp(record)) return record.id
  return record.nodeClass === 'core' ? 'the core' : record.nodeClass === 'seg' ? 'the new segment' : 'the new node'
}

/** The same for the details of an error. */
export function idsOf(
  session: EditSession,
  nodes: Readonly<Record<string, NodeRecord>>,
): Readonly<Record<string, string>> {
  const known = Object.entries(nodes).filter(([, record]) => !session.isMadeUp(record))
  return Object.fromEntries(known.map(([name, { id }]) => [name, id]))
}
