// Contexts restored from their written form: a checkpoint or a manifest, and the records of the commits after it. Options are not written,
// so they are given again; with the same options the context continues as the written one would have.

import { invalid, PactError } from '../errors/index.js'
import {
  Mint,
  type Checkpoint,
  type CheckpointSnapshot,
  type CommitRecord,
  type ContextRecord,
  type KeptAttempts,
  type Manifest,
  type NodeRecord,
  type Opening,
  type PagedSnapshot,
  type Warning,
} from '../core/index.js'
import {
  changedTree,
  Draft,
  eachRecord,
  replayCommit,
  Thinned,
  Timeline,
  timelineFrom,
  timelineFromPages,
  type PageBook,
  type ReadPage,
  type Tree,
} from '../timeline/index.js'
import { leftOutWarning } from './beginning.js'
import { Context } from './context.js'
import { Family } from './family.js'
import { checkContextOptions, mintSources, tokenCountsFor, type AnyOptions } from './options.js'
import type { RangeResults } from './select-result.js'
import type { Start } from './start.js'

/** A commit record or the beginning of a fork, or a function that reads one with the help of the snapshot before it. */
export type WrittenRecord = Written | ((before: (id: string) => NodeRecord | undefined) => Written)
type Written = CommitRecord | Checkpoint

/** A context from a checkpoint and the records after it. */
export function restoreContext(
  checkpoint: Checkpoint,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Context<RangeResults> {
  return new Context<RangeResults>(restoredStart(checkpoint, records, options, attempts, more))
}

export type RestoreOptions = Readonly<{
  /** True if snapshots older than the given ones, or than the limit keeps, can be loaded later (D56). */
  isBacked?: boolean
  /** Cycles whose snapshots were thinned out (N77). */
  thinned?: Thinned
}>

/** The start of a restored context, for another kind of context. */
export function restoredStart(
  checkpoint: Checkpoint,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Start {
  return Restoring.fromCheckpoint(checkpoint, options, more).all(records, attempts)
}

/** Restores from a manifest. `page` gives the bytes of a page on demand, and throws if the page is missing. */
export function restoreFromManifest(
  manifest: Manifest,
  page: ReadPage,
  book: PageBook,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Context<RangeResults> {
  return new Context<RangeResults>(Restoring.fromManifest(manifest, page, book, options, more).all(records, attempts))
}

/** Makes a timeline of the snapshot that it begins with. */
type Begin<Held> = (snapshot: Held, history: number | undefined, isBacked: boolean) => Timeline

type Beginnings = Pick<CheckpointSnapshot, 'cycle' | 'extras'>

/** Restores a context one record at a time: a long history does not have to fit into memory. */
export class Restoring {
  /** Grows with every commit that is taken, and keeps as many snapshots as the option history says. */
  readonly timeline: Timeline
  readonly #options: AnyOptions
  readonly #first: ContextRecord<Beginnings>
  #last: Omit<ContextRecord<unknown>, 'snapshot'> | CommitRecord
  #beginning: Omit<ContextRecord<unknown>, 'snapshot'>
  #laterWarnings: Warning[] = []
  #hasForeignIds: boolean

  private constructor(first: ContextRecord<Beginnings>, timeline: Timeline, options: AnyOptions) {
    this.timeline = timeline
    this.#options = options
    this.#first = first
    this.#last = first
    this.#beginning = first
    this.#hasForeignIds = first.hasForeignIds
    noteLeftOut(first.opening, timeline, this.#laterWarnings)
  }

  static fromCheckpoint(checkpoint: Checkpoint, options: AnyOptions, more?: RestoreOptions): Restoring {
    return Restoring.#from(checkpoint, timelineFrom, options, more)
  }

  static fromManifest(
    manifest: Manifest,
    page: ReadPage,
    book: PageBook,
    options: AnyOptions,
    more?: RestoreOptions,
  ): Restoring {
    const begin: Begin<PagedSnapshot> = (snapshot, history, isBacked) =>
      timelineFromPages(snapshot, page, book, history, isBacked)
    return Restoring.#from(manifest, begin, options, more)
  }

  static #from<Held extends Beginnings>(
    first: ContextRecord<Held>,
    begin: Begin<Held>,
    given: AnyOptions,
    { isBacked = false, thinned = Thinned.NONE }: RestoreOptions = {},
  ): Restoring {
    const options = checkContextOptions(given)
    const { dialect, snapshot } = first
    if (options.dialect !== undefined && options.dialect !== dialect) {
      const message = `The option dialect is '${options.dialect}', but this context speaks '${dialect}'; leave it out.`
      throw invalid('dialect', message)
    }
    const { history } = options
    const timeline = snapshot === undefined ? Timeline.empty(history, isBacked) : begin(snapshot, history, isBacked)
    timeline.thinned = thinned
    return new Restoring(first, timeline, options)
  }

  /** The opening of the cycle after the last record. */
  get opening(): Opening | undefined {
    return this.#last.opening
  }

  take(written: WrittenRecord): void {
    const { timeline } = this
    const { newest = 0 } = timeline
    const record = typeof written === 'function' ? written((id) => timeline.find(id, newest)) : written
    if ('cycle' in record) replayCommit(timeline, record)
    else {
      checkBase(record, newest)
      this.#beginning = record
      this.#laterWarnings = []
    }
    noteLeftOut(record.opening, timeline, this.#laterWarnings)
    this.#hasForeignIds ||= record.hasForeignIds
    this.#last = record
  }

  all(records: Iterable<WrittenRecord>, attempts?: KeptAttempts): Start {
    for (const record of records) this.take(record)
    return this.start(attempts)
  }

  /** `base` is the state that the open cycle was saved with, if that replaces its beginning (D62). */
  start(attempts?: KeptAttempts, base?: Opening): Start {
    const { timeline } = this
    const { dialect, specVersion, snapshot } = this.#first
    const { forks } = this.#last
    const opening = base ?? this.#last.opening
    const beginning = this.#beginning
    const sources = mintSources(this.#options)
    const hasForeignIds = sources.hasForeignIds || this.#hasForeignIds
    const draft = draftOf(opening, timeline)
    const counters = opening?.counters ?? { idsGiven: 0, indexesGiven: 0, lastNs: latestIn(draft.tree) }
    if (attempts !== undefined) checkAttempts(attempts, draft.cycle)
    return {
      options: this.#options,
      timeline,
      draft,
      mint: new Mint({ ...sources, dialect, fork: beginning.fork, hasForeignIds }, { ...counters, cycle: draft.cycle }),
      edition: {
        dialect,
        specVersion,
        extrasAt: (cycle) => (cycle === snapshot?.cycle ? snapshot.extras : undefined),
      },
      tokens: tokenCountsFor(this.#options),
      family: new Family(),
      warnings: beginning.warnings,
      laterWarnings: this.#laterWarnings,
      ...(opening === undefined ? {} : { due: opening }),
      attempts,
      forks,
      opens: opening === undefined,
    }
  }
}

function checkBase({ base = 0 }: Checkpoint, newest: number): void {
  if (base === newest) return
  const message = `The fork begins after cycle ${base}, but the rows before it end with cycle ${newest}.`
  throw new PactError('E_SNAPSHOT_INVALID', message, { cycle: base })
}

/** One of a cycle that is not open yet would give its id to another one later. */
function checkAttempts({ records, cycle }: KeptAttempts, open: number): void {
  const last = records.reduce((latest, record) => Math.max(latest, record.cycle_id), cycle)
  if (last <= open) return
  const message = `An attempt of cycle ${last} is among the attempts, but only cycle ${open} is open; a commit is missing.`
  throw new PactError('E_SNAPSHOT_INVALID', message, { cycle: last })
}

/** Lists the warnings of an opening again, without reporting them again. */
function noteLeftOut(opening: Opening | undefined, { newest = 0 }: Timeline, warnings: Warning[]): void {
  for (const each of opening?.leftOut ?? []) {
    const { message, details } = leftOutWarning(each, newest + 1)
    warnings.push(Object.freeze({ message, details: Object.freeze(details) }))
  }
}

function draftOf(opening: Opening | undefined, timeline: Timeline): Draft {
  const { newest = 0 } = timeline
  // If nothing returned, the draft has the tree of the snapshot, so that the snapshot is what is sent (D47).
  if (opening === undefined || (timeline.newest !== undefined && isEmpty(opening))) return Draft.after(timeline, newest)
  const tree = changedTree(timeline.treeAt(newest), (id) => timeline.find(id, newest), opening)
  return Draft.opened(timeline, newest + 1, tree, opening.versions)
}

function isEmpty({ versions, emptied, schedules }: Opening): boolean {
  return versions.length + emptied.length + schedules.length === 0
}

/** The latest time in a tree; new nodes come later. */
function latestIn({ root, regions }: Tree): bigint {
  let latest = root.createdAtNs
  for (const region of regions) {
    eachRecord(region, ({ createdAtNs }) => {
      if (createdAtNs > latest) latest = createdAtNs
    })
  }
  return latest
}
