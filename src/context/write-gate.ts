// Only one write at a time: the caller's functions are asked in the middle of writes, and must not write themselves.

import { PactError } from '../errors/index.js'

export class Gate {
  #isBusy = false

  /** Begins a write. The caller's clock, ids and countTokens are asked meanwhile. */
  enter(): void {
    this.check()
    this.#isBusy = true
  }

  /** Refuses a write in the middle of another. */
  check(): void {
    if (!this.#isBusy) return
    throw new PactError(
      'E_CONFLICT',
      'This context is in the middle of a write; clock, ids, countTokens, tracer and listeners cannot write.',
    )
  }

  leave(): void {
    this.#isBusy = false
  }

  /** Makes a call that can neither write nor break anything; gives undefined where it throws. */
  aside<T>(call: () => T): T | undefined {
    const wasBusy = this.#isBusy
    this.#isBusy = true
    try {
      return call()
    } catch {
      return undefined
    } finally {
      this.#isBusy = wasBusy
    }
  }
}
