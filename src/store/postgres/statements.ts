// SQL of PostgreSQL and compatible distributed databases. Each statement is about one tenant and names the family, so
// that one shard answers it; conditions are checked in the statement that writes.
// test/stores/postgres-portable.test.ts refuses statements that one of those databases would refuse.

import type { ContextKey } from '../rows.js'
import {
  isPlus,
  isRange,
  KEYS,
  TABLES,
  type NewRow,
  type Query,
  type Table,
  type Value,
  type Where,
} from '../sql/query.js'
import { placeOf } from './cells.js'

/** A statement with its values. */
export type Statement = Readonly<{ text: string; values: readonly Value[] }>

// ---- Statements of queries

/** Columns with another name, and those in which NULL is 0. */
const NAMES: Readonly<Record<string, string>> = { attempts: 'attempts_kept', made: 'attempts' }
const ZEROS: ReadonlySet<string> = new Set(['draft', 'saves'])

function nameOf(table: Table, column: string): string {
  return (table === 'contexts' ? NAMES[column] : undefined) ?? column
}

/** A column in an expression. */
function termOf(table: Table, column: string): string {
  return table === 'contexts' && ZEROS.has(column) ? `COALESCE(${column}, 0)` : nameOf(table, column)
}

const CONTEXT = 'family, context, id, parent, base, first, head, chain, forks, epoch, seal, answers'
const CELLS = `${CONTEXT}, attempts_kept AS attempts, COALESCE(draft, 0) AS draft, COALESCE(saves, 0) AS saves`

/** Numbers the values of a statement. */
class Values {
  readonly all: Value[] = []

  add(value: Value): string {
    this.all.push(value)
    return `$${this.all.length}`
  }
}

/** The statements of a query; inserts of many rows have several. */
export function statementsOf(query: Exclude<Query, { kind: 'sql' }>, tenant: Uint8Array): readonly Statement[] {
  if (query.kind === 'insert')
    return chunked(query.rows).map((rows) => insertOf(query.table, rows, query.onConflict, tenant))
  const values = new Values()
  const table = query.kind === 'contexts' ? 'contexts' : query.table
  const where = whereOf(table, query.where, values, tenant)
  return [{ text: `${headOf(query, values, where)}`, values: values.all }]
}

function headOf(query: Exclude<Query, { kind: 'sql' | 'insert' }>, values: Values, where: string): string {
  switch (query.kind) {
    case 'contexts':
      return `SELECT ${CELLS} FROM pact_contexts WHERE ${where} ORDER BY context`
    case 'delete':
      return `DELETE FROM pact_${query.table} WHERE ${where}`
    case 'update': {
      const { table, changes } = query
      const set = Object.entries(changes).flatMap(([column, value]) => {
        if (value === undefined) return []
        const added = isPlus(value) ? `${termOf(table, column)} + ${values.add(value.plus)}` : values.add(value)
        return `${nameOf(table, column)} = ${added}`
      })
      return `UPDATE pact_${table} SET ${set.join(', ')} WHERE ${where}`
    }
    case 'select': {
      const { table, columns, order, isDescending = false, limit, isLocked = false } = query
      const named = columns.map((column) =>
        column === 'ctx' ? 'family, context' : column === 'count' ? 'count(*) AS count' : nameOf(table, column),
      )
      const by = order === 'ctx' ? 'context' : order
      const sorted = by === undefined ? '' : ` ORDER BY ${by}${isDescending ? ' DESC' : ''}`
      const some = limit === undefined ? '' : ` LIMIT ${values.add(limit)}`
      const locked = isLocked ? ' FOR UPDATE' : ''
      return `SELECT ${named.join(', ')} FROM pact_${table} WHERE ${where}${sorted}${some}${locked}`
    }
  }
}

/** Conditions, the key of the shard first. */
function whereOf(table: Table, where: Where, values: Values, tenant: Uint8Array): string {
  const { ctx, family, parent, ...rest } = where as Readonly<Record<string, ContextKey>>
  const { family: shard, context } = placeOf((ctx ?? parent ?? family)!)
  const parts = [`tenant = ${values.add(tenant)}`, `family = ${values.add(shard)}`]
  if (ctx !== undefined) parts.push(`context = ${values.add(context)}`)
  if (parent !== undefined) parts.push(`parent = ${values.add(context)}`)
  for (const [column, value] of Object.entries(rest as Where)) {
    const term = termOf(table, column)
    if (value === undefined) continue
    if (!isRange(value)) parts.push(`${term} = ${values.add(value)}`)
    else {
      if (value.from !== undefined) parts.push(`${term} >= ${values.add(value.from)}`)
      if (value.to !== undefined) parts.push(`${term} <= ${values.add(value.to)}`)
    }
  }
  return parts.join(' AND ')
}

/** Inserts rows of one context or family. VALUES, because Citus routes INSERT … SELECT to all shards. */
function insertOf(
  table: Table,
  rows: readonly NewRow[],
  onConflict: Extract<Query, { kind: 'insert' }>['onConflict'],
  tenant: Uint8Array,
): Statement {
  const values = new Values()
  const isOwned = 'ctx' in rows[0]!
  const { family, context } = placeOf(rows[0]![isOwned ? 'ctx' : 'family'] as ContextKey)
  const key = [tenant, family, ...(isOwned ? [context] : [])].map((each) => values.add(each))
  const cells = rows.map((row) => {
    const { ctx: _ctx, family: _family, ...rest } = table === 'contexts' ? { ...row, made: 0 } : row
    return Object.entries(rest)
  })
  const lists = cells.map((row) =>
    row.map(([column, value]) =>
      values.add(column === 'parent' && value !== null ? placeOf(value as ContextKey).context : value),
    ),
  )
  const columns = cells[0]!.map(([column]) => nameOf(table, column))
  const keyed = ['tenant', 'family', ...(isOwned ? ['context'] : []), ...KEYS[table].slice(1)].join(', ')
  const own = columns.filter((column) => !(KEYS[table] as readonly string[]).includes(column))
  const conflict = {
    fail: '',
    ignore: ` ON CONFLICT (${keyed}) DO NOTHING`,
    replace: ` ON CONFLICT (${keyed}) DO UPDATE SET ${own.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  }[onConflict]
  const all = ['tenant', 'family', ...(isOwned ? ['context'] : []), ...columns].join(', ')
  const lines = lists.map((each) => `(${[...key, ...each].join(', ')})`).join(', ')
  return { text: `INSERT INTO pact_${table} (${all}) VALUES ${lines}${conflict}`, values: values.all }
}

/** Rows and bytes per statement. */
const ROWS = 500
const BYTES = 4 * 1024 * 1024

/** Splits rows into chunks of one statement each. */
function chunked(all: readonly NewRow[]): readonly (readonly NewRow[])[] {
  const chunks: NewRow[][] = []
  let bytes = Infinity
  for (const row of all) {
    const size = Object.values(row).reduce<number>(
      (sum, each) => sum + (each instanceof Uint8Array ? each.length : 0),
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
