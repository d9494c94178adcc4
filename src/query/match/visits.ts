// The work budget of one call. It counts nodes that are looked at, never time, so that the same
// call on the same context ends alike on every machine.

import type { PactError } from '../../errors/index.js'
import { selectorError } from '../../selector/index.js'
import { SELECTOR_LIMITS } from '../../selector/index.js'

export class Visits {
  readonly #text: string
  readonly #most: number
  /** The number of nodes that were visited so far. */
  visits = 0

  /** `text` is the selector, for the error. */
  constructor(text: string, most: number = SELECTOR_LIMITS.visits) {
    this.#text = text
    this.#most = most
  }

  /** For work that a text within the limits can only ask once of one tree. */
  static unlimited(): Visits {
    return new Visits('', Infinity)
  }

  /** Counts visited nodes, many at once, since every question pays for the counting. */
  spend(visits: number): void {
    this.visits += visits
    if (this.visits > this.#most) throw this.#spent()
  }

  #spent(): PactError {
    const sentence =
      `This selector looks at more than ${this.#most} nodes; ask for less, such as fewer snapshots, ` +
      'or allow more with the option maxVisits.'
    const details = { maxVisits: this.#most, visits: this.visits }
    return selectorError('E_SELECTOR_TOO_LARGE', sentence, this.#text, 0, this.#text.length, details)
  }
}
