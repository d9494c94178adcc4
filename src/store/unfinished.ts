// What is still being written beside commits; whoever closes a store waits for it.

/** Something that has begun, and can be brought to its end. */
export type Work = Readonly<{ finish: () => Promise<void> }>

export class Unfinished {
  readonly #works = new Set<Work>()

  add(work: Work): void {
    this.#works.add(work)
  }

  done(work: Work): void {
    this.#works.delete(work)
  }

  /** Waits for all of it; the first error is thrown when everything has ended. */
  async finish(): Promise<void> {
    const ends: PromiseSettledResult<void>[] = []
    const seen = new Set<Work>()
    for (;;) {
      // What ends may begin something else.
      const next = [...this.#works].filter((work) => !seen.has(work))
      if (next.length === 0) break
      for (const work of next) seen.add(work)
      ends.push(...(await Promise.allSettled(next.map((work) => work.finish()))))
    }
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
