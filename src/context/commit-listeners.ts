// Listeners of commits. They are called after a commit is published, in the order in which they were added.

import { describe, invalid } from '../errors/index.js'
import type { Snapshot } from './snapshot.js'
import type { Warnings } from './warnings.js'
import type { Gate } from './write-gate.js'

/** Called after each commit with its new snapshot. */
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

  /** Adds a listener; gives a function that removes it. */
  add(listener: CommitListener): () => void {
    if (typeof listener !== 'function') {
      const message = `onCommit takes a function such as (snapshot) => …, not ${describe(listener)}.`
      throw invalid('listener', message)
    }
    const all = (this.#all ??= new Set())
    const entry = { listener }
    all.add(entry)
    return () => void all.delete(entry)
  }

  /** Takes over the listeners of a context that this one continues. */
  takeOver(others: CommitListeners): void {
    this.#all = others.#all ??= new Set()
  }

  /** Calls the listeners that existed when the commit was made; an error in one of them breaks nothing. */
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

  /** The thrown value is left out, since it may be secret and warnings travel. */
  #warn(cycle: number): void {
    const message = `A listener of onCommit threw on the commit of cycle ${cycle}; the commit is made.`
    this.#warnings.add(message, { kind: 'listener-threw', cycle })
  }
}
