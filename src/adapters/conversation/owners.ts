// Whose words the values of a request are. Requests share what did not change, so this is known of the objects themselves, and
// holds on to none of them.

import type { PlainValue } from './plain-json.js'

export class Owners {
  readonly #objects = new WeakMap<object, string>()
  readonly #values = new WeakMap<object, ReadonlyMap<string, string>>()

  own<T extends object>(made: T, node: string): T {
    this.#objects.set(made, node)
    return made
  }

  ownAt<T extends object>(made: T, key: string, node: string): T {
    this.#values.set(made, new Map(this.#values.get(made)).set(key, node))
    return made
  }

  /** Whatever is known of an object is known of what takes its place. */
  like<T extends object>(made: T, original: object): T {
    const node = this.#objects.get(original)
    if (node !== undefined) this.#objects.set(made, node)
    const values = this.#values.get(original)
    if (values !== undefined) this.#values.set(made, values)
    return made
  }

  /** The node that an object is, with all in it. */
  of(made: object): string | undefined {
    return this.#objects.get(made)
  }

  /** Every node whose words are in a value, without those in the values left out. */
  within(value: PlainValue, leftOut: readonly PlainValue[]): readonly string[] {
    if (typeof value !== 'object' || value === null || leftOut.includes(value)) return []
    const own = this.of(value)
    if (own !== undefined) return [own]
    return Object.entries(value).flatMap(([key, inner]) => {
      const node = this.at(value, key)
      return node === undefined ? this.within(inner, leftOut) : [node]
    })
  }

  /** The node that the value under a key of an object is. */
  at(made: object, key: string): string | undefined {
    return this.#values.get(made)?.get(key)
  }
}
