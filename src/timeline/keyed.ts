// Indexes of the open cycle: nodes that were placed, by key, and removals, by successor. Entries are hints: every reader checks them in its draft.

import { Gone, type NodeRecord, type Version } from '../core/index.js'

/** The part of a draft that hints are checked with. */
type Checked = Readonly<{
  find: (id: string) => NodeRecord | undefined
  /** True if a node is in `^ah` or `^sys`. */
  isShallow: (record: NodeRecord) => boolean
}>

/** Nodes by key: those that may be outside history, and the others. A node that comes back, by a call or by undo, is noted again. */
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

type IdsByKey = Map<string, Set<string>>

function addTo(ids: IdsByKey, key: string, id: string): void {
  const known = ids.get(key)
  if (known === undefined) ids.set(key, new Set([id]))
  else known.add(id)
}

function copyOf(ids: IdsByKey | undefined): IdsByKey | undefined {
  return ids && new Map(Array.from(ids, ([key, known]) => [key, new Set(known)]))
}

/** Ids that left for a node, and ids that left together with the node that it replaced. */
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
