// What a contract suite is made of: promises by name, each with a database of its own, as cases that any runner can run.

import { asSentence } from './checks.js'

/** One promise, as something to run: it rejects, with a sentence, where the promise is not kept. */
export type ContractCase = Readonly<{ name: string; run: () => Promise<void> }>

/** A database for one case, which is empty when the case begins. */
export type Place<T> = Readonly<{
  /** Opens it. Called again, before or after the first was closed, it gives another connection to the same data. */
  open: () => T | Promise<T>
  /** Takes away what is left, after everything was closed. */
  end?: (() => void | Promise<void>) | undefined
}>

export type ContractOptions<T> = Readonly<{
  /** What is tested; every case has it in front of its name. */
  name: string
  /** Makes a place for one case. */
  place: () => Place<T> | Promise<Place<T>>
  /** Whether `open` gives the same data again, which is the default; where it does not, no case asks for it. */
  reopens?: boolean | undefined
}>

type Closes = Readonly<{ close: () => Promise<void> }>

/** What a case works with. */
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

  /** Closes it, and opens the same data again. */
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
        // What went wrong first says more.
        broken ??= error
      }
      if (broken !== undefined)
        throw new Error(`${name} does not keep "${rule}": ${asSentence(broken)}`, { cause: broken })
    },
  }))
}
