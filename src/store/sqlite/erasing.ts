// Erasing in an SQLite file: what is written over, the list of erasures, and a file in which nothing is left of it.

import type { AuditRow, Erasure } from '../rows.js'
import { blobOf, bytesOf, wholeOf } from './cells.js'
import type { Connection } from './connection.js'

/**
 * Writes over rows, packs and answers; inside a transaction. False where one of them is not where it was read any more, since somebody
 * has packed it meanwhile: then nothing may stay written.
 */
export function writeErasure(
  db: Connection,
  { family, rows, packs, answers, audit }: Erasure,
  keyOf: (ctx: number, cycle: number) => number,
): boolean {
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
  db.run('UPDATE contexts SET epoch = epoch + 1 WHERE family = ?', family)
  const { n, hash, body } = audit
  db.run('INSERT INTO audit (family, n, hash, body, finished) VALUES (?, ?, ?, ?, 0)', family, n, hash, body)
  return true
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

/** What was deleted or written over is still in free pages and in the log: all of the file is written anew, and the log emptied. */
export async function scrubFile(db: Connection, family: number): Promise<void> {
  await db.emptyLog()
  db.do(() => db.run('VACUUM'))
  await db.emptyLog()
  db.do(() => db.run('UPDATE audit SET finished = 1 WHERE family = ?', family))
}
