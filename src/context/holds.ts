/// <reference lib="esnext.disposable" preserve="true" />
// Live pointers into the tree (08 §4.2): while a node is held, neither expiry nor pruning takes it (D26).

/** Keeps one node until it is released; `using` releases it at the end of the block. */
export interface Hold {
  readonly id: string
  release(): void
  [Symbol.dispose](): void
}

export class Holds {
  readonly #counts = new Map<string, number>()
  readonly #released = new Set<string>()

  /** The ids whose last hold has ended since the last commit; what they kept may go now. */
  get released(): Iterable<string> {
    return this.#released
  }

  /** A commit has looked at what was released. */
  settle(): void {
    this.#released.clear()
  }

  has(id: string): boolean {
    return this.#counts.has(id)
  }

  take(id: string): Hold {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    let isHeld = true
    const release = (): void => {
      if (isHeld) this.#drop(id)
      isHeld = false
    }
    return Object.freeze({ id, release, [Symbol.dispose]: release })
  }

  #drop(id: string): void {
    const left = this.#counts.get(id)! - 1
    if (left > 0) this.#counts.set(id, left)
    else {
      this.#counts.delete(id)
      this.#released.add(id)
    }
  }
}
