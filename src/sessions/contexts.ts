// Contexts that several processes read and write. The last ones used stay open, so a change costs no loading. Each change is one commit on the
// newest state, computed again if another writer was first.

import { PactError } from '../errors/index.js'
import type { CommitOptions, Store, StoredContext } from '../store/index.js'

/** A commit, and a function that is called if this change made it. Nothing else uses the context until it returns. */
export type ChangeOptions = CommitOptions & Readonly<{ committed?: ((ctx: StoredContext) => void) | undefined }>

/** Contexts kept open. */
const KEPT = 16
/** Every conflict is a commit of another writer, so only a fault of the store gets here. */
const TRIES = 1_000

export class OpenContexts {
  readonly #store: Store
  readonly #open = new Map<string, StoredContext>()
  /** The newest use of each context that is under way. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Reads the newest state, after the changes that were asked for before; undefined if there is no such context. */
  read<T>(id: string, look: (ctx: StoredContext) => T | Promise<T>): Promise<T | undefined> {
    return this.#alone(id, async () => {
      const now = await this.#store.find(id)
      return now === undefined ? undefined : look(await this.#newest(id, now.version))
    })
  }

  /**
   * Commits the edits that `edit` makes on the newest state; the context is made if it is missing. Without edits nothing is committed, unless there is a
   * key. If the key was committed before, `edit` is not called.
   */
  change(
    id: string,
    edit: (ctx: StoredContext) => void | Promise<void>,
    { committed, ...commit }: ChangeOptions = {},
  ): Promise<void> {
    const { key, asked } = commit
    return this.#alone(id, async () => {
      for (let tries = 1; ; tries++) {
        const ctx = await this.#newest(id, (await this.#store.find(id))?.version)
        let isAsked = false
        try {
          if (key !== undefined && (await ctx.answerTo(key, asked)) !== undefined) return
          await edit(ctx)
          if (key === undefined && ctx.operations().length === 0) return
          isAsked = true
          if (await isMade(ctx, commit)) committed?.(ctx)
          return
        } catch (error) {
          // Its edits go with it.
          this.#open.delete(id)
          if (!isAsked || !isLate(error) || tries === TRIES) throw error
        }
      }
    })
  }

  async delete(id: string, options?: Parameters<Store['delete']>[1]): Promise<void> {
    await this.#alone(id, async () => {
      this.#open.delete(id)
      await this.#store.delete(id, options)
    })
  }

  /** The context at its newest version. It is not rebased: that would take the draft of somebody else with it. */
  async #newest(id: string, version: string | undefined): Promise<StoredContext> {
    const known = this.#open.get(id)
    this.#open.delete(id)
    const ctx =
      known !== undefined && known.version === version
        ? known
        : await this.#store.open(id, { history: 1, draft: 'leave' })
    this.#open.set(id, ctx)
    const [oldest] = this.#open.keys()
    if (this.#open.size > KEPT && oldest !== undefined) this.#open.delete(oldest)
    return ctx
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id) ?? Promise.resolve()
    const mine = before.then(work)
    const ended = mine.then(ignore, ignore)
    this.#last.set(id, ended)
    try {
      return await mine
    } finally {
      if (this.#last.get(id) === ended) this.#last.delete(id)
    }
  }
}

/** A value read from a context. It is kept until the context changes. */
export class Remembered<T> {
  readonly #read: (ctx: StoredContext) => T
  readonly #values = new WeakMap<StoredContext, Readonly<{ version: string; value: T }>>()

  constructor(read: (ctx: StoredContext) => T) {
    this.#read = read
  }

  /** The value of a context without open edits. */
  of(ctx: StoredContext): T {
    const found = this.#values.get(ctx)
    return found?.version === ctx.version ? found.value : this.note(ctx, this.#read(ctx))
  }

  /** Notes the value as the newest commit has it. */
  note(ctx: StoredContext, value: T): T {
    this.#values.set(ctx, { version: ctx.version, value })
    return value
  }
}

/** True if this commit was made, and not answered by an earlier one with its key. */
async function isMade(ctx: StoredContext, commit: CommitOptions): Promise<boolean> {
  let isOwn = false
  const stop = ctx.onCommit(() => {
    isOwn = true
  })
  try {
    await ctx.commit(commit).catch((error: unknown) => {
      if (!PactError.is(error) || error.details['outcome'] !== 'unknown') throw error
      // A commit whose outcome is unknown is asked for again, which finds out.
      return ctx.commit(commit)
    })
  } finally {
    stop()
  }
  return isOwn
}

/** True if another writer was first. */
function isLate(error: unknown): boolean {
  return PactError.is(error) && error.code === 'E_CONFLICT' && REPEATED.has(error.details['reason'])
}

const REPEATED: ReadonlySet<unknown> = new Set(['stale', 'deleted', 'erased', 'thinned'])

function ignore(): void {}
