// Cycles that were thinned out: their snapshots are gone, although older ones exist (N77). Their changes are still known, so a diff of the
// snapshots around them stays the same. They cannot be named, and `@t` does not count them.

import { firstIndex } from '../core/index.js'

/** Neighbouring cycles, both ends included. */
export type CycleRange = readonly [from: number, to: number]

export class Thinned {
  static readonly NONE: Thinned = new Thinned([])

  readonly #ranges: readonly CycleRange[]
  /** The number of thinned cycles before each range. */
  readonly #before: readonly number[]
  /** The number of thinned cycles. */
  readonly size: number

  private constructor(ranges: readonly CycleRange[]) {
    this.#ranges = ranges
    const before: number[] = []
    let size = 0
    for (const [from, to] of ranges) {
      before.push(size)
      size += to - from + 1
    }
    this.#before = before
    this.size = size
  }

  /** Of cycles in ascending order. */
  static of(cycles: Iterable<number>): Thinned {
    const ranges: [number, number][] = []
    for (const cycle of cycles) {
      const last = ranges.at(-1)
      if (last !== undefined && last[1] === cycle - 1) last[1] = cycle
      else ranges.push([cycle, cycle])
    }
    return ranges.length === 0 ? Thinned.NONE : new Thinned(ranges)
  }

  /** The last thinned cycle; 0 if there is none. */
  get last(): number {
    return this.#ranges.at(-1)?.[1] ?? 0
  }

  /** The thinned cycles up to a cycle: those that a fork shares with its parent. */
  upTo(cycle: number): Thinned {
    if (this.last <= cycle) return this
    const ranges = this.#ranges.slice(0, this.#at(cycle) + 1).map(([from, to]) => [from, Math.min(to, cycle)] as const)
    return ranges.length === 0 ? Thinned.NONE : new Thinned(ranges)
  }

  has(cycle: number): boolean {
    const at = this.#at(cycle)
    return at >= 0 && this.#ranges[at]![1] >= cycle
  }

  /** The number of thinned cycles in a range. */
  count(from: number, to: number): number {
    return this.size === 0 || to < from ? 0 : this.#upTo(to) - this.#upTo(from - 1)
  }

  /** A cycle, or the first after it that was not thinned out. */
  next(cycle: number): number {
    return this.has(cycle) ? this.#ranges[this.#at(cycle)]![1] + 1 : cycle
  }

  /** A cycle, or the last before it that was not thinned out. */
  previous(cycle: number): number {
    return this.has(cycle) ? this.#ranges[this.#at(cycle)]![0] - 1 : cycle
  }

  /** The cycle that is `steps` snapshots before another one; it may be before the first. */
  back(cycle: number, steps: number): number {
    if (this.size === 0) return cycle - steps
    const wanted = cycle - this.#upTo(cycle) - steps
    const at = firstIndex(this.#ranges.length, (i) => this.#ranges[i]![0] - this.#before[i]! > wanted) - 1
    if (at < 0) return wanted
    const [from, to] = this.#ranges[at]!
    return wanted + this.#before[at]! + to - from + 1
  }

  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const [from, to] of this.#ranges) for (let cycle = from; cycle <= to; cycle++) yield cycle
  }

  /** The number of thinned cycles up to a cycle. */
  #upTo(cycle: number): number {
    const at = this.#at(cycle)
    if (at < 0) return 0
    const [from, to] = this.#ranges[at]!
    return this.#before[at]! + Math.min(cycle, to) - from + 1
  }

  /** The index of the last range that begins at a cycle or before it; -1 if there is none. */
  #at(cycle: number): number {
    return firstIndex(this.#ranges.length, (at) => this.#ranges[at]![0] > cycle) - 1
  }
}
