// What was erased, by whom, when and why: a list for each family of contexts, each entry chained to the one before it. It names ids, which
// stay in the trees, and nothing of what was there.

import { createHash } from 'node:crypto'

import { canonicalJson } from '../codec/index.js'
import { storeFault } from './fault.js'
import { NO_HASH, sameHash } from './row.js'
import type { AuditRow, ContextRow, Rows } from './rows.js'

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
}>

export function auditRow(entry: AuditEntry, before: readonly AuditRow[]): Omit<AuditRow, 'isFinished'> {
  const n = before.length + 1
  const body = Buffer.from(canonicalJson(entry), 'latin1')
  return { n, hash: hashOf(before.at(-1)?.hash ?? NO_HASH, n, body), body }
}

export function entryOf({ body }: Pick<AuditRow, 'body'>): AuditEntry {
  return JSON.parse(Buffer.from(body).toString('latin1')) as AuditEntry
}

/** The erasures of a family, each checked against the one before it. */
export async function auditOf(rows: Rows, family: number): Promise<readonly AuditRow[]> {
  const all = await rows.audit(family)
  let before = NO_HASH
  for (const [i, { n, hash, body }] of all.entries()) {
    if (n !== i + 1 || !sameHash(hash, hashOf(before, n, body))) {
      const message = `Entry ${i + 1} of the list of erasures is damaged. Run fsck, and restore it from a backup.`
      throw storeFault(message, 'failed', { reason: 'damaged' })
    }
    before = hash
  }
  return all
}

/** What is wrong with the erasures of a context; each has made its epoch another one. */
export async function auditProblems(rows: Rows, { family, epoch }: ContextRow): Promise<readonly string[]> {
  const all = await auditOf(rows, family)
  const unfinished = all.filter(({ isFinished }) => !isFinished)
  return [
    ...(all.length === epoch ? [] : [`It was erased from ${epoch} times, but ${all.length} erasures are listed.`]),
    ...(unfinished.length === 0 ? [] : ['An erasure was not finished; call erase again.']),
  ]
}

function hashOf(before: Uint8Array, n: number, body: Uint8Array): Buffer {
  return createHash('sha256').update(before).update(`${n} `).update(body).digest()
}
