// The trees that a lens names: the working state, the commit it would make, or a snapshot (D5).

import type { Lens } from '../core/index.js'
import { View, type Timeline } from '../timeline/index.js'
import { cycleOfLens } from './lens.js'
import type { OpenCycle } from './open-cycle.js'

export class Views {
  readonly #timeline: Timeline
  readonly #open: OpenCycle

  constructor(timeline: Timeline, open: OpenCycle) {
    this.#timeline = timeline
    this.#open = open
  }

  of(lens: Lens): View {
    if (lens === 'working') return View.ofWorking(this.#open.draft)
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
