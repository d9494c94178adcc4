// What is worked out from a part of a tree and kept with it. Chunks and branches never change, so neither does what
// follows from them: it is shared by every snapshot and fork that shares the chunk, and goes when the chunk goes. Nobody
// has to empty anything, and nobody pays who does not ask.

/** What can carry facts: a Sequence or a Branch. */
export type Keeper = {
  /** Kept facts, the newest first; read and written here alone. */
  facts: Kept | undefined
}

/** One object for each: a list would be two more places in memory to go to, for every leaf that a question looks at. */
export type Kept = Readonly<{ fact: object; value: unknown; next: Kept | undefined }>

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
    let kept = facts
    while (kept !== undefined && kept.fact !== this) kept = kept.next
    return kept?.value as T | undefined
  }

  /** Keeps a value that was worked out in another way, such as from what a shorter version of the chunk was known for. */
  keep(keeper: Of, value: T): T {
    // The oldest goes where there is no room.
    keeper.facts = { fact: this, value, next: this.#without(keeper.facts, MAX_FACTS - 1) }
    return value
  }

  drop(keeper: Of): void {
    keeper.facts = this.#without(keeper.facts, MAX_FACTS)
  }

  /** Others than this, so many at the most. */
  #without(kept: Kept | undefined, most: number): Kept | undefined {
    if (kept === undefined || most === 0) return undefined
    if (kept.fact === this) return this.#without(kept.next, most)
    const next = this.#without(kept.next, most - 1)
    return next === kept.next ? kept : { fact: kept.fact, value: kept.value, next }
  }
}
