// The limits of a policy at one commit: the ones that are passed, how far down each is brought, by turns and then by nodes, and the receipt
// (D27, D51).

import { PactError } from '../errors/index.js'
import { EMPTY_RECEIPT, type NodeRecord, type PassedLimit, type Receipt, type UnmetLimit } from '../core/index.js'
import { childrenOf, type TreeNode } from '../timeline/index.js'
import type { Limit } from './measure.js'
import type { PrunePolicy } from './policy.js'
import type { PruneWork, Taking } from './taking.js'

/** The number of protected nodes that a receipt names. */
const MOST_KEPT = 10

/** A limit that was passed when its turn came. */
type Passed = {
  readonly before: number
  /** The segments that held too much then, where the limit is one of single segments. */
  readonly overfull: readonly NodeRecord[] | undefined
  /** The nodes that had to stay, of the last stage that tried. */
  passedOver: readonly string[]
}

/** The end condition of a pruning task, and the segments that it is about, if any. */
type Terms = Pick<PruneWork, 'isDone' | 'isIdle'> & Readonly<{ overfull: readonly TreeNode[] | undefined }>

export class Budget {
  readonly limits: readonly Limit[]
  readonly taking: Taking
  readonly #unmet: PrunePolicy['unmet']
  readonly #passed = new Map<Limit, Passed>()
  /** By rule, the amounts before results were shed. */
  readonly #before: ReadonlyMap<string, number>

  constructor(
    limits: readonly Limit[],
    taking: Taking,
    unmet: PrunePolicy['unmet'],
    before: ReadonlyMap<string, number> = new Map(),
  ) {
    this.limits = limits
    this.taking = taking
    this.#unmet = unmet
    this.#before = before
  }

  /** Has units taken down to a limit's goal, if it is passed or was when another stage came to it. */
  meet(limit: Limit, workFor: (terms: Terms) => PruneWork): void {
    const { draft } = this.taking
    const { goal } = limit
    const isDone = (): boolean => this.#actual(limit) <= goal
    const work = (): PruneWork => workFor({ isDone, isIdle: undefined, overfull: undefined })
    if (limit.rule === 'maxDepth' && this.#actual(limit) > limit.limit) this.taking.lookForTask(work())
    const passed = this.#passed.get(limit) ?? this.#pass(limit)
    if (passed === undefined) return
    if (passed.overfull === undefined) {
      if (!isDone()) passed.passedOver = this.taking.run(work())
      return
    }
    const isIdle = (record: NodeRecord): boolean => this.taking.countBeside(record) <= goal
    const overfull = passed.overfull
      .flatMap(({ id }) => draft.find(id) ?? [])
      .map((record) => draft.nodeOf(record))
      .filter((segment) => childrenOf(segment).count > goal)
    if (overfull.length === 0) return
    passed.passedOver = this.taking.run(workFor({ isDone: () => false, isIdle, overfull }))
  }

  #pass(limit: Limit): Passed | undefined {
    const { draft } = this.taking
    const before = this.#actual(limit)
    if (before <= limit.limit) return undefined
    const passed = { before, overfull: limit.overfull?.(draft), passedOver: [] }
    this.#passed.set(limit, passed)
    return passed
  }

  /** The current amount, without the segment that stays only for the task (D59). */
  #actual({ rule, actual }: Limit): number {
    const { draft, hasSpared } = this.taking
    return actual(draft) - (rule === 'maxDepth' && hasSpared ? 1 : 0)
  }

  /** The receipt; a limit that is still passed may be an error. */
  receipt(made: Pick<Receipt, 'shed' | 'compacted'>): Receipt {
    const { shed, compacted = [] } = made
    if (this.#passed.size + this.#before.size + shed.length + compacted.length === 0) return EMPTY_RECEIPT
    const limits = this.limits.flatMap((limit) => {
      const before = this.#before.get(limit.rule)
      const passed = this.#passed.get(limit)
      if (passed !== undefined) return this.#measured(limit, { ...passed, before: before ?? passed.before })
      return before === undefined ? [] : this.#measured(limit, { before, overfull: undefined, passedOver: [] })
    })
    const unmet = limits
      .filter(({ limit, after }) => after > limit)
      .map(({ rule, limit, after }): UnmetLimit => Object.freeze({ rule, limit, actual: after }))
    if (unmet.length > 0 && this.#unmet === 'error') throw overBudget(unmet)
    return Object.freeze({
      removed: Object.freeze(this.taking.removed),
      ...made,
      limits: Object.freeze(limits),
      unmet: Object.freeze(unmet),
    })
  }

  #measured(passed: Limit, { before, passedOver }: Passed): PassedLimit {
    const { draft } = this.taking
    const { rule, limit, goal } = passed
    const after = this.#actual(passed)
    const kept = after > limit ? passedOver.filter((id) => draft.find(id) !== undefined).slice(0, MOST_KEPT) : []
    const target = goal === limit ? {} : { target: goal }
    return Object.freeze({ rule, limit, ...target, before, after, kept: Object.freeze(kept) })
  }
}

function overBudget(unmet: readonly UnmetLimit[]): PactError {
  const { rule, limit, actual } = unmet[0]!
  const message = `${rule} is ${limit}, but protection leaves ${actual}; raise the limit or protect less.`
  return new PactError('E_BUDGET', message, { unmet })
}
