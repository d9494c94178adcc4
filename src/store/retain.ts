// Retention (N77): texts that only removed snapshots show are erased from their rows, and those cycles can no longer be
// named. The changes stay in the rows, so the hash chain and diffs between kept snapshots stay valid. The result is
// replayed and compared before anything is written.

import { decodeCheckpoint, decodeCommitRecord, type BodyOwner } from '../codec/index.js'
import { checkForget } from '../context/persistence.js'
import { Gone, type NodeRecord } from '../core/index.js'
import type { DeleteOptions } from '../edit/index.js'
import { describe, invalid, PactError, short } from '../errors/index.js'
import { Thinned, TreeComparer, type Timeline } from '../timeline/index.js'
import { attemptOf } from './attempt-rows.js'
import { auditEntry, authorship, entryOf, headsOf, type AuditEntry } from './audit.js'
import { AbortableLoop } from './event-loop.js'
import { linksOf, recordOf, lineageOf, replay, decodeRecord, type Link, type LineagePart } from './lineage.js'
import { checkTaskOptions, readOptions, progressReporter } from './options.js'
import { finishErasures, NO_RECORD, rewriteFamily, writeRewrite, withoutThose, type FamilyState } from './rewrite.js'
import { RowBodies, withoutBodies, type ErasedInRow } from './row.js'
import type { ContextRow, Row, Rows } from './rows.js'
import { ownThinned, encodeRuns, thinnedOf } from './thinned.js'

/** Snapshots to keep: those that match any of these rules, the newest, and those that forks, attempts and drafts need. */
export type Keep = Readonly<{
  /** Number of newest snapshots. */
  newest?: number | undefined
  /** Every nth cycle: with 10, cycles 10, 20, 30. */
  every?: number | undefined
  /** Snapshots committed at this time or later. */
  since?: Date | undefined
}>

export type RetainOptions = DeleteOptions &
  Readonly<{
    keep: Keep
    /** Called now and then with the progress. */
    onProgress?: ((progress: RetainProgress) => void) | undefined
    /** Aborts the call until it starts writing; after that it runs to its end. */
    signal?: AbortSignal | undefined
  }>

export type RetainProgress = Readonly<{ id: string; step: 'reading' | 'checking'; cycle: number; head: number }>

/** Result of `retain`. */
export type RetainReceipt = Readonly<{
  id: string
  /** Number of snapshots that this call removed, and that the context itself still has. */
  thinned: number
  kept: number
  /** Cycles kept only because a fork, an attempt or a draft needs them. */
  needed: readonly number[]
  /** Number of erased texts, which no remaining snapshot shows. */
  texts: number
  at: string
  author?: string
  reason?: string
  /** Hash of its audit entry; undefined if there was nothing to remove. */
  audit: string | undefined
}>

const OPTIONS = ['keep', 'onProgress', 'signal', 'author', 'reason'] as const

/** Rows between two progress reports. */
const REPORT_EVERY = 256
/** Attempts to plan while others pack, fork or erase; and attempts to write a plan while others commit. */
const TRIES = 10
const WRITE_TRIES = 50

export async function retain(rows: Rows, id: string, given: RetainOptions, at: string): Promise<RetainReceipt> {
  const options = readOptions('retain', '{ keep: { newest: 100 } }', given, OPTIONS)
  const keep = checkKeep(options)
  checkTaskOptions(options)
  const by = checkForget(authorship(options))
  const report = progressReporter(options.onProgress)
  const loop = new AbortableLoop(options.signal)
  return rewriteFamily(rows, id, TRIES, async (state) => {
    const { context, earlier } = state
    const plan = await planOf(rows, state, keep, loop, report)
    const { kept, thinned, needed, first, last } = plan
    const retained = { ctx: String(context.ctx), first, last, kept: encodeRuns(kept), thinned: thinned.length, needed }
    const about = { at, context: id, ...by, retained }
    if (thinned.length === 0) {
      const interrupted = earlier && entryOf(earlier.audit)
      if (interrupted?.retained?.ctx === String(context.ctx)) return receiptOf(interrupted, earlier!.audit.hash)
      return receiptOf(auditEntry({ ...about, retained: { ...retained, needed: [] } }))
    }
    const erasedIn = ({ cycle }: Row): ErasedInRow => ({ numbers: plan.unused.get(cycle) ?? NOTHING, ids: NO_IDS })
    await verify(rows, context, plan, erasedIn, loop, report)
    const written = await withoutThose(rows, context, erasedIn)
    // Later commits do not affect the plan, so it need not be made again.
    for (let tries = 0; tries < WRITE_TRIES; tries++) {
      const family = await rows.family(context.family)
      if (!(await isPlanValid(rows, context, family, plan))) break
      const entry = auditEntry({ ...about, versions: written.count, heads: headsOf(family) })
      // Last chance to abort.
      await loop.yield()
      const audit = await writeRewrite(rows, { ...state, family }, entry, written)
      if (audit === undefined) continue
      await finishErasures(rows, context)
      return receiptOf(entry, audit.hash)
    }
    return undefined
  })
}

const NOTHING: ReadonlySet<number> = new Set()
const NO_IDS: ReadonlySet<string> = new Set()

// ---- Plan

type RetentionPlan = Readonly<{
  /** Cycles of the context that keep their snapshot, and those that lose it now. */
  kept: readonly number[]
  thinned: readonly number[]
  needed: readonly number[]
  first: number
  last: number
  /** By cycle, numbers of the bodies that no remaining snapshot shows. */
  unused: ReadonlyMap<number, ReadonlySet<number>>
  line: readonly LineagePart[]
}>

type KeepRule = Readonly<{ newest: number; every: number; sinceNs: bigint | undefined }>

/** A stored text; `isNeeded` if a kept snapshot shows it. */
type StoredText = { readonly cycle: number; readonly numbers: readonly number[]; isNeeded: boolean }

async function planOf(
  rows: Rows,
  { context, family, audits }: FamilyState,
  keep: KeepRule,
  loop: AbortableLoop,
  report: RetainOptions['onProgress'],
): Promise<RetentionPlan> {
  const { id, ctx, head } = context
  const line = await lineageOf(rows, context)
  const before = Thinned.of(ownThinned(audits, context))
  const newest = thinnedOf(audits, line).back(head, keep.newest - 1)
  const needs = await neededCycles(rows, context, family)
  const [kept, thinned, needed]: [number[], number[], number[]] = [[], [], []]
  const past = new TextUsage()
  for await (const { context: whose, row } of linksOf(rows, line)) {
    await loop.step()
    if (whose.ctx !== ctx) continue
    const texts = readRow(row, context)
    const isAsked = row.cycle >= newest || row.cycle % keep.every === 0 || isSince(texts.lastNs, keep.sinceNs)
    const isKept = !before.has(row.cycle) && (row.cycle === head || isAsked || needs.has(row.cycle))
    past.take(texts, isKept)
    if (row.cycle % REPORT_EVERY === 0) report?.({ id, step: 'reading', cycle: row.cycle, head })
    if (!texts.hasSnapshot || before.has(row.cycle)) continue
    if (!isKept) thinned.push(row.cycle)
    else if (kept.push(row.cycle) > 0 && !isAsked && row.cycle !== head) needed.push(row.cycle)
  }
  const [first = head] = [...before, ...kept, ...thinned].sort((a, b) => a - b)
  return { kept, thinned, needed, first, last: head, unused: past.unused(new Set([...before, ...thinned])), line }
}

/** A commit without a time counts as recent. */
function isSince(lastNs: bigint | undefined, sinceNs: bigint | undefined): boolean {
  return sinceNs !== undefined && (lastNs === undefined || lastNs >= sinceNs)
}

/** Cycles of a context that forks start from, also forks of its forks, or that attempts or drafts build on. */
async function neededCycles(
  rows: Rows,
  { ctx, first }: ContextRow,
  family: readonly ContextRow[],
): Promise<ReadonlySet<number>> {
  const needed = new Set<number>()
  for (const each of family) {
    const part = (await lineageOf(rows, each)).find(({ context }) => context.ctx === ctx)
    if (part === undefined) continue
    needed.add(part.to)
    for (const row of await rows.attempts(each.ctx, Number.MAX_SAFE_INTEGER)) {
      const { base_cycle: base } = attemptOf(each, row)
      if (base !== null && base >= first && base <= part.to) needed.add(base)
    }
    const draft = each.draft.parts > 0 ? await rows.draft(each.ctx) : undefined
    if (draft !== undefined && draft.cycle > first && draft.cycle <= part.to) needed.add(draft.cycle - 1)
  }
  return needed
}

/** True if the epoch is unchanged, and no fork or attempt needs a cycle that goes. */
async function isPlanValid(
  rows: Rows,
  context: ContextRow,
  now: readonly ContextRow[],
  { thinned }: RetentionPlan,
): Promise<boolean> {
  const own = now.find(({ ctx }) => ctx === context.ctx)
  if (own?.epoch !== context.epoch) return false
  const needs = await neededCycles(rows, own, now)
  return !thinned.some((cycle) => needs.has(cycle))
}

/** The texts of one row by owner. */
type RowTexts = Readonly<{
  cycle: number
  hasSnapshot: boolean
  lastNs: bigint | undefined
  /** The text of an id or key from this row on: bodies of this row (a summary has several), the previous text, or none. */
  now: readonly (readonly [name: string, text: readonly number[] | 'before' | undefined])[]
  /** Texts that record only how the next cycle began. */
  opening: readonly number[]
}>

function readRow(row: Row, { first }: ContextRow): RowTexts {
  const { count, text } = new RowBodies(row).reader(() => undefined)
  const own = new Map<string, number[]>()
  const opening: number[] = []
  const asBefore = new Set<string>()
  const owner = (number: number, whose: BodyOwner, path: string): void => {
    if (text(number) === undefined) return
    if (path.startsWith('opening')) opening.push(number)
    else {
      const name = 'key' in whose ? keyName(whose.key) : nodeName(whose.summary ?? whose.id)
      own.set(name, [...(own.get(name) ?? []), number])
    }
  }
  const before = (id: string): NodeRecord => {
    asBefore.add(nodeName(id))
    return NO_RECORD
  }
  const reader = { count, text: () => undefined, before, owner }
  const textOf = (name: string): readonly number[] | 'before' | undefined =>
    own.get(name) ?? (asBefore.has(name) ? 'before' : undefined)
  if (row.cycle === first) {
    const { snapshot, opening: opened } = decodeCheckpoint(row.changes, reader)
    const names = [...own.keys()]
    const lastNs = opened?.counters.lastNs
    return {
      cycle: first,
      hasSnapshot: snapshot !== undefined,
      lastNs,
      now: names.map((name) => [name, textOf(name)]),
      opening,
    }
  }
  const { change, opening: opened } = decodeCommitRecord(row.changes, reader)
  const now = [
    ...change.versions.map((version) => {
      const name = nodeName(version.id)
      return [name, version instanceof Gone ? undefined : textOf(name)] as const
    }),
    ...change.schedules.map(({ key }) => [keyName(key), textOf(keyName(key))] as const),
  ]
  return { cycle: row.cycle, hasSnapshot: true, lastNs: opened?.counters.lastNs, now, opening }
}

function nodeName(id: string): string {
  return `n${id}`
}

function keyName(key: string): string {
  return `k${key}`
}

/** Tracks the text of each id and key over the history, and which texts a kept snapshot shows. */
class TextUsage {
  readonly #holders: StoredText[] = []
  readonly #now = new Map<string, Readonly<{ holder: StoredText; since: number }>>()
  #lastKept = -1

  take({ cycle, now, opening }: RowTexts, isKept: boolean): void {
    for (const [name, text] of now) {
      const before = this.#now.get(name)
      if (before !== undefined) this.#end(before)
      const holder = text === 'before' ? before?.holder : text === undefined ? undefined : this.#hold(cycle, text)
      if (holder === undefined) this.#now.delete(name)
      else this.#now.set(name, { holder, since: cycle })
    }
    for (const number of opening) this.#hold(cycle, [number])
    if (isKept) this.#lastKept = cycle
  }

  #hold(cycle: number, numbers: readonly number[]): StoredText {
    const holder = { cycle, numbers, isNeeded: false }
    this.#holders.push(holder)
    return holder
  }

  /** The text was shown from `since` up to the previous cycle. */
  #end({ holder, since }: Readonly<{ holder: StoredText; since: number }>): void {
    if (this.#lastKept >= since) holder.isNeeded = true
  }

  /** By cycle, texts of removed cycles that no kept snapshot shows. */
  unused(thinned: ReadonlySet<number>): ReadonlyMap<number, ReadonlySet<number>> {
    for (const each of this.#now.values()) this.#end(each)
    const unused = new Map<number, Set<number>>()
    for (const { cycle, numbers, isNeeded } of this.#holders) {
      if (isNeeded || !thinned.has(cycle)) continue
      const known = unused.get(cycle) ?? new Set()
      for (const number of numbers) known.add(number)
      unused.set(cycle, known)
    }
    return unused
  }
}

// ---- Verification

/** Replays the history before and after: every kept snapshot must be equal, and the hash chain valid. */
async function verify(
  rows: Rows,
  { id, ctx, head }: ContextRow,
  { kept, line }: RetentionPlan,
  erasedIn: (row: Row) => ErasedInRow,
  loop: AbortableLoop,
  report: RetainOptions['onProgress'],
): Promise<void> {
  const stays = new Set(kept)
  const comparer = new TreeComparer()
  let [is, willBe]: [Timeline | undefined, Timeline | undefined] = [undefined, undefined]
  for await (const link of linksOf(rows, line)) {
    await loop.step()
    const { context, row } = link
    const later: Link = context.ctx === ctx ? { ...link, row: withoutBodies(row, erasedIn(row)) } : link
    is = replay(is, decodeRecord(is, recordOf(link)))
    willBe = replay(willBe, decodeRecord(willBe, recordOf(later)))
    if (row.cycle % REPORT_EVERY === 0) report?.({ id, step: 'checking', cycle: row.cycle, head })
    if (context.ctx !== ctx || !stays.has(row.cycle)) continue
    const other = comparer.firstDifference(is.treeAt(row.cycle)!, willBe.treeAt(row.cycle)!)
    if (other === undefined) continue
    const message = `Cycle ${row.cycle} of ${id} would change: ${other}. Nothing was changed. This is a fault of pact-context; please report it.`
    throw new PactError('E_INTERNAL', message, { id, cycle: row.cycle })
  }
}

// ---- Options and receipts

function checkKeep({ keep: given }: RetainOptions): KeepRule {
  if (typeof given !== 'object' || given === null)
    throw invalid('keep', `The option keep is an object, not ${describe(given)}.`)
  const keep = readOptions<Keep>('keep', '{ newest: 100 }', given)
  const unknown = Object.keys(keep).find((name) => !['newest', 'every', 'since'].includes(name))
  if (unknown !== undefined)
    throw invalid('keep', `There is no "${short(unknown)}" in keep; there are newest, every and since.`)
  const { newest = 1, every = Infinity, since } = keep
  // Undefined values count as missing: a missing setting must not remove all history.
  if (Object.values(keep).every((value) => value === undefined))
    throw invalid('keep', 'The option keep says what stays: newest, every, since, or some of them.')
  for (const [name, value] of Object.entries({ newest, every })) {
    if (value !== Infinity && !(Number.isSafeInteger(value) && value >= 1))
      throw invalid('keep', `In keep, ${name} is a whole number from 1 up, not ${describe(value)}.`)
  }
  if (since !== undefined && !(since instanceof Date && Number.isFinite(since.getTime())))
    throw invalid('keep', `In keep, since is a valid Date, not ${describe(since)}.`)
  return { newest, every, sinceNs: since && BigInt(since.getTime()) * 1_000_000n }
}

function receiptOf(entry: AuditEntry, hash?: Uint8Array): RetainReceipt {
  const { thinned, kept, needed } = entry.retained!
  return Object.freeze({
    id: entry.context,
    thinned,
    kept: kept.reduce((sum, [, count]) => sum + count, 0),
    needed: Object.freeze(needed),
    texts: entry.versions,
    at: entry.at,
    ...authorship(entry),
    audit: hash && Buffer.from(hash).toString('hex'),
  })
}
