// Context joins the rooms. It holds the timeline, the open cycle, the clock and the id source, and is the only object here that changes.
// Its reads are in reads.ts, its edits in edits.ts; the calls that make snapshots are here.

import { checkNames, showCallers } from '../errors/index.js'
import { addOwn, ownGetters, type Lens } from '../core/index.js'
import type { DeleteOptions } from '../edit/index.js'
import { forkStart } from './branch.js'
import { ContextEdits } from './edits.js'
import { forget, type ForgetReceipt } from './forget.js'
import type { AnyOptions, ContextOptions, ListOptions } from './options.js'
import { joinParts, type Parts } from './parts.js'
import { ContextReads } from './reads.js'
import type { RangeResults } from './select-result.js'
import { prepareCommit } from './recording.js'
import type { Snapshot } from './snapshot.js'
import type { Start } from './start.js'

/** A fork keeps its parent's options except for those given; its dialect is its parent's. */
export type ForkOptions = Omit<ContextOptions, 'dialect'>

/** The author of a commit: a person, an agent, a program. */
export type AuthorOption = Readonly<{ author?: string | undefined }>

type AnyForkOptions = Omit<AnyOptions, 'dialect'>

/** `Ranges` is 'diff' if a selector over a range gives the changes in it, 'list' if it gives a flat list of ids. */
export class Context<Ranges extends RangeResults = 'diff'> extends ContextEdits<Ranges> {
  readonly #parts: Parts

  /** @internal Use createContext, importSnapshot or fork. */
  constructor(start: Start) {
    const parts = joinParts(start)
    super(parts)
    this.#parts = parts
    Object.freeze(addOwn(this, Context.#own))
  }

  // The content of a context is among its own properties, so that contexts with different contents are not equal.
  static readonly #own = ownGetters(ContextReads.prototype, ['cycle', 'working', 'past'])

  static {
    showCallers(this.prototype)
  }

  /**
   * Removes expired nodes, prunes, and seals the active head. Gives the new snapshot, `@t0`. `author` says who commits: the receipt has
   * it, and `explain` names it.
   */
  commit(options: AuthorOption = {}): Snapshot {
    const { tracing, listeners } = this.#parts
    checkNames(options, ['author'], "{ author: 'ann' }")
    const { author } = options
    const snapshot = tracing.commit(this.cycle, () => prepareCommit(this.#parts, author).publish())
    listeners.tell(snapshot)
    return snapshot
  }

  /**
   * Erases the contents of nodes wherever a selector finds them: in the working state, in schedules, in every snapshot, and in forks. Gives
   * a receipt. It is no edit: it cannot be taken back, and it is the only call that changes old bytes.
   */
  forget(selector: string, options: DeleteOptions = {}): ForgetReceipt {
    return forget(selector, options, this.#parts)
  }

  /**
   * Makes an independent context that shares the past up to a snapshot, or with `'working'` takes the open edits along.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   *
   * const ctx = createContext()
   * ctx.user('Turin or Genoa?')
   * ctx.commit()
   * const other = ctx.fork()
   * other.user('Genoa.')
   * other.thread().length // → 2
   * ctx.thread().length // → 1
   * ```
   */
  fork(lens: Lens, options: Omit<ListOptions<true>, 'dialect'>): Context
  fork(lens: Lens, options: Omit<ListOptions<false>, 'dialect'>): Context<'list'>
  fork(lens: Lens, options: Omit<ListOptions, 'dialect'>): Context<RangeResults>
  fork(lens?: Lens, options?: ForkOptions): Context<Ranges>
  fork(lens: Lens = '@t0', options: AnyForkOptions = {}): Context<RangeResults> {
    const { home, forks } = this.#parts
    const made = new Context<RangeResults>(
      forkStart({ ...this.#parts, edition: home.edition, forks: forks.given }, lens, options),
    )
    forks.given++
    return made
  }
}
