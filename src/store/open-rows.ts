// Which database an address means.

import { describe, PactError, short } from '../errors/index.js'
import { MemoryRows } from './memory/rows.js'
import { optionsOf } from './given.js'
import { checkName } from './names.js'
import type { Rows } from './rows.js'
import type { PostgresOptions } from './postgres/rows.js'
import type { SqliteOptions } from './sqlite/connection.js'
import { SqliteRows } from './sqlite/rows.js'

export type StoreOptions = SqliteOptions & PostgresOptions

/** Opens the database of an address, and makes it where it is missing. */
export async function openRows(url: string, given: StoreOptions): Promise<Rows> {
  if (typeof url !== 'string') throw invalid(`The address of a store is a string, not ${describe(url)}.`)
  const options = optionsOf('openStore', "{ durability: 'relaxed' }", given)
  checkOptions(options)
  if (!POSTGRES_URL.test(url)) checkKind(options, SQLITE, url)
  if (url === 'memory:') return new MemoryRows()
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length).replace(/^\/\/(?=.)/, '')
    if (file === '') throw invalid('The address sqlite: needs a file behind it, as in sqlite:agent.db.')
    // SQLite would read what stands behind it: with ?mode=memory nothing is written, with ?nolock=1 two writers write at once.
    if (file.startsWith('file:'))
      throw invalid(
        `The address of a store has a path behind sqlite:, and no URI; write sqlite:${short(pathIn(file))}.`,
      )
    if (file.includes('\0')) throw invalid('The address of a store has a NUL in it, which no file has; take it out.')
    return new SqliteRows(file, options)
  }
  if (POSTGRES_URL.test(url)) {
    checkKind(options, POSTGRES, url)
    // Without the address, which may have a password in it.
    if (!URL.canParse(url))
      throw invalid('The address of a PostgreSQL store cannot be read; it is like postgres://user@host/database.')
    // Loaded by those who have one.
    const { PostgresRows } = await import('./postgres/rows.js')
    return PostgresRows.open(url, options)
  }
  const message = `There is no store at ${short(url)}; addresses are memory:, sqlite:agent.db and postgres://user@host/database.`
  throw invalid(message)
}

function pathIn(uri: string): string {
  return uri.slice('file:'.length).replace(/[?#].*$/s, '') || 'agent.db'
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\//
const NAMES = ['durability', 'busyTimeout', 'driver', 'tenant', 'connections', 'connectTimeout', 'statementTimeout']
const SQLITE = NAMES.slice(0, 3)
const POSTGRES = NAMES.slice(3)

/** An option that does nothing here would be a promise that nobody keeps. */
function checkKind(options: StoreOptions, known: readonly string[], url: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue
    const kind = url.slice(0, url.indexOf(':') + 1)
    throw invalid(`The option ${name} is not for ${kind}, which takes ${known.join(', ')}.`, name)
  }
}

function checkOptions(options: StoreOptions): void {
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name))
      throw invalid(`There is no option "${short(name)}"; there are ${NAMES.join(', ')}.`, name)
  }
  const { durability, tenant, connections } = options
  if (durability !== undefined && durability !== 'full' && durability !== 'relaxed') {
    throw invalid(`The option durability is 'full' or 'relaxed', not ${describe(durability)}.`, 'durability')
  }
  if (tenant !== undefined) checkName('tenant', tenant)
  for (const name of ['busyTimeout', 'connectTimeout', 'statementTimeout'] as const) {
    if (!isCount(options[name], 0))
      throw invalid(`The option ${name} is a number of milliseconds, not ${describe(options[name])}.`, name)
  }
  if (!isCount(connections, 1))
    throw invalid(`The option connections is a number from 1 up, not ${describe(connections)}.`, 'connections')
}

function isCount(value: number | undefined, least: number): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= least && value < 2 ** 31)
}

function invalid(message: string, name = 'url'): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
