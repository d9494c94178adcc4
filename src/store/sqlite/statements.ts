// SQL of SQLite. Rows of commits, packs, manifests and drafts have one number as their key, `ctx * 2^30 + cycle`.

import {
  isPlus,
  isRange,
  type Changes,
  type NewRow,
  type Query,
  type Range,
  type Table,
  type Where,
} from '../sql/query.js'
import { keyOf, SPAN } from './cells.js'
import type { Value } from './driver.js'

/** A statement with its values. */
export type Statement = Readonly<{ text: string; values: readonly Value[] }>

/** The column that is part of the key `k`. */
const IN_KEY: Readonly<Partial<Record<Table, string>>> = {
  commits: 'cycle',
  packs: 'last',
  manifests: 'cycle',
  drafts: 'n',
}

const COLUMNS = 'c.ctx, c.id, c.family, c.parent, c.base, c.forks, c.epoch, c.first'
const NEWEST = `m.k % ${SPAN} AS head, m.hash AS chain`

/**
 * Selects contexts with their newest row, whose columns are NULL if it is lost. Tables before version 4 do not name the
 * newest row, so there it is the newest remaining one.
 */
export function contextSql(version: number): string {
  const saved = version >= 5 ? 'c.draft, c.saves' : '0 AS draft, 0 AS saves'
  if (version >= 4)
    return `SELECT ${COLUMNS}, ${NEWEST}, ${saved}, c.seal, c.answers, c.attempts FROM contexts c
      LEFT JOIN commits m ON m.k = c.ctx * ${SPAN} + c.head AND m.hash = c.chain`
  return `SELECT ${COLUMNS}, ${NEWEST}, ${saved}, NULL AS seal, NULL AS answers, NULL AS attempts FROM contexts c
    LEFT JOIN commits m ON m.k = (SELECT max(k) FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1})`
}

/** The statement of a query that inserts nothing. */
export function statementOf(query: Exclude<Query, { kind: 'insert' }>, contexts: string): Statement {
  if (query.kind === 'sql') return query
  const { text, values } = whereOf(query.kind === 'contexts' ? 'contexts' : query.table, query.where)
  switch (query.kind) {
    case 'contexts':
      return { text: `${contexts} WHERE ${text}`, values }
    case 'delete':
      return { text: `DELETE FROM ${query.table} WHERE ${text}`, values }
    case 'update': {
      const set = setOf(query.changes)
      return { text: `UPDATE ${query.table} SET ${set.text} WHERE ${text}`, values: [...set.values, ...values] }
    }
    case 'select': {
      const { table, columns, order, isDescending = false, limit } = query
      const own = IN_KEY[table]
      const named = columns.map((name) =>
        name === own ? `k % ${SPAN} AS ${name}` : name === 'count' ? 'count(*) AS count' : name,
      )
      const sorted = order === undefined ? '' : ` ORDER BY ${order === own ? 'k' : order}${isDescending ? ' DESC' : ''}`
      const select = `SELECT ${named.join(', ')} FROM ${table} WHERE ${text}${sorted}`
      return limit === undefined ? { text: select, values } : { text: `${select} LIMIT ?`, values: [...values, limit] }
    }
  }
}

export function insertOf({ table, onConflict }: Readonly<Extract<Query, { kind: 'insert' }>>, row: NewRow): Statement {
  const own = IN_KEY[table]
  const { ctx, [own ?? '']: part, ...rest } = row
  const key = own === undefined ? (ctx === undefined ? {} : { ctx }) : { k: keyOf(Number(ctx), Number(part)) }
  const cells = { ...key, ...rest }
  const names = Object.keys(cells)
  const or = onConflict === 'fail' ? '' : `OR ${onConflict.toUpperCase()} `
  const text = `INSERT ${or}INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  return { text, values: Object.values(cells) }
}

function setOf(changes: Changes): Statement {
  const parts: string[] = []
  const values: Value[] = []
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    parts.push(isPlus(value) ? `${name} = ${name} + ?` : `${name} = ?`)
    values.push(isPlus(value) ? value.plus : value)
  }
  return { text: parts.join(', '), values }
}

function whereOf(table: Table, where: Where): Statement {
  const parts: string[] = []
  const values: Value[] = []
  const own = IN_KEY[table]
  if (own !== undefined) {
    const ctx = Number(where['ctx'])
    const cycle = where[own]
    const { from = 0, to = SPAN - 1 }: Range = isRange(cycle) ? cycle : cycle === undefined ? {} : ONE(Number(cycle))
    parts.push('k BETWEEN ? AND ?')
    values.push(keyOf(ctx, Math.max(0, from)), keyOf(ctx, Math.min(SPAN - 1, to)))
  }
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined || (own !== undefined && (name === 'ctx' || name === own))) continue
    if (!isRange(value)) {
      parts.push(`${name} = ?`)
      values.push(value)
      continue
    }
    if (value.from !== undefined) parts.push(`${name} >= ?`)
    if (value.to !== undefined) parts.push(`${name} <= ?`)
    values.push(...[value.from, value.to].filter((end) => end !== undefined))
  }
  return { text: parts.join(' AND '), values }
}

function ONE(cycle: number): Range {
  return { from: cycle, to: cycle }
}
