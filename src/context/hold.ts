/// <reference lib="esnext.disposable" preserve="true" />
// Live pointers into the tree (08 §4.2): while a node is held, neither expiry nor pruning takes it (D26).

/** Keeps one node until it is released; `using` releases it at the end of the block. */
export interface Hold {
  readonly id: string
  release(): void
  [Symbol.dispose](): void
}

/** How many handles keep a node. */
type Held = { count: number }

export class Holds {
  // Made when first needed: most contexts have no holds.
  #held: Map<string, Held> | undefined
  #released: Set<string> | undefined

  /** The ids whose last hold has ended since the last commit; what they kept may go now. */
  get released(): Iterable<string> {
    return this.#released ?? NONE
  }

  /** A commit has looked at what was released; what was released since waits for the next one. */
  settle(seen: Iterable<string>): void {
    for (const id of seen) this.#released?.delete(id)
  }

  has(id: string): boolean {
    return this.#held?.has(id) === true
  }

  take(id: string): Hold {
    const all = (this.#held ??= new Map())
    const held = all.get(id) ?? { count: 0 }
    held.count++
    all.set(id, held)
    let isHeld = true
    const release = (): void => {
      if (isHeld && --held.count === 0 && all.get(id) === held) {
        all.delete(id)
        this.#released = (this.#released ?? new Set()).add(id)
      }
      isHeld = false
    }
    return Object.freeze({ id, release, [Symbol.dispose]: release })
  }

  /** Ends the holds of ids that were never given after all, and may be given again. */
  void(ids: readonly string[]): void {
    if (this.#held !== undefined) for (const id of ids) this.#held.delete(id)
  }
}

const NONE: readonly string[] = []
