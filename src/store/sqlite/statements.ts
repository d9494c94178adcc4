// SQL of SQLite. Rows of commits, packs, manifests and drafts have one number as their key, `ctx * 2^30 + cycle`.

import { isRange, KEYS, type Table, type Value } from '../sql/query.js'
import type { Dialect, Statement } from '../sql/statements.js'
import { keyOf, SPAN } from './cells.js'

/** The column that is part of the key `k`. */
export const IN_KEY: Readonly<Partial<Record<Table, string>>> = {
  commits: 'cycle',
  packs: 'last',
  manifests: 'cycle',
  drafts: 'n',
}

/** Tables of a version. */
export function dialectOf(version: number): Dialect {
  return {
    prefix: '',
    contexts: contextSql(version),
    where: (table, where) => {
      const part = IN_KEY[table]
      if (part === undefined) return where
      const { ctx, [part]: cycle, ...rest } = where
      const { from = 0, to = SPAN - 1 } = isRange(cycle) ? cycle : cycle === undefined ? {} : only(Number(cycle))
      const [first, last] = [Math.max(0, from), Math.min(SPAN - 1, to)].map((end) => keyOf(Number(ctx), end))
      return { k: { from: first!, to: last! }, ...rest }
    },
    row: (table, row) => {
      const part = IN_KEY[table]
      if (part === undefined) return row
      const { ctx, [part]: cycle, ...rest } = row
      return { k: keyOf(Number(ctx), Number(cycle)), ...rest }
    },
    key: (table) => (table in IN_KEY ? ['k'] : KEYS[table]),
    term: (column) => column,
    listed: (table, column) => (column === IN_KEY[table] ? `k % ${SPAN} AS ${column}` : column),
    order: (table, column) => (column === IN_KEY[table] ? 'k' : column),
    lock: '',
  }
}

function only(cycle: number): Readonly<{ from: number; to: number }> {
  return { from: cycle, to: cycle }
}

/** The same statement without numbers: some drivers take `$1` for a name. */
export function unnumbered({ text, values }: Statement): Statement {
  const ordered: Value[] = []
  const plain = text.replaceAll(/\$(\d+)/g, (_, number) => {
    ordered.push(values[Number(number) - 1]!)
    return '?'
  })
  return { text: plain, values: ordered }
}

const COLUMNS = 'c.ctx, c.id, c.family, c.parent, c.base, c.forks, c.epoch, c.first'
const NEWEST = `m.k % ${SPAN} AS head, m.hash AS chain`

/**
 * Selects contexts with their newest row, whose columns are NULL if it is lost. Tables before version 4 do not name the
 * newest row, so there it is the newest remaining one.
 */
function contextSql(version: number): string {
  const saved = version >= 5 ? 'c.draft, c.saves' : '0 AS draft, 0 AS saves'
  if (version >= 4)
    return `SELECT ${COLUMNS}, ${NEWEST}, ${saved}, c.seal, c.answers, c.attempts FROM contexts c
      LEFT JOIN commits m ON m.k = c.ctx * ${SPAN} + c.head AND m.hash = c.chain`
  return `SELECT ${COLUMNS}, ${NEWEST}, ${saved}, NULL AS seal, NULL AS answers, NULL AS attempts FROM contexts c
    LEFT JOIN commits m ON m.k = (SELECT max(k) FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1})`
}
