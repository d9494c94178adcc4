// Chance with a seed: the same seed plays the same run on every machine.

export class Chance {
  #state

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to, but not including, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /**
   * A whole number below `count`.
   * @param {number} count
   */
  below(count) {
    return Math.floor(this.next() * count)
  }

  /**
   * A whole number between two, both included.
   * @param {number} low
   * @param {number} high
   */
  between(low, high) {
    return low + this.below(high - low + 1)
  }

  /** @param {number} share */
  isOneIn(share) {
    return this.next() * share < 1
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return /** @type {T} */ (list.at(this.below(list.length)))
  }

  /**
   * One of the entries, each as often as its weight says.
   * @template T
   * @param {readonly (readonly [weight: number, entry: T])[]} entries
   * @returns {T}
   */
  weighted(entries) {
    let left = this.next() * entries.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, entry] of entries) {
      left -= weight
      if (left < 0) return entry
    }
    return /** @type {readonly [number, T]} */ (entries.at(-1))[1]
  }
}
