// Which trees a selector reads (D5, D8), and what comes back: ids, nodes, or how many.

import { describe, PactError } from '../errors/index.js'
import type { Dialect, Node, NodeRecord } from '../core/index.js'
import { nodeView, type View } from '../timeline/index.js'
import {
  ColumnCache,
  compileSelector,
  IDS,
  parseSelector,
  RECORDS,
  runPlan,
  selectorError,
  windowOf,
  type Plan,
  type TimePoint,
} from '../selector/index.js'
import type { Lens } from './lens.js'

export type SelectOptions = Readonly<{
  /** The language of this one selector; the context's by default. */
  dialect?: Dialect | undefined
  /** How many results to leave out at the start, after the selector's own controls. */
  skip?: number | undefined
  /** How many results to give at the most. */
  limit?: number | undefined
}>

/** Where a selector can be pointed at. */
export type Sources = Readonly<{
  dialect: Dialect
  view: (lens: Lens) => View
  /** The cycles of all snapshots, newest first. */
  cycles: () => readonly number[]
  viewAt: (cycle: number) => View
}>

/** How many compiled selectors, and how many of their last answers, are kept. */
const PLANS = 512
const MEMOS = 32

export class Queries {
  readonly #sources: Sources
  /** By dialect and text, the oldest first. */
  readonly #plans: Readonly<Partial<Record<Dialect, Map<string, Plan>>>> = { '1.0': new Map(), '0.1': new Map() }
  readonly #columns = new ColumnCache()
  readonly #memos = new Map<Plan, Memo>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  ids(selector: string, options: SelectOptions = NO_OPTIONS): readonly string[] {
    const plan = this.#plan(selector, options.dialect ?? this.#sources.dialect)
    const views = this.#views(plan)
    if (views.length !== 1) return Object.freeze(this.#joined(plan, views, options).map(({ record }) => record.id))
    const known = this.#remembered(plan, views[0]!)
    return Object.freeze(windowOf(known, plan.controls, checkWindow(options)))
  }

  nodes(selector: string, options: SelectOptions = NO_OPTIONS): readonly Node[] {
    const plan = this.#plan(selector, options.dialect ?? this.#sources.dialect)
    const found = this.#joined(plan, this.#views(plan), options)
    return Object.freeze(found.map(({ record, view }) => nodeOf(view, record)))
  }

  count(selector: string, options?: SelectOptions): number {
    return this.ids(selector, options).length
  }

  first(selector: string, options: SelectOptions = NO_OPTIONS): Node | undefined {
    return this.nodes(selector, { ...options, limit: Math.min(options.limit ?? 1, 1) })[0]
  }

  /** The ids that a plan finds in one view. A view of a tree that was asked before gives the same list again. */
  #remembered(plan: Plan, view: View): readonly string[] {
    const memo = this.#memos.get(plan)
    if (
      memo !== undefined &&
      memo.tree === view.tree &&
      memo.cycle === view.cycle &&
      memo.isWorking === view.isWorking
    ) {
      return memo.ids
    }
    const { tree, cycle, isWorking } = view
    const ids = Object.freeze(runPlan(view, plan, this.#columns, IDS))
    this.#memos.set(plan, { tree, cycle, isWorking, ids })
    if (this.#memos.size > MEMOS) this.#memos.delete(this.#memos.keys().next().value!)
    return ids
  }

  /** Over several views: newest first, each id where it is first seen (D8). */
  #joined(plan: Plan, views: readonly View[], options: SelectOptions): readonly Hit[] {
    const seen = new Set<string>()
    const hits: Hit[] = []
    for (const view of views) {
      for (const record of runPlan(view, plan, this.#columns, RECORDS)) {
        if (seen.has(record.id)) continue
        seen.add(record.id)
        hits.push({ record, view })
      }
    }
    return windowOf(hits, plan.controls, checkWindow(options))
  }

  #views(plan: Plan): readonly View[] {
    const { time } = plan
    if (time === undefined) return [this.#sources.view(plan.dialect === '1.0' ? 'working' : '@t0')]
    switch (time.kind) {
      case 'working':
      case 'preview':
        return [this.#sources.view(time.kind)]
      case 'all':
        return this.#sources.cycles().map((cycle) => this.#sources.viewAt(cycle))
      case 'at':
        return [this.#at(time.at)]
      case 'range':
        // Refused when it was compiled; see checkReadable.
        return []
    }
  }

  #at(point: TimePoint): View {
    if (point.kind === 'oldest') {
      const oldest = this.#sources.cycles().at(-1)
      return oldest === undefined ? this.#sources.view('@t0') : this.#sources.viewAt(oldest)
    }
    const { kind, value } = point
    return this.#sources.view((kind === 'c' ? `@c${value}` : value > 0 ? `@t+${value}` : `@t${value || '0'}`) as Lens)
  }

  #plan(selector: string, dialect: Dialect): Plan {
    const plans = this.#plans[dialect]
    if (plans === undefined) throw invalid(`The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
    const known = plans.get(selector)
    if (known !== undefined) return known
    if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
    const plan = compileSelector(parseSelector(selector, { dialect }))
    checkReadable(plan, selector)
    if (plans.size >= PLANS) plans.delete(plans.keys().next().value!)
    plans.set(selector, plan)
    return plan
  }
}

type Hit = Readonly<{ record: NodeRecord; view: View }>

/** The last answer to a plan, and the tree it was given for. */
type Memo = Readonly<Pick<View, 'tree' | 'cycle' | 'isWorking'> & { ids: readonly string[] }>

const NO_OPTIONS: SelectOptions = Object.freeze({})

function nodeOf(view: View, record: NodeRecord): Node {
  return nodeView(view, record.nodeClass === 'root' ? record : view.nodeOf(record))
}

/** Refuses what only mutations may say, and what is not there yet. */
function checkReadable({ optional, time }: Plan, text: string): void {
  if (optional) {
    const at = text.lastIndexOf('?')
    const sentence = 'A trailing "?" is for mutations; a read that finds nothing gives an empty list.'
    throw selectorError('E_SELECTOR_INVALID', sentence, text, at, at + 1)
  }
  if (time?.kind === 'range') {
    const sentence = 'Ranges of snapshots are not supported yet; name one snapshot, or @* for all.'
    throw selectorError('E_SELECTOR_INVALID', sentence, text, time.span.start, time.span.end)
  }
}

function checkWindow(options: SelectOptions): SelectOptions {
  if (options === NO_OPTIONS) return options
  const { skip, limit } = options
  for (const [name, value] of Object.entries({ skip, limit })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0) || (name === 'limit' && value === Infinity))
      continue
    throw new PactError('E_SELECTOR_INVALID', `The option ${name} must be a whole number from 0 up.`, { name })
  }
  return options
}

function invalid(message: string): PactError {
  return new PactError('E_SELECTOR_INVALID', message)
}
