// What was erased, by whom, when and why: a list for each family of contexts, each entry chained to the one before it. It names ids, which
// stay in the trees, and nothing of what was there.

import { createHash } from 'node:crypto'

import { canonicalJson } from '../codec/index.js'
import { storeFault } from './fault.js'
import { NO_HASH } from './row.js'
import { sameBytes } from './same-bytes.js'
import type { AuditRow, ContextKey, ContextRow, Rows } from './rows.js'

/** What one erasure has done. */
export type AuditEntry = Readonly<{
  at: string
  /** The context that it was asked of. */
  context: string
  author?: string | undefined
  reason?: string | undefined
  ids: readonly string[]
  schedules: readonly string[]
  versions: number
  attempts: number
  answers: number
  /** The first cycle that said something of it; null where none did. */
  since: number | null
  /** Every context of the family, with its newest cycle and the hash of that, as they were. */
  heads: readonly (readonly [id: string, cycle: number, hash: string])[]
  /** Where it was no erasure but a retention: what is left of a context. */
  retained?: Retained | undefined
}>

/** Which of the cycles of a context, from the first to the last, were kept: those of some runs. */
export type Retained = Readonly<{
  ctx: string
  first: number
  last: number
  kept: readonly Run[]
  /** How many were thinned out then. */
  thinned: number
  /** Those that were kept only because a fork or an attempt needs them. */
  needed: readonly number[]
}>

/** A run of cycles: where it begins, how many there are, and how far apart. */
export type Run = readonly [start: number, count: number, step: number]

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

/** The erasures of a family, each checked against the one before it. */
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

/** What has happened to a family since an epoch, each of which is an entry: 'thinned' where that is all, else 'erased'. */
export async function changedSince(rows: Rows, { family, epoch }: ContextRow): Promise<'thinned' | 'erased'> {
  const since = (await auditOf(rows, family)).filter(({ n }) => n > epoch)
  return since.length > 0 && since.every((each) => entryOf(each).retained !== undefined) ? 'thinned' : 'erased'
}

/** What is wrong with the erasures of a context; each has made its epoch another one. */
export async function auditProblems(rows: Rows, { family, epoch }: ContextRow): Promise<readonly string[]> {
  const all = await auditOf(rows, family)
  const unfinished = all.filter(({ isFinished }) => !isFinished)
  return [
    ...(all.length === epoch
      ? []
      : [`It was erased from or thinned out ${epoch} times, but ${all.length} times are listed.`]),
    ...unfinished.map((each) =>
      entryOf(each).retained === undefined
        ? 'An erasure was not finished; call erase again.'
        : 'A retention was not finished; call retain again.',
    ),
  ]
}

function hashOf(before: Uint8Array, n: number, body: Uint8Array): Buffer {
  return createHash('sha256').update(before).update(`${n} `).update(body).digest()
}
