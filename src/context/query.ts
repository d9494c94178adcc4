// Answers selectors: ids, nodes, counts, one node after another, or for a range the changes in it.

import type { Dialect, Node, NodeRecord } from '../core/index.js'
import { checkRangeOptions, diffRange, modeOf, pairSelector, type RangeDiffLatestResult } from '../diff/index.js'
import { nodeView, type View } from '../timeline/index.js'
import { selectorError } from '../selector/index.js'
import {
  Visits,
  compileKey,
  iterateJoined,
  iteratePlan,
  KnownSelectors,
  runPlan,
  windowedOf,
  type Apart,
  type Hit,
  type KnownSelector,
} from '../query/index.js'
import { emptyWarning } from './empty-answer.js'
import { mutationOf, withoutFacets, type Mutation } from './mutation-query.js'
import { resolveRange, type TimeRange } from './range.js'
import { budgetFor, checkSelectOptions, type DiffOptions, type SelectOptions } from './select-options.js'
import { allViews, faultAt, viewOf, type QuerySource } from './query-views.js'
import { windowOf, type Window } from './window.js'

/** A selector with its window and budget, and the tree to search; without a tree, all snapshots are searched. */
type Question = Readonly<{
  known: KnownSelector
  selector: string
  window: Window
  budget: Visits
  view: View | undefined
  /** True if the caller gave the tree, as a snapshot does. */
  isBound: boolean
}>

export class Queries {
  readonly #sources: QuerySource
  /** Made by the first question: there may be thousands of contexts that are asked none. */
  #asked: KnownSelectors | undefined
  constructor(sources: QuerySource) {
    this.#sources = sources
  }

  get #known(): KnownSelectors {
    return (this.#asked ??= new KnownSelectors())
  }

  /** Drops every memo and answer: something was erased that they may hold. */
  clear(): void {
    this.#asked = undefined
  }

  /** The result of `select`: a list of ids, or for a range the changes in it. */
  select(selector: string, options?: SelectOptions): readonly string[] | RangeDiffLatestResult {
    const known = this.#read(selector, options, undefined)
    const { plan } = known
    if (plan.time?.kind !== 'range') return this.ids(selector, options)
    if (modeOf(plan) !== 'union' && this.#sources.rangesAreDiffs) return this.rangeDiff(selector, options)
    return this.#rangeIds(selector, known, plan.time, options)
  }

  /** The changes in a range; refused for a selector without one. */
  rangeDiff(selector: string, options: SelectOptions = NO_OPTIONS): RangeDiffLatestResult {
    const known = this.#read(selector, options, undefined)
    const { plan } = known
    const mode = modeOf(plan)
    if (plan.time?.kind !== 'range') {
      throw faultAt(selector, plan, 'rangeDiffLatest needs a range of snapshots, such as @t-3..@t0 or @history.')
    }
    if (mode === 'union') {
      const { span } = plan.controls.find((control) => control.name === 'mode')!
      const sentence = '@mode=union is a flat list of ids; use select for it.'
      throw selectorError('E_SELECTOR_INVALID', sentence, selector, span.start, span.end)
    }
    const select = pairSelector(plan, windowOf(plan, options), budgetFor(selector, options))
    checkRangeOptions(options)
    const range = resolveRange(plan.time, selector, this.#sources.bounds, options.maxSnapshots)
    const sides = range.refs.map((ref) => ({ ref, view: this.#sources.at(ref.cycle)! }))
    const { found, warnings } = range
    const answer = diffRange({ query: selector, mode, sides, select, found, warnings, options })
    if (answer.diffs.every((each) => each.added_ids.length + each.removed_ids.length + each.changed.length === 0))
      this.#noteUnmatched(selector, known, () => sides.map(({ view }) => view))
    return answer
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
    const { refs } = resolveRange(time, selector, this.#sources.bounds, options.maxSnapshots)
    const views = refs.map(({ cycle }) => this.#sources.at(cycle)!)
    const hits = windowedOf(iterateJoined(views, known.plan, budget), window)
    const ids = Object.freeze(Array.from(hits, ({ record }) => record.id))
    if (ids.length === 0) this.#noteEmpty({ known, selector, window, budget, view: undefined, isBound: false })
    return ids
  }

  /** Parses the selector of a mutation (D23). */
  mutation(selector: string): Mutation {
    return mutationOf(selector, this.#sources.dialect, Visits.unlimited())
  }

  /** All nodes of a view with this key, or with any; down to a depth if one is given. */
  instancesOf(view: View, key: string | undefined, deepest?: number): readonly NodeRecord[] {
    return runPlan(view, compileKey(key, deepest), Visits.unlimited())
  }

  /** The ids that a selector selects in two views, for a diff of them (D38). */
  selection(older: View, newer: View, selector: string, options?: DiffOptions): Apart {
    const advice = 'A diff cannot ask for age, born_turn or depth; a range such as @t-3..@t0 can.'
    const known = withoutFacets(selector, this.#sources.dialect, advice, () =>
      this.#read(selector, undefined, undefined),
    )
    const { plan } = known
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A diff names its two trees itself, so its selector has no time prefix.')
    }
    const apart = pairSelector(plan, windowOf(plan), budgetFor(selector, options))(older, newer)
    if (apart.older.length + apart.newer.length === 0) this.#noteUnmatched(selector, known, () => [newer, older])
    return apart
  }

  ids(selector: string, options?: SelectOptions, view?: View): readonly string[] {
    const asked = this.#ask(selector, options, view)
    const ids =
      asked.view === undefined
        ? Object.freeze(Array.from(this.#hits(asked), ({ record }) => record.id))
        : this.#known.idsIn(asked.known, asked.view, asked.window, asked.budget)
    if (ids.length === 0) this.#noteEmpty(asked)
    return ids
  }

  /** The dialect of selectors that name none. */
  get dialect(): Dialect {
    return this.#sources.dialect
  }

  nodes(selector: string, options?: SelectOptions, view?: View): readonly Node[] {
    const asked = this.#ask(selector, options, view)
    const nodes = this.#nodesOf(asked, asked.window)
    if (nodes.length === 0) this.#noteEmpty(asked)
    return Object.freeze(nodes)
  }

  #nodesOf(asked: Question, window: Window): Node[] {
    const { known, view, budget } = asked
    if (view === undefined) return Array.from(this.#hits({ ...asked, window }), nodeOf)
    const ids = this.#known.idsIn(known, view, window, budget)
    return ids.map((id) => nodeOf({ view, record: view.find(id)! }))
  }

  count(selector: string, options?: SelectOptions, view?: View): number {
    const asked = this.#ask(selector, options, view)
    if (asked.view === undefined) return this.ids(selector, options).length
    const found = this.#known.idsIn(asked.known, asked.view, WHOLE, asked.budget).length
    if (found === 0) this.#noteEmpty(asked)
    const { skip, limit } = asked.window
    return Math.max(0, Math.min(found - skip, limit))
  }

  first(selector: string, options?: SelectOptions, view?: View): Node | undefined {
    const asked = this.#ask(selector, options, view)
    const { skip, limit } = asked.window
    const [first] = this.#nodesOf(asked, { skip, limit: Math.min(limit, 1) })
    if (first === undefined) this.#noteEmpty(asked)
    return first
  }

  /** The nodes one after another, from the trees as they are now. Errors come at once, not with the first node. */
  iterate(selector: string, options?: SelectOptions, view?: View): Generator<Node, void, undefined> {
    const asked = this.#ask(selector, options, view, true)
    // The list of snapshots is read now, not with the first node.
    const all = asked.view === undefined ? allViews(this.#sources) : undefined
    return nodesOf(this.#hits(asked, all), () => this.#noteEmpty(asked))
  }

  /** Checks a question and finds its tree; `isKept` if later edits must not change the tree. */
  #ask(selector: string, options: SelectOptions | undefined, bound: View | undefined, isKept = false): Question {
    const known = this.#read(selector, options, bound)
    const window = windowOf(known.plan, options)
    const budget = budgetFor(selector, options)
    const view = bound ?? viewOf(this.#sources, known.plan, selector, isKept)
    return { known, selector, window, budget, view, isBound: bound !== undefined }
  }

  /** Warns, once for each text, of a read that found nothing and whose text may mean something else than intended. */
  #noteEmpty({ known, selector, window, isBound }: Question): void {
    if (known.isNoted || window.skip > 0 || window.limit === 0) return
    known.isNoted = true
    const warning = emptyWarning(selector, known.plan.dialect, isBound)
    if (warning !== undefined) this.#sources.warn(warning.subject, warning.message, warning.details)
  }

  /** Warns as `#noteEmpty` does, of a comparison without a change: its trees may still hold nodes that match. */
  #noteUnmatched(selector: string, known: KnownSelector, views: () => readonly View[]): void {
    if (known.isNoted) return
    const { plan } = known
    const warning = emptyWarning(selector, plan.dialect, false)
    if (warning !== undefined && iterateJoined(views(), plan, Visits.unlimited()).next().done !== true) return
    known.isNoted = true
    if (warning === undefined) return
    this.#sources.warn(warning.subject, warning.message, warning.details)
  }

  /** The matches in the tree of a question, or in all snapshots. */
  *#hits({ known: { plan }, view, window, budget }: Question, all?: Iterable<View>): Generator<Hit, void, undefined> {
    if (view === undefined) yield* windowedOf(iterateJoined(all ?? allViews(this.#sources), plan, budget), window)
    else for (const record of windowedOf(iteratePlan(view, plan, budget), window)) yield { record, view }
  }

  #read(selector: string, options: SelectOptions | undefined, view: View | undefined): KnownSelector {
    checkSelectOptions(options)
    return this.#known.read(selector, options?.dialect ?? this.#sources.dialect, view !== undefined)
  }
}

const NO_OPTIONS: SelectOptions = Object.freeze({})
const WHOLE: Window = { skip: 0, limit: Infinity }

/** Gives nodes one after another; calls `orElse` at the end if there were none. */
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
