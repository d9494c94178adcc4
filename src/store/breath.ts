// A loop of commits in memory or in SQLite awaits only what is done already, so that the event loop never turns: timers, signals and
// whoever else a process serves would wait for its end. So a commit lets it turn where it has not for a while.

/** For so many milliseconds nobody else has had a turn. More often costs: the host does its own work then, too. */
const LONG = 50

export class Breath {
  /** When something was first done since the event loop turned; undefined where nothing was. */
  #since: number | undefined

  /** Something was done: a promise of the next turn where that is due. */
  taken(now: number = performance.now()): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = now
      setImmediate(() => (this.#since = undefined)).unref()
      return undefined
    }
    return now - this.#since < LONG ? undefined : new Promise((resolve) => setImmediate(resolve))
  }
}
