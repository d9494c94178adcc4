// Which kinds the steps of one question ask for: worked out once for each table of kinds, not for each part of a tree.

import type { View } from '../../timeline/index.js'
import type { Step } from '../plan/plan.js'
import { kindChain, type KindChain } from './kind-chain.js'
import type { Kinds, KindSet } from './kinds.js'

export class RightKinds {
  readonly #view: View
  readonly #sets = new Map<Step, KindSet>()
  /** By the last step of each. */
  readonly #chains = new Map<Step, KindChain>()
  #kinds: Kinds | undefined
  #size = 0

  constructor(view: View) {
    this.#view = view
  }

  of(step: Step, kinds: Kinds): KindSet {
    this.#goTo(kinds)
    let set = this.#sets.get(step)
    if (set === undefined) this.#sets.set(step, (set = kinds.passing(step.kindTests, this.#view)))
    return set
  }
  /** What some first steps ask of kinds; the last of them may ask more. */
  chain(steps: readonly Step[], last: number, kinds: Kinds): KindChain {
    this.#goTo(kinds)
    let chain = this.#chains.get(steps[last]!)
    if (chain === undefined) {
      const first = steps.slice(0, last + 1)
      const sets = first.map((step) => this.of(step, kinds))
      const isChild = first.map(({ reach }) => reach === 'child')
      chain = kinds.sameChain(kindChain(sets, isChild))
      this.#chains.set(steps[last]!, chain)
    }
    return chain
  }

  /** Leaves that are set up meanwhile may bring kinds that were not there before. */
  #goTo(kinds: Kinds): void {
    if (kinds === this.#kinds && kinds.size === this.#size) return
    this.#sets.clear()
    this.#chains.clear()
    this.#kinds = kinds
    this.#size = kinds.size
  }
}
