// What a database has to offer. Everything else about stores is built on this, once: what a commit is, how a past is read, what
// a fork shares. Whoever brings another database writes these calls, and runs the contract suite of `pact-context/testing` on it.
//
// Each call is one step, done whole or not at all, and durable when it is answered. What could not be done throws E_STORE with
// `details.outcome`: 'failed' where it is certain that nothing was written, 'unknown' where it is not. Of a context that is not
// there nothing is read, and nothing is written for it. Bytes that come in or go out are copies: nobody changes what is kept.

/** A context, as its database knows it. */
export type ContextRow = Readonly<{
  /** Its number, which no other context of the database ever has. */
  ctx: number
  id: string
  /** The number of the context that all its forks, and their forks, come from; its own where it is no fork. */
  family: number
  /** Where it left its parent. */
  parent: Readonly<{ ctx: number; cycle: number }> | undefined
  /** How many forks have left it. */
  forks: number
  /** Another one whenever something is erased, so that whoever still holds it notices. */
  epoch: number
  /** The cycle of its first row. */
  first: number
  /** The cycle of its newest row. */
  head: number
  /** The hash of its newest row. */
  chain: Uint8Array
}>

/** One link of a context's chain: how it began, or one commit. */
export type Row = Readonly<{
  cycle: number
  /** Of the row before it, its own cycle, what it says and the commitments of its bodies. */
  hash: Uint8Array
  changes: Uint8Array
  bodies: Uint8Array
}>

/** Rows of neighbouring cycles that are stored as one. */
export type Pack = Readonly<{ from: number; to: number; body: Uint8Array }>

/** What was answered to a commit with a key of its own. */
export type Answer = Readonly<{ key: string; cycle: number; digest: Uint8Array; answer: Uint8Array }>

export type NewContext = Readonly<{
  id: string
  /** Of the parent, whose `forks` are so many before, and whose epoch is this one, where it is given. */
  parent?:
    | Readonly<{ ctx: number; cycle: number; forks: number; family: number; epoch?: number | undefined }>
    | undefined
  /** What it has from the start: at least one row, the oldest ones in packs where there are many. */
  packs: readonly Pack[]
  rows: readonly Row[]
  attempts?: readonly AttemptRow[] | undefined
  /** How many forks have left it before; none by default. */
  forks?: number | undefined
}>

export type NewCommit = Readonly<{
  ctx: number
  /** The hash of the row before it. */
  after: Uint8Array
  epoch: number
  row: Row
  answer?: Answer | undefined
}>

/** An attempt, by its id and by who made it. */
export type AttemptRow = Readonly<{ id: string; writer: string; body: Uint8Array }>

/** The live tree at a cycle; made from the rows, and of no use without them. */
export type ManifestRow = Readonly<{ cycle: number; body: Uint8Array }>
export type PageRow = Readonly<{ key: string; body: Uint8Array }>

/** What an erasure writes, in one step; each is written over what is there under its name. */
export type Erasure = Readonly<{
  family: number
  /** Of every context of the family; it goes up by one. */
  epoch: number
  /** Every context of the family, with the hash of its newest row: what was looked through. */
  heads: readonly Readonly<{ ctx: number; chain: Uint8Array }>[]
  /** Rows that stand alone, and packs, each with its context. */
  rows: readonly Readonly<{ ctx: number; row: Row }>[]
  packs: readonly Readonly<{ ctx: number; pack: Pack }>[]
  answers: readonly Readonly<{ ctx: number; answer: Answer }>[]
  attempts: readonly Readonly<{ ctx: number; attempt: AttemptRow }>[]
  audit: Omit<AuditRow, 'isFinished'>
}>

/** One entry of a family's list of erasures, the first of which is number 1. */
export type AuditRow = Readonly<{
  n: number
  /** Of the entry before it, its number, and what it says. */
  hash: Uint8Array
  body: Uint8Array
  /** Whether nothing of what was erased is left in the files of the database. */
  isFinished: boolean
}>

export interface Rows {
  /** What it is called in sentences. */
  readonly name: string

  find(id: string): Promise<ContextRow | undefined>
  byNumber(ctx: number): Promise<ContextRow | undefined>
  /** In the order of their ids by code point, those after one. */
  list(after: string | undefined, limit: number): Promise<readonly ContextRow[]>
  /** All contexts of a family. */
  family(family: number): Promise<readonly ContextRow[]>
  /** Refused where the id is taken, or the parent has other forks or another epoch by now. */
  create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'>
  /** Refused, with the forks, where there are any and they are not to go with it. */
  delete(ctx: number, withForks: boolean): Promise<'deleted' | readonly string[]>

  /** Done only where the row before it is the newest one, with that hash, and the epoch is the same. */
  commit(commit: NewCommit): Promise<'done' | 'conflict'>
  /** All rows of these cycles, some of them in packs that may reach beyond. */
  read(ctx: number, from: number, to: number): Promise<Readonly<{ packs: readonly Pack[]; rows: readonly Row[] }>>
  answer(ctx: number, key: string): Promise<Answer | undefined>
  answers(ctx: number): Promise<readonly Answer[]>

  /**
   * Puts a pack in the place of the oldest rows that stand alone, never of the newest; nothing happens where it is made of others. Like the calls
   * below that have an `epoch`, it writes nothing where that is given and is not the context's: what it was made of may have been erased.
   */
  pack(ctx: number, pack: Pack, epoch?: number): Promise<void>
  /** How many rows stand alone. */
  unpacked(ctx: number): Promise<number>

  /** Writes attempts, each over the one with its id and writer; says where it did not for the epoch. */
  writeAttempts(ctx: number, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void>
  /** The newest, oldest first. */
  attempts(ctx: number, limit: number): Promise<readonly AttemptRow[]>

  writeManifest(ctx: number, manifest: ManifestRow, pages: readonly PageRow[], epoch?: number): Promise<void>
  /** The newest at or before a cycle. */
  manifest(ctx: number, cycle: number): Promise<ManifestRow | undefined>
  manifests(ctx: number): Promise<readonly number[]>
  /** Those of the family that are there. */
  pages(family: number, keys: readonly string[]): Promise<readonly PageRow[]>
  /** Takes away all manifests and pages of a family: they are made again from its rows. */
  dropDerived(family: number): Promise<void>

  /**
   * Writes an erasure, adds one to the epoch of all contexts of the family, and takes away what is derived. Refused where the epoch, the contexts or
   * their newest rows are others by now.
   */
  erase(erasure: Erasure): Promise<'done' | 'conflict'>
  /** The erasures of a family, in order. */
  audit(family: number): Promise<readonly AuditRow[]>
  /** Takes out of the files what was deleted in them, and notes the erasures of a family as finished. */
  scrub(family: number): Promise<void>

  /**
   * Waits until contexts may have been made, deleted, erased from or committed to, by anybody, since it gave `since`; then gives another text,
   * which is of use to this call alone. At once without one. Where the database does not tell, it is asked every so many milliseconds; to
   * give another text each time is right as well. When the signal is aborted it ends at once, with any text.
   */
  changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string>

  /** What the database itself finds wrong, in its own words; and whether what it holds for contexts that are gone is gone. */
  check(): Promise<readonly string[]>

  close(): Promise<void>
}
