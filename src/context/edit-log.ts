// The edits of the open cycle, in order: what each was told, to be listed as data, and which of them are taken back
// together.

import { dataOf, erasedData, type Data, type Operation } from '../edit/index.js'
import { recordOf, type Erasing, type TreeNode } from '../timeline/index.js'

/** An edit that was done: what it was told, written down when somebody asks, and the ids that it gave out. */
export type Done = Readonly<{ said: () => Data; made: readonly string[] }>

type Entry = {
  said: () => Data
  readonly made: readonly string[]
  /** The ids of what it gave. */
  readonly touched: readonly string[]
  isJoined: boolean
  operation: Operation | undefined
}

export class EditLog {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  add(said: () => Data, made: readonly string[], touched: TreeNode | readonly TreeNode[]): void {
    const ids = isList(touched) ? touched.map((node) => recordOf(node).id) : [recordOf(touched).id]
    this.#entries.push({ said, made, touched: ids, isJoined: false, operation: undefined })
  }

  /** Takes out what an edit was told that has to do with erased nodes (D56). */
  erase({ ids }: Erasing): void {
    for (const entry of this.#entries) {
      if (!entry.made.some((id) => ids.has(id)) && !entry.touched.some((id) => ids.has(id))) continue
      const said = erasedData(entry.said())
      entry.said = () => said
      entry.operation = undefined
    }
  }

  /** Takes out the last edit and gives it; undefined where there is none after the first `from`. */
  pop(from: number): (Done & Readonly<{ isJoined: boolean }>) | undefined {
    return this.#entries.length > from ? this.#entries.pop() : undefined
  }

  /** Makes everything after the first `from` edits one step. */
  join(from: number): void {
    for (let i = from + 1; i < this.#entries.length; i++) this.#entries[i]!.isJoined = true
  }

  /** How many edits each step to undo has, in order. */
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
