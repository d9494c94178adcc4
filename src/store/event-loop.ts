// Commits to memory or SQLite resolve synchronously, so a loop of commits never lets the event loop turn, and timers,
// signals and other requests starve. A commit therefore yields if the event loop has not turned for a while.

/** Yield after this many milliseconds; more often slows commits. */
const LONG = 50

export class EventLoopYield {
  /** Time of the first commit since the event loop turned. */
  #busySince: number | undefined

  /** Called after a commit. Returns a promise of the next turn if a yield is due. */
  afterWork(now: number = performance.now()): Promise<void> | undefined {
    if (this.#busySince === undefined) {
      this.#busySince = now
      setImmediate(() => (this.#busySince = undefined)).unref()
      return undefined
    }
    return now - this.#busySince < LONG ? undefined : new Promise((resolve) => setImmediate(resolve))
  }
}

/** Rows between two yields. */
const ROWS = 64

export class AbortableLoop {
  readonly #signal: AbortSignal | undefined
  #rows = 0

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
  }

  /** Counts a row and yields now and then; throws the signal's reason if it was aborted. */
  async step(): Promise<void> {
    if (++this.#rows % ROWS === 0) await this.yield()
  }

  async yield(): Promise<void> {
    if (this.#signal === undefined) return
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    this.throwIfAborted()
  }

  throwIfAborted(): void {
    this.#signal?.throwIfAborted()
  }
}

/** Resolves after a delay, or when the signal is aborted. Leaves no timer behind. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
