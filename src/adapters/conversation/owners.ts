// Whose words the values of a request are. This is noted of all that is written, and asked of little of it: for a source map, a
// prefix, a cache mark. So it is written down as it comes, with the piece that it is about, and is a table once somebody asks.

import type { NodeRecord } from '../../core/index.js'
import type { PlainValue } from './plain-json.js'

/** Part of a text, and the node that says it, if one does. */
export type Owned = Readonly<{ text: string; node: string | undefined }>

type Owner = string | readonly Owned[]

type Value = Readonly<{ made: object; key: string; owner: Owner }>

type Table = Readonly<{ objects: ReadonlyMap<object, string>; values: ReadonlyMap<object, readonly Value[]> }>

type HasOwners = Readonly<{ owners: Owners }>

export class Owners {
  /** Objects, each followed by the id of the node that it is. */
  readonly #objects: (object | string)[] = []
  readonly #values: Value[] = []
  /** Messages, each followed by the node that it comes from. */
  readonly #origins: object[] = []
  /** Who may know what is not known here. */
  readonly #others: readonly HasOwners[]
  #table: Table | undefined

  constructor(others: readonly HasOwners[] = NONE) {
    this.#others = others
  }

  own(made: object, node: string): void {
    this.#objects.push(made, node)
  }

  ownAt(made: object, key: string, owner: Owner): void {
    this.#values.push({ made, key, owner })
  }

  /** Whatever is known of an object is known of what takes its place. */
  like(made: object, original: object): void {
    const node = this.#nodeOf(original) ?? this.#fromOthers((other) => other.of(original))
    if (node !== undefined) this.own(made, node)
    const own = this.#values.filter((each) => each.made === original)
    const values = own.length > 0 ? own : (this.#fromOthers((other) => other.#known.values.get(original)) ?? NONE)
    for (const { key, owner } of values) this.ownAt(made, key, owner)
  }

  /** Records the node that a message comes from; later repairs of the message name this node. */
  comesFrom(made: object, record: NodeRecord): void {
    this.#origins.push(made, record)
  }

  originOf(made: object): NodeRecord | undefined {
    const at = this.#origins.lastIndexOf(made)
    return at < 0 ? this.#fromOthers((other) => other.originOf(made)) : (this.#origins[at + 1] as NodeRecord)
  }

  /** The node that an object is, with all in it. */
  of(made: object): string | undefined {
    return this.#known.objects.get(made) ?? this.#fromOthers((other) => other.of(made))
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
    const value = this.#known.values.get(made)?.findLast((each) => each.key === key)
    return value?.owner ?? this.#fromOthers((other) => other.at(made, key))
  }

  /** Without a table, since more is still to come. */
  #nodeOf(made: object): string | undefined {
    const at = this.#objects.lastIndexOf(made)
    return at < 0 ? undefined : (this.#objects[at + 1] as string)
  }

  /** The last ones first: what changes from request to request is at the end. */
  #fromOthers<T>(ask: (other: Owners) => T | undefined): T | undefined {
    for (let i = this.#others.length - 1; i >= 0; i--) {
      const answer = ask(this.#others[i]!.owners)
      if (answer !== undefined) return answer
    }
    return undefined
  }

  /** Asked for when all is written. */
  get #known(): Table {
    if (this.#table !== undefined) return this.#table
    const objects = new Map<object, string>()
    const values = new Map<object, Value[]>()
    for (let i = 0; i < this.#objects.length; i += 2) {
      objects.set(this.#objects[i] as object, this.#objects[i + 1] as string)
    }
    for (const value of this.#values) values.set(value.made, [...(values.get(value.made) ?? []), value])
    return (this.#table = { objects, values })
  }
}

const NONE: readonly never[] = []
