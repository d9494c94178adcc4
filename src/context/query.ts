// What comes back for a selector: ids, nodes, how many, one after another, or for a range what changed in it. What was
// answered is answered again at once, as long as nothing was written.

import type { Node, NodeRecord } from '../core/index.js'
import { checkRangeOptions, diffRange, type RangeDiffLatestResult } from '../diff/index.js'
import { nodeView, View } from '../timeline/index.js'
import { selectorError } from '../selector/index.js'
import {
  Visits,
  compileKey,
  iterateJoined,
  iteratePlan,
  KnownSelectors,
  RECORDS,
  REMEMBERING,
  runPlan,
  windowedOf,
  type Apart,
  type Hit,
  type KnownSelector,
  type Plan,
} from '../query/index.js'
import { emptyWarning } from './empty-answer.js'
import { modeOf, pairSelector } from './pair-query.js'
import { mutationOf, withoutFacets, type Mutation } from './mutation-query.js'
import { resolveRange, type TimeRange } from './range.js'
import { budgetFor, checkSelectOptions, type DiffOptions, type SelectOptions } from './select-options.js'
import { allViews, faultAt, newestOf, viewOf, type Sources } from './query-views.js'
import { windowOf, type Window } from './window.js'

export class Queries {
  readonly #sources: Sources
  /** Made by the first question: there may be thousands of contexts that are asked none. */
  #asked: KnownSelectors | undefined
  /** Those of the dialect that calls have unless they say otherwise. */
  #usual: ReadonlyMap<string, KnownSelector> | undefined
  #stamp = 0
  /** The newest snapshot as its commit has left it, until something is written. */
  #newest: View | undefined

  constructor(sources: Sources) {
    this.#sources = sources
  }

  get #known(): KnownSelectors {
    if (this.#asked === undefined) {
      this.#asked = new KnownSelectors()
      this.#usual = this.#asked.ofDialect(this.#sources.dialect)
    }
    return this.#asked
  }

  /** Something was written: no answer of before can be given again unseen. */
  touch(): void {
    this.#stamp++
    this.#newest = undefined
  }

  /** Nothing that was found before is to be given again, or held. */
  clear(): void {
    this.#asked = undefined
    this.#usual = undefined
    this.touch()
  }

  /** Takes note of a new snapshot, and gives it back. */
  settle(newest: View): View {
    if (REMEMBERING.isOn) this.#known.trees.settle(newest.tree)
    this.#newest = newest
    return newest
  }

  /** What `select` gives: a list of ids, or for a range what changed in it. */
  select(selector: string, options?: SelectOptions): readonly string[] | RangeDiffLatestResult {
    if (options === undefined && REMEMBERING.isOn) {
      // What is asked again and again is answered here; only lists of ids are kept, so a known answer is one.
      const known = this.#usual?.get(selector)
      if (known !== undefined) {
        if (known.stamp !== this.#stamp && known.isOfNewest) this.#answer(known, selector)
        if (known.stamp === this.#stamp) {
          known.isUsed = true
          return known.ids
        }
      }
    }
    const known = this.#read(selector, options, undefined)
    const { plan } = known
    if (plan.time?.kind !== 'range') return this.#idsOf(known, selector, options, undefined)
    if (modeOf(plan) !== 'union' && this.#sources.rangesAreDiffs) return this.rangeDiff(selector, options)
    return this.#rangeIds(selector, known, plan.time, options)
  }

  /** The first time after a write, for a selector that asks the newest snapshot. */
  #answer(known: KnownSelector, selector: string): void {
    const view = this.#newest ?? newestOf(this.#sources)
    const ids = this.#known.idsIn(known, view, windowOf(known.plan), new Visits(selector))
    this.#known.keepIds(known, ids, this.#stamp)
  }

  /** What changed in a range; a selector without one has nothing to compare. */
  rangeDiff(selector: string, options: SelectOptions = NO_OPTIONS): RangeDiffLatestResult {
    const { plan } = this.#read(selector, options, undefined)
    const mode = modeOf(plan)
    if (plan.time?.kind !== 'range') {
      throw faultAt(selector, plan, 'rangeDiffLatest needs a range of snapshots, such as @t-3..@t0 or @history.')
    }
    if (mode === 'union') {
      const { span } = plan.controls.find((control) => control.name === 'mode')!
      const sentence = '@mode=union is a flat list of ids; use select for it.'
      throw selectorError('E_SELECTOR_INVALID', sentence, selector, span.start, span.end)
    }
    const select = pairSelector(plan, windowOf(plan, options), this.#known.trees, budgetFor(selector, options))
    checkRangeOptions(options)
    const range = resolveRange(plan.time, selector, this.#sources.bounds(), options.maxSnapshots)
    const sides = range.refs.map((ref) => ({ ref, view: this.#sources.viewAt(ref.cycle)! }))
    const { found, warnings } = range
    return diffRange({ query: selector, mode, sides, select, found, warnings, options })
  }

  /** The flat list over a range (D8, D23). */
  #rangeIds(
    selector: string,
    known: KnownSelector,
    time: TimeRange,
    options: SelectOptions = NO_OPTIONS,
  ): readonly string[] {
    const window = windowOf(known.plan, options)
    const budget = budgetFor(selector, options)
    checkRangeOptions(options)
    const { refs } = resolveRange(time, selector, this.#sources.bounds(), options.maxSnapshots)
    const views = refs.map(({ cycle }) => this.#sources.viewAt(cycle)!)
    const hits = windowedOf(iterateJoined(views, known.plan, this.#known.trees, budget), window)
    const ids = Object.freeze(Array.from(hits, ({ record }) => record.id))
    if (ids.length === 0) this.#noteEmpty(known, selector, window, false)
    return ids
  }

  /** How to find the nodes that a mutation's selector means, and whether none is no fault (D23). */
  mutation(selector: string): Mutation {
    const everything = (): readonly View[] => [this.#sources.still(), ...allViews(this.#sources)]
    return mutationOf(selector, this.#sources.dialect, this.#known.trees, everything)
  }

  /** All nodes of a view with this key, or with any; down to a depth if one is given. */
  instancesOf(view: View, key: string | undefined, deepest?: number): readonly NodeRecord[] {
    return runPlan(view, compileKey(key, deepest), this.#known.trees, Visits.unlimited(), RECORDS)
  }

  /** What a selector selects in two views, for a diff of them (D38). */
  selection(older: View, newer: View, selector: string, options?: DiffOptions): Apart {
    const advice = 'A diff cannot ask for age, born_turn or depth; a range such as @t-3..@t0 can.'
    const { plan } = withoutFacets(selector, this.#sources.dialect, advice, () =>
      this.#read(selector, undefined, undefined),
    )
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A diff names its two trees itself, so its selector has no time prefix.')
    }
    return pairSelector(plan, windowOf(plan), this.#known.trees, budgetFor(selector, options))(older, newer)
  }

  ids(selector: string, options?: SelectOptions, view?: View): readonly string[] {
    return this.#idsOf(this.#read(selector, options, view), selector, options, view)
  }

  #idsOf(
    known: KnownSelector,
    selector: string,
    options: SelectOptions | undefined,
    view: View | undefined,
  ): readonly string[] {
    const { plan } = known
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    const only = view ?? viewOf(this.#sources, plan, selector)
    const ids =
      only === undefined
        ? Object.freeze(Array.from(this.#hits(plan, only, window, budget), ({ record }) => record.id))
        : this.#known.idsIn(known, only, window, budget)
    if (options === undefined && view === undefined && plan.time?.kind !== 'preview') {
      this.#known.keepIds(known, ids, this.#stamp)
    }
    if (ids.length === 0) this.#noteEmpty(known, selector, window, view !== undefined)
    return ids
  }

  nodes(selector: string, options?: SelectOptions, view?: View): readonly Node[] {
    const known = this.#read(selector, options, view)
    const { plan } = known
    const window = windowOf(plan, options)
    const nodes = this.#nodesOf(known, selector, options, window, view)
    if (nodes.length === 0) this.#noteEmpty(known, selector, window, view !== undefined)
    return Object.freeze(nodes)
  }

  #nodesOf(
    known: KnownSelector,
    selector: string,
    options: SelectOptions | undefined,
    window: Window,
    view: View | undefined,
  ): Node[] {
    const only = view ?? viewOf(this.#sources, known.plan, selector)
    const budget = budgetFor(selector, options)
    if (only === undefined) return Array.from(this.#hits(known.plan, only, window, budget), nodeOf)
    const ids = this.#known.idsIn(known, only, window, budget)
    return ids.map((id) => nodeOf({ view: only, record: only.find(id)! }))
  }

  count(selector: string, options?: SelectOptions, view?: View): number {
    const isUsual = options === undefined && view === undefined && REMEMBERING.isOn
    if (isUsual) {
      const known = this.#usual?.get(selector)
      if (known !== undefined && known.countStamp === this.#stamp) {
        known.isUsed = true
        return known.count
      }
    }
    const known = this.#read(selector, options, view)
    const count = this.#count(known, selector, options, view)
    if (isUsual && known.plan.time?.kind !== 'preview') {
      known.countStamp = this.#stamp
      known.count = count
    }
    return count
  }

  #count(known: KnownSelector, selector: string, options: SelectOptions | undefined, view: View | undefined): number {
    const { plan } = known
    const window = windowOf(plan, options)
    const { skip, limit } = window
    const budget = budgetFor(selector, options)
    const only = view ?? viewOf(this.#sources, plan, selector)
    if (only === undefined) return this.ids(selector, options).length
    const found = this.#known.countIn(known, only, budget)
    if (found === 0) this.#noteEmpty(known, selector, window, view !== undefined)
    return Math.max(0, Math.min(found - skip, limit))
  }

  first(selector: string, options?: SelectOptions, view?: View): Node | undefined {
    const known = this.#read(selector, options, view)
    const window = windowOf(known.plan, options)
    const { skip, limit } = window
    const [first] = this.#nodesOf(known, selector, options, { skip, limit: Math.min(limit, 1) }, view)
    if (first === undefined) this.#noteEmpty(known, selector, window, view !== undefined)
    return first
  }

  /** The nodes one after another, from the trees as they are now. Errors come at once, not with the first node. */
  iterate(selector: string, options?: SelectOptions, view?: View): Generator<Node, void, undefined> {
    const known = this.#read(selector, options, view)
    const { plan } = known
    const only = view ?? viewOf(this.#sources, plan, selector, true)
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    const noteEmpty = (): void => this.#noteEmpty(known, selector, window, view !== undefined)
    return nodesOf(this.#hits(plan, only ?? allViews(this.#sources), window, budget), noteEmpty)
  }

  /** Warns, once for each text, where a read that asked for all it could find found nothing and may have meant more. */
  #noteEmpty(known: KnownSelector, selector: string, { skip, limit }: Window, isBound: boolean): void {
    if (known.isNoted || skip > 0 || limit === 0) return
    known.isNoted = true
    const warning = emptyWarning(selector, known.plan.dialect, isBound)
    if (warning !== undefined) this.#sources.warn(warning.subject, warning.message, warning.details)
  }

  /** In one view, in several, or without either in every snapshot there is. */
  *#hits(
    plan: Plan,
    from: View | Iterable<View> | undefined,
    window: Window,
    budget: Visits,
  ): Generator<Hit, void, undefined> {
    const { trees } = this.#known
    if (from instanceof View) {
      for (const record of windowedOf(iteratePlan(from, plan, trees, budget), window)) yield { record, view: from }
    } else yield* windowedOf(iterateJoined(from ?? allViews(this.#sources), plan, trees, budget), window)
  }

  #read(selector: string, options: SelectOptions | undefined, view: View | undefined): KnownSelector {
    checkSelectOptions(options)
    return this.#known.read(selector, options?.dialect ?? this.#sources.dialect, view !== undefined)
  }
}

const NO_OPTIONS: SelectOptions = Object.freeze({})

/** One after another; where there is none, `orElse` is called at the end. */
function* nodesOf(hits: Iterable<Hit>, orElse: () => void): Generator<Node, void, undefined> {
  let isEmpty = true
  for (const hit of hits) {
    isEmpty = false
    yield nodeOf(hit)
  }
  if (isEmpty) orElse()
}

function nodeOf({ view, record }: Hit): Node {
  return nodeView(view, record.nodeClass === 'root' ? record : view.nodeOf(record))
}
