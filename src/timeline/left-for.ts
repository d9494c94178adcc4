// Removals of the open cycle by successor: ids that left for a node, and ids that left together with the node that it replaced. Entries are
// hints: each is checked against the changes of the draft when it is read.

import { Gone, type Version } from '../core/index.js'
import { addTo, copyOf, type IdsByKey } from './ids-by-key.js'

export class LeftFor {
  // Created on demand: most cycles replace nothing.
  #ids: IdsByKey | undefined

  get isEmpty(): boolean {
    return this.#ids === undefined
  }

  note(id: string, successor: string): void {
    addTo((this.#ids ??= new Map()), successor, id)
  }

  /** The removals of this cycle for a successor. */
  of(successor: string, changes: ReadonlyMap<string, Version>): readonly Gone[] {
    const left: Gone[] = []
    for (const id of this.#ids?.get(successor) ?? []) {
      const version = changes.get(id)
      if (version instanceof Gone && (version.successor ?? successor) === successor) left.push(version)
    }
    return left
  }

  copy(): LeftFor {
    const copy = new LeftFor()
    copy.#ids = copyOf(this.#ids)
    return copy
  }
}
