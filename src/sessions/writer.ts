// Changes of contexts that many processes write: each is one commit on the newest state, computed again if another writer was first.

import { PactError } from '../errors/index.js'
import type { CommitOptions, Store, StoredContext } from '../store/index.js'

/** Options to open a context for its newest state alone. */
export const NEWEST = { history: 1, draft: 'leave' } as const

/** Every conflict is a commit of somebody else, so only a fault of the store gets here. */
const TRIES = 1_000

export class Writer {
  readonly #store: Store
  /** The newest change of each context that is under way. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Commits the edits that `edit` makes on the newest state, after the changes of this context that were asked for before. Returns the context. Without
   * edits nothing is committed, unless there is a key; if the key was committed before, `edit` is not called.
   */
  async change(id: string, edit: (ctx: StoredContext) => void, commit: CommitOptions = {}): Promise<StoredContext> {
    const before = this.#last.get(id) ?? Promise.resolve()
    const change = before.then(() => this.#change(id, edit, commit))
    const ended = change.then(ignore, ignore)
    this.#last.set(id, ended)
    try {
      return await change
    } finally {
      if (this.#last.get(id) === ended) this.#last.delete(id)
    }
  }

  async #change(id: string, edit: (ctx: StoredContext) => void, commit: CommitOptions): Promise<StoredContext> {
    const { key, asked } = commit
    for (let tries = 1; ; tries++) {
      const ctx = await this.#store.open(id, NEWEST)
      if (key !== undefined && (await ctx.answerTo(key, asked)) !== undefined) return ctx
      edit(ctx)
      if (key === undefined && ctx.operations().length === 0) return ctx
      try {
        await committed(ctx, commit)
        return ctx
      } catch (error) {
        if (!isConflict(error) || tries === TRIES) throw error
      }
    }
  }
}

/** A commit whose outcome is unknown is asked for again, which finds out. */
async function committed(ctx: StoredContext, commit: CommitOptions): Promise<void> {
  try {
    await ctx.commit(commit)
  } catch (error) {
    if (!PactError.is(error) || error.details['outcome'] !== 'unknown') throw error
    await ctx.commit(commit)
  }
}

/** True if another writer was first. */
function isConflict(error: unknown): boolean {
  return PactError.is(error) && error.code === 'E_CONFLICT' && REPEATED.has(error.details['reason'])
}

const REPEATED: ReadonlySet<unknown> = new Set(['stale', 'deleted', 'erased', 'thinned'])

function ignore(): void {}
