// Integrity problems of a file: what SQLite reports, and rows of deleted contexts.

import { PactError } from '../../errors/index.js'
import { KEYS, TABLES } from '../sql/query.js'
import { SPAN } from './cells.js'
import type { Connection } from './connection.js'
import { diskFault, isUnreadPage } from './faults.js'
import { IN_KEY } from './statements.js'

/** Tables with rows of contexts or families, and the SQL expression for the owner of a row. */
const OWNERS = TABLES.filter((table) => table !== 'contexts').map((table) => {
  const [column] = KEYS[table]
  return { table, column, owner: table in IN_KEY ? `k / ${SPAN}` : column }
})

export function problemsIn(db: Connection, name: string): readonly string[] {
  return [...logProblems(db), ...tableProblems(db, name)]
}

function logProblems(db: Connection): readonly string[] {
  try {
    db.checkLog()
    return []
  } catch (error) {
    if (PactError.is(error) && error.details['reason'] === 'damaged') return [error.message]
    throw error
  }
}

function tableProblems(db: Connection, name: string): readonly string[] {
  // One transaction: a context deleted meanwhile would otherwise seem to leave rows behind.
  return db.reading(() => {
    const found = db.all('PRAGMA integrity_check(20)').map((cells) => String(cells['integrity_check']))
    if (found.some(isUnreadPage)) throw diskFault(name)
    const left = OWNERS.flatMap(({ table, owner, column }) => {
      const sql = `SELECT DISTINCT ${owner} AS n FROM ${table} WHERE ${owner} NOT IN (SELECT ${column} FROM contexts) LIMIT 5`
      return db
        .all(sql)
        .map(({ n }) => `The table ${table} has rows of a context, number ${String(n)}, that is not there.`)
    })
    return [...found.filter((line) => line !== 'ok'), ...left, ...uncounted(db)]
  })
}

/** A context that was lost with all its rows shows only in the count. */
function uncounted(db: Connection): readonly string[] {
  const sql = 'SELECT (SELECT contexts FROM counted) AS made, (SELECT count(*) FROM contexts) AS found'
  const { made, found } = db.get(sql)!
  const missing = Number(made) - Number(found)
  return missing === 0 ? [] : [`The table contexts has ${missing} rows fewer than were written.`]
}
