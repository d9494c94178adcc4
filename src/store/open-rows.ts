// Opens the database that an address names.

import { sqliteFile } from '../core/index.js'
import { ANYTHING, checkOptions, describe, FLAG, invalid, oneOf, short, type OptionRule } from '../errors/index.js'
import { storeFault } from './fault.js'
import { MemoryRows } from './memory/rows.js'
import { readOptions, checkName, MILLISECONDS, MILLISECONDS_FROM_1 } from './options.js'
import type { PostgresOptions } from './postgres/rows.js'
import type { Rows } from './rows.js'
import type { SqliteOptions } from './sqlite/connection.js'
import { SqliteRows } from './sqlite/rows.js'

export type StoreOptions = SqliteOptions &
  PostgresOptions &
  Readonly<{
    /**
     * Opens an existing store and writes nothing. Tables of older versions are read as they are; writing calls are
     * refused. A SQLite file can be read from a read-only folder.
     */
    readOnly?: boolean | undefined
  }>

/** Opens the database of an address and creates it if it is missing, unless `readOnly` is set. */
export async function openRows(url: string, given: StoreOptions): Promise<Rows> {
  const rows = await rowsAt(url, given)
  return given.readOnly === true ? readOnlyRows(rows) : rows
}

async function rowsAt(url: string, given: StoreOptions): Promise<Rows> {
  if (typeof url !== 'string') throw invalid('url', `The address of a store is a string, not ${describe(url)}.`)
  const options = readOptions('openStore', "{ durability: 'relaxed' }", given)
  checkOptions(options, RULES, "{ durability: 'relaxed' }")
  if (options.tenant !== undefined) checkName('tenant', options.tenant)
  if (!POSTGRES_URL.test(url)) checkKind(options, SQLITE, url)
  if (url === 'memory:') return new MemoryRows()
  const file = sqliteFile(url, process.platform)
  if (file !== undefined) {
    if (file === '') throw invalid('url', 'The address sqlite: needs a file after it, as in sqlite:agent.db.')
    // SQLite would interpret URI parameters: ?mode=memory stores nothing, and ?nolock=1 lets two writers corrupt the
    // file.
    if (file.startsWith('file:'))
      throw invalid(
        'url',
        `The address of a store has a path after sqlite:, not a URI; write sqlite:${short(pathIn(file))}.`,
      )
    if (file.includes('\0'))
      throw invalid('url', 'The address of a store has a NUL in it, which no file has; take it out.')
    return new SqliteRows(file, options)
  }
  if (POSTGRES_URL.test(url)) {
    checkKind(options, POSTGRES, url)
    // The message omits the address, which may contain a password.
    if (!URL.canParse(url))
      throw invalid(
        'url',
        'The address of a PostgreSQL store cannot be read; it is like postgres://user@host/database.',
      )
    // Imported on demand: most programs have no PostgreSQL store.
    const { PostgresRows } = await import('./postgres/rows.js')
    return PostgresRows.open(url, options)
  }
  const message = `There is no store at ${short(url)}; addresses are memory:, sqlite:agent.db and postgres://user@host/database.`
  throw invalid('url', message)
}

function pathIn(uri: string): string {
  return uri.slice('file:'.length).replace(/[?#].*$/s, '') || 'agent.db'
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\//
const RULES: Readonly<Record<string, OptionRule>> = {
  durability: oneOf('full', 'relaxed'),
  busyTimeout: MILLISECONDS,
  driver: ANYTHING,
  readOnly: FLAG,
  tenant: ANYTHING,
  connections: { form: 'a number from 1 up', allows: MILLISECONDS_FROM_1.allows },
  connectTimeout: MILLISECONDS,
  statementTimeout: MILLISECONDS,
  routed: FLAG,
}
const NAMES = Object.keys(RULES)
const SQLITE = NAMES.slice(0, 4)
const POSTGRES = [...NAMES.slice(4), 'readOnly']

/** Refuses options of another kind of database, which would have no effect. */
function checkKind(options: StoreOptions, known: readonly string[], url: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue
    const kind = url.slice(0, url.indexOf(':') + 1)
    throw invalid(name, `The option ${name} is not for ${kind}, which takes ${known.join(', ')}.`)
  }
}

// ---- Read-only stores

const WRITES: ReadonlySet<string | symbol> = new Set<keyof Rows>([
  'create',
  'delete',
  'commit',
  'saveDraft',
  'pack',
  'writeAttempts',
  'writeManifest',
  'dropDerived',
  'erase',
  'scrub',
  'arrive',
])

export function readOnlyRows(rows: Rows): Rows {
  const refuse = async (): Promise<never> => {
    const message = `${rows.name} was opened for reading only; open it without readOnly to write to it.`
    throw storeFault(message, 'failed', { reason: 'read-only' })
  }
  return new Proxy(rows, {
    get: (target, name) => {
      if (name === 'isReadOnly') return true
      if (WRITES.has(name)) return refuse
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
