// The contexts that a saver has open: the last ones used, each with a queue. Calls of one process wait for each other, so they do not conflict;
// a commit of another process is a conflict, and the edits are then made again on what is there.

import { PactError } from '../errors/index.js'
import type { Store, StoredContext } from '../store/index.js'

/** Contexts kept open. Opening one again costs its tree. */
const KEPT = 16
/** Each try loses to a commit that another writer made. */
const TRIES = 100

export class OpenContexts {
  readonly #store: Store
  readonly #open = new Map<string, StoredContext>()
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Reads the newest state of a context; undefined if there is no such context. */
  read<T>(id: string, look: (ctx: StoredContext) => T | Promise<T>): Promise<T | undefined> {
    return this.#alone(id, async () => {
      const known = await this.#refreshed(id)
      if (known === undefined && (await this.#store.find(id)) === undefined) return undefined
      return look(known ?? (await this.#opened(id)))
    })
  }

  /** Makes edits and commits them; the context is made if it is missing. `edit` runs again after a conflict. No edits are no commit. */
  write(id: string, edit: (ctx: StoredContext) => void | Promise<void>, key?: string): Promise<void> {
    return this.#alone(id, async () => {
      for (let tries = 1; ; tries++) {
        const ctx = (await this.#refreshed(id)) ?? (await this.#opened(id))
        try {
          await edit(ctx)
          if (ctx.operations().length > 0) await ctx.commit(key === undefined ? {} : { key })
          return
        } catch (error) {
          // Its edits go with it.
          this.#open.delete(id)
          if (!isConflict(error) || error.details['reason'] === 'key' || tries === TRIES) throw error
        }
      }
    })
  }

  async delete(id: string): Promise<void> {
    await this.#alone(id, async () => {
      this.#open.delete(id)
      await this.#store.delete(id)
    })
  }

  /** An open context with the commits of other writers; undefined if it is not open, or was deleted. */
  async #refreshed(id: string): Promise<StoredContext | undefined> {
    const ctx = this.#open.get(id)
    if (ctx === undefined) return undefined
    this.#open.delete(id)
    try {
      await ctx.rebase()
    } catch (error) {
      if (!isConflict(error)) throw error
      return undefined
    }
    this.#open.set(id, ctx)
    return ctx
  }

  async #opened(id: string): Promise<StoredContext> {
    const ctx = await this.#store.open(id, { history: 1, draft: 'leave' })
    this.#open.set(id, ctx)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= KEPT) break
      this.#open.delete(oldest)
    }
    return ctx
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(id)
    const mine = (async () => {
      await before?.catch(() => undefined)
      return work()
    })()
    this.#queues.set(id, mine)
    try {
      return await mine
    } finally {
      if (this.#queues.get(id) === mine) this.#queues.delete(id)
    }
  }
}

export function isConflict(error: unknown): error is PactError {
  return PactError.is(error) && error.code === 'E_CONFLICT'
}
