// A seeded source of choices: the same seed gives the same choices on every machine.

export class Random {
  #state

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0
  }

  /** A whole number of 32 bits (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count) {
    return this.next() % count
  }

  /** A whole number, both ends included. */
  between(low, high) {
    return low + this.below(high - low + 1)
  }

  chance(percent) {
    return this.below(100) < percent
  }

  /** @template T @param {readonly T[]} options @returns {T} */
  pick(options) {
    return options[this.below(options.length)]
  }

  /** Picks a name from `{ name: weight }`. @param {Readonly<Record<string, number>>} weights */
  weigh(weights) {
    let left = this.below(Object.values(weights).reduce((sum, weight) => sum + weight, 0))
    for (const [name, weight] of Object.entries(weights)) {
      if (left < weight) return name
      left -= weight
    }
    throw new Error('Weights are whole numbers, and one of them is above 0.')
  }

  /** @template T @param {number} most @param {() => T} make @returns {T[]} */
  list(most, make) {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}
