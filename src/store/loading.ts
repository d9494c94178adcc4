// Loads contexts from the newest usable manifest and the rows after it.

import { Snapshot } from '../context/index.js'
import {
  historyWanted,
  holdHistory,
  joinParts,
  loadAlone,
  loadSpan,
  olderBeginning,
  olderTimeline,
  Restoring,
  thinnedOut,
  unloadHistory,
  type AnyOptions,
  type LoadedExtras,
  type Parts,
  type RestoreOptions,
  type WrittenRecord,
} from '../context/persistence.js'
import type { Checkpoint, DraftRecord } from '../core/index.js'
import { PageBook, Thinned, timelineFromPages, View, type Timeline } from '../timeline/index.js'
import { keptAttempts } from './attempt-rows.js'
import { applySaved, countOperations, recordsOf, type DraftInfo } from './drafts.js'
import { readConsistently, busyContext, readOrConflict, TRIES } from './consistent-read.js'
import { linksOf, recordOf, lineageOf, type LoadedSnapshot, type LineagePart } from './lineage.js'
import { findManifest, type LoadedManifest } from './manifests.js'
import { checkNotMoved } from './moved.js'
import type { ContextRow, DraftRow, Rows } from './rows.js'
import { thinnedIn } from './thinned.js'

/** A loaded context, and the state that its upkeep continues from. */
export type Loaded = Readonly<{
  /** The row that the context was read with; newer than the given one if the context changed meanwhile. */
  row: ContextRow
  parts: Parts
  book: PageBook
  /** Cycle of the manifest that it was loaded from. */
  manifestAt: number | undefined
  /** The draft that was found; undefined if there is none. */
  draft: DraftInfo | undefined
  /** True if the context was opened as of a cycle, and so without drafts. */
  isPast: boolean
  /** The same as it is stored. */
  saved: DraftRow | undefined
}>

/** The use of a draft at loading. A draft of another cycle is never applied. */
export type DraftUse = 'load' | 'leave'

/** Default of the option `keepAttempts`. */
const ATTEMPTS = 1000

/**
 * Loads a context with its newest `history` snapshots, or as it was after `cycle`. Reads again if something was erased
 * or thinned out meanwhile. Undefined if the context was deleted, E_CONFLICT if it was moved to another database.
 */
export async function openContext(
  rows: Rows,
  row: ContextRow,
  history: number,
  options: AnyOptions,
  use: DraftUse,
  cycle?: number,
): Promise<Loaded | undefined> {
  let now: ContextRow | undefined = row
  for (let tries = 0; now !== undefined && tries < TRIES; tries++) {
    const at: ContextRow = now
    await checkNotMoved(rows, at)
    const draft = cycle === undefined && at.draft.parts > 0 ? await rows.draft(at.ctx) : undefined
    if (draft !== undefined && draft.cycle > at.head + 1) {
      now = await rows.byNumber(at.ctx)
      continue
    }
    const saved = draft && { ...draft, use }
    const read = await readConsistently(rows, at, () =>
      loadContext(rows, at, history, options, { ...BACKED, saved }, cycle),
    )
    if (read.isConsistent) return { ...read.value, isPast: cycle !== undefined }
    now = read.now
  }
  if (now === undefined) return undefined
  throw busyContext(row.id)
}

/** The same with a single read, for callers that check for concurrent changes themselves. */
export async function loadContext(
  rows: Rows,
  row: ContextRow,
  history: number,
  options: AnyOptions,
  more: LoadOptions = BACKED,
  cycle: number = row.head,
): Promise<Loaded> {
  const all = await lineageOf(rows, row)
  const lineage = cycle < row.head ? upTo(all, cycle) : all
  const gone = await thinnedIn(rows, row, all)
  if (cycle < row.head && gone.has(cycle)) {
    const first = Math.max(1, all[0]!.context.first)
    const bounds = { oldest: first, newest: row.head, first, isBacked: true, thinned: gone, islands: new Map() }
    throw thinnedOut(bounds, `@c${cycle}`, cycle)
  }
  const thinned = gone.upTo(cycle)
  const oldest = thinned.back(cycle, history - 1)
  const found = await findManifest(rows, lineage, more.from ?? oldest)
  const given = { ...options, id: row.id, history }
  const book = new PageBook()
  // Until the oldest snapshot to keep, and if all rows are replayed, snapshots are counted in cycles. Otherwise all
  // thinned ones up to there would be kept.
  const restore = { ...more, thinned: Thinned.NONE }
  let restoring = found && Restoring.fromManifest(found.manifest, found.page, book, given, restore)
  for await (const link of linksOf(rows, lineage, found?.known)) {
    const written = recordOf(link)
    if (restoring === undefined) restoring = Restoring.fromCheckpoint(beginningOf([written]), given, restore)
    else restoring.take(written)
    if (more.from === undefined && link.row.cycle >= oldest) restoring.timeline.thinned = thinned
    await more.onReplayed?.(restoring, thinned)
  }
  if (more.from === undefined) restoring!.timeline.thinned = thinned
  const records = more.saved && recordsOf(row, more.saved)
  const isApplied = records !== undefined && more.saved?.use === 'load' && more.saved.cycle === cycle + 1
  const start = restoring!.start(undefined, isApplied ? records[0]?.base : undefined)
  // Read at least one attempt: new ids continue after the newest.
  const written = await rows.attempts(row.ctx, Math.max(1, options.keepAttempts ?? ATTEMPTS))
  const attempts = keptAttempts(row, written, start.draft.cycle, start.mint.sources.fork)
  const parts = joinParts({
    ...start,
    attempts,
    forks: Math.max(start.forks ?? 0, row.forks),
  })
  for (const [attempt, { message }] of attempts.damaged ?? []) {
    parts.warnings.add(message, { kind: 'damaged-attempt', attempt })
  }
  if (isApplied) applySaved(row, parts, records)
  const draft = records && infoOf(more.saved, records, isApplied, cycle + 1)
  return { row, parts, book, manifestAt: found?.known.cycle, draft, saved: more.saved, isPast: false }
}

function infoOf(
  { cycle, version }: DraftRow,
  records: readonly DraftRecord[],
  isApplied: boolean,
  open: number,
): DraftInfo {
  const state = isApplied ? 'loaded' : cycle === open ? 'left' : 'behind'
  return Object.freeze({ cycle, version, operations: countOperations(records), state })
}

const BACKED: LoadOptions = { isBacked: true }

/** The context as it was when a draft was saved, with the draft applied. */
export async function loadDraft(rows: Rows, row: ContextRow, draft: DraftRow): Promise<Parts> {
  const more = { ...BACKED, saved: { ...draft, use: 'load' as const } }
  return (await loadContext(rows, row, 1, {}, more, draft.cycle - 1)).parts
}

export type LoadOptions = RestoreOptions &
  Readonly<{
    /** The draft that was read, to be applied or left. */
    saved?: (DraftRow & Readonly<{ use: DraftUse }>) | undefined
    /** Replays every row after this cycle, even if a later manifest exists. */
    from?: number
    /** Called after each replayed row. */
    onReplayed?: (restoring: Restoring, thinned: Thinned) => Promise<void> | void
  }>

/** Loads history that a lens or a range names. */
export async function loadHistory(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  lens: string,
): Promise<void> {
  const { kind, from, to } = historyWanted(lens, parts.timeline.bounds)
  if (kind === 'loaded') return
  // Hold the loaded history: a concurrent commit would drop the oldest snapshot and leave a gap.
  const release = holdHistory(parts)
  try {
    const reading = (): ReturnType<typeof readOlder> => readOlder(rows, row, parts, book, from, to)
    const { first, older, extras } = await readOrConflict(rows, row, `History of ${row.id} was not loaded`, reading)
    if (kind === 'span') loadSpan(parts, older, extras)
    else loadAlone(parts, older, from, first === from ? extras : undefined)
  } finally {
    release()
  }
}

/** Reads a snapshot without loading it into the context. */
export async function readSnapshot(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  cycle: number,
): Promise<Snapshot> {
  const { timeline, home } = parts
  if (timeline.treeAt(cycle) !== undefined) return Snapshot.handOut(View.ofSnapshot(timeline, cycle), home)
  const reading = (): ReturnType<typeof readOlder> => readOlder(rows, row, parts, book, cycle, cycle)
  const { older } = await readOrConflict(rows, row, `Cycle ${cycle} of ${row.id} was not read`, reading)
  return Snapshot.handOut(View.ofSnapshot(older, cycle), home)
}

/** Loads the snapshots that a fork's option `history` asks for and its parent has not loaded. */
export async function fillHistory(rows: Rows, parent: ContextRow, fork: Parts, book: PageBook): Promise<void> {
  const { bounds, thinned } = fork.timeline
  if (bounds === undefined) return
  const { first, newest, oldest } = bounds
  const wanted = Math.max(first, thinned.back(newest, (fork.options.history ?? Infinity) - 1))
  if (oldest <= thinned.next(wanted)) return
  await loadHistory(rows, parent, fork, book, `@c${wanted}..@t0`)
  // They are now kept like any others.
  unloadHistory(fork)
}

/** Reads the history from `from` or a little earlier (`first`) up to `to`. */
async function readOlder(
  rows: Rows,
  row: ContextRow,
  parts: Parts,
  book: PageBook,
  from: number,
  to: number,
): Promise<Readonly<{ first: number | undefined; older: Timeline; extras: LoadedExtras }>> {
  const lineage = await lineageOf(rows, row)
  const found = await findManifest(rows, lineage, from)
  const records = await recordsAfter(rows, upTo(lineage, to), found?.known)
  const start = found === undefined ? fromRows(parts, records) : fromPages(parts, found, book, records)
  const first = start.first.oldest
  return { first, older: olderTimeline(parts, start.first, start.later), extras: start.extras }
}

/** The start of an older part of the history, the records after it, and the import extras of its first snapshot. */
type OlderStart = Readonly<{ first: Timeline; later: readonly WrittenRecord[]; extras: LoadedExtras }>

function fromRows(parts: Parts, records: readonly WrittenRecord[]): OlderStart {
  const { snapshot } = beginningOf(records)
  return { first: olderBeginning(parts, snapshot), later: records.slice(1), extras: snapshot?.extras }
}

function fromPages(
  parts: Parts,
  { manifest, page }: LoadedManifest,
  book: PageBook,
  later: readonly WrittenRecord[],
): OlderStart {
  const snapshot = manifest.snapshot!
  const present = { known: parts.timeline.knownVersions(), openWayTo: (id: string) => parts.timeline.openWayTo(id) }
  const first = timelineFromPages(snapshot, page, book, Infinity, true, present)
  return { first, later, extras: snapshot.extras }
}

/** The same lineage up to a cycle. */
function upTo(lineage: readonly LineagePart[], cycle: number): readonly LineagePart[] {
  return lineage
    .filter(({ context }, i) => i === 0 || context.first < cycle)
    .map(({ context, to }) => ({ context, to: Math.min(to, cycle) }))
}

async function recordsAfter(
  rows: Rows,
  lineage: readonly LineagePart[],
  known: LoadedSnapshot | undefined,
): Promise<readonly WrittenRecord[]> {
  const records: WrittenRecord[] = []
  for await (const link of linksOf(rows, lineage, known)) records.push(recordOf(link))
  return records
}

/** The first record holds the checkpoint of the oldest ancestor. */
function beginningOf([first]: readonly WrittenRecord[]): Checkpoint {
  return (first as (before: () => undefined) => Checkpoint)(() => undefined)
}
