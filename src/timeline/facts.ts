// Facts that are derived from a part of a tree and cached with it. Chunks and branches never change, so a fact is never wrong. Every snapshot
// and fork that shares the chunk shares the fact, and it is freed with the chunk.

/** A carrier of facts: a Sequence or a Branch. */
export type Keeper = {
  /** Kept facts, the newest first; read and written here alone. */
  facts: Kept | undefined
}

/** A linked list: most chunks have one fact or two. */
export type Kept = Readonly<{ fact: object; value: unknown; next: Kept | undefined }>

/** The bound of facts per chunk: forks with counters of their own share chunks, and must not fill them for good. */
export const MAX_FACTS = 8

/**
 * A kind of fact, such as the token sum of one counter. Every commit replaces the newest chunk, and old snapshots keep theirs:
 * keep a large fact only for chunks that stay.
 */
export class Fact<Of extends Keeper, T> {
  readonly #work: (of: Of) => T

  constructor(work: (of: Of) => T) {
    this.#work = work
  }

  /** The fact, which is kept with the chunk from now on. */
  of(keeper: Of): T {
    return this.known(keeper) ?? this.keep(keeper, this.#work(keeper))
  }

  /** The fact, without keeping it. */
  once(keeper: Of): T {
    return this.known(keeper) ?? this.#work(keeper)
  }

  /** The fact, if it is kept. */
  known({ facts }: Of): T | undefined {
    let kept = facts
    while (kept !== undefined && kept.fact !== this) kept = kept.next
    return kept?.value as T | undefined
  }

  /** Keeps a value that was derived in another way, such as from a shorter version of the chunk. */
  keep(keeper: Of, value: T): T {
    // The oldest fact is dropped if there is no room.
    keeper.facts = { fact: this, value, next: this.#without(keeper.facts, MAX_FACTS - 1) }
    return value
  }

  drop(keeper: Of): void {
    keeper.facts = this.#without(keeper.facts, MAX_FACTS)
  }

  /** The other facts, at most `most` of them. */
  #without(kept: Kept | undefined, most: number): Kept | undefined {
    if (kept === undefined || most === 0) return undefined
    if (kept.fact === this) return this.#without(kept.next, most)
    const next = this.#without(kept.next, most - 1)
    return next === kept.next ? kept : { fact: kept.fact, value: kept.value, next }
  }
}
