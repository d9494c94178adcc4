// The trees of a context by lens: the working state, the preview of a commit, a snapshot (D5), or the tree that an attempt sent.

import { isSentLens, type Dialect, type Lens, type Warning } from '../core/index.js'
import { View, type Bounds, type Timeline } from '../timeline/index.js'
import type { Attempts } from '../attempts/index.js'
import type { SentCall } from '../thread/index.js'
import type { Trees } from '../reports/index.js'
import { cycleOfLens } from './lens.js'
import type { OpenCycle } from './open-cycle.js'
import type { QuerySource } from './query-views.js'
import type { Warnings } from './warnings.js'

export class Views implements Trees, QuerySource {
  readonly dialect: Dialect
  readonly rangesAreDiffs: boolean
  readonly #timeline: Timeline
  readonly #warnings: Warnings
  /** Joined later: the open cycle needs queries, and queries need the views. */
  open!: OpenCycle
  /** Joined later: attempts ask the views for the tree that they send. */
  attempts!: Pick<Attempts<unknown>, 'viewOf' | 'callOf'>

  constructor(dialect: Dialect, rangesAreDiffs: boolean, timeline: Timeline, warnings: Warnings) {
    this.dialect = dialect
    this.rangesAreDiffs = rangesAreDiffs
    this.#timeline = timeline
    this.#warnings = warnings
  }

  of(lens: Lens): View {
    if (lens === 'working') return View.ofWorking(this.open.draft)
    if (isSentLens(lens)) return this.attempts.viewOf(lens, this.#timeline)
    if (lens !== 'preview') return this.at(cycleOfLens(lens, this.#timeline))
    const { draft, receipt } = this.open.tryCommit(this.open.mint.provisional())
    return View.ofPreview(draft, receipt)
  }

  /** A view that later edits do not change. */
  still(lens: Lens): View {
    return lens === 'working' ? View.ofWorking(this.open.draft.copy()) : this.of(lens)
  }

  callOf(lens: Lens): SentCall | undefined {
    return isSentLens(lens) ? this.attempts.callOf(lens) : undefined
  }

  /** The snapshot of a cycle that is loaded. */
  at(cycle: number): View {
    return View.ofSnapshot(this.#timeline, cycle)
  }

  /** Two trees to compare, with the changes between them. */
  pair(a: Lens, b: Lens): readonly [View, View] {
    const [from, to] = [this.of(a), this.of(b)]
    this.checkBetween(from, to)
    return [from, to]
  }

  /** Refuses to compare a snapshot that was loaded alone with another tree. */
  checkBetween(a: View, b: View): void {
    if (a.tree === b.tree) return
    for (const { cycle } of [a, b]) this.#timeline.need(cycle)
  }

  /** The bounds of the snapshots that exist; undefined before the first commit. */
  get bounds(): Bounds | undefined {
    return this.#timeline.bounds
  }

  /** The newest snapshot; undefined before the first commit. */
  get newest(): View | undefined {
    const { newest } = this.#timeline
    return newest === undefined ? undefined : this.at(newest)
  }

  /** The preview if the open cycle differs from the newest snapshot, else that snapshot (D47). */
  get sentLens(): Lens {
    return this.newest?.tree === this.open.draft.tree ? '@t0' : 'preview'
  }

  /** The tree of `sentLens`. */
  get sent(): View {
    const { newest } = this
    return newest?.tree === this.open.draft.tree ? newest : this.still('preview')
  }

  warn(subject: string, message: string, details: Warning['details']): void {
    this.#warnings.once(subject, message, details)
  }
}
