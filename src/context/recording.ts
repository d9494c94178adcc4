// The written form of a context: a record for each commit, and now and then a checkpoint or a manifest.

import { checkOption, PactError, TEXT } from '../errors/index.js'
import type {
  Checkpoint,
  CheckpointSnapshot,
  CommitRecord,
  ContextCounts,
  ContextRecord,
  Manifest,
  Opening,
  Warning,
} from '../core/index.js'
import { changeAt, listedSnapshot, pagedSnapshot, View, type PageBook, type Timeline } from '../timeline/index.js'
import { LEFT_OUT, openingOf } from './beginning.js'
import type { Parts } from './parts.js'
import { Snapshot } from './snapshot.js'

/** A commit of which nothing is to be seen yet; until it is published or discarded the context takes no edits. */
export type PendingCommit = Readonly<{
  /** The cycle that it closes. */
  cycle: number
  /** The record that a store writes. */
  record: () => CommitRecord
  /** Makes it visible and gives the snapshot; cannot fail. The caller notifies the listeners. */
  publish: () => Snapshot
  /** Leaves the context as it was; the clock and the ids option have been asked. */
  discard: () => void
}>

export function prepareCommit(parts: Parts, author?: string): PendingCommit {
  const { open, timeline, home, attempts, commitWarnings, forks } = parts
  if (author !== undefined) checkOption('author', author, TEXT)
  const { cycle, isEmpty, record, publish, discard } = open.prepare(author)
  return {
    cycle,
    record: () => record(forks.given),
    publish: () => {
      publish()
      attempts.endCycle()
      passDamage(() => commitWarnings.tell(timeline, cycle, isEmpty))
      timeline.letGo()
      return Snapshot.handOut(View.ofSnapshot(timeline, cycle), home)
    },
    discard,
  }
}

/** The commit is made, so a damaged page is not reported now: the next read of the page reports it. */
function passDamage(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_STORE') throw error
  }
}

/**
 * The context as its open cycle began: edits that are not committed are left out, and so are holds. Attempts come and end
 * between commits, so a store writes them by themselves (see Attempts.listen).
 */
export function checkpointOf(parts: Parts): Checkpoint {
  return checkpointAt(parts, parts.timeline.newest, parts.importWarnings)
}

/** The rows that a store would have if it had seen the context grow. */
export type WrittenHistory = Readonly<{
  /** The context at its oldest snapshot; at its newest one where that is the only one. */
  checkpoint: Checkpoint
  /** One for each snapshot after that, written when it is asked for. */
  records: Iterable<CommitRecord>
}>

/**
 * The whole past of a context, as if every commit had been written. The beginnings of earlier cycles are not known any more, and
 * no snapshot shows them; only the record of the newest commit has the beginning of the open cycle. The number of forks and the
 * mark for foreign ids are those of now, so that no name is given twice.
 */
export function historyOf(parts: Parts): WrittenHistory {
  parts.timeline.needAll('Some of the past is')
  const { thinned } = parts.timeline
  // History before a thinned cycle cannot be written without that cycle, so the past begins after it.
  const oldest = thinned.size === 0 ? parts.timeline.oldest : Math.max(parts.timeline.oldest!, thinned.last + 1)
  const checkpoint = checkpointAt(parts, oldest, [...parts.importWarnings, ...leftOutBefore(parts)])
  return { checkpoint, records: oldest === undefined ? [] : recordsAfter(parts, oldest) }
}

/** The records of the snapshots after one that there is. */
export function recordsAfter(parts: Parts, cycle: number): Iterable<CommitRecord> {
  const { newest } = parts.timeline
  const records = function* (): Generator<CommitRecord, void, undefined> {
    for (let next = cycle + 1; next <= newest!; next++) yield recordAt(parts, next)
  }
  return { [Symbol.iterator]: records }
}

function checkpointAt(parts: Parts, cycle: number | undefined, warnings: readonly Warning[]): Checkpoint {
  return { ...contextAt(parts, cycle, warnings), snapshot: snapshotAt(parts, cycle, listedSnapshot) }
}

/**
 * The context at one of its snapshots, with the tree in pages; new pages are in the book. As for a checkpoint, the beginning of
 * the cycle after it is known only if that cycle is open.
 */
export function manifestOf(parts: Parts, cycle: number | undefined, book: PageBook): Manifest {
  const snapshot = snapshotAt(parts, cycle, (timeline, at) => pagedSnapshot(timeline, at, book))
  return { ...contextAt(parts, cycle, parts.importWarnings), snapshot }
}

type Extras = Pick<CheckpointSnapshot, 'extras'>

function snapshotAt<Held>(
  { timeline, home }: Parts,
  cycle: number | undefined,
  write: (timeline: Timeline, cycle: number) => Held,
): (Held & Extras) | undefined {
  return cycle === undefined ? undefined : { ...write(timeline, cycle), extras: home.edition.extrasAt(cycle) }
}

/** A context without its snapshot. */
function contextAt(
  parts: Parts,
  cycle: number | undefined,
  warnings: readonly Warning[],
): Omit<ContextRecord<unknown>, 'snapshot'> {
  const { dialect, specVersion } = parts.home.edition
  const { fork } = parts.open.mint.sources
  return { dialect, specVersion, fork, warnings, opening: openingAfter(parts, cycle), ...countsOf(parts) }
}

function recordAt(parts: Parts, cycle: number): CommitRecord {
  const { timeline } = parts
  const [change, receipt] = [changeAt(timeline, cycle), timeline.receiptAt(cycle)]
  return { cycle, change, receipt, opening: openingAfter(parts, cycle), ...countsOf(parts) }
}

function countsOf({ open, forks }: Parts): ContextCounts {
  return { forks: forks.given, hasForeignIds: open.mint.sources.hasForeignIds }
}

/** The beginning of the cycle after a snapshot, if that cycle is the open one. */
function openingAfter({ open, timeline }: Parts, cycle: number | undefined): Opening | undefined {
  if (cycle !== timeline.newest) return undefined
  if (cycle === undefined) return openingOf(open.beginning, undefined, () => undefined)
  return openingOf(open.beginning, timeline.treeAt(cycle), (id) => timeline.find(id, cycle))
}

/** Warnings about earlier openings, which their records would contain. */
function leftOutBefore({ warnings, open, importWarnings }: Parts): readonly Warning[] {
  const known = new Set(importWarnings)
  return warnings.list.filter((warning) => {
    const { kind, cycle } = warning.details
    return kind === LEFT_OUT && cycle !== open.draft.cycle && !known.has(warning)
  })
}
