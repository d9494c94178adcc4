// The log of the open cycle: its edits in order, as data on request, and grouped into steps to undo.

import { dataOf, erasedData, type Data, type Operation } from '../edit/index.js'
import { recordOf, type Erasing, type TreeNode } from '../timeline/index.js'

/** An edit that was done: its data, written on request, and the ids that it made. */
export type Done = Readonly<{ said: () => Data; made: readonly string[] }>

type Entry = {
  said: () => Data
  readonly made: readonly string[]
  /** The ids of the nodes that it gave. */
  readonly touched: readonly string[]
  /** The keys whose schedules it changed. */
  readonly keys: readonly string[]
  isJoined: boolean
  operation: Operation | undefined
}

export class EditLog {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  add(
    said: () => Data,
    made: readonly string[],
    touched: TreeNode | readonly TreeNode[],
    keys: readonly string[] = NONE,
  ): void {
    const ids = isList(touched) ? touched.map((node) => recordOf(node).id) : [recordOf(touched).id]
    this.#entries.push({ said, made, touched: ids, keys, isJoined: false, operation: undefined })
  }

  /** Erases the content of nodes and schedules from the data of edits (D56). */
  erase({ ids, keys }: Erasing): void {
    for (const entry of this.#entries) {
      const isErased =
        [...entry.made, ...entry.touched].some((id) => ids.has(id)) || entry.keys.some((key) => keys.has(key))
      if (!isErased) continue
      const said = erasedData(entry.said())
      entry.said = () => said
      entry.operation = undefined
    }
  }

  /** Removes the last edit and gives it; undefined if no edit comes after the first `from`. */
  pop(from: number): (Done & Readonly<{ isJoined: boolean }>) | undefined {
    return this.#entries.length > from ? this.#entries.pop() : undefined
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

  clear(): void {
    this.#entries = []
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
