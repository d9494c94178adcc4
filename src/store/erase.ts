// Erasure (D56): the content of nodes is removed from every row, pack, schedule, attempt and answer of a family, and
// then from the database files. Ids, positions and the hash chain stay. The rows change in one step; the rest can be
// repeated by a later call.

import { decodeCheckpoint, decodeCommitRecord, type BodyOwner } from '../codec/index.js'
import {
  checkForget,
  EverSearch,
  mutationOf,
  nodesAlone,
  nothingToForget,
  snapshotsOf,
  type FoundNodes,
  type Restoring,
} from '../context/persistence.js'
import { compareText, NodeRecord, type Dialect, type Schedule } from '../core/index.js'
import type { DeleteOptions } from '../edit/index.js'
import { describe, PactError } from '../errors/index.js'
import { Erasing, Thinned } from '../timeline/index.js'
import { isErased, withoutDigest } from './answer.js'
import { attemptOf } from './attempt-rows.js'
import { auditEntry, authorship, entryOf, headsOf, type AuditEntry } from './audit.js'
import { erasedDraft } from './drafts.js'
import { loadContext, loadDraft } from './loading.js'
import { readOptions } from './options.js'
import {
  finishErasures,
  nextTurn,
  NO_RECORD,
  rewriteFamily,
  rewrittenAttempts,
  writeRewrite,
  withoutThose,
} from './rewrite.js'
import { RowBodies, type ErasedInRow } from './row.js'
import type { ContextKey, ContextRow, Erasure, Row, Rows } from './rows.js'

/** Author and reason of an erasure; both are stored. */
export type EraseOptions = DeleteOptions

/** Result of `erase`. */
export type EraseReceipt = Readonly<{
  /** Erased nodes, sorted. */
  ids: readonly string[]
  /** Keys of schedules that held erased content and do not return any more. */
  schedules: readonly string[]
  /** Number of erased texts of nodes and schedules, plus versions without a text that were marked. */
  versions: number
  /** All contexts of the family, sorted. */
  contexts: readonly string[]
  /** Number of attempts that lost content or request hashes. */
  attempts: number
  answers: number
  at: string
  author?: string
  reason?: string
  /** Hash of its audit entry; undefined if nothing was found. */
  audit: string | undefined
  /** Places outside the store that may still hold the content. */
  outOfReach: readonly string[]
}>

export const OUT_OF_REACH: readonly string[] = Object.freeze([
  'backups and copies of the database, archived logs, snapshots of the disk, and what the disk keeps of blocks that were written over',
  'processes that have a context of the family open, until they rebase, open it again, or end',
  'exports, and contexts that were stored under another name from an export or with put',
  'recipients: providers, logs, traces',
])

/** Snapshots searched at a time. */
const WINDOW = 1024
/** Attempts while other writers commit. */
const TRIES = 50

export async function erase(
  rows: Rows,
  id: string,
  selector: string,
  options: EraseOptions,
  at: string,
  window: number = WINDOW,
): Promise<EraseReceipt> {
  if (typeof selector !== 'string')
    throw new PactError('E_SELECTOR_INVALID', `A selector is a string, not ${describe(selector)}.`)
  const by = checkForget(readOptions('erase', '{ reason }', options, ['author', 'reason']))
  const search = new FamilySearch(selector, window)
  return rewriteFamily(rows, id, TRIES, async (state) => {
    const { context, family, earlier } = state
    for (const each of family) await search.in(rows, each)
    const { found } = search
    const ids = [...new Set([...found.ids, ...found.opened.ids])].sort(compareText)
    const schedules = [...new Set([...found.keys, ...found.opened.keys])].sort(compareText)
    const about = { at, context: id, ...by, heads: headsOf(family) }
    if (ids.length + schedules.length === 0) {
      const interrupted = earlier && entryOf(earlier.audit)
      if (interrupted !== undefined && interrupted.retained === undefined)
        return receiptOf(interrupted, earlier!.audit.hash, earlier!.left)
      if (!search.isOptional) throw nothingToForget()
      return receiptOf(auditEntry(about), undefined, [])
    }
    const written = await rewritten(rows, family, found)
    const entry = auditEntry({
      ...about,
      ids,
      schedules,
      later: laterOf(found),
      versions: written.versions,
      attempts: written.attempts.length,
      answers: written.answers.length,
      since: Number.isFinite(written.since) ? written.since : null,
    })
    const audit = await writeRewrite(rows, state, entry, written)
    if (audit === undefined) return undefined
    const { left = [] } = (await finishErasures(rows, context)) ?? {}
    return receiptOf(entry, audit.hash, left)
  })
}

// ---- Finding

/**
 * Results of a search. `opened` holds content that cycles began with and no snapshot has: only that is erased, not
 * later versions.
 */
type SearchResult = FoundNodes & Readonly<{ opened: FoundNodes }>

/** A search of a family. If others commit meanwhile, it continues where it was. */
class FamilySearch {
  readonly #selector: string
  readonly #window: number
  #ever: EverSearch | undefined
  /** Searches what closed cycles began with. */
  #openings: EverSearch | undefined
  /** Newest searched cycle of each context. */
  readonly #searched = new Map<ContextKey, number>()

  constructor(selector: string, window: number) {
    this.#selector = selector
    this.#window = window
  }

  get isOptional(): boolean {
    return this.#ever!.isOptional
  }

  get found(): SearchResult {
    return { ...this.#ever!.found, opened: this.#openings!.found }
  }

  /**
   * Replays the rows of a context that were not searched yet and searches a window of snapshots at a time; then the
   * open cycle and all attempts. Memory grows with the live tree and the window, not with the history.
   */
  async in(rows: Rows, context: ContextRow): Promise<void> {
    const { ctx, first, head } = context
    if (this.#ever === undefined) {
      const mutation = mutationOf(this.#selector, await dialectOf(rows, context))
      this.#ever = new EverSearch(mutation)
      this.#openings = new EverSearch(mutation)
    }
    const ever = this.#ever
    const openings = this.#openings!
    // A choice (`??`), or a selector that counts its hits, needs all snapshots together.
    const isWhole = ever.isWhole || this.#selector.includes('??')
    const history = isWhole ? Infinity : this.#window
    let next = isWhole ? first : (this.#searched.get(ctx) ?? first)
    let returned: readonly NodeRecord[] = []
    const scheduled: Schedule[] = []
    let thinned = Thinned.NONE
    const onReplayed = async ({ timeline, opening }: Restoring, without: Thinned): Promise<void> => {
      thinned = without
      const { newest = 0 } = timeline
      if (newest < next) return
      // Content that was changed or removed before the commit of its cycle is in no snapshot.
      openings.look(nodesAlone(returned.filter((record) => !hasSameContent(record, timeline.find(record.id, newest)))))
      returned = opening?.versions.filter((version) => version instanceof NodeRecord) ?? []
      scheduled.push(...(opening?.schedules.flatMap(({ schedule }) => schedule ?? []) ?? []))
      if (newest - next + 1 < history) return
      ever.look(snapshotsOf(timeline, next, thinned))
      next = newest + 1
      await nextTurn()
    }
    const draft = await rows.draft(ctx)
    const saved = draft?.cycle === head + 1 ? { ...draft, use: 'load' as const } : undefined
    const more = { isBacked: false, from: next, onReplayed, saved }
    const { parts } = await loadContext(rows, context, history, {}, more)
    const attempts = (await rows.attempts(ctx, Number.MAX_SAFE_INTEGER)).map((row) => attemptOf(context, row))
    ever.lookBeside(parts.open, attempts, parts.home.edition.dialect, snapshotsOf(parts.timeline, next, thinned))
    if (draft !== undefined && saved === undefined) {
      const apart = await loadDraft(rows, context, draft)
      ever.lookBeside(apart.open, [], apart.home.edition.dialect)
    }
    openings.lookAtSchedules(parts.open, scheduled)
    // The newest cycle is searched again next time: its open cycle may have changed.
    this.#searched.set(ctx, head)
    await nextTurn()
  }
}

function hasSameContent({ content, rare }: NodeRecord, later: NodeRecord | undefined): boolean {
  if (later === undefined || later.content !== content) return false
  return later.rare?.attributes === rare?.attributes && later.rare?.provenance === rare?.provenance
}

/** Ids of nodes that keep their later versions. */
function laterOf({ ids, opened }: SearchResult): readonly string[] | undefined {
  const later = [...opened.ids].filter((id) => !ids.has(id)).sort(compareText)
  return later.length === 0 ? undefined : later
}

async function dialectOf(rows: Rows, context: ContextRow): Promise<Dialect> {
  const { parts } = await loadContext(rows, context, 1, {})
  return parts.home.edition.dialect
}

// ---- Taking out

type RewrittenFamily = Pick<Erasure, 'rows' | 'packs' | 'answers' | 'attempts' | 'drafts'> &
  Readonly<{ versions: number; since: number }>

/** All rows, packs, answers, attempts and drafts of a family that change. */
async function rewritten(rows: Rows, family: readonly ContextRow[], found: SearchResult): Promise<RewrittenFamily> {
  const alone: Erasure['rows'][number][] = []
  const packs: Erasure['packs'][number][] = []
  const answers: Erasure['answers'][number][] = []
  const touched: number[] = []
  let versions = 0
  for (const context of family) {
    const { ctx } = context
    const written = await withoutThose(rows, context, (row) => erasedIn(row, context, found))
    const { cycles } = written
    versions += written.count
    alone.push(...written.rows)
    packs.push(...written.packs)
    // The first row of a context may hold content that is older than the context.
    touched.push(...cycles, ...(cycles.has(context.first) ? [0] : []))
    for (const answer of await rows.answers(ctx)) {
      if (cycles.has(answer.cycle) && !isErased(answer)) answers.push({ ctx, answer: withoutDigest(context, answer) })
    }
  }
  const since = touched.reduce((least, cycle) => Math.min(least, cycle), Infinity)
  const attempts: Erasure['attempts'][number][] = []
  for (const context of family) {
    const { ctx } = context
    for (const attempt of await rewrittenAttempts(rows, context, found, since)) attempts.push({ ctx, attempt })
  }
  const erasing = new Erasing(found.ids, found.keys)
  const drafts: Erasure['drafts'][number][] = []
  for (const context of family) {
    const { ctx } = context
    const draft = await rows.draft(ctx)
    // Every draft is kept as a state from now on: a selector in it may find nodes by erased content.
    if (draft !== undefined) {
      const parts = await loadDraft(rows, context, draft)
      drafts.push({ ctx, draft: erasedDraft(context, draft, parts, erasing) })
    }
  }
  return { rows: alone, packs, answers, attempts, drafts, versions: versions + erasing.versions, since }
}

/** Bodies of a row to erase, and nodes without a body that are not marked as erased yet. */
function erasedIn(row: Row, { first, head }: ContextRow, { ids, keys, opened: begun }: SearchResult): ErasedInRow {
  const bodies = new RowBodies(row)
  const bare = new Set<string>()
  const { count, text } = bodies.reader(() => undefined)
  const numbers = new Set<number>()
  const opened = new Map<string, number>()
  const owner = (number: number, who: BodyOwner, path: string): void => {
    if (text(number) === undefined) return
    const isBegun = path.startsWith('opening') && row.cycle !== head
    // A node that a summary stands for goes with the summary, too.
    const isFound = 'key' in who ? keys.has(who.key) : ids.has(who.id) || ids.has(who.summary ?? who.id)
    if (isFound || (isBegun && ('key' in who ? begun.keys.has(who.key) : begun.ids.has(who.id)))) numbers.add(number)
    else if ('id' in who && who.summary === undefined && path.startsWith('opening')) opened.set(who.id, number)
  }
  const bodiless = (id: string): void => {
    if (ids.has(id) && !bodies.erased.has(id)) bare.add(id)
  }
  const reader = { count, text: () => undefined, before: () => NO_RECORD, owner, bodiless }
  const decode = row.cycle === first ? decodeCheckpoint : decodeCommitRecord
  const { opening } = decode(row.changes, reader)
  // Content that a schedule brought into a closed cycle and that no snapshot shows.
  for (const version of row.cycle === head ? [] : (opening?.versions ?? [])) {
    const number = opened.get(version.id)
    if (number === undefined || !(version instanceof NodeRecord)) continue
    if (version.instanceKey !== undefined && keys.has(version.instanceKey)) numbers.add(number)
  }
  return { numbers, ids: bare }
}

function receiptOf(entry: AuditEntry, hash: Uint8Array | undefined, left: readonly string[]): EraseReceipt {
  const { ids, schedules, versions, attempts, answers, at, heads } = entry
  return Object.freeze({
    ids: Object.freeze(ids),
    schedules: Object.freeze(schedules),
    versions,
    contexts: Object.freeze(heads.map(([id]) => id).sort(compareText)),
    attempts,
    answers,
    at,
    ...authorship(entry),
    audit: hash && Buffer.from(hash).toString('hex'),
    outOfReach: left.length === 0 ? OUT_OF_REACH : Object.freeze([...OUT_OF_REACH, ...left]),
  })
}
