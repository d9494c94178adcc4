// A cache of facts about committed cycles, by context, epoch and cycle. A cycle never changes within an epoch. The least recently used
// entries are dropped.

import type { CycleFacts } from '../reports/index.js'

/** About 10 MB. */
const MOST = 20_000

export class CycleMemory {
  readonly #known = new Map<string, CycleFacts>()

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
