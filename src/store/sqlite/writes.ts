// Writes commits and their answers in an SQLite file, inside a transaction.

import type { Answer, NewCommit, Row } from '../rows.js'
import { bytesOf, keyOf } from './cells.js'
import type { Connection } from './connection.js'
import { deleteParts } from './drafts.js'

/** Moves the head if the previous row is the newest and the epoch matches, so of two concurrent commits one fails. */
const MOVE = `UPDATE contexts SET head = ?, chain = ?, answers = answers + ?
  WHERE ctx = ? AND head = ? AND chain = ? AND epoch = ?`
/** The same for a commit that includes the draft. */
const MOVE_SAVED = `UPDATE contexts SET head = ?, chain = ?, answers = answers + ?, saves = 0
  WHERE ctx = ? AND head = ? AND chain = ? AND epoch = ? AND draft = ?`

const INSERT = 'INSERT INTO commits (k, hash, changes, bodies) VALUES (?, ?, ?, ?)'

/** False if another writer was first, or the key was used before; then roll back. */
export function writeCommit(db: Connection, { ctx: number, after, epoch, row, answer, draft }: NewCommit): boolean {
  const ctx = Number(number)
  const { cycle, hash } = row
  if (answer !== undefined && insertAnswer(db, ctx, answer) === 0) return false
  const values = [cycle, hash, answer === undefined ? 0 : 1, ctx, cycle - 1, after, epoch]
  const moved = draft === undefined ? db.run(MOVE, ...values) : db.run(MOVE_SAVED, ...values, draft)
  if (moved === 0) return false
  if (draft !== undefined) deleteParts(db, ctx)
  insertRow(db, ctx, row)
  return true
}

export function insertAnswer(db: Connection, ctx: number, { key, cycle, digest, answer }: Answer): number {
  const sql = 'INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)'
  return db.run(sql, ctx, bytesOf(key), cycle, digest, answer)
}

export function insertRow(db: Connection, ctx: number, { cycle, hash, changes, bodies }: Row): void {
  db.run(INSERT, keyOf(ctx, cycle), hash, changes, bodies)
}
