// A store by its address.

import { openRows, type StoreOptions } from './open-rows.js'
import { Store } from './store.js'

/**
 * Opens a store: `memory:`, which ends with the process; `sqlite:agent.db`, which is made where it is missing; or
 * `postgres://user@host/database`, whose tables are made where they are missing.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return new Store(await openRows(url, options))
}
