// Long work over a database that answers at once never waits for anything, and so no signal is heard. Where there is one, it rests now and
// then, and ends there where nobody wants it any more; without one it goes on as it always did, beside whoever else never waits.

/** How many rows are gone through before a signal is listened for. */
const ROWS = 64

export class Turns {
  readonly #signal: AbortSignal | undefined
  #rows = 0

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
  }

  /** One more row; throws the signal's reason where it has ended the work. */
  async row(): Promise<void> {
    if (++this.#rows % ROWS === 0) await this.rest()
  }

  async rest(): Promise<void> {
    if (this.#signal === undefined) return
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    this.check()
  }

  check(): void {
    this.#signal?.throwIfAborted()
  }
}
