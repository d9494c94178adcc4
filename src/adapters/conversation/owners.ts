// Whose words the values of a request are. Requests share what did not change, so this is known of the objects themselves, and
// holds on to none of them.

import type { PlainValue } from './plain-json.js'

/** Part of a text, and the node that says it, if one does. */
export type Owned = Readonly<{ text: string; node: string | undefined }>

type Owner = string | readonly Owned[]

export class Owners {
  readonly #objects = new WeakMap<object, string>()
  readonly #values = new WeakMap<object, ReadonlyMap<string, Owner>>()

  own<T extends object>(made: T, node: string): T {
    this.#objects.set(made, node)
    return made
  }

  ownAt<T extends object>(made: T, key: string, owner: Owner): T {
    this.#values.set(made, new Map(this.#values.get(made)).set(key, owner))
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
      const nodes = this.nodesAt(value, key)
      return nodes.length === 0 ? this.within(inner, leftOut) : nodes
    })
  }

  /** The nodes that say the value under a key of an object. */
  nodesAt(made: object, key: string): readonly string[] {
    const owner = this.at(made, key) ?? []
    return typeof owner === 'string' ? [owner] : owner.flatMap(({ node }) => node ?? [])
  }

  /** The node that the value under a key of an object is; for a text that several nodes say, its parts. */
  at(made: object, key: string): Owner | undefined {
    return this.#values.get(made)?.get(key)
  }
}
