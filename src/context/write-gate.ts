// Only one write at a time: the caller's functions are asked in the middle of writes, and must not write themselves.

import { PactError } from '../errors/index.js'

export class Gate {
  #isBusy = false
  /** The reason for refusing writes: a commit, from its preparation until it is published or discarded, a rebase or a save. */
  #shutFor: 'commit' | 'rebase' | 'save' | undefined

  /** Begins a write. The caller's clock, ids and countTokens are asked meanwhile. */
  enter(): void {
    this.check()
    this.#isBusy = true
  }

  /** Begins a read that calls countTokens; a prepared commit does not block it. */
  enterToRead(): void {
    this.#checkBusy()
    this.#isBusy = true
  }

  /** Refuses a write in the middle of another, or while a commit waits to be published. */
  check(): void {
    this.#checkBusy()
    if (this.#shutFor === undefined) return
    const message = `A ${this.#shutFor} of this context is under way; wait until it has ended, and write then.`
    throw new PactError('E_CONFLICT', message)
  }

  /** True if a write would be refused now. */
  get isShut(): boolean {
    return this.#isBusy || this.#shutFor !== undefined
  }

  #checkBusy(): void {
    if (!this.#isBusy) return
    throw new PactError(
      'E_CONFLICT',
      'This context is in the middle of a write; clock, ids, countTokens, tracer and listeners cannot write.',
    )
  }

  leave(): void {
    this.#isBusy = false
  }

  /** Refuses all writes until it is opened again; reads go on. */
  shut(what: 'commit' | 'rebase' | 'save'): void {
    this.#shutFor = what
  }

  open(): void {
    this.#shutFor = undefined
  }

  /** Asks something that runs the caller's countTokens, which cannot write meanwhile; also in the middle of a write. */
  reading<T>(ask: () => T): T {
    const wasBusy = this.#isBusy
    this.#isBusy = true
    try {
      return ask()
    } finally {
      this.#isBusy = wasBusy
    }
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
