/// <reference lib="esnext.disposable" preserve="true" />
// Live pointers into the tree (08 §4.2): while a node is held, neither expiry nor pruning takes it (D26).

/** Keeps one node until it is released; `using` releases it at the end of the block. */
export interface Hold {
  readonly id: string
  release(): void
  [Symbol.dispose](): void
}

/** The number of open handles on a node. */
type Held = { count: number }

export class Holds {
  // Made when first needed: most contexts have no holds.
  #held: Map<string, Held> | undefined
  #released: Set<string> | undefined

  /** The ids whose last hold has ended since the last commit; the nodes may leave now. */
  get released(): Iterable<string> {
    return this.#released ?? NONE
  }

  /** Removes ids that a commit has looked at; ids released since then wait for the next commit. */
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

  /** Drops all that is known of ids that were taken back: they may be given again. */
  void(ids: readonly string[]): void {
    for (const id of ids) {
      this.#held?.delete(id)
      this.#released?.delete(id)
    }
  }
}

const NONE: readonly string[] = []
