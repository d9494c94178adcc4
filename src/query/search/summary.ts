// What the leaves of a chunk have, each leaf being one of 32 bits: the kinds of nodes, and the keys and tags. A question that
// nothing in the chunk can answer is settled by one look, and the others go to the leaves that may know.

import type { View } from '../../timeline/index.js'
import { Kinds } from '../match/kinds.js'
import type { Group, Spot, Step } from '../plan/plan.js'
import type { Sheet } from '../memory/flat-trees.js'
import { rangeIn } from './columns.js'

export class Summary {
  readonly #kinds = new Kinds()
  readonly #leavesOfKind: number[] = []
  readonly #leavesOfMark = new Map<string, number>()
  /** The first and the last cycle in each leaf. */
  readonly #cycles: (readonly [lowest: number, highest: number])[] = []

  constructor(sheets: readonly Sheet[]) {
    for (const [i, { flat, columns }] of sheets.entries()) {
      const bit = 1 << i
      for (const model of flat.ownModels) {
        const code = this.#kinds.codeOf(model)
        this.#leavesOfKind[code] = (this.#leavesOfKind[code] ?? 0) | bit
      }
      this.#cycles.push(flat.cycles)
      for (const mark of columns.marks) this.#leavesOfMark.set(mark, (this.#leavesOfMark.get(mark) ?? 0) | bit)
    }
  }

  /** How much is kept. */
  get size(): number {
    return this.#leavesOfMark.size
  }

  /** The leaves that may hold a result of one of some groups; of each, only the steps that ask for something in a leaf. */
  leavesFor(groups: readonly (readonly Step[])[], view: View): number {
    let leaves = 0
    for (const steps of groups) {
      let own = EVERY_LEAF
      for (const step of steps) if (own !== 0) own &= this.#leavesWith(step, view)
      leaves |= own
    }
    return leaves
  }

  #leavesWith({ kindTests, otherTests }: Step, view: View): number {
    let leaves = EVERY_LEAF
    for (const { clue } of otherTests) {
      if (clue?.kind === 'mark') leaves &= this.#leavesOfMark.get(clue.mark) ?? 0
      if (clue?.kind === 'number' && clue.field === 'cycle') leaves &= this.#leavesIn(rangeIn(clue, view))
    }
    if (leaves === 0 || kindTests.length === 0) return leaves
    const { models } = this.#kinds
    const spot: Spot = { record: undefined, depth: undefined }
    let ofKinds = 0
    for (let code = 0; code < models.length; code++) {
      const bits = this.#leavesOfKind[code]
      spot.record = models[code]
      if (bits !== undefined && kindTests.every(({ test }) => test(spot, view))) ofKinds |= bits
    }
    return leaves & ofKinds
  }

  #leavesIn({ low, high }: Readonly<{ low: number; high: number }>): number {
    let leaves = 0
    for (const [i, [lowest, highest]] of this.#cycles.entries()) if (lowest <= high && highest >= low) leaves |= 1 << i
    return leaves
  }
}

const EVERY_LEAF = -1

/** The steps of a group that neither the root nor `^seq` nor a virtual core can be what is meant by. */
export function demandingSteps({ steps }: Group, view: View): readonly Step[] {
  const { root, regions } = view.tree
  const anywhere = [root, regions[1].record, undefined].map((record): Spot => ({ record, depth: undefined }))
  return steps.filter(({ kindTests, otherTests }) => {
    const passes = (spot: Spot): boolean => [...kindTests, ...otherTests].every(({ test }) => test(spot, view))
    return !anywhere.some(passes)
  })
}
