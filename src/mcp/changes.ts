// Changes of a store as events of the protocol: one watch over all contexts, while somebody listens.

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'

import type { Store } from '../store/index.js'
import { addressOf } from './resources.js'

/** Milliseconds between two looks at a database without notifications. */
const EVERY = 1000

export class StoreChanges implements ServerEventBus {
  readonly #store: Store
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  #watching: AbortController | undefined

  constructor(store: Store) {
    this.#store = store
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    if (this.#watching === undefined) void this.#watch((this.#watching = new AbortController()))
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#watching?.abort()
    this.#watching = undefined
  }

  async #watch(watching: AbortController): Promise<void> {
    try {
      for await (const { kind, id } of this.#store.watch(undefined, { signal: watching.signal, every: EVERY })) {
        if (kind === 'made' || kind === 'deleted') this.publish({ kind: 'resources_list_changed' })
        else
          for (const rest of ['', '/thread'])
            this.publish({ kind: 'resource_updated', uri: addressOf(id, '@t0', rest) })
      }
    } catch {
      // The store has closed or cannot be reached; the next listener starts a new watch.
      if (this.#watching === watching) this.#watching = undefined
    }
  }
}
