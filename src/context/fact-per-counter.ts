// Facts of chunks that follow from what a counter says: one for each counter, and another one when it changes its mind.

import { Fact, type Sequence } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'

/** What is kept is put there by whoever asks; chunks keep few facts, so there is one for all contexts with the same counts. */
export class FactPerCounter<T> {
  readonly #facts = new WeakMap<TokenCounts, Readonly<{ revision: number | undefined; fact: Fact<Sequence, T> }>>()

  of(counts: TokenCounts): Fact<Sequence, T> {
    const { revision } = counts.counter
    const known = this.#facts.get(counts)
    if (known !== undefined && Object.is(known.revision, revision)) return known.fact
    const fact = new Fact<Sequence, T>(notWorkedOut)
    this.#facts.set(counts, { revision, fact })
    return fact
  }
}

function notWorkedOut(): never {
  throw new TypeError('This fact is kept by whoever works it out.')
}
