// The kinds of nodes in some part of a tree: class, type, role, kind and `type` attribute, which is all that most conditions
// ask. There are a dozen in a few hundred nodes, so such a condition is put to each kind instead of to each node.

import type { NodeRecord } from '../../core/index.js'

/** The codes of what is there in any part: the root, `^seq`, and virtual cores. */
export const ROOT = 0
export const SEQ = 1
export const VIRTUAL = 2
export const FIXED = 3

/** How many kinds are looked through one by one, which is faster than writing down a key. */
const FEW = 24

/** Gives every record the code of its kind; `models` has one node of each. */
export class Kinds {
  readonly models: (NodeRecord | undefined)[] = [undefined, undefined, undefined]
  readonly #types: unknown[] = [undefined, undefined, undefined]
  #others: Map<string, number> | undefined

  codeOf(record: NodeRecord): number {
    const type: unknown = record.rare?.attributes?.get('type')
    const { models } = this
    const { kind, role, nodeType, nodeClass } = record
    for (let i = Math.min(models.length, FEW) - 1; i >= FIXED; i--) {
      const model = models[i]!
      if (model.kind !== kind || model.role !== role || model.nodeType !== nodeType) continue
      if (model.nodeClass === nodeClass && this.#types[i] === type) return i
    }
    return models.length < FEW ? this.#add(record, type) : this.#fromMap(record, type)
  }

  #add(record: NodeRecord, type: unknown): number {
    this.#types.push(type)
    return this.models.push(record) - 1
  }

  /** A value that is no text makes a kind of its own. */
  #fromMap(record: NodeRecord, type: unknown): number {
    if (type !== undefined && typeof type !== 'string') return this.#add(record, type)
    const { nodeClass, nodeType, role, kind } = record
    const key = JSON.stringify([nodeClass, nodeType, role, kind, type])
    this.#others ??= new Map()
    const known = this.#others.get(key)
    if (known !== undefined) return known
    const code = this.#add(record, type)
    this.#others.set(key, code)
    return code
  }
}
