// What is worked out from a part of a tree and kept with it. Chunks and branches never change, so neither does what
// follows from them: it is shared by every snapshot and fork that shares the chunk, and goes when the chunk goes. Nobody
// has to empty anything, and nobody pays who does not ask.

/** What can carry facts: a Sequence or a Branch. */
export type Keeper = {
  /** Kept facts, each behind the Fact it belongs to; read and written here alone. */
  facts: readonly unknown[] | undefined
}

/** How many facts one chunk keeps: forks with counters of their own share chunks, and must not fill them for good. */
export const MAX_FACTS = 8

/**
 * A kind of fact, such as the token sum of one counter; made once by whoever asks for it. The newest chunk of a history is
 * another one after every commit, and old snapshots keep theirs: where a fact is large, only keep it of chunks that stay.
 */
export class Fact<Of extends Keeper, T> {
  readonly #work: (of: Of) => T

  constructor(work: (of: Of) => T) {
    this.#work = work
  }

  /** The fact, from now on kept with the chunk. */
  of(keeper: Of): T {
    return this.known(keeper) ?? this.keep(keeper, this.#work(keeper))
  }

  /** The fact, if it is kept, and without keeping it otherwise. */
  once(keeper: Of): T {
    return this.known(keeper) ?? this.#work(keeper)
  }

  /** What is kept. */
  known({ facts }: Of): T | undefined {
    if (facts === undefined) return undefined
    for (let i = 0; i < facts.length; i += 2) if (facts[i] === this) return facts[i + 1] as T
    return undefined
  }

  /** Keeps a value that was worked out in another way, such as from what a shorter version of the chunk was known for. */
  keep(keeper: Of, value: T): T {
    if (keeper.facts === undefined) {
      keeper.facts = [this, value]
      return value
    }
    const others = this.#without(keeper)
    // The oldest goes where there is no room.
    keeper.facts = [...(others.length >= 2 * MAX_FACTS ? others.slice(2) : others), this, value]
    return value
  }

  drop(keeper: Of): void {
    const others = this.#without(keeper)
    keeper.facts = others.length === 0 ? undefined : others
  }

  #without({ facts = [] }: Of): readonly unknown[] {
    const at = facts.indexOf(this)
    return at < 0 ? facts : facts.toSpliced(at, 2)
  }
}
