// Walks some units of a tree for the results of one chain, node by node from the top. Each node knows which steps of the chain it matches, as
// one bit each, so a node is tested for a step only if the step before it was matched above. Without this, a first question makes rows of the
// whole tree and takes three times as long as css-select.
//
// The first questions of a process run before V8 has compiled anything. A loop by index makes no iterator there, and a block costs one call,
// that of the test.

import type { NodeRecord } from '../../core/index.js'
import { type Branch, recordOf, type Sequence, type Tree, type TreeNode, type View } from '../../timeline/index.js'
import type { Group, Predicate, Step } from '../plan/plan.js'
import { lacksCore, type Extent } from './flat-tree.js'

export class Walk {
  /** The results in document order, and their depths. */
  records: NodeRecord[] = []
  #depths: (number | undefined)[] = []
  readonly #view: View
  readonly #steps: readonly Step[]
  readonly #isLast: Predicate
  /** The bit of the last step, and of the step before it. */
  readonly #lastBit: number
  readonly #bitBefore: number
  readonly #isLastChild: boolean
  /** A virtual core may lead on to results. */
  readonly #meetsVirtual: boolean
  #depth: number | undefined

  /** The steps of the group test nodes one by one: see `Traits.isWalked`. */
  constructor({ steps }: Group, view: View) {
    const last = steps[steps.length - 1]!
    this.#view = view
    this.#steps = steps
    this.#isLast = last.passes
    this.#lastBit = 1 << (steps.length - 1)
    this.#bitBefore = this.#lastBit >> 1
    this.#isLastChild = last.reach === 'child'
    this.#meetsVirtual = steps.length > 1 && steps.some(({ meetsVirtual }) => meetsVirtual)
  }

  /** Finds the results in some units of a tree. The root and `^seq` are results only if `withTop` is set. */
  find({ root, regions }: Tree, { sys, head, segments, depth }: Extent, withTop: boolean): this {
    this.records = []
    this.#depths = []
    const atRoot = this.#top(root, 0, withTop)
    if (sys) this.#unit(regions[0], -1, atRoot, atRoot)
    const atSeq = this.#top(regions[1].record, atRoot, withTop)
    for (let i = 0; i < segments.length; i++) this.#unit(segments[i] as Branch, depth - i, atSeq, atRoot | atSeq)
    if (head) this.#unit(regions[2], 0, atRoot, atRoot)
    return this
  }

  depthAt(index: number): number | undefined {
    return this.#depths[index]
  }

  #top(record: NodeRecord, above: number, isResult: boolean): number {
    this.#depth = undefined
    const here = this.#matched(record, above, above)
    if (isResult && (here & this.#lastBit) !== 0) this.#add(record)
    return here
  }

  #unit(unit: Branch, depth: number, parent: number, above: number): void {
    this.#depth = depth
    this.#branch(unit, parent, above)
  }

  /** `parent` has the steps that the parent matches, `above` those that it or a node above it matches. */
  #branch(branch: Branch, parent: number, above: number): void {
    const here = this.#matched(branch.record, parent, above)
    if ((here & this.#lastBit) !== 0) this.#add(branch.record)
    const { children } = branch
    if (this.#meetsVirtual && lacksCore(branch)) this.#held(children, here, above | here)
    else this.#below(children, here, above | here)
  }

  #below(children: Sequence, parent: number, above: number): void {
    const { items, chunks } = children
    if (items === undefined) for (const chunk of chunks!) this.#below(chunk, parent, above)
    else this.#each(items, parent, above)
  }

  /** A block has nothing below it, so only the last step matters. */
  #each(items: readonly TreeNode[], parent: number, above: number): void {
    const isReached = this.#bitBefore === 0 || ((this.#isLastChild ? parent : above) & this.#bitBefore) !== 0
    const passes = this.#isLast
    const view = this.#view
    const depth = this.#depth
    for (let i = 0; i < items.length; i++) {
      const node = items[i]!
      if ('children' in node) this.#branch(node, parent, above)
      else if (isReached && passes(node, view, depth)) this.#add(node)
    }
  }

  /** Children at offset 0 are children of the segment and of a virtual core (D12). */
  #held(children: Sequence, here: number, below: number): void {
    const core = this.#matched(undefined, here, below)
    for (const child of children) {
      if (recordOf(child).offset === 0) this.#each([child], here | core, below | core)
      else this.#each([child], here, below)
    }
  }

  /** The steps that a node matches; without a record, a virtual core. */
  #matched(record: NodeRecord | undefined, parent: number, above: number): number {
    const steps = this.#steps
    let bits = 0
    for (let i = 0, bit = 1; i < steps.length; i++, bit <<= 1) {
      const { reach, passes, meetsVirtual } = steps[i]!
      const isReached = i === 0 || ((reach === 'child' ? parent : above) & (bit >> 1)) !== 0
      if (!isReached || (record === undefined && !meetsVirtual)) continue
      if (passes(record, this.#view, this.#depth)) bits |= bit
    }
    return bits
  }

  #add(record: NodeRecord): void {
    this.records.push(record)
    this.#depths.push(this.#depth)
  }
}
