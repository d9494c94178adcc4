// How contexts come out of a store: from the newest manifest that is old enough, and the rows after it.

import type { Checkpoint } from '../core/index.js'
import {
  historyWanted,
  holdHistory,
  joinParts,
  loadAlone,
  knownRecords,
  loadSpan,
  olderBeginning,
  olderTimeline,
  restoredStart,
  Snapshot,
  startFromManifest,
  type AnyOptions,
  type LoadedExtras,
  type Parts,
  type RestoreOptions,
  type WrittenRecord,
} from '../context/index.js'
import { PageBook, timelineFromPages, View, type Timeline } from '../timeline/index.js'
import { findManifest, type Found } from './manifests.js'
import { thinnedIn } from './retained.js'
import { linksOf, recordOf, stretchesOf, type Known, type Stretch } from './past.js'
import type { ContextRow, Rows } from './rows.js'
import { keptAttempts } from './written-attempts.js'

/** A context as it was loaded, and what its upkeep goes on from. */
export type Loaded = Readonly<{
  parts: Parts
  book: PageBook
  /** The cycle of the manifest that it was loaded from. */
  manifestAt: number | undefined
}>

/** How many attempts a context keeps where its options do not say. */
const ATTEMPTS = 1000

/** Loads a context with so many of its newest snapshots; as it was after an earlier cycle, if one is given. */
export async function loadContext(
  rows: Rows,
  row: ContextRow,
  history: number,
  options: AnyOptions,
  more: RestoreOptions = BACKED,
  cycle: number = row.head,
): Promise<Loaded> {
  const all = await stretchesOf(rows, row)
  const stretches = cycle < row.head ? upTo(all, cycle) : all
  const thinned = await thinnedIn(rows, row, stretches)
  const found = await findManifest(rows, stretches, thinned.back(cycle, history - 1))
  const records = await recordsAfter(rows, stretches, found?.known)
  const given = { ...options, id: row.id, history }
  const book = new PageBook()
  const start =
    found === undefined
      ? restoredStart(beginningOf(records), records.slice(1), given, undefined, { ...more, thinned })
      : startFromManifest(found.manifest, found.page, book, records, given, undefined, { ...more, thinned })
  // The newest is read also where none is kept: ids go on behind it.
  const written = await rows.attempts(row.ctx, Math.max(1, options.keepAttempts ?? ATTEMPTS))
  const attempts = keptAttempts(written, start.draft.cycle, start.mint.sources.fork)
  const parts = joinParts({
    ...start,
    attempts,
    forks: Math.max(start.forks ?? 0, row.forks),
  })
  for (const [attempt, { message }] of attempts.damaged ?? []) {
    parts.warnings.add(message, { kind: 'damaged-attempt', attempt })
  }
  return { parts, book, manifestAt: found?.known.cycle }
}

const BACKED: RestoreOptions = { isBacked: true }

/** Loads what a lens or a range names of the past that is not loaded. */
export async function loadHistory(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  lens: string,
): Promise<void> {
  const { kind, from, to } = historyWanted(lens, parts.timeline.bounds)
  if (kind === 'loaded') return
  // A commit meanwhile would let go of the oldest, and what is read would not reach up to what is there.
  const release = holdHistory(parts)
  try {
    const { first, older, extras } = await readOlder(rows, row, parts, book, from, to)
    if (kind === 'span') loadSpan(parts, older, extras)
    else loadAlone(parts, older, from, first === from ? extras : undefined)
  } finally {
    release()
  }
}

/** A snapshot that need not be loaded, and is not afterwards. */
export async function readSnapshot(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  cycle: number,
): Promise<Snapshot> {
  const { timeline, home } = parts
  const { older } =
    timeline.treeAt(cycle) === undefined ? await readOlder(rows, row, parts, book, cycle, cycle) : { older: timeline }
  return Snapshot.handOut(View.ofSnapshot(older, cycle), home)
}

/** A part of the past that ends with a cycle and begins with another one, or before it: with `first`. */
async function readOlder(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  from: number,
  to: number,
): Promise<Readonly<{ first: number | undefined; older: Timeline; extras: LoadedExtras }>> {
  const stretches = await stretchesOf(rows, row)
  const found = await findManifest(rows, stretches, from)
  const records = await recordsAfter(rows, upTo(stretches, to), found?.known)
  const begun = found === undefined ? fromRows(parts, records) : fromPages(parts, found, book, records)
  const first = begun.first.oldest
  return { first, older: olderTimeline(parts, begun.first, begun.later), extras: begun.extras }
}

/** How an older part of the past begins, the records after that, and what an import said beside its first snapshot. */
type Begun = Readonly<{ first: Timeline; later: readonly WrittenRecord[]; extras: LoadedExtras }>

function fromRows(parts: Parts, records: readonly WrittenRecord[]): Begun {
  const { snapshot } = beginningOf(records)
  return { first: olderBeginning(parts, snapshot), later: records.slice(1), extras: snapshot?.extras }
}

function fromPages(parts: Parts, { manifest, page }: Found, book: PageBook, later: readonly WrittenRecord[]): Begun {
  const snapshot = manifest.snapshot!
  const present = { known: knownRecords(parts), openWayTo: (id: string) => parts.timeline.openWayTo(id) }
  const first = timelineFromPages(snapshot, page, book, Infinity, true, present)
  return { first, later, extras: snapshot.extras }
}

/** The same line of descent, up to a cycle. */
function upTo(stretches: readonly Stretch[], cycle: number): readonly Stretch[] {
  return stretches
    .filter(({ context }, i) => i === 0 || context.first < cycle)
    .map(({ context, to }) => ({ context, to: Math.min(to, cycle) }))
}

async function recordsAfter(
  rows: Rows,
  stretches: readonly Stretch[],
  known: Known | undefined,
): Promise<readonly WrittenRecord[]> {
  const records: WrittenRecord[] = []
  for await (const link of linksOf(rows, stretches, known)) records.push(recordOf(link))
  return records
}

/** The first of all rows tells how the oldest ancestor began. */
function beginningOf([first]: readonly WrittenRecord[]): Checkpoint {
  return (first as (before: () => undefined) => Checkpoint)(() => undefined)
}
