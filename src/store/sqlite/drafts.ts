// Saved edits of open cycles in an SQLite file. The key of a part is `ctx * 2^30 + n`, where n is the number of its save.

import type { DraftRow, NewSave } from '../rows.js'
import { blobOf, cycleOf, keyOf, keysOf, wholeOf } from './cells.js'
import type { Connection } from './connection.js'

/** Counts the save if it follows the newest one, so of two concurrent saves one fails. */
const COUNT = `UPDATE contexts SET draft = draft + 1, saves = CASE WHEN ? THEN ? ELSE saves + 1 END
  WHERE ctx = ? AND chain = coalesce(?, chain) AND epoch = ? AND draft = ?`
const INSERT = 'INSERT INTO drafts (k, cycle, part) VALUES (?, ?, ?)'
const DELETE = 'DELETE FROM drafts WHERE k BETWEEN ? AND ?'

/** Writes a save, inside a transaction. False if another writer was first; then roll back. */
export function writeSave(
  db: Connection,
  { ctx: number, after, epoch, version, cycle, part, isWhole }: NewSave,
): boolean {
  const ctx = Number(number)
  const isReplacing = isWhole || part === undefined
  const values = [isReplacing ? 1 : 0, part === undefined ? 0 : 1, ctx, after ?? null, epoch, version]
  if (db.run(COUNT, ...values) === 0) return false
  if (isReplacing) deleteParts(db, ctx)
  if (part !== undefined) db.run(INSERT, keyOf(ctx, version + 1), cycle, part)
  return true
}

/** Replaces a draft, inside a transaction. */
export function putDraft(db: Connection, ctx: number, { version, cycle, parts }: DraftRow): void {
  deleteParts(db, ctx)
  for (const [i, part] of parts.entries()) db.run(INSERT, keyOf(ctx, version - parts.length + 1 + i), cycle, part)
  db.run('UPDATE contexts SET draft = ?, saves = ? WHERE ctx = ?', version, parts.length, ctx)
}

export function deleteParts(db: Connection, ctx: number): void {
  db.run(DELETE, ...keysOf(ctx))
}

export function readDraft(db: Connection, ctx: number): DraftRow | undefined {
  const found = db.all('SELECT k, cycle, part FROM drafts WHERE k BETWEEN ? AND ? ORDER BY k', ...keysOf(ctx))
  const last = found.at(-1)
  if (last === undefined) return undefined
  return { version: cycleOf(last['k']!), cycle: wholeOf(last['cycle']), parts: found.map(({ part }) => blobOf(part)) }
}
