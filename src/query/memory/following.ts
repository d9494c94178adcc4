// Following a plan from snapshot to snapshot: one growing answer for each of its choices, and for `@order=turn` a list that
// stays sorted. What is newest is then at its end, so a window of it costs the window.

import type { NodeRecord } from '../../core/index.js'
import type { Tree, View } from '../../timeline/index.js'
import { windowed, type Window } from '../match/result-order.js'
import type { Group, Plan, Test } from '../plan/plan.js'
import type { Visits } from '../search/visits.js'
import { IDS, inTurnOrder, passesAll, RECORDS } from '../search/run.js'
import type { FlatTrees } from './flat-trees.js'
import { GrowingAnswer, hasOnlyGrown } from './growing-answer.js'

/** One choice of a plan. */
type Choice = Readonly<{
  update: (view: View, budget: Visits) => void
  readonly count: number
  readonly size: number
  ids: (window: Window) => readonly string[]
}>

export class Following {
  readonly #choices: readonly Choice[]

  constructor(plan: Plan, trees: FlatTrees) {
    const isByTurn = plan.order?.startsWith('turn') === true
    this.#choices = plan.choices.map((union): Choice => {
      if (isOfOne(plan)) return new ById(plan.only!)
      if (isByTurn) return new ByTurn(new GrowingAnswer(union, plan, trees, RECORDS), plan.order === 'turn:desc')
      return new InDocument(new GrowingAnswer(union, plan, trees, IDS))
    })
  }

  /** What the plan selects in a view, frozen: the part of it that a window shows. */
  ids(view: View, window: Window, budget: Visits): readonly string[] {
    return this.#chosen(view, budget)?.ids(window) ?? NONE
  }

  count(view: View, budget: Visits): number {
    return this.#chosen(view, budget)?.count ?? 0
  }

  /** How much is kept. */
  get size(): number {
    let size = 0
    for (let i = 0; i < this.#choices.length; i++) size += this.#choices[i]!.size
    return size
  }

  /** The first choice that finds something. */
  #chosen(view: View, budget: Visits): Choice | undefined {
    for (let i = 0; i < this.#choices.length; i++) {
      const choice = this.#choices[i]!
      choice.update(view, budget)
      if (choice.count > 0) return choice
    }
    return undefined
  }
}

const NONE: readonly string[] = Object.freeze([])

/** Whether a plan is worth following: what it finds lasts, or it names one node wherever that stands. */
export function canFollow(plan: Plan): boolean {
  return plan.isLasting || isOfOne(plan)
}

function isOfOne({ only }: Plan): boolean {
  if (only?.traits.id === undefined) return false
  return only.scope === undefined && only.traits.plain !== undefined && only.traits.isLasting
}

/** The node with an id, if it passes some tests: the same answer as long as it is the same record. */
class ById implements Choice {
  readonly #id: string
  readonly #tests: readonly Test[]
  #tree: Tree | undefined
  #ids: readonly string[] = NONE

  constructor({ traits }: Group) {
    this.#id = traits.id!
    this.#tests = traits.plain!
  }

  update(view: View, budget: Visits): void {
    const { tree } = view
    const old = this.#tree
    if (old === tree) return
    budget.spend(1)
    // What was found stays where nothing but a new segment has come.
    if (this.#ids === NONE || old === undefined || !hasOnlyGrown(old, tree)) {
      const record = view.find(this.#id)
      const passes = record !== undefined && passesAll(this.#tests, record, view)
      this.#ids = passes ? Object.freeze([record.id]) : NONE
    }
    this.#tree = tree
  }

  get count(): number {
    return this.#ids.length
  }

  get size(): number {
    return this.#ids.length
  }

  ids(window: Window): readonly string[] {
    return windowed(this.#ids, window)
  }
}

/** In document order, or in that of one key. */
class InDocument implements Choice {
  readonly #answer: GrowingAnswer<string>

  constructor(answer: GrowingAnswer<string>) {
    this.#answer = answer
  }

  update(view: View, budget: Visits): void {
    this.#answer.update(view, budget)
  }

  get count(): number {
    return this.#answer.count
  }

  get size(): number {
    return this.#answer.size
  }

  ids(window: Window): readonly string[] {
    return windowed(this.#answer.all(), window)
  }
}

/** Sorted by turn. What is newer is put in where it belongs, near the end: `turn:desc` is kept back to front. */
class ByTurn implements Choice {
  readonly #answer: GrowingAnswer<NodeRecord>
  readonly #isDescending: boolean
  #sorted: NodeRecord[] = []

  constructor(answer: GrowingAnswer<NodeRecord>, isDescending: boolean) {
    this.#answer = answer
    this.#isDescending = isDescending
  }

  update(view: View, budget: Visits): void {
    const added = this.#answer.update(view, budget)
    if (added !== undefined && added.length <= FEW) for (const record of added) this.#insert(record)
    else this.#sorted = this.#sortAll()
  }

  get count(): number {
    return this.#answer.count
  }

  get size(): number {
    return this.#answer.size + this.#sorted.length
  }

  ids({ skip, limit }: Window): readonly string[] {
    const sorted = this.#sorted
    const last = sorted.length - 1
    const end = Math.min(skip + limit, sorted.length)
    const ids: string[] = []
    for (let i = skip; i < end; i++) ids.push(sorted[this.#isDescending ? last - i : i]!.id)
    return Object.freeze(ids)
  }

  #sortAll(): NodeRecord[] {
    const sorted = [...inTurnOrder(this.#answer.all(), this.#isDescending ? 'turn:desc' : 'turn:asc')]
    return this.#isDescending ? sorted.reverse() : sorted
  }

  /** Behind those of the same turn, which come before it in the document; back to front, before them. */
  #insert(record: NodeRecord): void {
    const sorted = this.#sorted
    let at = sorted.length
    while (
      at > 0 &&
      (sorted[at - 1]!.cycle > record.cycle || (this.#isDescending && sorted[at - 1]!.cycle === record.cycle))
    )
      at--
    if (at === sorted.length) sorted.push(record)
    else sorted.splice(at, 0, record)
  }
}

/** Beyond this many at once, sorting all is as fast. */
const FEW = 64
