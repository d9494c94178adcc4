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
    const ends = await Promise.allSettled(Array.from(this.#works, (work) => work.finish()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
