// The tokens of a tree by part: the system, the conversation, and the context around it. Sums are kept with chunks, so that the next
// question after a commit costs only the changed chunks.

import { Branch, childrenOf, recordOf, type Sequence, type TreeNode, type View } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'

/** `sys` is `^sys`, `core` the conversation in turns, `ctx` the context before and after it. */
export type ContextPart = 'sys' | 'core' | 'ctx'
export type PartSums = Readonly<Record<ContextPart, number>>

/** Neighbouring items of one part; `same` if they belong to the prefix shared with an earlier thread. */
export type PartRun = Readonly<{ part: ContextPart; tokens: number; same: boolean }>

/** A thread of up to this many nodes is listed item by item. */
const FEW = 64
/** The largest number of runs; beyond it, parts are summed. */
const RUNS = 5

/** The part of a child of a segment or of the head: children at offset 0 are the conversation. */
export function partOf(node: TreeNode): ContextPart {
  return recordOf(node).offset === 0 ? 'core' : 'ctx'
}

/** The sums of one tree; they are kept with the tree for the next question. */
export class PartTokens {
  readonly #view: View
  readonly #counts: TokenCounts

  constructor(view: View, counts: TokenCounts) {
    this.#view = view
    this.#counts = counts
  }

  get all(): PartSums {
    const [sys, seq, ah] = this.#view.tree.regions
    const turns = this.#inTurns(seq.children)
    const head = this.#ofTurn(ah)
    return { sys: this.#whole(sys), core: turns.core + head.core, ctx: turns.ctx + head.ctx }
  }

  /** Runs in the order of the thread; the first `same` tokens are shared with an earlier one. */
  runs(same: number): readonly PartRun[] {
    const { tree } = this.#view
    const rendered = tree.regions.reduce((sum, { children }) => sum + children.rendered, 0)
    if (rendered <= FEW) {
      const runs = this.#exact(same)
      if (runs.length <= RUNS) return runs
    }
    const [all, shared] = [this.all, this.#upTo(same)]
    const parts = ['sys', 'core', 'ctx'] as const
    return [
      ...parts.map((part) => ({ part, tokens: shared[part], same: true })),
      ...parts.map((part) => ({ part, tokens: all[part] - shared[part], same: false })),
    ].filter(({ tokens }) => tokens > 0)
  }

  /** A node with everything under it. */
  #whole(node: TreeNode): number {
    return node instanceof Branch ? this.#counts.ofBranch(node, this.#view) : this.#counts.ofNode(node, this.#view)
  }

  #ofTurn({ children }: Branch): PartSums {
    const sums = { sys: 0, core: 0, ctx: 0 }
    for (const child of children) sums[partOf(child)] += this.#whole(child)
    return sums
  }

  #inTurns(sequence: Sequence): PartSums {
    return this.#counts.sums(sequence, () => this.#ofTurns(sequence))
  }

  #ofTurns({ chunks, items }: Sequence): PartSums {
    const sums = { sys: 0, core: 0, ctx: 0 }
    const parts = chunks?.map((chunk) => this.#inTurns(chunk)) ?? items!.map((item) => this.#ofItem(item))
    for (const { core, ctx } of parts) {
      sums.core += core
      sums.ctx += ctx
    }
    return sums
  }

  #ofItem(item: TreeNode): PartSums {
    return item instanceof Branch ? this.#ofTurn(item) : { sys: 0, core: 0, ctx: this.#whole(item) }
  }

  /** The sums of the first `tokens` tokens. */
  #upTo(tokens: number): PartSums {
    const sums = { sys: 0, core: 0, ctx: 0 }
    let left = tokens
    const take = (part: ContextPart, amount: number): void => {
      const taken = Math.min(amount, left)
      sums[part] += taken
      left -= taken
    }
    const turn = (item: TreeNode): void => {
      if (!(item instanceof Branch)) return take('ctx', this.#whole(item))
      for (const child of item.children) if (left > 0) take(partOf(child), this.#whole(child))
    }
    const turns = (sequence: Sequence): void => {
      for (const chunk of sequence.chunks ?? []) {
        if (left <= 0) return
        const { core, ctx } = this.#inTurns(chunk)
        if (core + ctx > left) turns(chunk)
        else {
          take('core', core)
          take('ctx', ctx)
        }
      }
      for (const item of sequence.items ?? []) if (left > 0) turn(item)
    }
    const [sys, seq, ah] = this.#view.tree.regions
    take('sys', this.#whole(sys))
    turns(seq.children)
    if (left > 0) turn(ah)
    return sums
  }

  /** Item by item. */
  #exact(same: number): readonly PartRun[] {
    const runs: { part: ContextPart; tokens: number; same: boolean }[] = []
    let before = 0
    const add = (part: ContextPart, node: TreeNode): void => {
      const tokens = this.#counts.ofNode(node, this.#view)
      if (tokens > 0) {
        before += tokens
        const isSame = before <= same
        const last = runs.at(-1)
        if (last !== undefined && last.part === part && last.same === isSame) last.tokens += tokens
        else runs.push({ part, tokens, same: isSame })
      }
      for (const child of childrenOf(node)) add(part, child)
    }
    const [sys, seq, ah] = this.#view.tree.regions
    add('sys', sys)
    for (const turn of [...seq.children, ah]) for (const child of childrenOf(turn)) add(partOf(child), child)
    return runs
  }
}
