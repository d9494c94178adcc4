// A context with all its forks, and theirs. They share a past, so an erasure applies to all of them (D56). Contexts are held weakly;
// erasures are remembered by id, for the snapshots and attempts that programs keep.

import { Erasing } from '../timeline/index.js'

/** An object that holds nodes and can erase their content. */
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
    // Only ids and keys are kept, not the erased content.
    this.#forgotten.push(new Erasing(erasing.ids, erasing.keys))
    return members.length
  }

  /** The number of calls that erased something. */
  get times(): number {
    return this.#forgotten.length
  }

  /** The erasures after the first `times`. */
  since(times: number): readonly Erasing[] {
    return this.#forgotten.slice(times).map(({ ids, keys }) => new Erasing(ids, keys))
  }
}
