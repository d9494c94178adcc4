// Erasing for good (D56): what nodes say is taken out of every row, pack, schedule, attempt and answer of a family of contexts, and then out of
// the files. Ids, places and the chain stay. The rows change in one step; what comes after that can be done again by whoever calls next.

import { describe, PactError } from '../errors/index.js'
import { decodeCheckpoint, decodeCommitRecord, type BodyOwner } from '../codec/index.js'
import { compareText, NodeRecord } from '../core/index.js'
import {
  checkForget,
  eraseFromAttempt,
  findEver,
  nothingToForget,
  type DeleteOptions,
  type Found,
} from '../context/index.js'
import { Erasing } from '../timeline/index.js'
import { isErased, withoutDigest } from './answer.js'
import { auditOf, auditRow, entryOf, headsOf, type AuditEntry } from './audit.js'
import { missing, storeFault } from './fault.js'
import { optionsOf } from './given.js'
import { loadContext } from './loading.js'
import { writeManifest } from './manifests.js'
import { withoutThose } from './rewriting.js'
import { RowBodies } from './row.js'
import type { AttemptRow, AuditRow, ContextKey, ContextRow, Erasure, Row, Rows } from './rows.js'
import { attemptOf, attemptRow } from './written-attempts.js'

/** Who wants it, and why; both are kept. */
export type EraseOptions = DeleteOptions

/** What a call of `erase` has done. */
export type EraseReceipt = Readonly<{
  /** The nodes that say nothing any more, in the order of their ids. */
  ids: readonly string[]
  /** The keys that return no more: their schedules held such content. */
  schedules: readonly string[]
  /** How many texts were taken out: versions of these nodes, and of these schedules. */
  versions: number
  /** All contexts that were looked through: the one it was asked of, and every one that shares a past with it. */
  contexts: readonly string[]
  /** How many attempts lost what they said, or the hashes of what they sent; and how many keys of commits can be compared no more. */
  attempts: number
  answers: number
  at: string
  author?: string
  reason?: string
  /** The hash of its entry in the list of erasures; undefined where nothing was found. */
  audit: string | undefined
  /** Where it may still be, which no store can reach. */
  outOfReach: readonly string[]
}>

export const OUT_OF_REACH: readonly string[] = Object.freeze([
  'backups and copies of the database, archived logs, snapshots of the disk, and what the disk keeps of blocks that were written over',
  'processes that have a context of the family open, until they rebase, open it again, or end',
  'exports, and contexts that were stored under another name from an export or with put',
  'whoever was sent it: providers, logs, traces',
])

/** How many snapshots are looked through at once. */
const WINDOW = 1024
/** How often it is tried while others commit. */
const TRIES = 50

type Sets = Readonly<{ ids: Set<string>; keys: Set<string> }>

/** Where the search was the last time, so that only what came since is looked through. */
type Search = Readonly<{
  choices: Sets[]
  searched: Map<ContextKey, number>
  state: { isOptional: boolean }
  window: number
}>

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
  const { author, reason } = checkForget(optionsOf('erase', '{ reason }', options, ['author', 'reason']))
  const search: Search = { choices: [], searched: new Map(), state: { isOptional: false }, window }
  for (let tries = 0; tries < TRIES; tries++) {
    const asked = await rows.find(id)
    if (asked === undefined) throw missing(id)
    // An erasure that was interrupted comes first; what it was about is not found any more.
    const earlier = await finishErasures(rows, asked.family)
    const family = await rows.family(asked.family)
    for (const context of family) await searchIn(rows, context, selector, search)
    const found = search.choices.find(({ ids, keys }) => ids.size + keys.size > 0)
    if (found === undefined) {
      const isErasure = earlier !== undefined && entryOf(earlier.audit).retained === undefined
      if (isErasure) return receiptOf(earlier.audit, earlier.left)
      if (!search.state.isOptional) throw nothingToForget()
      return nothingErased(family, at, { author, reason })
    }
    const written = await rewritten(rows, family, found)
    const entry: AuditEntry = {
      at,
      context: id,
      author,
      reason,
      ids: [...found.ids].sort(compareText),
      schedules: [...found.keys].sort(compareText),
      versions: written.versions,
      attempts: written.attempts.length,
      answers: written.answers.length,
      since: Number.isFinite(written.since) ? written.since : null,
      heads: headsOf(family),
    }
    const audit = auditRow(entry, await auditOf(rows, asked.family))
    const heads = family.map(({ ctx, chain }) => ({ ctx, chain }))
    const { versions: _versions, since: _since, ...writes } = written
    const outcome = await rows.erase({ family: asked.family, epoch: asked.epoch, heads, ...writes, audit })
    if (outcome === 'conflict') continue
    const { left = [] } = (await finishErasures(rows, asked.family)) ?? {}
    return receiptOf(audit, left)
  }
  const message = `Others commit to ${id}, or to what shares its past, faster than that can be looked through; try again when they pause.`
  throw storeFault(message, 'failed', { id, reason: 'busy' })
}

// ---- Finding

/** Looks through the snapshots of a context that were not looked through yet, a part at a time, and how its open cycle begins. */
async function searchIn(rows: Rows, context: ContextRow, selector: string, search: Search): Promise<void> {
  const { ctx, first, head } = context
  let next = search.searched.get(ctx) ?? first
  // A choice, and what counts its hits, depends on all that there is.
  let size = selector.includes('??') ? Infinity : search.window
  for (;;) {
    const to = Math.min(head, next + size - 1)
    const { parts } = await loadContext(rows, { ...context, head: to }, Math.max(1, to - next + 1), {}, APART)
    const { found, isOptional, isWindowed } = findEver(selector, parts)
    search.state.isOptional = isOptional
    if (isWindowed && size !== Infinity) {
      size = Infinity
      next = first
      continue
    }
    for (const [i, each] of found.entries()) add((search.choices[i] ??= { ids: new Set(), keys: new Set() }), each)
    if (to === head) break
    next = to + 1
  }
  // The newest is asked again: its open cycle may be another one by then.
  search.searched.set(ctx, size === Infinity ? first : head)
}

const APART = { isBacked: false }

function add({ ids, keys }: Sets, found: Found): void {
  for (const id of found.ids) ids.add(id)
  for (const key of found.keys) keys.add(key)
}

// ---- Taking out

type Written = Pick<Erasure, 'rows' | 'packs' | 'answers' | 'attempts'> & Readonly<{ versions: number; since: number }>

/** Everything of a family that has to be written anew. */
async function rewritten(rows: Rows, family: readonly ContextRow[], found: Found): Promise<Written> {
  const alone: Erasure['rows'][number][] = []
  const packs: Erasure['packs'][number][] = []
  const answers: Erasure['answers'][number][] = []
  const touched: number[] = []
  let versions = 0
  for (const context of family) {
    const { ctx } = context
    const written = await withoutThose(rows, context, (row) => bodiesOf(row, context, found))
    const { cycles } = written
    versions += written.count
    alone.push(...written.rows)
    packs.push(...written.packs)
    // What a context begins with may have been there long before.
    touched.push(...cycles, ...(cycles.has(context.first) ? [0] : []))
    for (const answer of await rows.answers(ctx)) {
      if (cycles.has(answer.cycle) && !isErased(answer)) answers.push({ ctx, answer: withoutDigest(answer) })
    }
  }
  const since = touched.reduce((least, cycle) => Math.min(least, cycle), Infinity)
  const attempts: Erasure['attempts'][number][] = []
  for (const { ctx } of family) {
    for (const attempt of await attemptsLeft(rows, ctx, found, since)) attempts.push({ ctx, attempt })
  }
  return { rows: alone, packs, answers, attempts, versions, since }
}

/** The numbers of the bodies of a row that are to go, as far as they are there. */
function bodiesOf(row: Row, { first, head }: ContextRow, { ids, keys }: Found): ReadonlySet<number> {
  const bodies = new RowBodies(row)
  const { count, text } = bodies.reader(() => undefined)
  const numbers = new Set<number>()
  const opened = new Map<string, number>()
  const owner = (number: number, who: BodyOwner, path: string): void => {
    if (text(number) === undefined) return
    if ('key' in who ? keys.has(who.key) : ids.has(who.id)) numbers.add(number)
    else if ('id' in who && path.startsWith('opening')) opened.set(who.id, number)
  }
  const reader = { count, text: () => undefined, before: () => NOTHING, owner }
  const decode = row.cycle === first ? decodeCheckpoint : decodeCommitRecord
  const { opening } = decode(row.changes, reader)
  // What a schedule had brought when a cycle that is over began, and no snapshot shows.
  for (const version of row.cycle === head ? [] : (opening?.versions ?? [])) {
    const number = opened.get(version.id)
    if (number === undefined || !(version instanceof NodeRecord)) continue
    if (version.instanceKey !== undefined && keys.has(version.instanceKey)) numbers.add(number)
  }
  return numbers
}

/** What stands for the version before, which nobody looks at here. */
const NOTHING = { content: undefined, rare: undefined } as unknown as NodeRecord

/** Attempts that say what was erased, or may have sent it, without that. */
async function attemptsLeft(rows: Rows, ctx: ContextKey, found: Found, since: number): Promise<readonly AttemptRow[]> {
  const erasing = new Erasing(found.ids, found.keys)
  return (await rows.attempts(ctx, Number.MAX_SAFE_INTEGER)).flatMap((row) => {
    const record = attemptOf(row)
    const erased = eraseFromAttempt(record, erasing)
    const says = erased.nodes !== record.nodes || erased.structure !== record.structure
    if (!says && record.cycle_id < since) return []
    const written = attemptRow(erased, row.writer)
    return Buffer.compare(written.body, row.body) === 0 ? [] : [written]
  })
}

// ---- Finishing

/** The last of some erasures, and where what they were about may still be, beyond what is so for all databases. */
type Finished = Readonly<{ audit: AuditRow; left: readonly string[] }>

/** Does what is left of erasures that were begun, by whomever. */
export async function finishErasures(rows: Rows, family: ContextKey): Promise<Finished | undefined> {
  const unfinished = (await auditOf(rows, family)).filter(({ isFinished }) => !isFinished)
  const contexts = unfinished.length === 0 ? [] : await rows.family(family)
  for (const each of unfinished) {
    const { ids, schedules, since } = entryOf(each)
    const found = { ids: new Set(ids), keys: new Set(schedules) }
    // Of those that were written while it was: since then nobody writes what was made of anything older.
    for (const { ctx } of contexts) {
      const left = await attemptsLeft(rows, ctx, found, since ?? Infinity)
      if (left.length > 0) await rows.writeAttempts(ctx, left)
    }
  }
  if (unfinished.length === 0) return undefined
  for (const context of contexts) {
    const { parts, book } = await loadContext(rows, context, 1, {})
    if (parts.timeline.newest !== undefined) await writeManifest(rows, context, parts, book)
  }
  return { left: await rows.scrub(family), audit: unfinished.at(-1)! }
}

function receiptOf(audit: Pick<AuditRow, 'body' | 'hash'>, left: readonly string[]): EraseReceipt {
  const { ids, schedules, versions, attempts, answers, at, author, reason, heads } = entryOf(audit)
  return Object.freeze({
    ids: Object.freeze(ids),
    schedules: Object.freeze(schedules),
    versions,
    contexts: Object.freeze(heads.map(([id]) => id).sort(compareText)),
    attempts,
    answers,
    at,
    ...(author === undefined ? {} : { author }),
    ...(reason === undefined ? {} : { reason }),
    audit: Buffer.from(audit.hash).toString('hex'),
    outOfReach: left.length === 0 ? OUT_OF_REACH : Object.freeze([...OUT_OF_REACH, ...left]),
  })
}

function nothingErased(
  family: readonly ContextRow[],
  at: string,
  { author, reason }: Readonly<{ author: string | undefined; reason: string | undefined }>,
): EraseReceipt {
  return Object.freeze({
    ids: Object.freeze([]),
    schedules: Object.freeze([]),
    versions: 0,
    contexts: Object.freeze(family.map(({ id }) => id).sort(compareText)),
    attempts: 0,
    answers: 0,
    at,
    ...(author === undefined ? {} : { author }),
    ...(reason === undefined ? {} : { reason }),
    audit: undefined,
    outOfReach: OUT_OF_REACH,
  })
}
