// Statements about one table, as data. A dialect turns them into SQL: SQLite has one number as the key of a row,
// PostgreSQL has tenant, family and context. Work of several statements is a generator that yields them, so that it runs
// without interruption on a synchronous driver, and as a transaction on an asynchronous one.

/** The key columns of each table. */
export const KEYS = {
  contexts: ['ctx'],
  commits: ['ctx', 'cycle'],
  packs: ['ctx', 'last'],
  drafts: ['ctx', 'n'],
  manifests: ['ctx', 'cycle'],
  answers: ['ctx', 'key'],
  attempts: ['ctx', 'id', 'writer'],
  pages: ['family', 'key'],
  audit: ['family', 'n'],
} as const

export type Table = keyof typeof KEYS
export const TABLES: readonly Table[] = Object.keys(KEYS) as Table[]

export type Value = null | number | string | Uint8Array
export type Cells = Readonly<Record<string, unknown>>
export type Result = Readonly<{ rows: readonly Cells[]; count: number }>

/** A range of whole numbers, ends included. */
export type Range = Readonly<{ from?: number; to?: number }>
/** An amount to be added to a column. */
export type Plus = Readonly<{ plus: number }>

/** Conditions on columns, all of which must hold. `ctx`, `family` and `parent` are keys of contexts. */
export type Where = Readonly<Record<string, Value | Range | undefined>>
export type NewRow = Readonly<Record<string, Value>>
/** New values of columns; undefined leaves a column as it is. */
export type Changes = Readonly<Record<string, Value | Plus | undefined>>
export type SelectOptions = Readonly<{ order?: string; isDescending?: boolean; limit?: number; isLocked?: boolean }>

export type Query = Readonly<
  /** Without columns, whole contexts; `head` is NULL if their newest row is lost. */
  | ({ kind: 'select'; table: Table; columns: readonly string[] | undefined; where: Where } & SelectOptions)
  | { kind: 'insert'; table: Table; rows: readonly NewRow[]; onConflict: 'fail' | 'ignore' | 'replace' }
  | { kind: 'update'; table: Table; changes: Changes; where: Where }
  | { kind: 'delete'; table: Table; where: Where }
  /** SQL of one dialect. */
  | { kind: 'sql'; text: string; values: readonly Value[] }
>

/** Work that yields its statements and gets their results. */
export type Work<T> = Generator<Query, T, Result>

/** Thrown by work to undo everything that it has done. */
export const ROLLBACK: Error = new Error('rollback')

export function* select(
  table: Table,
  columns: readonly string[] | undefined,
  where: Where,
  options: SelectOptions = {},
): Work<readonly Cells[]> {
  return (yield { kind: 'select', table, columns, where, ...options }).rows
}

/** Returns the number of inserted rows. */
export function* insert(
  table: Table,
  rows: readonly NewRow[],
  onConflict: 'fail' | 'ignore' | 'replace' = 'fail',
): Work<number> {
  return rows.length === 0 ? 0 : (yield { kind: 'insert', table, rows, onConflict }).count
}

/** Returns the number of updated rows. */
export function* update(table: Table, changes: Changes, where: Where): Work<number> {
  return (yield { kind: 'update', table, changes, where }).count
}

/** Returns the number of deleted rows. */
export function* remove(table: Table, where: Where): Work<number> {
  return (yield { kind: 'delete', table, where }).count
}

export function* sql(text: string, ...values: readonly Value[]): Work<Result> {
  return yield { kind: 'sql', text, values }
}

/** Runs work whose statements are answered at once. */
export function play<T>(work: () => Work<T>, run: (query: Query) => Result): T {
  const steps = work()
  let step = steps.next()
  while (step.done !== true) step = steps.next(run(step.value))
  return step.value
}

export function isRange(value: Value | Range | undefined): value is Range {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

export function isPlus(value: Value | Plus | undefined): value is Plus {
  return typeof value === 'object' && value !== null && 'plus' in value
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

/** The bytes of a page's key. */
export function pageBytes(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}
