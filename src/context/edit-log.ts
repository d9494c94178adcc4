// The log of the open cycle: its edits in order, as data on request, and grouped into steps to undo.

import type { CutNode, Opening, SavedEdit, Stamp } from '../core/index.js'
import { dataOf, erasedData, type Applied, type Data, type Operation } from '../edit/index.js'
import { recordOf, type Erasing } from '../timeline/index.js'

/** An edit that was done: its data, written on request, and the ids that it made. */
export type Done = Readonly<{ said: () => Data; made: readonly string[] }>

/** The result of an edit, with the ids and stamps that it spent and the keys whose schedules it changed. */
export type Logged = Applied &
  Readonly<{ made: readonly string[]; stamps: readonly Stamp[]; keys?: readonly string[] | undefined }>

type Entry = {
  said: () => Data
  readonly made: readonly string[]
  /** The identities that it gave out. */
  readonly stamps: readonly Stamp[]
  /** The ids of the nodes that it gave. */
  readonly touched: readonly string[]
  /** The keys whose schedules it changed. */
  readonly keys: readonly string[]
  /** The ids of other nodes that its data says something about. */
  readonly named: readonly string[]
  /** The nodes that it has the next commit take. */
  readonly cut: readonly CutNode[]
  isJoined: boolean
  operation: Operation | undefined
}

export class EditLog {
  #entries: Entry[] = []
  /** The number of edits that are saved. */
  #saved = 0
  /** True if saved edits were taken back or changed since, so that the next save replaces all. */
  #isCut = false
  /** True if an edit was undone or refused since the last save, which may change the order of the draft's changes. */
  isReordered = false
  /** The state that the edits begin with, if it was saved and the cycle did not begin with it (D62). */
  base: Opening | undefined

  get size(): number {
    return this.#entries.length
  }

  add({ said, made, touched, stamps, keys = NONE, named = NONE, cut = NOTHING_CUT }: Logged): void {
    const ids = isList(touched) ? touched.map((node) => recordOf(node).id) : [recordOf(touched).id]
    this.#entries.push({ said, made, stamps, touched: ids, keys, named, cut, isJoined: false, operation: undefined })
  }

  /** The nodes that the next commit takes, whatever its limits say by then. */
  get cut(): readonly CutNode[] {
    return this.#entries.flatMap(({ cut }) => cut)
  }

  /** Erases the content of nodes and schedules from the data of edits (D56). */
  erase({ ids, keys }: Erasing): void {
    for (const entry of this.#entries) {
      const isOwn =
        [...entry.made, ...entry.touched].some((id) => ids.has(id)) || entry.keys.some((key) => keys.has(key))
      if (!isOwn && !entry.named.some((id) => ids.has(id))) continue
      const said = erasedData(entry.said(), ids, isOwn)
      entry.said = () => said
      entry.operation = undefined
      this.#isCut = true
    }
  }

  /** Removes the last edit and gives it; undefined if no edit comes after the first `from`. */
  pop(from: number): (Done & Readonly<{ isJoined: boolean }>) | undefined {
    if (this.#entries.length <= from) return undefined
    const last = this.#entries.pop()
    this.isReordered = true
    if (this.#entries.length < this.#saved) {
      this.#saved = this.#entries.length
      this.#isCut = true
    }
    return last
  }

  /** Makes everything after the first `from` edits one step. */
  join(from: number): void {
    for (let i = from + 1; i < this.#entries.length; i++) this.#entries[i]!.isJoined = true
  }

  /** The number of edits in each step to undo, in order. */
  get steps(): readonly number[] {
    const sizes: number[] = []
    for (const { isJoined } of this.#entries) {
      if (isJoined) sizes.push(sizes.pop()! + 1)
      else sizes.push(1)
    }
    return sizes
  }

  /** The edits that are not saved yet: all of them with `isWhole`, since saved ones have changed. */
  get unsaved(): Readonly<{ isWhole: boolean; edits: readonly SavedEdit[] }> {
    const edits = this.#entries.slice(this.#isCut ? 0 : this.#saved).map(({ said, stamps, isJoined }) => ({
      operation: said(),
      stamps,
      isJoined,
    }))
    return { isWhole: this.#isCut, edits }
  }

  /** True if all saved edits are still as they were saved. */
  get isIntact(): boolean {
    return !this.#isCut
  }

  /** The number of edits that are saved and still here. */
  get saved(): number {
    return this.#saved
  }

  markSaved(): void {
    this.isReordered = false
    this.#saved = this.#entries.length
    this.#isCut = false
  }

  /** The next save replaces everything that was saved. */
  markChanged(): void {
    this.#isCut = true
  }

  clear(): void {
    this.#entries = []
    this.#saved = 0
    this.#isCut = false
    this.isReordered = false
    this.base = undefined
  }

  /** The ids that each edit touched. */
  get touched(): readonly (readonly string[])[] {
    return this.#entries.map(({ touched }) => touched)
  }

  /** The edits as data; `opened` are the ids that the cycle began with. */
  list(opened: readonly string[]): readonly Operation[] {
    const [first] = this.#entries
    return Object.freeze(
      this.#entries.map((entry) => {
        // The first one stays the first.
        return (entry.operation ??= operationOf(entry, entry === first ? opened : NONE))
      }),
    )
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}

function operationOf({ said, made }: Done, opened: readonly string[]): Operation {
  const told = { made: some(made), opened: some(opened) }
  return dataOf({ ...said(), ...told }) as unknown as Operation
}

function some(ids: readonly string[]): readonly string[] | undefined {
  return ids.length === 0 ? undefined : Object.freeze([...ids])
}

const NONE: readonly string[] = []
const NOTHING_CUT: readonly CutNode[] = []
