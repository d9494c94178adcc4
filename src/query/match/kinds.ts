// The kinds of nodes in some part of a tree, or in many: class, type, role, kind and `type` attribute, which is all that most
// conditions ask. There are a dozen in thousands of nodes, so such a condition is put to each kind instead of to each node.

import { NodeRecord } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import type { Spot, Test } from '../plan/plan.js'
import type { KindChain } from './kind-chain.js'

/** The codes of what is there in any part: the root, `^seq`, and virtual cores. */
export const ROOT = 0
export const SEQ = 1
export const VIRTUAL = 2
export const FIXED = 3

/** How many kinds are looked through one by one, which is faster than writing down a key. */
const FEW = 24
/** How many kinds a table has before another one is begun: a `type` may be another one in every node. */
export const MANY = 64
/** How many sets of kinds are told apart by being one object each. */
export const MAX_SETS = 16

/** Which kinds of a table are meant: 1 for each code that is. */
export type KindSet = Readonly<{ has: Uint8Array; isEmpty: boolean }>

/** Gives every record the code of its kind; a context has one table for all of its leaves, until that has many. */
export class Kinds {
  /** One for each code, with nothing in it but what makes the kind. */
  readonly #models: (NodeRecord | undefined)[] = [undefined, undefined, undefined]
  readonly #types: unknown[] = [undefined, undefined, undefined]
  #others: Map<string, number> | undefined
  readonly #sets: KindSet[] = []
  readonly #chains: KindChain[] = []

  /** How many codes there are. */
  get size(): number {
    return this.#models.length
  }

  codeOf(record: NodeRecord): number {
    const type: unknown = record.rare?.attributes?.get('type')
    const models = this.#models
    const { kind, role, nodeType, nodeClass } = record
    for (let i = Math.min(models.length, FEW) - 1; i >= FIXED; i--) {
      const model = models[i]!
      if (model.kind !== kind || model.role !== role || model.nodeType !== nodeType) continue
      if (model.nodeClass === nodeClass && this.#types[i] === type) return i
    }
    return models.length < FEW ? this.#add(record, type) : this.#fromMap(record, type)
  }

  /** The kinds that pass some tests; what is at the top is another node in every tree. */
  passing(tests: readonly Test[], view: View): KindSet {
    const models = this.#models
    const has = new Uint8Array(models.length)
    const spot: Spot = { record: undefined, depth: undefined }
    for (let code = 0; code < has.length; code++) {
      spot.record = code === ROOT ? view.tree.root : code === SEQ ? view.tree.regions[1].record : models[code]
      if (tests.every(({ test }) => test(spot, view))) has[code] = 1
    }
    const known = this.#sets.find((set) => set.has.length === has.length && set.has.every((is, i) => is === has[i]))
    if (known !== undefined) return known
    const set = { has, isEmpty: !has.includes(1) }
    if (this.#sets.push(set) > MAX_SETS) this.#sets.shift()
    return set
  }

  /** The one object for such a chain, so that what it finds can be kept by it. */
  sameChain(chain: KindChain): KindChain {
    const { sets, isChild } = chain
    const known = this.#chains.find(
      (each) =>
        each.sets.length === sets.length &&
        sets.every((set, i) => set === each.sets[i] && isChild[i] === each.isChild[i]),
    )
    if (known !== undefined) return known
    if (this.#chains.push(chain) > MAX_SETS) this.#chains.shift()
    return chain
  }

  #add(record: NodeRecord, type: unknown): number {
    this.#types.push(type)
    return this.#models.push(modelOf(record)) - 1
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

/** Without content, or a table that stays would keep what goes. */
function modelOf(record: NodeRecord): NodeRecord {
  const type = record.rare?.attributes?.get('type')
  const rare = type === undefined ? undefined : { attributes: new Map([['type', type]]) }
  return new NodeRecord({ ...record, id: '', parentId: undefined, content: undefined, rare })
}
