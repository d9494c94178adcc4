// Opens a store by its address.

import { openRows, type StoreOptions } from './open-rows.js'
import { Store } from './store.js'

/**
 * Opens a store: `memory:` lives as long as the process; `sqlite:agent.db` is a file; `postgres://user@host/database`
 * is a server. Missing files and tables are created.
 *
 * @example
 * ```ts
 * import { openStore } from 'pact-context/store'
 *
 * const store = await openStore('memory:')
 * const ctx = await store.open('trip')
 * ctx.user('Find a train to Rome.')
 * await ctx.commit()
 * await store.close()
 * ```
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return new Store(await openRows(url, options))
}
