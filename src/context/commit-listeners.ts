// Who is told of commits: after they are published, in the order in which they came.

import { describe, PactError } from '../errors/index.js'
import type { Snapshot } from './snapshot.js'
import type { Warnings } from './warnings.js'
import type { Gate } from './write-gate.js'

/** Told of each commit, with the snapshot that it made. */
export type CommitListener = (snapshot: Snapshot) => void

export class CommitListeners {
  readonly #warnings: Warnings
  readonly #gate: Gate
  /** One entry for each time that one was added: the same function may come twice. */
  #all: Set<Readonly<{ listener: CommitListener }>> | undefined

  constructor(warnings: Warnings, gate: Gate) {
    this.#warnings = warnings
    this.#gate = gate
  }

  /** Adds a listener and gives what takes it out again. */
  add(listener: CommitListener): () => void {
    if (typeof listener !== 'function') {
      const message = `onCommit takes a function such as (snapshot) => …, not ${describe(listener)}.`
      throw new PactError('E_CONTENT_INVALID', message, { name: 'listener' })
    }
    const all = (this.#all ??= new Set())
    const entry = { listener }
    all.add(entry)
    return () => void all.delete(entry)
  }

  /** Those of a context that this one goes on for: whoever listened there listens here. */
  takeOver(others: CommitListeners): void {
    this.#all = others.#all ??= new Set()
  }

  /** Tells those who were there when the commit was made; what one of them does breaks nothing. */
  tell(snapshot: Snapshot): void {
    const all = this.#all
    if (all === undefined) return
    for (const entry of Array.from(all)) {
      if (!all.has(entry)) continue
      const isDone = this.#gate.aside(() => {
        entry.listener(snapshot)
        return true
      })
      if (isDone !== true) this.#warn(snapshot.cycle)
    }
  }

  /** Not what it threw, which may be secret: warnings travel. */
  #warn(cycle: number): void {
    const message = `A listener of onCommit threw when it was told of cycle ${cycle}; the commit stands.`
    this.#warnings.add(message, { kind: 'listener-threw', cycle })
  }
}
