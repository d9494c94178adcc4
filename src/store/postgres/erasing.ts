// Erasing in PostgreSQL: what is written over, the list of erasures, and what is left in the files, as far as we may do something about it.

import { isAsBefore } from '../as-before.js'
import type { AuditRow, Erasure } from '../rows.js'
import { bytesIn, bytesOf, contextRow, numberIn, partsOf, type Cells } from './cells.js'
import type { Connections, Run } from './connections.js'
import { HINTS } from './statements.js'

/** Writes over rows, packs and answers of a family that is held; inside a transaction. */
export async function writeErasure(
  run: Run,
  tenant: Uint8Array,
  held: readonly Cells[],
  { family, epoch, heads, rows, packs, answers, audit }: Erasure,
): Promise<'done' | 'conflict'> {
  const place = [tenant, partsOf(family).family] as const
  // Where the answer to it was lost it is done again, and finds itself done.
  const listed = (await run('audit', ...place)).rows.map(auditOf).find(({ n }) => n === audit.n)
  if (listed !== undefined) return Buffer.compare(listed.hash, audit.hash) === 0 ? 'done' : 'conflict'
  if (!isAsBefore({ epoch, heads }, held.map(contextRow))) return 'conflict'
  // What is not where it was read any more was packed by somebody meanwhile, and has to be read again.
  for (const { ctx, row } of rows) {
    const { rowCount } = await run('eraseRow', ...place, partsOf(ctx).context, row.cycle, row.bodies)
    if (rowCount !== 1) return 'conflict'
  }
  for (const { ctx, pack } of packs) {
    const { rowCount } = await run('erasePack', ...place, partsOf(ctx).context, pack.to, pack.body, pack.from)
    if (rowCount !== 1) return 'conflict'
  }
  for (const { ctx, answer } of answers) {
    await run('eraseAnswer', ...place, partsOf(ctx).context, bytesOf(answer.key), answer.digest, answer.answer)
  }
  await run('nextEpoch', ...place)
  await run('addAudit', ...place, audit.n, audit.hash, audit.body)
  await run('dropManifests', ...place)
  await run('dropPages', ...place)
  return 'done'
}

export function auditOf(cells: Cells): AuditRow {
  const [hash, body] = bytesIn(cells, 'hash', 'body')
  return { n: numberIn(cells, 'n'), hash: hash!, body: body!, isFinished: numberIn(cells, 'finished') === 1 }
}

/** Where it may still be, which only who runs the server can reach. */
const IN_THE_SERVER = [
  'the write-ahead log of the server until it is recycled, where it is archived, and standbys until they have followed',
  'room in the files of the tables that was freed and not yet written over, until somebody runs VACUUM FULL on them',
]
const NOT_FREED =
  'rows that were written over, until the database takes them out of the tables by itself, or their owner runs VACUUM'

/** Frees what was written over, where this user may, and says what is left. */
export async function vacuum(db: Connections): Promise<readonly string[]> {
  return [...((await db.aside(HINTS.vacuum)) === undefined ? [] : [NOT_FREED]), ...IN_THE_SERVER]
}
