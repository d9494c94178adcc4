// What a database has to offer. Everything else about stores is built on this, once: what a commit is, how a past is read, what
// a fork shares. Whoever brings another database writes these calls, and runs the contract suite of `pact-context/testing` on it.
//
// Each call is one step, done whole or not at all, and durable when it is answered. What could not be done throws E_STORE with
// `details.outcome`: 'failed' where it is certain that nothing was written, 'unknown' where it is not. Of a context that is not
// there nothing is read, and nothing is written for it. Bytes that come in or go out are copies: nobody changes what is kept.

/**
 * The number of a context, or whatever a database knows it by. Nobody else looks into it: two that are the same are those of one
 * context, and none is ever given to another.
 */
export type ContextKey = number | string

/** A context, as its database knows it. */
export type ContextRow = Readonly<{
  /** Its number, which no other context of the database ever has. */
  ctx: ContextKey
  id: string
  /** The number of the context that all its forks, and their forks, come from; its own where it is no fork. */
  family: ContextKey
  /** Where it left its parent. */
  parent: Readonly<{ ctx: ContextKey; cycle: number }> | undefined
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

/** A context whose newest rows are lost, so that nobody can open it: what is still known of it. */
export type LostContext = Omit<ContextRow, 'head' | 'chain'> &
  Readonly<{
    /** The cycle of the newest row that is left; that of the first where none is. */
    head: number
    chain: undefined
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
    | Readonly<{ ctx: ContextKey; cycle: number; forks: number; family: ContextKey; epoch?: number | undefined }>
    | undefined
  /** What it has from the start: at least one row, the oldest ones in packs where there are many. */
  packs: readonly Pack[]
  rows: readonly Row[]
  attempts?: readonly AttemptRow[] | undefined
  /** How many forks have left it before; none by default. */
  forks?: number | undefined
}>

export type NewCommit = Readonly<{
  ctx: ContextKey
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
  family: ContextKey
  /** Of every context of the family; it goes up by one. */
  epoch: number
  /** Every context of the family, with the hash of its newest row: what was looked through. */
  heads: readonly Readonly<{ ctx: ContextKey; chain: Uint8Array }>[]
  /** Rows that stand alone, and packs, each with its context. */
  rows: readonly Readonly<{ ctx: ContextKey; row: Row }>[]
  packs: readonly Readonly<{ ctx: ContextKey; pack: Pack }>[]
  answers: readonly Readonly<{ ctx: ContextKey; answer: Answer }>[]
  attempts: readonly Readonly<{ ctx: ContextKey; attempt: AttemptRow }>[]
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

  /** One whose newest rows are lost is E_STORE with the reason 'damaged' and its number as `details.number`, here as everywhere but in `list` and `delete`. */
  find(id: string): Promise<ContextRow | undefined>
  byNumber(ctx: ContextKey): Promise<ContextRow | undefined>
  /** In the order of their ids by code point, those after one. */
  list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]>
  /** All contexts of a family. */
  family(family: ContextKey): Promise<readonly ContextRow[]>
  /** Refused where the id is taken, or the parent has other forks or another epoch by now. */
  create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'>
  /** Refused, with the forks, where there are any and they are not to go with it. */
  delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]>

  /** Done only where the row before it is the newest one, with that hash, and the epoch is the same. */
  commit(commit: NewCommit): Promise<'done' | 'conflict'>
  /** All rows of these cycles, some of them in packs that may reach beyond. */
  read(ctx: ContextKey, from: number, to: number): Promise<Readonly<{ packs: readonly Pack[]; rows: readonly Row[] }>>
  answer(ctx: ContextKey, key: string): Promise<Answer | undefined>
  answers(ctx: ContextKey): Promise<readonly Answer[]>

  /**
   * Puts a pack in the place of the oldest rows that stand alone, never of the newest; nothing happens where it is made of others. Like the calls
   * below that have an `epoch`, it writes nothing where that is given and is not the context's: what it was made of may have been erased.
   */
  pack(ctx: ContextKey, pack: Pack, epoch?: number): Promise<void>
  /** How many rows stand alone. */
  unpacked(ctx: ContextKey): Promise<number>

  /** Writes attempts, each over the one with its id and writer; says where it did not for the epoch. */
  writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void>
  /** The newest, oldest first. */
  attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]>

  writeManifest(ctx: ContextKey, manifest: ManifestRow, pages: readonly PageRow[], epoch?: number): Promise<void>
  /** The newest at or before a cycle. */
  manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined>
  manifests(ctx: ContextKey): Promise<readonly number[]>
  /** Those of the family that are there. */
  pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]>
  /** Takes away all manifests and pages of a family: they are made again from its rows. */
  dropDerived(family: ContextKey): Promise<void>

  /**
   * Writes an erasure, adds one to the epoch of all contexts of the family, and takes away what is derived. Refused where the epoch, the contexts or
   * their newest rows are others by now, or a row or a pack that it writes over is not there: then rows were packed meanwhile.
   */
  erase(erasure: Erasure): Promise<'done' | 'conflict'>
  /** The erasures of a family, in order. */
  audit(family: ContextKey): Promise<readonly AuditRow[]>
  /**
   * Takes out of the files what was deleted in them, as far as that can be done here, and notes the erasures of a family as finished. Says where it
   * may still be, beyond what is so for all databases.
   */
  scrub(family: ContextKey): Promise<readonly string[]>

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
