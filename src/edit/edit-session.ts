// The working environment of an edit. Everything that can fail is tried before an id is given or the clock is read (D37): an edit that may
// fail half-way is rehearsed with made-up identities, taken back, and then done.

import type { Dialect, Maker, Mint, NodeRecord, Stamp, StampRequest } from '../core/index.js'
import { View, type Draft } from '../timeline/index.js'

/** The treatment of older instances of a key that are in the way of a new one. */
export type OdiMode = 'demote' | 'reject'

/** The caller: the system capability sees and writes `^sys`, every other caller the rest (D31). */
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
  /** True if a node has only the identity of a rehearsal. */
  isMadeUp: (record: NodeRecord) => boolean
  /** Nodes of the last snapshot that had this key there, or any, in any order; down to a depth, if one is given. */
  committedWith: (key: string | undefined, deepest?: number) => readonly NodeRecord[]
}>

export type SessionStart = Readonly<{
  draft: Draft
  mint: Mint
  dialect: Dialect
  odi: OdiMode
  by: Maker
  /** All nodes of a view with this key, or with any; down to a depth if one is given. */
  instancesOf: (view: View, key: string | undefined, deepest: number | undefined) => readonly NodeRecord[]
}>

/** A session whose identities come from the mint. It is a class, since every call makes one: closures would cost more than the edit. */
export class MintSession implements EditSession {
  readonly draft: Draft
  readonly dialect: Dialect
  readonly odi: OdiMode
  readonly by: Maker
  readonly #mint: Mint
  #stamps: readonly Stamp[] | undefined
  readonly #instancesOf: SessionStart['instancesOf']

  constructor({ draft, mint, dialect, odi, by, instancesOf }: SessionStart) {
    this.draft = draft
    this.dialect = dialect
    this.odi = odi
    this.by = by
    this.#mint = mint
    this.#instancesOf = instancesOf
  }

  /** The ids that were given out so far, in order. */
  get made(): readonly string[] {
    return this.stamps.map(({ id }) => id)
  }

  /** The identities that were given out so far, in order. */
  get stamps(): readonly Stamp[] {
    return this.#stamps ?? NONE
  }

  isMadeUp(): boolean {
    return false
  }

  lastNs(): bigint {
    return this.#mint.counters.lastNs
  }

  stamp(requests: readonly StampRequest[]): readonly Stamp[] {
    const stamps = this.#mint.stamp(requests, this.draft)
    // Nearly every edit asks once.
    this.#stamps = this.#stamps === undefined ? stamps : [...this.#stamps, ...stamps]
    return stamps
  }

  committedWith(key: string | undefined, deepest?: number): readonly NodeRecord[] {
    const { draft } = this
    if (draft.before === undefined) return []
    return this.#instancesOf(View.ofSnapshot(draft.timeline, draft.cycle - 1), key, deepest)
  }
}

const NONE: readonly Stamp[] = []

/** A copy of a session with changed fields. Its methods are on the prototype, which a spread would lose. */
export function sessionWith(session: EditSession, other: Partial<EditSession>): EditSession {
  const { draft, dialect, odi, by } = session
  return {
    draft,
    dialect,
    odi,
    by,
    lastNs: () => session.lastNs(),
    stamp: (requests) => session.stamp(requests),
    isMadeUp: (record) => session.isMadeUp(record),
    committedWith: (key, deepest) => session.committedWith(key, deepest),
    ...other,
  }
}

/** A copy of the session with made-up identities; with the requests that it got and the ids that it gave, in order. */
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
  const trial = sessionWith(session, {
    stamp: (wanted) => wanted.map(stampFor),
    isMadeUp: ({ id }) => ids.has(id),
  })
  return { trial, requests, given }
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
  return change(sessionWith(session, { stamp: (wanted) => stamps.slice(given, (given += wanted.length)) }))
}

/** A node in a sentence: a node of a rehearsal has no id to show. */
export function nameOf(session: EditSession, record: NodeRecord): string {
  if (!session.isMadeUp(record)) return record.id
  return record.nodeClass === 'core' ? 'the core' : record.nodeClass === 'seg' ? 'the new segment' : 'the new node'
}

/** A node in the details of an error. */
export function idsOf(
  session: EditSession,
  nodes: Readonly<Record<string, NodeRecord>>,
): Readonly<Record<string, string>> {
  const known = Object.entries(nodes).filter(([, record]) => !session.isMadeUp(record))
  return Object.fromEntries(known.map(([name, { id }]) => [name, id]))
}
