// What the leaves of a chunk have, each leaf being one of 32 bits: the kinds of nodes, and the keys and tags. A question that
// nothing in the chunk can answer is settled by one look, and the others go to the leaves that may know.

import type { View } from '../../timeline/index.js'
import { Kinds } from '../match/kinds.js'
import type { Group, Spot, Step } from '../plan/plan.js'
import type { Sheet } from '../memory/flat-trees.js'
import { rangeIn } from './columns.js'

/** How many leaves have a bit each. */
export const MAX_LEAVES = 32

export class Summary {
  readonly #sheets: () => readonly Sheet[]
  readonly #kinds = new Kinds()
  readonly #leavesOfKind: number[] = []
  // Made for the first question that asks for them.
  #leavesOfMark: Map<string, number> | undefined
  #cycles: readonly (readonly [lowest: number, highest: number])[] | undefined

  /** `sheets` gives those of the leaves, now and later. */
  constructor(sheets: () => readonly Sheet[]) {
    this.#sheets = sheets
    for (const [i, { flat }] of sheets().entries()) {
      for (const model of flat.ownModels) {
        const code = this.#kinds.codeOf(model)
        this.#leavesOfKind[code] = (this.#leavesOfKind[code] ?? 0) | (1 << i)
      }
    }
  }

  /** How much is kept. */
  get size(): number {
    return this.#kinds.models.length + (this.#leavesOfMark?.size ?? 0)
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
      if (clue?.kind === 'mark') leaves &= this.#marks().get(clue.mark) ?? 0
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

  #marks(): ReadonlyMap<string, number> {
    if (this.#leavesOfMark === undefined) {
      const leaves = new Map<string, number>()
      for (const [i, { columns }] of this.#sheets().entries()) {
        for (const mark of columns.marks) leaves.set(mark, (leaves.get(mark) ?? 0) | (1 << i))
      }
      this.#leavesOfMark = leaves
    }
    return this.#leavesOfMark
  }

  #leavesIn({ low, high }: Readonly<{ low: number; high: number }>): number {
    let leaves = 0
    this.#cycles ??= this.#sheets().map(({ flat }) => flat.cycles)
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
