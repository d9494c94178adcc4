// The keepers of nodes that outlive their ttl: for each, the one node, hold or parent that was found to keep it.

import type { NodeRecord } from '../core/index.js'

/** The nodes that one keeper keeps. */
type Charge = {
  readonly ids: Set<string>
  /** The refs that it had; undefined where it keeps by something else, or was in doubt itself. */
  refs: readonly string[] | undefined
}

export class Keepers {
  // Made when first needed: in most contexts nothing ever waits.
  #keepers: Map<string, string | undefined> | undefined
  #charges: Map<string, Charge> | undefined

  get size(): number {
    return this.#keepers?.size ?? 0
  }

  has(id: string): boolean {
    return this.#keepers?.has(id) === true
  }

  /** The nodes whose keeper has this id. */
  keptBy(id: string): Iterable<string> {
    return this.#charges?.get(id)?.ids ?? NOTHING
  }

  /** True if a live node keeps what it kept: nothing, or by the same refs. */
  keepsOn({ id, refs }: NodeRecord): boolean {
    const charge = this.#charges?.get(id)
    return charge === undefined || charge.refs === refs
  }

  /** Notes that a node has this keeper, with these refs; without one it is held. */
  set(id: string, keeper: string | undefined, refs: readonly string[] | undefined): void {
    const keepers = (this.#keepers ??= new Map())
    if (keepers.has(id)) this.drop(id)
    keepers.set(id, keeper)
    if (keeper === undefined) return
    const charges = (this.#charges ??= new Map())
    const charge = charges.get(keeper)
    if (charge === undefined) charges.set(keeper, { ids: new Set([id]), refs })
    else {
      charge.ids.add(id)
      charge.refs = refs
    }
  }

  /** Takes over all that others keep. */
  add(others: Keepers): void {
    if (others.#keepers === undefined) return
    for (const [id, keeper] of others.#keepers) {
      this.set(id, keeper, keeper === undefined ? undefined : others.#charges!.get(keeper)!.refs)
    }
  }

  drop(id: string): void {
    const keeper = this.#keepers?.get(id)
    this.#keepers?.delete(id)
    const charge = keeper === undefined ? undefined : this.#charges?.get(keeper)
    charge?.ids.delete(id)
    if (charge?.ids.size === 0) this.#charges!.delete(keeper!)
  }
}

const NOTHING: readonly string[] = []
