// Writes a commit. On PostgreSQL it is one statement. Citus would split that statement and commit in two phases, so
// there it is a transaction of single-shard statements: one phase, one worker.

import { sameBytes } from '../compare.js'
import type { Answer, AttemptRow, DraftRow, NewCommit, NewContext, NewSave } from '../rows.js'
import { bytesOf, numberIn, placeOf, type Place, type Cells } from './cells.js'
import type { Connections, RunStatement } from './connections.js'
import type { Value } from './driver.js'
import { isTaken, ROLLBACK } from './faults.js'
import { makeAnswers, makeRows } from './statements.js'

type Key = readonly [Uint8Array, Uint8Array, Uint8Array]

/** Writes a commit if its predecessor is the newest row. 'conflict' if not, or if the key was used before. */
export async function writeCommit(
  db: Connections,
  key: Key,
  commit: NewCommit,
  isRouted: boolean,
): Promise<'done' | 'conflict'> {
  try {
    const isDone = await (isRouted ? db.once((run) => routed(run, key, commit)) : inOneStatement(db, key, commit))
    return isDone === true ? 'done' : 'conflict'
  } catch (error) {
    if (isTaken(error)) return 'conflict'
    throw error
  }
}

async function inOneStatement(db: Connections, key: Key, commit: NewCommit): Promise<boolean> {
  const { row, after, epoch, answer, draft } = commit
  const saved = draft === undefined ? [] : [draft]
  const said = answer === undefined ? [] : answerValues(answer)
  const name =
    draft === undefined
      ? answer === undefined
        ? 'commit'
        : 'commitWithAnswer'
      : answer === undefined
        ? 'commitSaved'
        : 'commitSavedWithAnswer'
  const values = [...key, row.cycle, row.hash, row.changes, row.bodies, after, epoch] as const
  const { rowCount } = await db.run(name, ...values, ...said, ...saved)
  return rowCount === 1
}

async function routed(run: RunStatement, key: Key, { row, after, epoch, answer, draft }: NewCommit): Promise<boolean> {
  const values = [...key, row.cycle, row.hash, after, epoch, answer === undefined ? 0 : 1] as const
  const { rowCount } =
    draft === undefined ? await run('moveHead', ...values) : await run('moveHeadSaved', ...values, draft)
  if (rowCount !== 1) throw ROLLBACK
  if (draft !== undefined) await run('dropParts', ...key)
  await run('makeRow', ...key, row.cycle, row.hash, row.changes, row.bodies)
  if (answer !== undefined) await run('makeAnswer', ...key, ...answerValues(answer))
  return true
}

export function answerValues({ key, cycle, digest, answer }: Answer): readonly Value[] {
  return [bytesOf(key), cycle, digest, answer]
}

// ---- Drafts

/** Writes a save if it follows the newest one. */
export async function writeSave(
  db: Connections,
  key: Key,
  { after, epoch, version, cycle, part, isWhole }: NewSave,
  isRouted: boolean,
): Promise<'done' | 'conflict'> {
  const values = [...key, after ?? null, epoch, version] as const
  try {
    if (!isRouted && !isWhole && part !== undefined) {
      return (await db.run('save', ...values, cycle, part)).rowCount === 1 ? 'done' : 'conflict'
    }
    const isDone = await db.once(async (run) => {
      const isReplacing = isWhole || part === undefined
      const { rowCount } = isReplacing
        ? await run('countWholeSave', ...values, part === undefined ? 0 : 1)
        : await run('countSave', ...values)
      if (rowCount !== 1) throw ROLLBACK
      if (isReplacing) await run('dropParts', ...key)
      if (part !== undefined) await run('makePart', ...key, version + 1, cycle, part)
      return true
    })
    return isDone === true ? 'done' : 'conflict'
  } catch (error) {
    if (isTaken(error)) return 'conflict'
    throw error
  }
}

/** Replaces the draft of a locked context, inside a transaction. */
export async function putDraft(run: RunStatement, key: Key, { version, cycle, parts }: DraftRow): Promise<void> {
  await run('dropParts', ...key)
  for (const [i, part] of parts.entries()) await run('makePart', ...key, version - parts.length + 1 + i, cycle, part)
  await run('setDraft', ...key, version, parts.length)
}

// ---- New contexts

/** Returns its epoch; undefined if the parent has other forks or another epoch, or is gone. */
export async function makeContext(
  run: RunStatement,
  tenant: Uint8Array,
  context: NewContext,
  place: Place,
): Promise<number | undefined> {
  const { id, parent, packs, rows, attempts = [], forks = 0, seal, answers = [], audit = [] } = context
  const key = [tenant, place.family, place.context] as const
  const from = parent && placeOf(parent.ctx)
  let { epoch = 0 } = context
  if (from !== undefined) {
    const known = [parent!.forks, parent!.epoch ?? null, parent!.seal ?? null] as const
    const [held] = (await run('countFork', tenant, from.family, from.context, ...known)).rows
    if (held === undefined) return undefined
    epoch = numberIn(held, 'epoch')
  }
  const [first, newest] = [packs[0]?.from ?? rows[0]!.cycle, rows.at(-1)!]
  const beginning = [bytesOf(id), from?.context ?? null, parent?.cycle ?? null, first] as const
  const counted = [forks, epoch, seal ?? null, answers.length] as const
  await run('makeContext', ...key, ...beginning, newest.cycle, newest.hash, ...counted)
  for (const pack of packs) await run('makePack', ...key, pack.from, pack.to, pack.body)
  for (const some of chunked(rows, ({ changes, bodies }) => changes.length + bodies.length)) {
    const values = some.flatMap(({ cycle, hash, changes, bodies }) => [cycle, hash, changes, bodies])
    await run(some.length === 1 ? 'makeRow' : makeRows(some.length), ...key, ...values)
  }
  await putAttempts(run, key, attempts)
  for (const some of chunked(answers, ({ answer }) => answer.length)) {
    const values = some.flatMap(answerValues)
    await run(some.length === 1 ? 'makeAnswer' : makeAnswers(some.length), ...key, ...values)
  }
  for (const { n, hash, body, isFinished } of audit) {
    await run('addAudit', tenant, place.family, n, hash, body, isFinished ? 1 : 0)
  }
  return epoch
}

// ---- Attempts

/** Writes attempts of a locked context, inside a transaction. */
export async function putAttempts(
  run: RunStatement,
  key: readonly [tenant: Uint8Array, family: Uint8Array, context: Uint8Array],
  attempts: readonly AttemptRow[],
): Promise<void> {
  // Of duplicates, only the last is written.
  const last = [...new Map(attempts.map((each) => [nameOf(bytesOf(each.id), bytesOf(each.writer)), each])).values()]
  for (const some of chunked(last, ({ body }) => body.length)) {
    const [ids, writers] = [some.map(({ id }) => bytesOf(id)), some.map(({ writer }) => bytesOf(writer))]
    const { rows } = await run('knownAttempts', ...key, ids)
    const known = new Set(rows.map(({ id, writer }) => nameOf(id as Uint8Array, writer as Uint8Array)))
    const added = ids.filter((id, i) => !known.has(nameOf(id, writers[i]!))).length
    const numbers = some.map((_, i) => i + 1)
    const bodies = some.map(({ body }) => body)
    await run('writeAttempts', ...key, some.length, ids, writers, numbers, bodies, added)
  }
}

function nameOf(id: Uint8Array, writer: Uint8Array): string {
  return `${Buffer.from(id).toString('hex')} ${Buffer.from(writer).toString('hex')}`
}

// ---- Chunks

/** Rows and bytes per statement. */
const ROWS = 500
const BYTES = 4 * 1024 * 1024

/** Splits a list into chunks of one statement each. */
export function chunked<T>(all: readonly T[], size: (each: T) => number): readonly (readonly T[])[] {
  const pieces: T[][] = []
  let bytes = Infinity
  for (const each of all) {
    bytes += size(each)
    if (bytes > BYTES || pieces.at(-1)!.length === ROWS) {
      pieces.push([])
      bytes = size(each)
    }
    pieces.at(-1)!.push(each)
  }
  return pieces
}

// ---- Forks

/** All descendants of a context; includes itself if damaged tables have a cycle. */
export function forksBelow(all: readonly Cells[], context: Uint8Array): readonly Cells[] {
  const found = new Set<Cells>()
  for (let next = [context]; next.length > 0;) {
    const forks = all.filter((each) => !found.has(each) && next.some((above) => isFork(each, above)))
    for (const fork of forks) found.add(fork)
    next = forks.map((fork) => fork['context'] as Uint8Array)
  }
  return [...found]
}

export function isFork({ parent }: Cells, of: Uint8Array): boolean {
  return parent !== null && sameBytes(parent as Uint8Array, of)
}
