/// <reference lib="esnext.disposable" preserve="true" />
// Live pointers into the tree (08 §4.2): while a node is held, neither expiry nor pruning takes it (D26).

/** Keeps one node until it is released; `using` releases it at the end of the block. */
export interface Hold {
  readonly id: string
  release(): void
  [Symbol.dispose](): void
}

export class Holds {
  // Made when first needed: most contexts have no holds.
  #counts: Map<string, number> | undefined
  #released: Set<string> | undefined

  /** The ids whose last hold has ended since the last commit; what they kept may go now. */
  get released(): Iterable<string> {
    return this.#released ?? NONE
  }

  /** A commit has looked at what was released. */
  settle(): void {
    this.#released = undefined
  }

  has(id: string): boolean {
    return this.#counts?.has(id) === true
  }

  take(id: string): Hold {
    const counts = (this.#counts ??= new Map())
    counts.set(id, (counts.get(id) ?? 0) + 1)
    let isHeld = true
    const release = (): void => {
      if (isHeld) this.#drop(counts, id)
      isHeld = false
    }
    return Object.freeze({ id, release, [Symbol.dispose]: release })
  }

  #drop(counts: Map<string, number>, id: string): void {
    const left = counts.get(id)! - 1
    if (left > 0) counts.set(id, left)
    else {
      counts.delete(id)
      this.#released = (this.#released ?? new Set()).add(id)
    }
  }
}

const NONE: readonly string[] = []
