// Which database an address means.

import { describe, PactError, short } from '../errors/index.js'
import { MemoryRows } from './memory/rows.js'
import type { SqliteOptions } from './sqlite/connection.js'
import { SqliteRows } from './sqlite/rows.js'
import { Store } from './store.js'

export type StoreOptions = SqliteOptions

/** Opens a store: `memory:`, which ends with the process, or `sqlite:agent.db`, which is made where it is missing. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof url !== 'string') throw invalid(`The address of a store is a string, not ${describe(url)}.`)
  checkOptions(options)
  if (url === 'memory:') return new Store(new MemoryRows())
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length).replace(/^\/\/(?=.)/, '')
    if (file === '') throw invalid('The address sqlite: needs a file behind it, as in sqlite:agent.db.')
    return new Store(new SqliteRows(file, options))
  }
  const message = `There is no store at ${short(url)}; addresses are memory: and sqlite:agent.db.`
  throw invalid(message)
}

const NAMES = ['durability', 'busyTimeout', 'driver']

function checkOptions(options: StoreOptions): void {
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw invalid(`There is no option "${name}"; there are ${NAMES.join(', ')}.`, name)
  }
  const { durability, busyTimeout } = options
  if (durability !== undefined && durability !== 'full' && durability !== 'relaxed') {
    throw invalid(`The option durability is 'full' or 'relaxed', not ${describe(durability)}.`, 'durability')
  }
  if (busyTimeout !== undefined && !(Number.isSafeInteger(busyTimeout) && busyTimeout >= 0 && busyTimeout < 2 ** 31)) {
    throw invalid(`The option busyTimeout is a number of milliseconds, not ${describe(busyTimeout)}.`, 'busyTimeout')
  }
}

function invalid(message: string, name = 'url'): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
