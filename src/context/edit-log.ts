// The edits of the open cycle, in order: what each was told, to be listed as data, and which of them are taken back
// together.

import { dataOf, type Data, type Operation } from '../edit/index.js'

/** An edit that was done: what it was told, written down when somebody asks, and the ids that it gave out. */
export type Done = Readonly<{ said: () => Data; made: readonly string[] }>

type Entry = Done & { isJoined: boolean; operation: Operation | undefined }

export class EditLog {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  add({ said, made }: Done): void {
    this.#entries.push({ said, made, isJoined: false, operation: undefined })
  }

  /** Takes out the last edit and gives it; undefined where there is none after the first `from`. */
  pop(from: number): (Done & Readonly<{ isJoined: boolean }>) | undefined {
    return this.#entries.length > from ? this.#entries.pop() : undefined
  }

  /** Makes everything after the first `from` edits one step. */
  join(from: number): void {
    for (let i = from + 1; i < this.#entries.length; i++) this.#entries[i]!.isJoined = true
  }

  clear(): void {
    this.#entries = []
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

function operationOf({ said, made }: Done, opened: readonly string[]): Operation {
  const told = { made: some(made), opened: some(opened) }
  return dataOf({ ...said(), ...told }) as unknown as Operation
}

function some(ids: readonly string[]): readonly string[] | undefined {
  return ids.length === 0 ? undefined : Object.freeze([...ids])
}

const NONE: readonly string[] = []
