// Turns queries into SQL with numbered values. A dialect says which tables and columns its database has.

import { isPlus, isRange, type NewRow, type Query, type Table, type Value, type Where } from './query.js'

/** A statement with its values: `$1` is the first. */
export type Statement = Readonly<{ text: string; values: readonly Value[] }>

export type Dialect = Readonly<{
  /** In front of the names of tables. */
  prefix: string
  /** Selects whole contexts, up to the conditions. */
  contexts: string
  /** The same conditions on columns of the database. */
  where: (table: Table, where: Where) => Where
  /** The same row in columns of the database. */
  row: (table: Table, row: NewRow) => NewRow
  /** The key of a table in columns of the database. */
  key: (table: Table) => readonly string[]
  /** A column in an expression, in a list of columns, and in an order. */
  term: (column: string) => string
  listed: (table: Table, column: string) => string
  order: (table: Table, column: string) => string
  /** The end of a statement that locks the selected rows. */
  lock: string
}>

export function statementOf(query: Exclude<Query, { kind: 'sql' }>, dialect: Dialect): Statement {
  const values: Value[] = []
  const put = (value: Value): string => `$${values.push(value)}`
  const { table } = query
  const name = `${dialect.prefix}${table}`
  if (query.kind === 'insert') {
    const rows = query.rows.map((row) => dialect.row(table, row))
    const columns = Object.keys(rows[0]!)
    const lists = rows.map((row) => `(${Object.values(row).map(put).join(', ')})`)
    const conflict = query.onConflict === 'fail' ? '' : ` ON CONFLICT (${dialect.key(table).join(', ')}) DO `
    const replaced = columns.filter((column) => !dialect.key(table).includes(column))
    const done = {
      fail: '',
      ignore: 'NOTHING',
      replace: `UPDATE SET ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    }[query.onConflict]
    return { text: `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${lists.join(', ')}${conflict}${done}`, values }
  }
  const conditions = Object.entries(dialect.where(table, query.where)).flatMap(([column, value]) => {
    const term = dialect.term(column)
    if (value === undefined) return []
    if (!isRange(value)) return `${term} = ${put(value)}`
    const { from, to } = value
    return [
      ...(from === undefined ? [] : [`${term} >= ${put(from)}`]),
      ...(to === undefined ? [] : [`${term} <= ${put(to)}`]),
    ]
  })
  const where = `WHERE ${conditions.join(' AND ')}`
  switch (query.kind) {
    case 'delete':
      return { text: `DELETE FROM ${name} ${where}`, values }
    case 'update': {
      const set = Object.entries(query.changes).flatMap(([column, value]) => {
        if (value === undefined) return []
        return `${column} = ${isPlus(value) ? `${dialect.term(column)} + ${put(value.plus)}` : put(value)}`
      })
      return { text: `UPDATE ${name} SET ${set.join(', ')} ${where}`, values }
    }
    case 'select': {
      const { columns, order, isDescending = false, limit, isLocked = false } = query
      const listed = columns?.map((column) =>
        column === 'count' ? 'count(*) AS count' : dialect.listed(table, column),
      )
      const head = listed === undefined ? dialect.contexts : `SELECT ${listed.join(', ')} FROM ${name}`
      const sorted = order === undefined ? '' : ` ORDER BY ${dialect.order(table, order)}${isDescending ? ' DESC' : ''}`
      const some = limit === undefined ? '' : ` LIMIT ${put(limit)}`
      return { text: `${head} ${where}${sorted}${some}${isLocked ? dialect.lock : ''}`, values }
    }
  }
}
