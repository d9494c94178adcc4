// The audit list of a family: what was erased, by whom, when and why. Entries form a hash chain. They name ids, which
// stay in the trees, and never content.

import { createHash } from 'node:crypto'

import { canonicalJson } from '../codec/index.js'
import { sameBytes } from './compare.js'
import type { AbortableLoop } from './event-loop.js'
import { storeFault } from './fault.js'
import { NO_HASH } from './row.js'
import type { AuditRow, ContextKey, ContextRow, Rows } from './rows.js'

/** One erasure, retention or move. */
export type AuditEntry = Readonly<{
  at: string
  /** The context that the call named. */
  context: string
  author?: string | undefined
  reason?: string | undefined
  ids: readonly string[]
  /** Ids that lost only what a cycle began with. */
  later?: readonly string[] | undefined
  schedules: readonly string[]
  versions: number
  attempts: number
  answers: number
  /** First cycle with erased content; null if there is none. */
  since: number | null
  /** Every context of the family with its newest cycle and that row's hash, at that time. */
  heads: readonly (readonly [id: string, cycle: number, hash: string])[]
  /** Set for a retention. */
  retained?: Retention | undefined
  /** Set for a move to another database. */
  moved?: Move | undefined
}>

/** Source and target of a move. */
export type Move = Readonly<{
  from: string
  to: string
  /**
   * Each context's number before the move, by its permanent name: retentions refer to contexts by number. Empty without
   * retentions.
   */
  numbers: readonly (readonly [name: string, number: string])[]
}>

/** Kept cycles of a context between `first` and `last`. */
export type Retention = Readonly<{
  ctx: string
  first: number
  last: number
  kept: readonly CycleRun[]
  /** Number of cycles removed by this call. */
  thinned: number
  /** Cycles kept only because a fork or an attempt needs them. */
  needed: readonly number[]
}>

/** An arithmetic run of cycles. */
export type CycleRun = readonly [start: number, count: number, step: number]

/** An entry, with defaults for the fields that a call does not set. */
export function auditEntry(fields: Pick<AuditEntry, 'at' | 'context'> & Partial<AuditEntry>): AuditEntry {
  return { ids: [], schedules: [], versions: 0, attempts: 0, answers: 0, since: null, heads: [], ...fields }
}

/** Author and reason without undefined fields. */
export function authorship({ author, reason }: Pick<AuditEntry, 'author' | 'reason'>): Authorship {
  return { ...(author === undefined ? {} : { author }), ...(reason === undefined ? {} : { reason }) }
}

type Authorship = Readonly<{ author?: string; reason?: string }>

export function headsOf(family: readonly ContextRow[]): AuditEntry['heads'] {
  return family.map(({ id, head, chain }) => [id, head, Buffer.from(chain).toString('hex')] as const)
}

export function auditRow(entry: AuditEntry, before: readonly AuditRow[]): Omit<AuditRow, 'isFinished'> {
  const n = before.length + 1
  const body = Buffer.from(canonicalJson(entry), 'latin1')
  return { n, hash: hashOf(before.at(-1)?.hash ?? NO_HASH, n, body), body }
}

export function entryOf({ body }: Pick<AuditRow, 'body'>): AuditEntry {
  return JSON.parse(Buffer.from(body).toString('latin1')) as AuditEntry
}

/** The audit list of a family; E_STORE if its hash chain is damaged. */
export async function auditOf(rows: Rows, family: ContextKey): Promise<readonly AuditRow[]> {
  const all = await rows.audit(family)
  let before = NO_HASH
  for (const [i, { n, hash, body }] of all.entries()) {
    if (n !== i + 1 || !sameBytes(hash, hashOf(before, n, body))) {
      const message = `Entry ${i + 1} of the list of erasures is damaged. Run fsck, and restore it from a backup.`
      throw storeFault(message, 'failed', { reason: 'damaged' })
    }
    before = hash
  }
  return all
}

/** 'thinned' if all entries since an epoch are retentions, else 'erased'. */
export async function changedSince(rows: Rows, { family, epoch }: ContextRow): Promise<'thinned' | 'erased'> {
  const since = (await auditOf(rows, family)).filter(({ n }) => n > epoch)
  return since.length > 0 && since.every((each) => entryOf(each).retained !== undefined) ? 'thinned' : 'erased'
}

const PAUSE = 20

/** Waiting time for unfinished entries, granted once per entry. */
export type ErasureWait = Readonly<{ milliseconds: number; over: Set<string> }>

/** Messages for entries that no process finishes while `fsck` waits for them. */
export async function unfinishedIn(
  rows: Rows,
  family: ContextKey,
  listed: readonly AuditRow[],
  wait: ErasureWait,
  loop: AbortableLoop,
): Promise<readonly string[]> {
  // An unfinished move means that the family lives elsewhere, which is no problem.
  let left = listed.filter((each) => !each.isFinished && entryOf(each).moved === undefined)
  const nameOf = ({ n }: AuditRow): string => `${family} ${n}`
  const isDue = (): boolean => left.some((each) => !wait.over.has(nameOf(each)))
  for (let waited = 0; isDue() && waited < wait.milliseconds; waited += PAUSE) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    loop.throwIfAborted()
    const now = new Map((await auditOf(rows, family)).map((each) => [each.n, each.isFinished]))
    left = left.filter(({ n }) => now.get(n) === false)
  }
  for (const each of left) wait.over.add(nameOf(each))
  return left.map((each) => {
    const [what, call] = entryOf(each).retained === undefined ? ['An erasure', 'erase'] : ['A retention', 'retain']
    return `${what} was not finished; if no process is at it any more, call ${call} again.`
  })
}

function hashOf(before: Uint8Array, n: number, body: Uint8Array): Buffer {
  return createHash('sha256').update(before).update(`${n} `).update(body).digest()
}
