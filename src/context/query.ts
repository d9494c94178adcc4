// Which trees a selector reads (D5, D8), and what comes back: ids, nodes, or how many.

import { PactError } from '../errors/index.js'
import type { Dialect, Node } from '../core/index.js'
import { nodeView, type View } from '../timeline/index.js'
import {
  compileSelector,
  parseSelector,
  runPlan,
  windowOf,
  type Plan,
  type Spot,
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

/** How many compiled selectors are kept. */
const PLANS = 512

export class Queries {
  readonly #sources: Sources
  /** In the order of use, the least recent first. */
  readonly #plans = new Map<string, Plan>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  ids(selector: string, options: SelectOptions = {}): readonly string[] {
    return Object.freeze(this.#find(selector, options).map(({ spot }) => spot.record!.id))
  }

  nodes(selector: string, options: SelectOptions = {}): readonly Node[] {
    return Object.freeze(
      this.#find(selector, options).map(({ spot, view }) => nodeView(view, spot.node ?? spot.record!)),
    )
  }

  count(selector: string, options: SelectOptions = {}): number {
    return this.#find(selector, options).length
  }

  first(selector: string, options: SelectOptions = {}): Node | undefined {
    return this.nodes(selector, { ...options, limit: Math.min(options.limit ?? 1, 1) })[0]
  }

  #find(selector: string, options: SelectOptions): readonly Hit[] {
    const plan = this.#plan(selector, options.dialect ?? this.#sources.dialect)
    checkWindow(options)
    const seen = new Set<string>()
    const hits: Hit[] = []
    for (const view of this.#views(plan)) {
      for (const spot of runPlan(view, plan)) {
        if (seen.has(spot.record!.id)) continue
        seen.add(spot.record!.id)
        hits.push({ spot, view })
      }
    }
    return windowOf(hits, plan.controls, options)
  }

  #views(plan: Plan): Iterable<View> {
    const { time } = plan
    if (plan.optional) throw invalid('A trailing ? is for mutations; a read that finds nothing gives an empty list.')
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
        throw invalid('Ranges of snapshots are not supported yet; name one snapshot, or @* for all.')
    }
  }

  #at(point: TimePoint): View {
    const oldest = this.#sources.cycles().at(-1)
    if (point.kind === 'oldest') return oldest === undefined ? this.#sources.view('@t0') : this.#sources.viewAt(oldest)
    const { kind, value } = point
    return this.#sources.view((kind === 'c' ? `@c${value}` : value > 0 ? `@t+${value}` : `@t${value || '0'}`) as Lens)
  }

  #plan(selector: string, dialect: Dialect): Plan {
    if (typeof selector !== 'string') throw invalid('A selector is a string.')
    const key = dialect + selector
    const known = this.#plans.get(key)
    const plan = known ?? compileSelector(parseSelector(selector, { dialect }))
    this.#plans.delete(key)
    this.#plans.set(key, plan)
    if (this.#plans.size > PLANS) this.#plans.delete(this.#plans.keys().next().value!)
    return plan
  }
}

type Hit = Readonly<{ spot: Spot; view: View }>

function checkWindow({ skip, limit }: SelectOptions): void {
  for (const [name, value] of Object.entries({ skip, limit })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0) || (name === 'limit' && value === Infinity))
      continue
    throw new PactError('E_SELECTOR_INVALID', `The option ${name} must be a whole number from 0 up.`, { name })
  }
}

function invalid(message: string): PactError {
  return new PactError('E_SELECTOR_INVALID', message)
}
