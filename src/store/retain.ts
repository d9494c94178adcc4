// Thinning a past out (N77): of the cycles that are not kept, what only they show is taken out of their rows, as an erasure takes it out, and from
// then on nobody can name them. What they changed stays, so that the chain holds, and comparing what is kept gives what it gave. All of it is
// played again and compared before anything is written.

import { describe, PactError, short } from '../errors/index.js'
import { decodeCheckpoint, decodeCommitRecord, type BodyOwner } from '../codec/index.js'
import { Gone, type NodeRecord } from '../core/index.js'
import { checkForget, type DeleteOptions } from '../context/index.js'
import { Thinned, TreeComparer, type Timeline } from '../timeline/index.js'
import { auditOf, auditRow, entryOf, headsOf, type AuditEntry } from './audit.js'
import { finishErasures } from './erase.js'
import { missing, storeFault } from './fault.js'
import { checkLong, optionsOf, telling } from './given.js'
import { linksOf, recordOf, stretchesOf, type Link, type Stretch } from './past.js'
import { played, readOf } from './playing.js'
import { ownThinned, runsOf, thinnedOf } from './retained.js'
import { withoutThose } from './rewriting.js'
import { RowBodies, withoutBodies } from './row.js'
import type { AuditRow, ContextRow, Row, Rows } from './rows.js'
import { Turns } from './turns.js'
import { attemptOf } from './written-attempts.js'

/** Which snapshots stay; one stays where any of these says so. The newest always does, and what forks and attempts need. */
export type Keep = Readonly<{
  /** So many of the newest. */
  newest?: number | undefined
  /** Those of every so manieth cycle: with 10, of cycles 10, 20, 30. */
  every?: number | undefined
  /** Those that were committed at this time or later. */
  since?: Date | undefined
}>

export type RetainOptions = DeleteOptions &
  Readonly<{
    keep: Keep
    /** Told now and then how far it is. */
    onProgress?: ((progress: RetainProgress) => void) | undefined
    /** Ends it, with the signal's reason, as long as nothing is written; from then on it is done to the end. */
    signal?: AbortSignal | undefined
  }>

export type RetainProgress = Readonly<{ id: string; step: 'reading' | 'checking'; cycle: number; head: number }>

/** What a call of `retain` has done. */
export type RetainReceipt = Readonly<{
  id: string
  /** How many snapshots were thinned out by this call, and how many of its own the context still has. */
  thinned: number
  kept: number
  /** Cycles that were kept only because a fork or an attempt needs them. */
  needed: readonly number[]
  /** How many texts were taken out: those that no snapshot shows any more. */
  texts: number
  at: string
  author?: string
  reason?: string
  /** The hash of its entry in the list of erasures; undefined where there was nothing to thin out. */
  audit: string | undefined
}>

const OPTIONS = ['keep', 'onProgress', 'signal', 'author', 'reason'] as const

/** How often progress is told, in rows. */
const TELL = 256
/** How often all of it is gone through while others pack rows, fork or erase; and how often it is written while others commit. */
const TRIES = 10
const AGAIN = 50

export async function retain(rows: Rows, id: string, given: RetainOptions, at: string): Promise<RetainReceipt> {
  const options = optionsOf('retain', '{ keep: { newest: 100 } }', given, OPTIONS)
  const keep = checkKeep(options)
  checkLong(options)
  const { author, reason } = checkForget(who(options))
  const tell = telling(options.onProgress)
  const turns = new Turns(options.signal)
  for (let tries = 0; tries < TRIES; tries++) {
    const context = await rows.find(id)
    if (context === undefined) throw missing(id)
    // One that was interrupted comes first; what it was about is done already.
    const earlier = await finishErasures(rows, context.family)
    const family = await rows.family(context.family)
    const audits = await auditOf(rows, context.family)
    const plan = await planOf(rows, context, family, audits, keep, turns, tell)
    if (plan.thinned.length === 0) {
      const own = earlier === undefined ? undefined : entryOf(earlier.audit)
      if (own?.retained?.ctx === String(context.ctx)) return receiptOf(own, earlier!.audit)
      return nothingThinned(id, plan.kept.length, at, { author, reason })
    }
    const numbersOf = ({ cycle }: Row): ReadonlySet<number> => plan.going.get(cycle) ?? NOTHING
    await verify(rows, context, plan, numbersOf, turns, tell)
    const written = await withoutThose(rows, context, numbersOf)
    const { kept, thinned, needed, first, last } = plan
    const retained = { ctx: String(context.ctx), first, last, kept: runsOf(kept), thinned: thinned.length, needed }
    // Whoever commits meanwhile comes after all of it, and is no reason to read it again.
    for (let again = 0; again < AGAIN; again++) {
      const now = await rows.family(context.family)
      if (!(await isStillRight(rows, context, now, plan))) break
      const entry: AuditEntry = {
        at,
        context: id,
        author,
        reason,
        ids: [],
        schedules: [],
        versions: written.count,
        attempts: 0,
        answers: 0,
        since: null,
        heads: headsOf(now),
        retained,
      }
      const audit = auditRow(entry, audits)
      const heads = now.map(({ ctx, chain }) => ({ ctx, chain }))
      // The last moment at which nothing has happened yet.
      await turns.rest()
      const writes = { rows: written.rows, packs: written.packs, answers: [], attempts: [], audit }
      const outcome = await rows.erase({ family: context.family, epoch: context.epoch, heads, ...writes })
      if (outcome === 'conflict') continue
      await finishErasures(rows, context.family)
      return receiptOf(entry, audit)
    }
  }
  const message = `Others commit to ${id}, or to what shares its past, faster than that can be gone through; try again when they pause.`
  throw storeFault(message, 'failed', { id, reason: 'busy' })
}

const NOTHING: ReadonlySet<number> = new Set()

// ---- What goes

type Plan = Readonly<{
  /** The own cycles of the context that have a snapshot, as they will be; and those that go now. */
  kept: readonly number[]
  thinned: readonly number[]
  needed: readonly number[]
  first: number
  last: number
  /** By cycle, the numbers of the bodies that no snapshot shows any more. */
  going: ReadonlyMap<number, ReadonlySet<number>>
  line: readonly Stretch[]
}>

type Checked = Readonly<{ newest: number; every: number; sinceNs: bigint | undefined }>

/** A text, and whether a snapshot that stays shows it. */
type Holder = { readonly cycle: number; readonly number: number; isNeeded: boolean }

async function planOf(
  rows: Rows,
  context: ContextRow,
  family: readonly ContextRow[],
  audits: readonly AuditRow[],
  keep: Checked,
  turns: Turns,
  tell: RetainOptions['onProgress'],
): Promise<Plan> {
  const { id, ctx, head } = context
  const line = await stretchesOf(rows, context)
  const before = Thinned.of(ownThinned(audits, ctx))
  const newest = thinnedOf(audits, line).back(head, keep.newest - 1)
  const needs = await neededBy(rows, context, family)
  const [kept, thinned, needed]: [number[], number[], number[]] = [[], [], []]
  const past = new TextsShown()
  for await (const { context: whose, row } of linksOf(rows, line)) {
    await turns.row()
    if (whose.ctx !== ctx) continue
    const said = readRow(row, context)
    const isAsked = row.cycle >= newest || row.cycle % keep.every === 0 || isSince(said.lastNs, keep.sinceNs)
    const isKept = !before.has(row.cycle) && (row.cycle === head || isAsked || needs.has(row.cycle))
    past.take(said, isKept)
    if (row.cycle % TELL === 0) tell?.({ id, step: 'reading', cycle: row.cycle, head })
    if (!said.hasSnapshot || before.has(row.cycle)) continue
    if (!isKept) thinned.push(row.cycle)
    else if (kept.push(row.cycle) > 0 && !isAsked && row.cycle !== head) needed.push(row.cycle)
  }
  const [first = head] = [...before, ...kept, ...thinned].sort((a, b) => a - b)
  return { kept, thinned, needed, first, last: head, going: past.going(new Set([...before, ...thinned])), line }
}

/** Of a commit of which nobody knows when it was, nobody can say that it is older. */
function isSince(lastNs: bigint | undefined, sinceNs: bigint | undefined): boolean {
  return sinceNs !== undefined && (lastNs === undefined || lastNs >= sinceNs)
}

/** The cycles of a context that forks leave from, also those of its forks, and that attempts of any of them build on. */
async function neededBy(
  rows: Rows,
  { ctx, first }: ContextRow,
  family: readonly ContextRow[],
): Promise<ReadonlySet<number>> {
  const needed = new Set<number>()
  for (const each of family) {
    const stretch = (await stretchesOf(rows, each)).find(({ context }) => context.ctx === ctx)
    if (stretch === undefined) continue
    needed.add(stretch.to)
    for (const row of await rows.attempts(each.ctx, Number.MAX_SAFE_INTEGER)) {
      const { base_cycle: base } = attemptOf(row)
      if (base !== null && base >= first && base <= stretch.to) needed.add(base)
    }
  }
  return needed
}

/** Whether nothing was erased since, and nobody needs what is to go. */
async function isStillRight(
  rows: Rows,
  context: ContextRow,
  now: readonly ContextRow[],
  { thinned }: Plan,
): Promise<boolean> {
  const own = now.find(({ ctx }) => ctx === context.ctx)
  if (own?.epoch !== context.epoch) return false
  const needs = await neededBy(rows, own, now)
  return !thinned.some((cycle) => needs.has(cycle))
}

/** One row, as far as it says which text is whose. */
type Said = Readonly<{
  cycle: number
  hasSnapshot: boolean
  lastNs: bigint | undefined
  /** Whatever stands under an id, or a key, from here on: a text of this row, that of before, or none. */
  now: readonly (readonly [name: string, text: number | 'before' | undefined])[]
  /** Texts that only say how the next cycle began. */
  opening: readonly number[]
}>

function readRow(row: Row, { first }: ContextRow): Said {
  const { count, text } = new RowBodies(row).reader(() => undefined)
  const own = new Map<string, number>()
  const opening: number[] = []
  const asBefore = new Set<string>()
  const owner = (number: number, whose: BodyOwner, path: string): void => {
    if (text(number) === undefined) return
    if (path.startsWith('opening')) opening.push(number)
    else own.set('key' in whose ? keyName(whose.key) : nodeName(whose.id), number)
  }
  const before = (id: string): NodeRecord => {
    asBefore.add(nodeName(id))
    return UNKNOWN
  }
  const reader = { count, text: () => undefined, before, owner }
  const textOf = (name: string): number | 'before' | undefined =>
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

/** What stands for the version before, which nobody looks at here. */
const UNKNOWN = { content: undefined, rare: undefined } as unknown as NodeRecord

function nodeName(id: string): string {
  return `n${id}`
}

function keyName(key: string): string {
  return `k${key}`
}

/** Which text stands under each id, and whether a snapshot that stays shows it. */
class TextsShown {
  readonly #holders: Holder[] = []
  readonly #now = new Map<string, Readonly<{ holder: Holder; since: number }>>()
  #lastKept = -1

  take({ cycle, now, opening }: Said, isKept: boolean): void {
    for (const [name, text] of now) {
      const before = this.#now.get(name)
      if (before !== undefined) this.#end(before)
      const holder = text === 'before' ? before?.holder : text === undefined ? undefined : this.#hold(cycle, text)
      if (holder === undefined) this.#now.delete(name)
      else this.#now.set(name, { holder, since: cycle })
    }
    for (const number of opening) this.#hold(cycle, number)
    if (isKept) this.#lastKept = cycle
  }

  #hold(cycle: number, number: number): Holder {
    const holder = { cycle, number, isNeeded: false }
    this.#holders.push(holder)
    return holder
  }

  /** It was shown from its cycle up to the one before this. */
  #end({ holder, since }: Readonly<{ holder: Holder; since: number }>): void {
    if (this.#lastKept >= since) holder.isNeeded = true
  }

  /** By cycle, the texts of these cycles that nothing needs; rows of others stay as they are. */
  going(thinned: ReadonlySet<number>): ReadonlyMap<number, ReadonlySet<number>> {
    for (const each of this.#now.values()) this.#end(each)
    const going = new Map<number, Set<number>>()
    for (const { cycle, number, isNeeded } of this.#holders) {
      if (isNeeded || !thinned.has(cycle)) continue
      const numbers = going.get(cycle)
      if (numbers === undefined) going.set(cycle, new Set([number]))
      else numbers.add(number)
    }
    return going
  }
}

// ---- What stays

/** Plays the past as it is, and as it will be: every snapshot that stays is the same, and the chain holds. */
async function verify(
  rows: Rows,
  { id, ctx, head }: ContextRow,
  { kept, line }: Plan,
  numbersOf: (row: Row) => ReadonlySet<number>,
  turns: Turns,
  tell: RetainOptions['onProgress'],
): Promise<void> {
  const stays = new Set(kept)
  const comparer = new TreeComparer()
  let [is, willBe]: [Timeline | undefined, Timeline | undefined] = [undefined, undefined]
  for await (const link of linksOf(rows, line)) {
    await turns.row()
    const { context, row } = link
    const numbers = context.ctx === ctx ? numbersOf(row) : NOTHING
    const later: Link = numbers.size === 0 ? link : { ...link, row: withoutBodies(row, numbers) }
    is = played(is, readOf(is, recordOf(link)))
    willBe = played(willBe, readOf(willBe, recordOf(later)))
    if (row.cycle % TELL === 0) tell?.({ id, step: 'checking', cycle: row.cycle, head })
    if (context.ctx !== ctx || !stays.has(row.cycle)) continue
    const other = comparer.firstDifference(is.treeAt(row.cycle)!, willBe.treeAt(row.cycle)!)
    if (other === undefined) continue
    const message = `Cycle ${row.cycle} of ${id} would not be what it is: ${other}. Nothing was changed. This is a fault of pact-context; please report it.`
    throw new PactError('E_INTERNAL', message, { id, cycle: row.cycle })
  }
}

// ---- Options and receipts

function checkKeep({ keep: given }: RetainOptions): Checked {
  if (typeof given !== 'object' || given === null)
    throw invalid(`The option keep is an object, not ${describe(given)}.`)
  const keep = optionsOf<Keep>('keep', '{ newest: 100 }', given)
  const unknown = Object.keys(keep).find((name) => !['newest', 'every', 'since'].includes(name))
  if (unknown !== undefined)
    throw invalid(`There is no "${short(unknown)}" in keep; there are newest, every and since.`)
  const { newest = 1, every = Infinity, since } = keep
  // What is named and undefined says nothing: a setting that is missing must not thin out all there is.
  if (Object.values(keep).every((value) => value === undefined))
    throw invalid('The option keep says what stays: newest, every, since, or some of them.')
  for (const [name, value] of Object.entries({ newest, every })) {
    if (value !== Infinity && !(Number.isSafeInteger(value) && value >= 1))
      throw invalid(`In keep, ${name} is a whole number from 1 up, not ${describe(value)}.`)
  }
  if (since !== undefined && !(since instanceof Date && Number.isFinite(since.getTime())))
    throw invalid(`In keep, since is a valid Date, not ${describe(since)}.`)
  return { newest, every, sinceNs: since && BigInt(since.getTime()) * 1_000_000n }
}

function invalid(message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name: 'keep' })
}

function who({ author, reason }: DeleteOptions): Pick<RetainReceipt, 'author' | 'reason'> {
  return { ...(author === undefined ? {} : { author }), ...(reason === undefined ? {} : { reason }) }
}

function receiptOf(entry: AuditEntry, { hash }: Pick<AuditRow, 'hash'>): RetainReceipt {
  const { context, versions, at, author, reason, retained } = entry
  return Object.freeze({
    id: context,
    thinned: retained!.thinned,
    kept: retained!.kept.reduce((sum, [, count]) => sum + count, 0),
    needed: Object.freeze(retained!.needed),
    texts: versions,
    at,
    ...who({ author, reason }),
    audit: Buffer.from(hash).toString('hex'),
  })
}

function nothingThinned(id: string, kept: number, at: string, said: DeleteOptions): RetainReceipt {
  const by = who(said)
  return Object.freeze({ id, thinned: 0, kept, needed: Object.freeze([]), texts: 0, at, ...by, audit: undefined })
}
