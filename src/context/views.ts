// The trees that a lens names: the working state, the commit it would make, a snapshot (D5), or what an attempt has sent (N95).

import { isSentLens, type Dialect, type Lens, type Warning } from '../core/index.js'
import { View, type Bounds, type Timeline } from '../timeline/index.js'
import type { Attempts } from '../attempts/index.js'
import { cycleOfLens } from './lens.js'
import type { OpenCycle } from './open-cycle.js'
import type { Sources } from './query-views.js'
import type { Warnings } from './warnings.js'

export class Views {
  readonly #timeline: Timeline
  readonly #open: OpenCycle
  /** Joined later: attempts ask the views for what they send. */
  attempts!: Pick<Attempts<unknown>, 'viewOf'>

  constructor(timeline: Timeline, open: OpenCycle) {
    this.#timeline = timeline
    this.#open = open
  }

  of(lens: Lens): View {
    if (lens === 'working') return View.ofWorking(this.#open.draft)
    if (isSentLens(lens)) return this.attempts.viewOf(lens, this.#timeline)
    if (lens !== 'preview') return View.ofSnapshot(this.#timeline, cycleOfLens(lens, this.#timeline))
    const { draft, receipt } = this.#open.tryCommit(this.#open.mint.provisional())
    return View.ofPreview(draft, receipt)
  }

  /** Two trees to compare, with all that happened between them. */
  pair(a: Lens, b: Lens): readonly [View, View] {
    const [from, to] = [this.of(a), this.of(b)]
    this.checkBetween(from, to)
    return [from, to]
  }

  /** Refuses to compare a snapshot that is loaded by itself with another tree. */
  checkBetween(a: View, b: View): void {
    if (a.tree === b.tree) return
    for (const { cycle } of [a, b]) this.#timeline.need(cycle)
  }

  /** A view that stays as it is, whatever is written later. */
  still(lens: Lens): View {
    return lens === 'working' ? View.ofWorking(this.#open.draft.copy()) : this.of(lens)
  }

  /** The newest snapshot; undefined before the first. */
  get newest(): View | undefined {
    const { newest } = this.#timeline
    return newest === undefined ? undefined : View.ofSnapshot(this.#timeline, newest)
  }
}

/** What the selectors of a context read. One object instead of a closure for each question: an empty context is counted in bytes. */
export class ViewSources implements Sources {
  readonly dialect: Dialect
  readonly rangesAreDiffs: boolean
  readonly #timeline: Timeline
  readonly #warnings: Warnings
  /** Joined later: the open cycle asks the queries, and the views ask the open cycle. */
  views!: Views

  constructor(dialect: Dialect, rangesAreDiffs: boolean, timeline: Timeline, warnings: Warnings) {
    this.dialect = dialect
    this.rangesAreDiffs = rangesAreDiffs
    this.#timeline = timeline
    this.#warnings = warnings
  }

  view(lens: Lens): View {
    return this.views.of(lens)
  }

  still(): View {
    return this.views.still('working')
  }

  bounds(): Bounds | undefined {
    return this.#timeline.bounds
  }

  newest(): View | undefined {
    return this.views.newest
  }

  viewAt(cycle: number): View {
    return View.ofSnapshot(this.#timeline, cycle)
  }

  warn(subject: string, message: string, details: Warning['details']): void {
    this.#warnings.once(subject, message, details)
  }
}
