// What a store writes of a context: each commit, between working it out and showing it, and now and then the whole.

import { PactError } from '../errors/index.js'
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
  /** What a store has to write. */
  record: () => CommitRecord
  /** Makes it visible and gives the snapshot; cannot fail. Who listens to commits is told by the caller. */
  publish: () => Snapshot
  /** Leaves the context as it was; the clock and the ids option have been asked. */
  discard: () => void
}>

export function prepareCommit({
  open,
  timeline,
  queries,
  home,
  attempts,
  commitWarnings,
  forks,
}: Parts): PendingCommit {
  const { cycle, record, publish, discard } = open.prepare()
  return {
    cycle,
    record: () => record(forks.given),
    publish: () => {
      publish()
      attempts.endCycle()
      passDamage(() => commitWarnings.tell(timeline, cycle))
      timeline.letGo()
      return Snapshot.handOut(queries.settle(View.ofSnapshot(timeline, cycle)), home)
    },
    discard,
  }
}

/** The commit is made: a page that turns out to be damaged is told by the next one who asks for what is in it. */
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

/** What a store would have of a context that it did not see grow. */
export type WrittenHistory = Readonly<{
  /** The context at its oldest snapshot; at its newest one where that is the only one. */
  checkpoint: Checkpoint
  /** One for each snapshot after that, written when it is asked for. */
  records: Iterable<CommitRecord>
}>

/**
 * All that a context keeps of its past, as if every commit had been written down. How earlier cycles began is not known any
 * more, and no snapshot shows it; only the record of the newest one says that of the cycle that is open. The forks
 * that have left, and whether there are foreign ids, are told as they are now, so that no name is given twice.
 */
export function historyOf(parts: Parts): WrittenHistory {
  parts.timeline.needAll('Some of the past is')
  const { thinned } = parts.timeline
  // What was thinned out is no past that could be given; what is older than that cannot be told without it.
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
 * The context at one of its snapshots, with the tree of that as pages; those that are new are in the book. As with a
 * checkpoint, how the cycle after it began is only known if that is the one that is open.
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

/** How the cycle after a snapshot began, if that is the one that is open. */
function openingAfter({ open, timeline }: Parts, cycle: number | undefined): Opening | undefined {
  if (cycle !== timeline.newest) return undefined
  if (cycle === undefined) return openingOf(open.beginning, undefined, () => undefined)
  return openingOf(open.beginning, timeline.treeAt(cycle), (id) => timeline.find(id, cycle))
}

/** What was warned of when earlier cycles opened, which their openings would say. */
function leftOutBefore({ warnings, open, importWarnings }: Parts): readonly Warning[] {
  const known = new Set(importWarnings)
  return warnings.list.filter((warning) => {
    const { kind, cycle } = warning.details
    return kind === LEFT_OUT && cycle !== open.draft.cycle && !known.has(warning)
  })
}
