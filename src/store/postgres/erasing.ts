// Erasure in PostgreSQL: overwriting rows, the audit list, and VACUUM.

import { isFamilyUnchanged } from '../compare.js'
import type { AuditRow, Erasure } from '../rows.js'
import { bytesIn, bytesOf, contextRow, numberIn, placeOf, type Cells } from './cells.js'
import type { Connections, RunStatement } from './connections.js'
import { OPTIONAL_STATEMENTS } from './statements.js'

/** Overwrites rows, packs and answers of a locked family, inside a transaction. */
export async function writeErasure(
  run: RunStatement,
  tenant: Uint8Array,
  held: readonly Cells[],
  { family, epoch, heads, rows, packs, answers, audit }: Erasure,
): Promise<'done' | 'conflict'> {
  const place = [tenant, placeOf(family).family] as const
  // If the first answer was lost, the retry finds its own entry.
  const listed = (await run('audit', ...place)).rows.map(auditOf).find(({ n }) => n === audit.n)
  if (listed !== undefined) return Buffer.compare(listed.hash, audit.hash) === 0 ? 'done' : 'conflict'
  if (!isFamilyUnchanged({ epoch, heads }, held.map(contextRow))) return 'conflict'
  // A missing row was packed meanwhile and must be read again.
  for (const { ctx, row } of rows) {
    const { rowCount } = await run('eraseRow', ...place, placeOf(ctx).context, row.cycle, row.bodies)
    if (rowCount !== 1) return 'conflict'
  }
  for (const { ctx, pack } of packs) {
    const { rowCount } = await run('erasePack', ...place, placeOf(ctx).context, pack.to, pack.body, pack.from)
    if (rowCount !== 1) return 'conflict'
  }
  for (const { ctx, answer } of answers) {
    await run('eraseAnswer', ...place, placeOf(ctx).context, bytesOf(answer.key), answer.digest, answer.answer)
  }
  for (const { ctx, seal = null } of heads) await run('nextEpoch', ...place, placeOf(ctx).context, seal)
  await run('addAudit', ...place, audit.n, audit.hash, audit.body, 0)
  await run('dropManifests', ...place)
  await run('dropPages', ...place)
  return 'done'
}

export function auditOf(cells: Cells): AuditRow {
  const [hash, body] = bytesIn(cells, 'hash', 'body')
  return { n: numberIn(cells, 'n'), hash: hash!, body: body!, isFinished: numberIn(cells, 'finished') === 1 }
}

/** Places that only the operator of the server can clean. */
const IN_THE_SERVER = [
  'the write-ahead log of the server until it is recycled, where it is archived, and standbys until they have followed',
  'room in the files of the tables that was freed and not yet written over, until somebody runs VACUUM FULL on them',
]
const NOT_FREED =
  'rows that were written over, until the database takes them out of the tables by itself, or their owner runs VACUUM'

/** Frees overwritten rows if this user may, and returns the places where data may remain. */
export async function vacuum(db: Connections): Promise<readonly string[]> {
  return [...((await db.runOptional(OPTIONAL_STATEMENTS.vacuum)) === undefined ? [] : [NOT_FREED]), ...IN_THE_SERVER]
}
