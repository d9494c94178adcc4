// The interface between stores and databases. Commits, history and forks are built on it once for all databases. To add
// a database, implement `Rows` and run the contract suite of `pact-context/testing` on it.
//
// Each call is atomic, and durable when it resolves. A failed call throws E_STORE with `details.outcome`: 'failed' if
// nothing was written, 'unknown' if it may have been. Nothing is read or written for a context that does not exist.
// Bytes are copied in and out, so that later changes to a buffer have no effect on stored data.

/** The key of a context in its database. Equal keys mean the same context; a key is never reused. */
export type ContextKey = number | string

/** The row of a context. */
export type ContextRow = Readonly<{
  /** Its key, never reused. */
  ctx: ContextKey
  id: string
  /** Key of the root of its family: the context that it descends from, or itself. */
  family: ContextKey
  /** The parent, and the cycle after which this fork left it. */
  parent: Readonly<{ ctx: ContextKey; cycle: number }> | undefined
  /** Number of forks that have ever left it. */
  forks: number
  /** Increases with every erasure, so that open contexts notice. */
  epoch: number
  /** Cycle of its first row. */
  first: number
  /** Cycle of its newest row. */
  head: number
  /** Hash of its newest row. */
  chain: Uint8Array
  /** Checksum over its first row, id, fork point, forks and epoch; undefined for a context of an older version. */
  seal: Uint8Array | undefined
  /** Number of answers and attempts written for it; undefined for a context of an older version. */
  answers: number | undefined
  attempts: number | undefined
  /** The saved edits of its open cycle: the number of its newest save, and how many parts there are; see `DraftRow`. */
  draft: Readonly<{ version: number; parts: number }>
}>

/** A context whose newest rows are lost. It cannot be opened. */
export type LostContext = Omit<ContextRow, 'head' | 'chain'> &
  Readonly<{
    /** Cycle of the newest remaining row, or of the first if none remains. */
    head: number
    chain: undefined
  }>

/** One link of a context's hash chain: its start, or one commit. */
export type Row = Readonly<{
  cycle: number
  /** Hash over the previous hash, the cycle, the changes and the commitments of the bodies. */
  hash: Uint8Array
  changes: Uint8Array
  bodies: Uint8Array
}>

/** Rows of consecutive cycles, stored together. */
export type Pack = Readonly<{ from: number; to: number; body: Uint8Array }>

/** The saved edits of an open cycle. */
export type DraftRow = Readonly<{
  /** The number of the newest save. It increases with every save and every discard of the context, and is never reused. */
  version: number
  /** The open cycle that the parts belong to. */
  cycle: number
  /** The parts in the order of their saves; the last has the number `version`, the others the numbers before it. */
  parts: readonly Uint8Array[]
}>

export type NewSave = Readonly<{
  ctx: ContextKey
  /** Hash of the newest row; not compared if undefined. */
  after: Uint8Array | undefined
  epoch: number
  /** Number of the save before this one. */
  version: number
  cycle: number
  /** Undefined discards the draft. */
  part: Uint8Array | undefined
  /** True if the part replaces all earlier ones. */
  isWhole: boolean
}>

/** The stored answer to a commit with an idempotency key. */
export type Answer = Readonly<{ key: string; cycle: number; digest: Uint8Array; answer: Uint8Array }>

export type NewContext = Readonly<{
  id: string
  /** The parent, with its current number of forks, and its epoch if that must be unchanged. */
  parent?:
    | Readonly<{
        ctx: ContextKey
        cycle: number
        forks: number
        family: ContextKey
        epoch?: number | undefined
        /** The parent's new seal, which counts this fork; unchanged if undefined. */
        seal?: Uint8Array | undefined
      }>
    | undefined
  seal?: Uint8Array | undefined
  /** Its first rows, at least one; the oldest may be packed. */
  packs: readonly Pack[]
  rows: readonly Row[]
  attempts?: readonly AttemptRow[] | undefined
  /** Number of forks that have left it before; 0 by default. */
  forks?: number | undefined
  /** Initial answers to keys; none by default. */
  answers?: readonly Answer[] | undefined
  /** Epoch of a context that is no fork, 0 by default. A fork gets its parent's. */
  epoch?: number | undefined
  /** Initial audit list of its family; empty by default. */
  audit?: readonly AuditRow[] | undefined
}>

export type NewCommit = Readonly<{
  ctx: ContextKey
  /** Hash of the previous row. */
  after: Uint8Array
  epoch: number
  row: Row
  answer?: Answer | undefined
  /** The newest save, if the commit includes the draft: the draft is then deleted. A draft that is not named stays. */
  draft?: number | undefined
}>

/** An attempt, by id and writer. */
export type AttemptRow = Readonly<{ id: string; writer: string; body: Uint8Array }>

/** The live tree at a cycle, derived from the rows. */
export type ManifestRow = Readonly<{ cycle: number; body: Uint8Array }>
export type PageRow = Readonly<{ key: string; body: Uint8Array }>

/** The writes of an erasure, done in one step. Each item replaces the stored one with the same key. */
export type Erasure = Readonly<{
  family: ContextKey
  /** Current epoch of every context of the family; it increases by one. */
  epoch: number
  /**
   * Every context of the family as it was read: hash of its newest row, number of forks and newest save, if these must be
   * unchanged.
   * `seal` is its new seal for the next epoch; unchanged if undefined.
   */
  heads: readonly Readonly<{
    ctx: ContextKey
    chain?: Uint8Array | undefined
    forks?: number | undefined
    draft?: number | undefined
    seal?: Uint8Array | undefined
  }>[]
  /** Single rows and packs, each with its context. */
  rows: readonly Readonly<{ ctx: ContextKey; row: Row }>[]
  packs: readonly Readonly<{ ctx: ContextKey; pack: Pack }>[]
  answers: readonly Readonly<{ ctx: ContextKey; answer: Answer }>[]
  attempts: readonly Readonly<{ ctx: ContextKey; attempt: AttemptRow }>[]
  /** Drafts, each whole. */
  drafts: readonly Readonly<{ ctx: ContextKey; draft: DraftRow }>[]
  audit: Omit<AuditRow, 'isFinished'>
}>

/** One entry of a family's audit list, numbered from 1. */
export type AuditRow = Readonly<{
  n: number
  /** Hash over the previous entry's hash, the number and the body. */
  hash: Uint8Array
  body: Uint8Array
  /** True if the erased data is gone from the database files too. */
  isFinished: boolean
}>

/** A context copied from another database: hash of its newest row, and its forks, seal and draft there. */
export type Arrived = Readonly<{
  ctx: ContextKey
  chain: Uint8Array
  forks: number
  seal?: Uint8Array | undefined
  /** Replaces the draft of the copy, if given. */
  draft?: DraftRow | undefined
}>

export interface Rows {
  /** Name in error messages. */
  readonly name: string
  /** For how many milliseconds it may show an older state than it has acknowledged; 0 if never. */
  readonly patience?: number | undefined
  /** True if all writing calls are refused; see the option `readOnly` of `openStore`. */
  readonly isReadOnly?: boolean

  /**
   * E_STORE with the reason 'damaged' and the key as `details.number` if its newest rows are lost. The same holds for
   * all calls except `list` and `delete`.
   */
  find(id: string): Promise<ContextRow | undefined>
  byNumber(ctx: ContextKey): Promise<ContextRow | undefined>
  /** Contexts after an id, in code point order of their ids. */
  list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]>
  /** All contexts of a family. */
  family(family: ContextKey): Promise<readonly ContextRow[]>
  /** 'exists' if the id is taken, 'conflict' if the parent has other forks or another epoch. */
  create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'>
  /** Returns the ids of the forks, and deletes nothing, if there are any and `withForks` is false. */
  delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]>

  /**
   * 'conflict' unless the newest row has the hash `after`, the epoch matches, and the key is new; with a draft, also unless that
   * is the newest save.
   */
  commit(commit: NewCommit): Promise<'done' | 'conflict'>
  /** 'conflict' unless the newest row, the epoch and the newest save are those that are named. No watch reports it. */
  saveDraft(save: NewSave): Promise<'done' | 'conflict'>
  /** Undefined if there is none. */
  draft(ctx: ContextKey): Promise<DraftRow | undefined>
  /** All rows of these cycles. Packs may contain further cycles. */
  read(ctx: ContextKey, from: number, to: number): Promise<Readonly<{ packs: readonly Pack[]; rows: readonly Row[] }>>
  answer(ctx: ContextKey, key: string): Promise<Answer | undefined>
  answers(ctx: ContextKey): Promise<readonly Answer[]>

  /**
   * Replaces the oldest single rows by a pack, never the newest row. Does nothing if the pack consists of other rows.
   * Like all calls below with an `epoch`, it writes nothing if that is given and differs from the context's: its input
   * may have been erased.
   */
  pack(ctx: ContextKey, pack: Pack, epoch?: number): Promise<void>
  /** Number of single rows. */
  unpacked(ctx: ContextKey): Promise<number>

  /** Writes attempts, each replacing the one with its id and writer. Returns 'erased' if the epoch differs. */
  writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void>
  /** The newest `limit` attempts, oldest first. */
  attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]>

  writeManifest(ctx: ContextKey, manifest: ManifestRow, pages: readonly PageRow[], epoch?: number): Promise<void>
  /** The newest manifest at or before a cycle. */
  manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined>
  manifests(ctx: ContextKey): Promise<readonly number[]>
  /** The existing ones of these pages of a family. */
  pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]>
  /** Deletes all manifests and pages of a family. They are rebuilt from its rows. */
  dropDerived(family: ContextKey): Promise<void>

  /**
   * Writes an erasure, increases the epoch of all contexts of the family, and deletes derived data. 'conflict' if the
   * epoch, the contexts or their newest rows have changed, or if a row or pack to replace does not exist: then rows
   * were packed meanwhile.
   */
  erase(erasure: Erasure): Promise<'done' | 'conflict'>
  /** The audit list of a family, in order. */
  audit(family: ContextKey): Promise<readonly AuditRow[]>
  /**
   * Removes deleted data from the database files as far as possible, and marks the audit entries of a family as
   * finished, up to `upTo` if given. Returns the places where the data may remain, beyond those that hold for all
   * databases.
   */
  scrub(family: ContextKey, upTo?: number): Promise<readonly string[]>

  /**
   * Ends the move of a family to this database: sets the forks, the seal and the draft of every context, and marks the audit list
   * as finished. 'conflict' if the contexts or their newest rows differ.
   */
  arrive(family: ContextKey, contexts: readonly Arrived[]): Promise<'done' | 'conflict'>

  /**
   * Waits until contexts may have been created, deleted, erased from or committed to, by any process, since it returned
   * `since`. Then returns another text for the next call. Returns at once without `since`. A database without
   * notifications is polled every `every` milliseconds; spurious wake-ups are allowed. If the signal is aborted, it
   * resolves at once with any text.
   */
  changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string>

  /** Integrity problems that the database itself reports, and rows left over from deleted contexts. */
  check(): Promise<readonly string[]>

  close(): Promise<void>
}
