// A context from what was written of it: a checkpoint or a manifest, and the records of the commits after it. What options say is not
// written, so they are given again; the same ones make a context that goes on as the one that was written would have.

import { PactError } from '../errors/index.js'
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
import { checkOptions, mintSources, type AnyOptions } from './options.js'
import type { RangeResults } from './select-result.js'
import type { Start } from './start.js'
import { tokenCountsFor } from './token-report.js'

/** A commit, or where a fork goes on from here; or how to read it: what it does not repeat is told by the snapshot before it. */
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
  /** Whether older snapshots than those that are given, or that the limit keeps, can be loaded later (D56). */
  isBacked?: boolean
  /** Cycles whose snapshots are not there any more (N77). */
  thinned?: Thinned
}>

/** How it begins, for another kind of context. */
export function restoredStart(
  checkpoint: Checkpoint,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Start {
  return startOf(checkpoint, timelineFrom, records, options, attempts, more)
}

/** The same from a manifest. `page` gives the bytes of a page when they are needed; it throws where there are none. */
export function restoreFromManifest(
  manifest: Manifest,
  page: ReadPage,
  book: PageBook,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Context<RangeResults> {
  return new Context<RangeResults>(startFromManifest(manifest, page, book, records, options, attempts, more))
}

export function startFromManifest(
  manifest: Manifest,
  page: ReadPage,
  book: PageBook,
  records: Iterable<WrittenRecord>,
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Start {
  const begin: Begin<PagedSnapshot> = (snapshot, history, isBacked) =>
    timelineFromPages(snapshot, page, book, history, isBacked)
  return startOf(manifest, begin, records, options, attempts, more)
}

/** Makes a timeline of the snapshot that it begins with. */
type Begin<Held> = (snapshot: Held, history: number | undefined, isBacked: boolean) => Timeline

type Beginnings = Pick<CheckpointSnapshot, 'cycle' | 'extras'>

function startOf<Held extends Beginnings>(
  first: ContextRecord<Held>,
  begin: Begin<Held>,
  records: Iterable<WrittenRecord>,
  given: AnyOptions,
  attempts: KeptAttempts | undefined,
  { isBacked = false, thinned = Thinned.NONE }: RestoreOptions = {},
): Start {
  const options = checkOptions(given)
  const { dialect, specVersion, snapshot } = first
  if (options.dialect !== undefined && options.dialect !== dialect) {
    const message = `The option dialect is '${options.dialect}', but this context speaks '${dialect}'; leave it out.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'dialect' })
  }
  const { history } = options
  const timeline = snapshot === undefined ? Timeline.empty(history, isBacked) : begin(snapshot, history, isBacked)
  timeline.thinned = thinned
  let laterWarnings: Warning[] = []
  noteLeftOut(first.opening, timeline, laterWarnings)
  const sources = mintSources(options)
  let last: Omit<ContextRecord<unknown>, 'snapshot'> | CommitRecord = first
  let beginning: Omit<ContextRecord<unknown>, 'snapshot'> = first
  let hasForeignIds = sources.hasForeignIds || first.hasForeignIds
  for (const written of records) {
    const { newest = 0 } = timeline
    const record = typeof written === 'function' ? written((id) => timeline.find(id, newest)) : written
    if ('cycle' in record) replayCommit(timeline, record)
    else {
      checkBase(record, newest)
      beginning = record
      laterWarnings = []
    }
    noteLeftOut(record.opening, timeline, laterWarnings)
    hasForeignIds ||= record.hasForeignIds
    last = record
  }
  const { opening, forks } = last
  const draft = draftOf(opening, timeline)
  const counters = opening?.counters ?? { idsGiven: 0, indexesGiven: 0, lastNs: latestIn(draft.tree) }
  if (attempts !== undefined) checkAttempts(attempts, draft.cycle)
  return {
    options,
    timeline,
    draft,
    mint: new Mint({ ...sources, dialect, fork: beginning.fork, hasForeignIds }, { ...counters, cycle: draft.cycle }),
    edition: {
      dialect,
      specVersion,
      extrasAt: (cycle) => (cycle === snapshot?.cycle ? snapshot.extras : undefined),
    },
    tokens: tokenCountsFor(options),
    family: new Family(),
    warnings: beginning.warnings,
    laterWarnings,
    ...(opening === undefined ? {} : { due: opening }),
    attempts,
    forks,
    opens: opening === undefined,
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

/** What was told when it happened is listed again, and not told again. */
function noteLeftOut(opening: Opening | undefined, { newest = 0 }: Timeline, warnings: Warning[]): void {
  for (const each of opening?.leftOut ?? []) {
    const { message, details } = leftOutWarning(each, newest + 1)
    warnings.push(Object.freeze({ message, details: Object.freeze(details) }))
  }
}

function draftOf(opening: Opening | undefined, timeline: Timeline): Draft {
  const { newest = 0 } = timeline
  // Where nothing returned it is the tree of the snapshot, and what is sent is that snapshot (D47).
  if (opening === undefined || (timeline.newest !== undefined && isEmpty(opening))) return Draft.after(timeline, newest)
  const tree = changedTree(timeline.treeAt(newest), (id) => timeline.find(id, newest), opening)
  return Draft.opened(timeline, newest + 1, tree, opening.versions)
}

function isEmpty({ versions, emptied, schedules }: Opening): boolean {
  return versions.length + emptied.length + schedules.length === 0
}

/** The latest time in a tree; what is made in it comes later. */
function latestIn({ root, regions }: Tree): bigint {
  let latest = root.createdAtNs
  for (const region of regions) {
    eachRecord(region, ({ createdAtNs }) => {
      if (createdAtNs > latest) latest = createdAtNs
    })
  }
  return latest
}
