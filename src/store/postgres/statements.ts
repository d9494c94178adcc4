// SQL of PostgreSQL and compatible distributed databases. Each statement is about one tenant and names the family, so
// that one shard answers it; conditions are checked in the statement that writes.
// test/stores/postgres-portable.test.ts refuses statements that one of those databases would refuse.

import type { ContextKey } from '../rows.js'
import { KEYS, TABLES, type NewRow, type Table } from '../sql/query.js'
import type { Dialect } from '../sql/statements.js'
import { placeOf } from './cells.js'

const CELLS = `family, context, id, parent, base, first, head, chain, forks, epoch, seal, answers,
  attempts_kept AS attempts, COALESCE(draft, 0) AS draft, COALESCE(saves, 0) AS saves`

/** The tables of a tenant. Conditions and rows begin with the key of the shard. */
export function dialectOf(tenant: Uint8Array): Dialect {
  return {
    prefix: 'pact_',
    contexts: `SELECT ${CELLS} FROM pact_contexts`,
    where: (_, { ctx, parent, family, ...rest }) => {
      const place = placeOf((ctx ?? parent ?? family) as ContextKey)
      const own = ctx === undefined ? {} : { context: place.context }
      return {
        tenant,
        family: place.family,
        ...own,
        ...(parent === undefined ? {} : { parent: place.context }),
        ...rest,
      }
    },
    row: (table, { ctx, family, ...rest }) => {
      const place = placeOf((ctx ?? family) as ContextKey)
      const own = ctx === undefined ? {} : { context: place.context }
      return { tenant, family: place.family, ...own, ...(table === 'contexts' ? contextCells(rest) : rest) }
    },
    key: (table) =>
      ['tenant', 'family', ...KEYS[table].map((name) => (name === 'ctx' ? 'context' : name))].filter(isFirst),
    // NULL is 0 in contexts of older versions.
    term: (column) => (column === 'draft' || column === 'saves' ? `COALESCE(${column}, 0)` : column),
    listed: (_, column) => (column === 'ctx' ? 'family, context' : column),
    order: (_, column) => (column === 'ctx' ? 'context' : column),
    lock: ' FOR UPDATE',
  }
}

/** `attempts` numbers attempts, `attempts_kept` counts them. */
function contextCells({ parent, attempts, ...rest }: NewRow): NewRow {
  const from = parent === null ? null : placeOf(parent as ContextKey).context
  return { ...rest, parent: from, attempts: 0, attempts_kept: attempts! }
}

function isFirst(column: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(column) === at
}

/** Rows and bytes per statement. */
const ROWS = 500
const BYTES = 4 * 1024 * 1024

/** Splits rows into chunks of one statement each. */
export function chunked(all: readonly NewRow[]): readonly (readonly NewRow[])[] {
  const chunks: NewRow[][] = []
  let bytes = Infinity
  for (const row of all) {
    const size = Object.values(row).reduce<number>(
      (sum, cell) => sum + (cell instanceof Uint8Array ? cell.length : 0),
      0,
    )
    bytes += size
    if (bytes > BYTES || chunks.at(-1)!.length === ROWS) {
      chunks.push([])
      bytes = size
    }
    chunks.at(-1)!.push(row)
  }
  return chunks
}

// ---- Other statements

/** Selects one context. */
const KEY = 'tenant = $1 AND family = $2 AND context = $3'

/** Moves the head if the previous row is the newest; of two concurrent commits the second finds another head. */
function moveHead(answers: number, draft?: string): string {
  const [saves, isDraft] = draft === undefined ? ['', ''] : [', saves = 0', ` AND draft = ${draft}`]
  return `UPDATE pact_contexts SET head = $4, chain = $5, answers = answers + ${answers}${saves}
  WHERE ${KEY} AND head = $4 - 1 AND chain = $8 AND epoch = $9${isDraft}`
}

/** Deletes the draft of a context whose head has moved. */
const DROPPED = `dropped AS (DELETE FROM pact_drafts WHERE ${KEY} AND EXISTS (SELECT 1 FROM moved))`

const IS_NEW_KEY = `NOT EXISTS (SELECT 1 FROM pact_answers WHERE ${KEY} AND key = $10)`

const ANSWERED = `said AS (INSERT INTO pact_answers (tenant, family, context, key, cycle, digest, answer)
      SELECT tenant, family, context, $10::bytea, $11::integer, $12::bytea, $13::bytea FROM moved)`

const COMMITTED = `INSERT INTO pact_commits (tenant, family, context, cycle, hash, changes, bodies)
  SELECT tenant, family, context, $4::integer, $5::bytea, $6::bytea, $7::bytea FROM moved`

const MOVED = 'RETURNING tenant, family, context'

export const STATEMENTS = {
  // ---- Contexts
  name: 'SELECT family, context FROM pact_names WHERE tenant = $1 AND id = $2',
  // Ids are never empty, so all come after ''. UTF-8 bytes sort by code point.
  names: 'SELECT id, family, context FROM pact_names WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3',
  namesOf: 'SELECT id, family, context FROM pact_names WHERE tenant = $1 AND id = ANY($2::bytea[])',
  contexts: `SELECT ${CELLS} FROM pact_contexts
    WHERE tenant = $1 AND family = ANY($2::bytea[]) AND context = ANY($3::bytea[])`,
  takeName: `INSERT INTO pact_names (tenant, id, family, context) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, id) DO NOTHING`,
  releaseName: 'DELETE FROM pact_names WHERE tenant = $1 AND id = $2',
  // All contexts in key order, to check that each has its name.
  everyContext: `SELECT family, context, id FROM pact_contexts
    WHERE tenant = $1 AND (family > $2 OR (family = $2 AND context > $3)) ORDER BY family, context LIMIT $4`,

  // ---- Commits and saves in one statement each, for databases other than Citus
  commit: `WITH moved AS (${moveHead(0)} ${MOVED}) ${COMMITTED}`,
  commitWithAnswer: `WITH moved AS (${moveHead(1)} AND ${IS_NEW_KEY} ${MOVED}), ${ANSWERED} ${COMMITTED}`,
  commitSaved: `WITH moved AS (${moveHead(0, '$10')} ${MOVED}), ${DROPPED} ${COMMITTED}`,
  commitSavedWithAnswer: `WITH moved AS (${moveHead(1, '$14')} AND ${IS_NEW_KEY} ${MOVED}),
    ${ANSWERED}, ${DROPPED} ${COMMITTED}`,
  save: `WITH counted AS (UPDATE pact_contexts SET draft = COALESCE(draft, 0) + 1, saves = COALESCE(saves, 0) + 1
    WHERE ${KEY} AND chain = COALESCE($4::bytea, chain) AND epoch = $5 AND COALESCE(draft, 0) = $6 ${MOVED}, draft)
    INSERT INTO pact_drafts (tenant, family, context, n, cycle, part)
    SELECT tenant, family, context, draft, $7::integer, $8::bytea FROM counted`,
  // One statement: a row may be packed meanwhile.
  read: `SELECT true AS packed, first, last, NULL::bytea AS hash, NULL::bytea AS changes, body
      FROM pact_packs WHERE ${KEY} AND last >= $4 AND first <= $5
    UNION ALL SELECT false, cycle, cycle, hash, changes, bodies
      FROM pact_commits WHERE ${KEY} AND cycle >= $4 AND cycle <= $5`,
  pages: 'SELECT key, body FROM pact_pages WHERE tenant = $1 AND family = $2 AND key = ANY($3::bytea[])',
  countAttempt: `UPDATE pact_contexts SET attempts = attempts + 1, attempts_kept = attempts_kept + 1
    WHERE ${KEY} RETURNING attempts`,

  // ---- Integrity checks
  headless: `SELECT c.id FROM pact_contexts c WHERE c.tenant = $1 AND NOT EXISTS (SELECT 1 FROM pact_commits m
    WHERE m.tenant = c.tenant AND m.family = c.family AND m.context = c.context
    AND m.cycle = c.head AND m.hash = c.chain) LIMIT 5`,
}

export type StatementName = keyof typeof STATEMENTS

/** By table, a statement that finds rows of deleted contexts. */
export const LEFT: ReadonlyMap<Table, string> = new Map(
  TABLES.filter((table) => table !== 'contexts').map((table) => {
    const isOwned = KEYS[table][0] === 'ctx'
    const [columns, isSame] = isOwned ? ['t.family, t.context', ' AND c.context = t.context'] : ['t.family', '']
    const text = `SELECT DISTINCT ${columns} FROM pact_${table} t WHERE t.tenant = $1 AND NOT EXISTS
      (SELECT 1 FROM pact_contexts c WHERE c.tenant = t.tenant AND c.family = t.family${isSame}) LIMIT 5`
    return [table, text]
  }),
)

/** Detects Citus, which does not route INSERT … SELECT to one shard. */
export const IS_CITUS = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"

/** Optional statements: a database may not support or allow them. */
export const OPTIONAL_STATEMENTS: Readonly<{ notify: string; listen: (channel: string) => string; vacuum: string }> = {
  // Wakes watchers; those that miss it poll later.
  notify: 'SELECT pg_notify($1, $2)',
  listen: (channel) => `LISTEN ${channel}`,
  // Overwritten rows stay in the files until then.
  vacuum:
    'VACUUM pact_commits, pact_packs, pact_answers, pact_attempts, pact_manifests, pact_pages, pact_drafts, pact_contexts',
}
