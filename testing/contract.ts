// Parts of a contract suite: named promises, each with its own database, as cases for any test runner.

import { asSentence } from './checks.js'

/** One promise to check: `run` rejects with a sentence if it is broken. */
export type ContractCase = Readonly<{ name: string; run: () => Promise<void> }>

/** A database for one case, empty when the case begins. */
export type Place<T> = Readonly<{
  /** Opens the database. Each further call gives another connection to the same data, also after a close. */
  open: () => T | Promise<T>
  /** Removes the data after every connection was closed. */
  end?: (() => void | Promise<void>) | undefined
}>

export type ContractOptions<T> = Readonly<{
  /** The name of the subject, prefixed to every case. */
  name: string
  /** Makes a database for one case. */
  place: () => Place<T> | Promise<Place<T>>
  /** True (the default) if `open` gives the same data again; if false, cases that reopen are left out. */
  reopens?: boolean | undefined
}>

type Closes = Readonly<{ close: () => Promise<void> }>

/** The tools of a case. */
export class Bench<T extends Closes> {
  readonly #place: Place<T>
  readonly #open = new Set<T>()

  constructor(place: Place<T>) {
    this.#place = place
  }

  async open(): Promise<T> {
    const opened = await this.#place.open()
    this.#open.add(opened)
    return opened
  }

  async close(opened: T): Promise<void> {
    this.#open.delete(opened)
    await opened.close()
  }

  /** Closes the database and opens the same data again. */
  async reopen(opened: T): Promise<T> {
    await this.close(opened)
    return this.open()
  }

  async end(): Promise<void> {
    try {
      for (const opened of this.#open) await opened.close()
    } finally {
      await this.#place.end?.()
    }
  }
}

/** Promises by name. */
export type Promises<T extends Closes> = Readonly<Record<string, (bench: Bench<T>) => Promise<void>>>

export function casesOf<T extends Closes>(
  { name, place }: ContractOptions<T>,
  promises: readonly Promises<T>[],
): readonly ContractCase[] {
  const entries = promises.flatMap((each) => Object.entries(each))
  return entries.map(([rule, keep]) => ({
    name: `${name}: ${rule}`,
    run: async () => {
      const bench = new Bench(await place())
      let broken: unknown
      try {
        await keep(bench)
      } catch (error) {
        broken = error
      }
      try {
        await bench.end()
      } catch (error) {
        // Report the first error.
        broken ??= error
      }
      if (broken !== undefined)
        throw new Error(`${name} does not keep "${rule}": ${asSentence(broken)}`, { cause: broken })
    },
  }))
}
