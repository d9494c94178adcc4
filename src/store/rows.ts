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
  /** Of the parent, whose `forks` are so many before. */
  parent?: Readonly<{ ctx: ContextKey; cycle: number; forks: number; family: ContextKey }> | undefined
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

export interface Rows {
  /** What it is called in sentences. */
  readonly name: string

  find(id: string): Promise<ContextRow | undefined>
  byNumber(ctx: ContextKey): Promise<ContextRow | undefined>
  /** In the order of their ids by code point, those after one. */
  list(after: string | undefined, limit: number): Promise<readonly ContextRow[]>
  /** Refused where the id is taken, or the parent has other forks by now. */
  create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'>
  /** Refused, with the forks, where there are any and they are not to go with it. */
  delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]>

  /** Done only where the row before it is the newest one, with that hash, and the epoch is the same. */
  commit(commit: NewCommit): Promise<'done' | 'conflict'>
  /** All rows of these cycles, some of them in packs that may reach beyond. */
  read(ctx: ContextKey, from: number, to: number): Promise<Readonly<{ packs: readonly Pack[]; rows: readonly Row[] }>>
  answer(ctx: ContextKey, key: string): Promise<Answer | undefined>
  answers(ctx: ContextKey): Promise<readonly Answer[]>

  /** Puts a pack in the place of the oldest rows that stand alone, never of the newest; nothing happens where it is made of others. */
  pack(ctx: ContextKey, pack: Pack): Promise<void>
  /** How many rows stand alone. */
  unpacked(ctx: ContextKey): Promise<number>

  /** Writes attempts, each over the one with its id and writer. */
  writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[]): Promise<void>
  /** The newest, oldest first. */
  attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]>

  writeManifest(ctx: ContextKey, manifest: ManifestRow, pages: readonly PageRow[]): Promise<void>
  /** The newest at or before a cycle. */
  manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined>
  manifests(ctx: ContextKey): Promise<readonly number[]>
  /** Those of the family that are there. */
  pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]>
  /** Takes away all manifests and pages of a family: they are made again from its rows. */
  dropDerived(family: ContextKey): Promise<void>

  /** What the database itself finds wrong, in its own words; and whether what it holds for contexts that are gone is gone. */
  check(): Promise<readonly string[]>

  close(): Promise<void>
}
