// Whose words the values of a request are, for source maps, prefixes and cache marks. Each piece of a request has its own table.

import type { NodeRecord } from '../../core/index.js'
import type { PlainValue } from './plain-json.js'

/** Part of a text, and the node that says it, if one does. */
export type Owned = Readonly<{ text: string; node: string | undefined }>

type Owner = string | readonly Owned[]

type HasOwners = Readonly<{ owners: Owners }>

export class Owners {
  readonly #nodes = new Map<object, string>()
  /** The owners of single values of an object, by key. */
  readonly #values = new Map<object, Map<string, Owner>>()
  readonly #origins = new Map<object, NodeRecord>()
  /** Who may know what is not known here. */
  readonly #others: readonly HasOwners[]

  constructor(others: readonly HasOwners[] = []) {
    this.#others = others
  }

  own(made: object, node: string): void {
    this.#nodes.set(made, node)
  }

  ownAt(made: object, key: string, owner: Owner): void {
    const values = this.#values.get(made)
    if (values === undefined) this.#values.set(made, new Map([[key, owner]]))
    else values.set(key, owner)
  }

  /** Whatever is known of an object is known of what takes its place. */
  like(made: object, original: object): void {
    const node = this.of(original)
    if (node !== undefined) this.own(made, node)
    for (const [key, owner] of this.#valuesOf(original) ?? []) this.ownAt(made, key, owner)
  }

  /** Records the node that a message comes from; later repairs of the message name this node. */
  comesFrom(made: object, record: NodeRecord): void {
    this.#origins.set(made, record)
  }

  originOf(made: object): NodeRecord | undefined {
    return this.#origins.get(made) ?? this.#fromOthers((other) => other.originOf(made))
  }

  /** The node that an object is, with all in it. */
  of(made: object): string | undefined {
    return this.#nodes.get(made) ?? this.#fromOthers((other) => other.of(made))
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
    return this.#valuesOf(made)?.get(key)
  }

  #valuesOf(made: object): ReadonlyMap<string, Owner> | undefined {
    return this.#values.get(made) ?? this.#fromOthers((other) => other.#valuesOf(made))
  }

  /** The last ones first: what changes from request to request is at the end. */
  #fromOthers<T>(ask: (other: Owners) => T | undefined): T | undefined {
    for (let i = this.#others.length - 1; i >= 0; i--) {
      const answer = ask(this.#others[i]!.owners)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}
