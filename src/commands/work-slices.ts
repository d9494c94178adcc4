// Long work in slices: lists of operations and imports pause between their steps, so that the event loop reads and answers other requests.
// All work of one pool shares one slice for each turn of the event loop, however many requests there are.

import type { Pause } from '../context/index.js'
import type { CommandOptions } from './command.js'

/** Milliseconds of a slice; the step under way is finished. */
const SLICE = 20
/** Long work under way at once. The rest waits before its second slice, and so holds little memory. */
const AT_ONCE = 4

export class WorkSlices {
  /** When the present slice began; undefined if none has begun since the event loop turned. */
  #since: number | undefined
  /** Long work that waits for its next slice. */
  readonly #waiting: (() => void)[] = []
  /** Long work that waits for room. */
  readonly #line: (() => void)[] = []
  #underWay = 0

  /** Does work that calls `pause` between its steps. Once the signal is aborted, `pause` throws its reason. */
  async run<T>(options: CommandOptions, work: (pause: Pause) => Promise<T>): Promise<T> {
    let isLong = false
    const wait = async (): Promise<void> => {
      const { signal } = options
      signal?.throwIfAborted()
      if (!isLong) {
        await this.#room(signal)
        isLong = true
      }
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
      signal?.throwIfAborted()
    }
    try {
      return await work(() => (this.#isOver() ? wait() : undefined))
    } finally {
      if (isLong) this.#leave()
    }
  }

  #isOver(): boolean {
    const now = performance.now()
    if (this.#since !== undefined) return now - this.#since >= SLICE
    this.#begin(now)
    return false
  }

  #begin(now: number): void {
    this.#since = now
    setImmediate(() => {
      this.#since = undefined
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#begin(performance.now())
      next()
    })
  }

  #room(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#underWay < AT_ONCE) {
      this.#underWay++
      return undefined
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        this.#line.splice(this.#line.indexOf(enter), 1)
        reject(signal?.reason as Error)
      }
      this.#line.push(enter)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Hands the room on to the next in line. */
  #leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#underWay--
    else next()
  }
}

/** Lets other work run, and the signal: an aborted one then ends the work. */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  signal?.throwIfAborted()
}
