// A context with all its forks, and theirs: they share a past, so what is to be forgotten is forgotten in all of them (D56).
// Contexts are known weakly; what they have forgotten is remembered by id, for the snapshots and attempts that programs keep.

import { Erasing } from '../timeline/index.js'

/** Whatever holds nodes and can take out what they say. */
export type Holder = Readonly<{ erase: (erasing: Erasing) => void }>

export class Family {
  #members: WeakRef<Holder>[] = []
  #sweepAt = 16
  readonly #forgotten: Erasing[] = []

  add(member: WeakRef<Holder>): void {
    this.#members.push(member)
    if (this.#members.length < this.#sweepAt) return
    this.#members = this.#members.filter((each) => each.deref() !== undefined)
    this.#sweepAt = 2 * this.#members.length + 16
  }

  /** Erases in every context there is; gives how many these are. */
  erase(erasing: Erasing): number {
    const members = this.#members.flatMap((member) => member.deref() ?? [])
    for (const member of members) member.erase(erasing)
    // Only the names are kept: what was erased is not to be held here.
    this.#forgotten.push(new Erasing(erasing.ids, erasing.keys))
    return members.length
  }

  /** How often something was forgotten. */
  get times(): number {
    return this.#forgotten.length
  }

  /** What was forgotten after it had happened so many times. */
  since(times: number): readonly Erasing[] {
    return this.#forgotten.slice(times).map(({ ids, keys }) => new Erasing(ids, keys))
  }
}
