// Erasure in an SQLite file: overwriting rows, the audit list, and rewriting the file.

import type { AuditRow, Erasure } from '../rows.js'
import { blobOf, bytesOf, wholeOf, keyOf } from './cells.js'
import type { Connection } from './connection.js'

/**
 * Overwrites rows, packs and answers, inside a transaction. False if one of them was packed meanwhile; then roll back.
 */
export function writeErasure(db: Connection, { family, heads, rows, packs, answers, audit }: Erasure): boolean {
  for (const { ctx, row } of rows) {
    const k = keyOf(Number(ctx), row.cycle)
    if (db.run('UPDATE commits SET bodies = ? WHERE k = ?', row.bodies, k) !== 1) return false
  }
  for (const { ctx, pack } of packs) {
    const values = [pack.body, keyOf(Number(ctx), pack.to), pack.from] as const
    if (db.run('UPDATE packs SET body = ? WHERE k = ? AND first = ?', ...values) !== 1) return false
  }
  for (const { ctx, answer } of answers) {
    const values = [answer.digest, answer.answer, ctx, bytesOf(answer.key)]
    db.run('UPDATE answers SET digest = ?, answer = ? WHERE ctx = ? AND key = ?', ...values)
  }
  for (const { ctx, seal = null } of heads) {
    db.run('UPDATE contexts SET epoch = epoch + 1, seal = coalesce(?, seal) WHERE ctx = ?', seal, ctx)
  }
  addAudit(db, Number(family), { ...audit, isFinished: false })
  return true
}

export function addAudit(db: Connection, family: number, { n, hash, body, isFinished }: AuditRow): void {
  const values = [family, n, hash, body, isFinished ? 1 : 0]
  db.run('INSERT INTO audit (family, n, hash, body, finished) VALUES (?, ?, ?, ?, ?)', ...values)
}

export function finishAudit(db: Connection, family: number, upTo: number): void {
  db.run('UPDATE audit SET finished = 1 WHERE family = ? AND n <= ?', family, upTo)
}

export function readAudit(db: Connection, family: number): readonly AuditRow[] {
  return db
    .all('SELECT n, hash, body, finished FROM audit WHERE family = ? ORDER BY n', family)
    .map(({ n, hash, body, finished }) => ({
      n: wholeOf(n),
      hash: blobOf(hash),
      body: blobOf(body),
      isFinished: wholeOf(finished) === 1,
    }))
}

/** Removes deleted data from free pages and the log: rewrites the file and truncates the log. */
export async function scrubFile(db: Connection, family: number, upTo: number): Promise<void> {
  await db.emptyLog()
  db.do(() => db.run('VACUUM'))
  await db.emptyLog()
  db.do(() => finishAudit(db, family, upTo))
}
