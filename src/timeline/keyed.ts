// Nodes that were placed in the open cycle, by key: those that may be outside history, and the others. Entries are hints: every reader checks
// each node in its draft, and a node that comes back, by a call or by undo, is noted again.

import type { NodeRecord } from '../core/index.js'
import { addTo, copyOf, type IdsByKey } from './ids-by-key.js'

/** The part of a draft that hints are checked with. */
type Checked = Readonly<{
  find: (id: string) => NodeRecord | undefined
  /** True if a node is in `^ah` or `^sys`. */
  isShallow: (record: NodeRecord) => boolean
}>

export class Keyed {
  #shallow: IdsByKey | undefined
  #sunk: IdsByKey | undefined

  copy(): Keyed {
    const keyed = new Keyed()
    keyed.#shallow = copyOf(this.#shallow)
    keyed.#sunk = copyOf(this.#sunk)
    return keyed
  }

  note({ id, instanceKey }: NodeRecord): void {
    if (instanceKey !== undefined) addTo((this.#shallow ??= new Map()), instanceKey, id)
  }

  /** The live instances of a key outside history. */
  shallow(key: string, { find, isShallow }: Checked): readonly NodeRecord[] {
    const ids = this.#shallow?.get(key)
    if (ids === undefined) return NONE
    const live: NodeRecord[] = []
    for (const id of ids) {
      const record = find(id)
      if (record?.instanceKey === key && isShallow(record)) live.push(record)
      else {
        ids.delete(id)
        if (record !== undefined) addTo((this.#sunk ??= new Map()), key, id)
      }
    }
    return live
  }

  /** All live instances of a key. */
  all(key: string, checked: Checked): readonly NodeRecord[] {
    const live = [...this.shallow(key, checked)]
    const ids = new Set(live.map(({ id }) => id))
    for (const id of this.#sunk?.get(key) ?? []) {
      const record = checked.find(id)
      if (record?.instanceKey === key && !ids.has(id)) live.push(record)
    }
    return live
  }
}

const NONE: readonly never[] = []
