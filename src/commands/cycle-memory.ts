// What was worked out about committed cycles. They never change while nothing is erased, so what is known of one stays true under the
// name of its context, its epoch and its number; the ones that were not asked for longest go.

import type { CycleFacts } from '../context/index.js'

/** About 10 MB of what a timeline shows. */
const MOST = 20_000

export class CycleMemory {
  readonly #known = new Map<string, CycleFacts>()

  get size(): number {
    return this.#known.size
  }

  get(name: string): CycleFacts | undefined {
    const value = this.#known.get(name)
    if (value === undefined) return undefined
    this.#known.delete(name)
    this.#known.set(name, value)
    return value
  }

  set(name: string, value: CycleFacts): void {
    this.#known.set(name, value)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) return
      this.#known.delete(oldest)
    }
  }
}
