// Context joins the rooms: it holds the timeline, the open cycle, the clock and the id source, and is the only thing
// here that changes. What it tells is in reads.ts, what changes its open cycle in edits.ts; here is what makes snapshots.

import { showCallers } from '../errors/index.js'
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

/** A fork keeps its parent's options unless told otherwise; its dialect is its parent's. */
export type ForkOptions = Omit<ContextOptions, 'dialect'>

type AnyForkOptions = Omit<AnyOptions, 'dialect'>

/** `Ranges` says whether a selector over a range gives what changed in it, or a flat list of ids. */
export class Context<Ranges extends RangeResults = 'diff'> extends ContextEdits<Ranges> {
  readonly #parts: Parts

  /** @internal Use createContext, importSnapshot or fork. */
  constructor(start: Start) {
    const parts = joinParts(start)
    super(parts)
    this.#parts = parts
    Object.freeze(addOwn(this, Context.#own))
  }

  // What a context holds, among its own properties: so contexts with other contents are not equal.
  static readonly #own = ownGetters(ContextReads.prototype, ['cycle', 'working', 'past'])

  static {
    showCallers(this.prototype)
  }

  /** Expires, prunes, seals the active head and gives the new snapshot, `@t0`. */
  commit(): Snapshot {
    const { tracing, listeners } = this.#parts
    const snapshot = tracing.commit(this.cycle, () => prepareCommit(this.#parts).publish())
    listeners.tell(snapshot)
    return snapshot
  }

  /**
   * Takes out all that nodes say, wherever a selector finds them: in the working state, in schedules and in every snapshot
   * there is, and with that in forks. No edit: it cannot be taken back, and it is the one call that changes old bytes.
   */
  forget(selector: string, options: DeleteOptions = {}): ForgetReceipt {
    return forget(selector, options, this.#parts)
  }

  /** An independent context that shares the past up to a snapshot, or takes the open edits along. */
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
