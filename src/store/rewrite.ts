// The common part of erasure and retention: both read a family, remove bodies from its rows and packs, write the result
// with an audit entry in one step that fails if the family has changed, and then clean up the database files. The last
// part can be repeated by a later call.

import { eraseFromAttempt } from '../attempts/index.js'
import type { FoundNodes } from '../context/persistence.js'
import type { NodeRecord } from '../core/index.js'
import { PactError } from '../errors/index.js'
import { Erasing } from '../timeline/index.js'
import { attemptOf, attemptRow } from './attempt-rows.js'
import { auditOf, auditRow, entryOf, type AuditEntry } from './audit.js'
import { missing, storeFault } from './fault.js'
import { loadContext } from './loading.js'
import { writeManifest } from './manifests.js'
import { movedError, unfinishedMove } from './moved.js'
import { packOf, rowsOf } from './pack.js'
import { withoutBodies, type ErasedInRow } from './row.js'
import type { AttemptRow, AuditRow, ContextRow, Erasure, Row, Rows } from './rows.js'
import { headsForErasure } from './seal.js'

/** Rows read per query. */
const STEP = 2048

/**
 * All rows and packs of a context that change if `erasedIn` names something in them. `cycles` are the cycles of rows
 * that lose texts; `count` is the number of erased texts and of nodes without a text.
 */
export async function withoutThose(
  rows: Rows,
  context: ContextRow,
  erasedIn: (row: Row) => ErasedInRow,
): Promise<Pick<Erasure, 'rows' | 'packs'> & Readonly<{ cycles: ReadonlySet<number>; count: number }>> {
  const { ctx } = context
  const alone: Erasure['rows'][number][] = []
  const packs: Erasure['packs'][number][] = []
  const cycles = new Set<number>()
  let count = 0
  const changed = (row: Row): Row | undefined => {
    const erased = erasedIn(row)
    const { numbers, ids } = erased
    if (numbers.size + ids.size === 0) return undefined
    count += numbers.size + ids.size
    if (numbers.size > 0) cycles.add(row.cycle)
    return withoutBodies(row, erased)
  }
  for await (const part of partsOf(rows, context)) {
    if ('row' in part) {
      const row = changed(part.row)
      if (row !== undefined) alone.push({ ctx, row })
      continue
    }
    const before = count
    const inside = part.rows.map((row) => changed(row) ?? row)
    if (count > before) packs.push({ ctx, pack: packOf(inside) })
  }
  return { rows: alone, packs, cycles, count }
}

/** All packs and single rows of a context. */
async function* partsOf(
  rows: Rows,
  { ctx, first, head }: ContextRow,
): AsyncGenerator<Readonly<{ rows: readonly Row[] } | { row: Row }>, void, undefined> {
  // A pack that spans two queries is read twice.
  let packed = first - 1
  for (let next = first; next <= head; next += STEP) {
    const { packs, rows: alone } = await rows.read(ctx, next, Math.min(head, next + STEP - 1))
    for (const pack of packs.toSorted((a, b) => a.from - b.from)) {
      if (pack.from <= packed) continue
      packed = pack.to
      yield { rows: rowsOf(pack) }
    }
    for (const row of alone) yield { row }
  }
}

/** Rewritten attempts that contained erased content or may have sent it. */
export async function rewrittenAttempts(
  rows: Rows,
  context: ContextRow,
  found: FoundNodes,
  since: number,
): Promise<readonly AttemptRow[]> {
  const erasing = new Erasing(found.ids, found.keys)
  return (await rows.attempts(context.ctx, Number.MAX_SAFE_INTEGER)).flatMap((row) => {
    const record = attemptOf(context, row)
    const erased = eraseFromAttempt(record, erasing)
    const says = erased.nodes !== record.nodes || erased.structure !== record.structure
    const isFound = erasing.ids.has(record.attempt_id)
    if (!says && !isFound && record.cycle_id < since) return []
    const written = attemptRow(context, erased, row.writer)
    return Buffer.compare(written.body, row.body) === 0 ? [] : [written]
  })
}

// ---- Calls

/** A family as it was read, and the entry of an interrupted call that was finished first. */
export type FamilyState = Readonly<{
  context: ContextRow
  family: readonly ContextRow[]
  audits: readonly AuditRow[]
  earlier: Finished | undefined
}>

/** Repeats `attempt` while other writers change the family and it gives undefined. E_STORE if that does not end. */
export async function rewriteFamily<T>(
  rows: Rows,
  id: string,
  tries: number,
  attempt: (state: FamilyState) => Promise<T | undefined>,
): Promise<T> {
  const once = async (context: ContextRow): Promise<T | undefined> => {
    const earlier = await finishErasures(rows, context)
    const family = await rows.family(context.family)
    if (!isSameFamily([context], family)) return undefined
    const audits = await auditOf(rows, context.family)
    return attempt({ context, family, audits, earlier })
  }
  for (let n = 0; n < tries; n++) {
    const context = await rows.find(id)
    if (context === undefined) throw missing(id)
    const before = [context, ...(await rows.family(context.family))]
    const [outcome] = await Promise.allSettled([once(context)])
    if (outcome.status === 'fulfilled' && outcome.value !== undefined) return outcome.value
    if (outcome.status === 'fulfilled') continue
    // Rows look damaged if a context of the family was deleted, rewritten or moved while they were read.
    const reason: unknown = outcome.reason
    if (!isDamage(reason) || isSameFamily(before, await rows.family(context.family))) throw reason
  }
  const message = `Others commit to ${id}, or to contexts that share its history, faster than these can be read; try again when they pause.`
  throw storeFault(message, 'failed', { id, reason: 'busy' })
}

function isDamage(error: unknown): boolean {
  return PactError.is(error) && error.code === 'E_STORE' && error.details['reason'] === 'damaged'
}

/** True if the same contexts are there in the same epochs. Heads do not count: a commit only adds rows. */
function isSameFamily(before: readonly ContextRow[], now: readonly ContextRow[]): boolean {
  const epochs = new Map(now.map(({ ctx, epoch }) => [ctx, epoch]))
  return before.every(({ ctx, epoch }) => epochs.get(ctx) === epoch)
}

/** Writes changed rows and the audit entry in one step. Returns the entry's row; undefined if the family has changed. */
export async function writeRewrite(
  rows: Rows,
  { context, family, audits }: FamilyState,
  entry: AuditEntry,
  writes: Pick<Erasure, 'rows' | 'packs'> & Partial<Pick<Erasure, 'answers' | 'attempts' | 'drafts'>>,
): Promise<Omit<AuditRow, 'isFinished'> | undefined> {
  const audit = auditRow(entry, audits)
  const { answers = [], attempts = [], drafts = [] } = writes
  const outcome = await rows.erase({
    family: context.family,
    epoch: context.epoch,
    heads: headsForErasure(family),
    rows: writes.rows,
    packs: writes.packs,
    answers,
    attempts,
    drafts,
    audit,
  })
  return outcome === 'done' ? audit : undefined
}

/** The last finished entry, and places where its content may remain beyond those that hold for all databases. */
type Finished = Readonly<{ audit: AuditRow; left: readonly string[] }>

/** Finishes erasures and retentions that any process has begun. E_CONFLICT if the family was moved away. */
export async function finishErasures(rows: Rows, { id, family }: ContextRow): Promise<Finished | undefined> {
  const audits = await auditOf(rows, family)
  const move = unfinishedMove(audits)
  if (move !== undefined) throw movedError(id, entryOf(move).moved!)
  const unfinished = audits.filter(({ isFinished }) => !isFinished)
  const contexts = unfinished.length === 0 ? [] : await rows.family(family)
  for (const each of unfinished) {
    const { ids, schedules, later, since } = entryOf(each)
    const kept = new Set(later)
    const found = { ids: new Set(ids.filter((id) => !kept.has(id))), keys: new Set(schedules) }
    // Attempts may have been written during the erasure. Later ones carry the new epoch.
    for (const context of contexts) {
      const left = await rewrittenAttempts(rows, context, found, since ?? Infinity)
      if (left.length > 0) await rows.writeAttempts(context.ctx, left)
    }
  }
  if (unfinished.length === 0) return undefined
  for (const context of contexts) {
    const { parts, book } = await loadContext(rows, context, 1, {})
    if (parts.timeline.newest !== undefined) await writeManifest(rows, context, parts, book)
    await nextTurn()
  }
  const last = unfinished.at(-1)!
  // Only up to this entry: a move may have been added meanwhile.
  const left = await rows.scrub(family, last.n)
  return { left: [...left, ...leftBehind(audits)], audit: last }
}

/** Databases that the family was moved from may still hold the content. */
function leftBehind(audits: readonly AuditRow[]): readonly string[] {
  const places = new Set(audits.flatMap((each) => entryOf(each).moved?.from ?? []))
  return Array.from(
    places,
    (from) => `what was left in ${from} when the context was moved from there, until that is deleted`,
  )
}

/** Lets the event loop turn: weak references keep their targets alive until then, so that a loaded context is freed. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

/** Placeholder for the previous version, which is not read here. */
export const NO_RECORD: NodeRecord = { content: undefined, rare: undefined } as unknown as NodeRecord
