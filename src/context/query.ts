// Which trees a selector reads (D5, D8), and what comes back: ids, nodes, how many, one after another, or for a range
// what changed in it. What was answered is answered again at once, as long as nothing was written.

import { PactError } from '../errors/index.js'
import type { Dialect, Node, NodeRecord, Warning } from '../core/index.js'
import { checkRangeOptions, diffRange, selectionOf, type RangeDiffLatestResult } from '../diff/index.js'
import { nodeView, View } from '../timeline/index.js'
import type { Asked } from '../edit/index.js'
import { selectorError, type Span, type TimePoint } from '../selector/index.js'
import {
  compileKey,
  countPlan,
  iteratePlan,
  iterateJoined,
  IDS,
  RECORDS,
  runPlan,
  selectApart,
  Budget,
  type Apart,
  type Hit,
  type Plan,
  type SearchCache,
} from '../query/index.js'
import { adviceOn, emptyWarning } from './empty-answer.js'
import type { Bounds, Lens } from './lens.js'
import { compile, Plans, type Entry } from '../query/index.js'
import { resolveRange, type TimeRange } from './range.js'
import { budgetFor, checkSelectOptions, type SelectOptions } from './select-options.js'
import { faultAt, placed } from './selector-fault.js'
import { isShort, windowed, windowOf, type Window } from './window.js'

/** Where a selector can be pointed at. */
export type Sources = Readonly<{
  dialect: Dialect
  /** Whether a range gives what changed in it, or a flat list (D23). */
  rangesAreDiffs: boolean
  view: (lens: Lens) => View
  /** The working state as it is now, whatever is written later. */
  still: () => View
  /** Which snapshots there are; undefined before the first. */
  bounds: () => Bounds | undefined
  /** The newest snapshot; undefined before the first. */
  newest: () => View | undefined
  /** The snapshot of a cycle; undefined where there is none. */
  viewAt: (cycle: number) => View | undefined
  /** Told once of a subject what is worth knowing about it. */
  warn: (subject: string, message: string, details: Warning['details']) => void
}>

/** How a mutation's selector is asked; `matchesEver` asks the working state, every snapshot, newest first, and others. */
export type AskedEver = Asked & Readonly<{ matchesEver: (others: readonly View[]) => readonly Hit[] }>

export class Queries {
  readonly #sources: Sources
  /** Made by the first question: there may be thousands of contexts that are asked none. */
  #asked: Plans | undefined
  /** The entries of the dialect that calls have unless they say otherwise. */
  #usual: ReadonlyMap<string, Entry> | undefined
  #stamp = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  get #plans(): Plans {
    if (this.#asked === undefined) {
      this.#asked = new Plans()
      this.#usual = this.#asked.entriesOf(this.#sources.dialect)
    }
    return this.#asked
  }

  /** Something was written: no answer of before can be given again unseen. */
  touch(): void {
    this.#stamp++
  }

  /** Nothing that was found before is to be given again, or held. */
  clear(): void {
    this.#asked = undefined
    this.#usual = undefined
    this.touch()
  }

  /** What `select` gives: a list of ids, or for a range what changed in it. */
  select(selector: string, options?: SelectOptions): readonly string[] | RangeDiffLatestResult {
    if (options === undefined) {
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
    const entry = this.#entry(selector, options, undefined)
    const { plan } = entry
    if (plan.time?.kind !== 'range') return this.#idsOf(entry, selector, options, undefined)
    if (modeOf(plan) !== 'union' && this.#sources.rangesAreDiffs) return this.rangeDiff(selector, options)
    return this.#rangeIds(selector, entry, plan.time, options)
  }

  /** The first time after a write, for a selector that asks for all it finds in the newest snapshot. */
  #answer(entry: Entry, selector: string): void {
    this.#plans.keepIds(entry, this.#plans.idsIn(entry, this.#newest(), new Budget(selector)), this.#stamp)
  }

  /** What changed in a range; a selector without one has nothing to compare. */
  rangeDiff(selector: string, options: SelectOptions = NO_OPTIONS): RangeDiffLatestResult {
    const { plan } = this.#entry(selector, options, undefined)
    const mode = modeOf(plan)
    if (plan.time?.kind !== 'range') {
      throw faultAt(selector, plan, 'rangeDiffLatest needs a range of snapshots, such as @t-3..@t0 or @history.')
    }
    if (mode === 'union') {
      const { span } = plan.controls.find((control) => control.name === 'mode')!
      const sentence = '@mode=union is a flat list of ids; use select for it.'
      throw selectorError('E_SELECTOR_INVALID', sentence, selector, span.start, span.end)
    }
    const select = this.#selector(plan, windowOf(plan, options), budgetFor(selector, options))
    checkRangeOptions(options)
    const range = resolveRange(plan.time, selector, this.#sources.bounds(), options.maxSnapshots)
    const sides = range.refs.map((ref) => ({ ref, view: this.#sources.viewAt(ref.cycle)! }))
    const { found, warnings } = range
    return diffRange({ query: selector, mode, sides, select, found, warnings, options })
  }

  /** The flat list over a range (D8, D23). */
  #rangeIds(selector: string, entry: Entry, time: TimeRange, options: SelectOptions = NO_OPTIONS): readonly string[] {
    const { plan } = entry
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    checkRangeOptions(options)
    const { refs } = resolveRange(time, selector, this.#sources.bounds(), options.maxSnapshots)
    const views = refs.map(({ cycle }) => this.#sources.viewAt(cycle)!)
    const ids = Object.freeze(Array.from(this.#hits(plan, views, window, budget), ({ record }) => record.id))
    if (ids.length === 0) this.#noteEmpty(entry, selector, window, false)
    return ids
  }

  /** Selects in pairs of views; the next pair usually has one of the last pair's. */
  #selector(plan: Plan, window: Window, budget: Budget): (older: View, newer: View) => Apart {
    const isWhole = window.skip === 0 && window.limit === Infinity
    let last: Readonly<{ view: View; ids: readonly string[] }> | undefined
    const idsOf = (view: View): readonly string[] => {
      if (last?.view === view) return last.ids
      return windowed(runPlan(view, plan, this.#plans.cache, budget, IDS), window)
    }
    return (older, newer) => {
      const apart = isWhole ? selectApart(older, newer, plan, this.#plans.cache, budget) : undefined
      if (apart !== undefined) return apart
      const after = idsOf(newer)
      const before = idsOf(older)
      last = { view: older, ids: before }
      return selectionOf(before, after)
    }
  }

  /**
   * How to find the nodes that a mutation's selector means, and whether none is no fault (D23). A fault in the text itself
   * comes at once.
   */
  mutation(
    selector: string,
  ): Readonly<{ choices: readonly AskedEver[]; isOptional: boolean; notFound: () => PactError }> {
    const advice = 'A mutation cannot ask for age, born_turn or depth; cycle and :depth() tell the same.'
    const plan = this.#withoutFacets(selector, advice, () => compile(selector, this.#sources.dialect, false))
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A mutation works on the open cycle, so its selector has no time prefix.')
    }
    const { skip, limit } = windowOf(plan)
    const choices = plan.parts.map((part): AskedEver => {
      const matches = (view: View): readonly NodeRecord[] => {
        return runPlan(view, part, this.#plans.cache, Budget.unlimited(), RECORDS).slice(skip, skip + limit)
      }
      const matchesEver = (others: readonly View[]): readonly Hit[] => {
        const views = [this.#working(true), ...this.#all(), ...others]
        return [...iterateJoined(views, part, this.#plans.cache, Budget.unlimited())].slice(skip, skip + limit)
      }
      return { matches, matchesEver, isWindowed: part.isWindowed }
    })
    const notFound = (): PactError => {
      const advice = adviceOn(selector, plan.dialect, false)
      const sentence = `Nothing in the working state matches ${quote(selector)}; end it in ? to let that pass.`
      return new PactError('E_NODE_NOT_FOUND', advice === '' ? sentence : `${sentence} ${advice}`, { selector })
    }
    return { choices, isOptional: plan.optional, notFound }
  }

  /** All nodes of a view with this key, or with any; down to a depth if one is given. */
  instancesOf(view: View, key: string | undefined, deepest?: number): readonly NodeRecord[] {
    return runPlan(view, compileKey(key, deepest), this.#plans.cache, Budget.unlimited(), RECORDS)
  }

  /** What a selector selects in two views, for a diff of them (D38). */
  selection(older: View, newer: View, selector: string): Apart {
    const advice = 'A diff cannot ask for age, born_turn or depth; a range such as @t-3..@t0 can.'
    const { plan } = this.#withoutFacets(selector, advice, () => this.#entry(selector, undefined, undefined))
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A diff names its two trees itself, so its selector has no time prefix.')
    }
    return this.#selector(plan, windowOf(plan), Budget.unlimited())(older, newer)
  }

  /** Facets need a prefix (D9), which neither a diff nor a mutation can have: the parser's advice would lead in a circle. */
  #withoutFacets<T>(selector: string, advice: string, compiled: () => T): T {
    try {
      return compiled()
    } catch (error) {
      if (!PactError.is(error)) throw error
      try {
        compile(selector, this.#sources.dialect, true)
      } catch {
        throw error
      }
      const { pos, token } = error.details as { pos: number; token: string }
      throw selectorError('E_SELECTOR_INVALID', advice, selector, pos, pos + token.length)
    }
  }

  ids(selector: string, options?: SelectOptions, view?: View): readonly string[] {
    return this.#idsOf(this.#entry(selector, options, view), selector, options, view)
  }

  #idsOf(
    entry: Entry,
    selector: string,
    options: SelectOptions | undefined,
    view: View | undefined,
  ): readonly string[] {
    const { plan } = entry
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    const only = view ?? this.#one(plan, selector)
    const isListed = only !== undefined && (entry.holds(only) || !isShort(window, only))
    const ids = isListed
      ? windowed(this.#plans.idsIn(entry, only, budget), window)
      : Array.from(this.#hits(plan, only, window, budget), ({ record }) => record.id)
    if (ids !== entry.found) Object.freeze(ids)
    if (options === undefined && view === undefined && plan.time?.kind !== 'preview') {
      this.#plans.keepIds(entry, ids, this.#stamp)
    }
    if (ids.length === 0) this.#noteEmpty(entry, selector, window, view !== undefined)
    return ids
  }

  nodes(selector: string, options?: SelectOptions, view?: View): readonly Node[] {
    const entry = this.#entry(selector, options, view)
    const { plan } = entry
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    const only = view ?? this.#one(plan, selector)
    const isListed = only !== undefined && !isShort(window, only)
    const nodes = isListed ? this.#listNodes(plan, only, window, budget) : [...this.#nodes(plan, only, window, budget)]
    if (nodes.length === 0) this.#noteEmpty(entry, selector, window, view !== undefined)
    return Object.freeze(nodes)
  }

  #listNodes(plan: Plan, view: View, { skip, limit }: Window, budget: Budget): Node[] {
    const records = runPlan(view, plan, this.#plans.cache, budget, RECORDS)
    return records.slice(skip, skip + limit).map((record) => nodeOf(view, record))
  }

  count(selector: string, options?: SelectOptions, view?: View): number {
    const isUsual = options === undefined && view === undefined
    if (isUsual) {
      const known = this.#usual?.get(selector)
      if (known !== undefined && known.countStamp === this.#stamp) {
        known.isUsed = true
        return known.count
      }
    }
    const entry = this.#entry(selector, options, view)
    const count = this.#count(entry, selector, options, view)
    if (isUsual && entry.plan.time?.kind !== 'preview') {
      entry.countStamp = this.#stamp
      entry.count = count
    }
    return count
  }

  #count(entry: Entry, selector: string, options: SelectOptions | undefined, view: View | undefined): number {
    const { plan } = entry
    const window = windowOf(plan, options)
    const { skip, limit } = window
    const budget = budgetFor(selector, options)
    const only = view ?? this.#one(plan, selector)
    if (only === undefined) return this.ids(selector, options).length
    const found = entry.holds(only) ? entry.found!.length : countPlan(only, plan, this.#plans.cache, budget)
    if (found === 0) this.#noteEmpty(entry, selector, window, view !== undefined)
    return Math.max(0, Math.min(found - skip, limit))
  }

  first(selector: string, options?: SelectOptions, view?: View): Node | undefined {
    const entry = this.#entry(selector, options, view)
    const { plan } = entry
    const only = view ?? this.#one(plan, selector)
    const window = windowOf(plan, options)
    for (const node of this.#nodes(plan, only, window, budgetFor(selector, options))) return node
    this.#noteEmpty(entry, selector, window, view !== undefined)
    return undefined
  }

  /** The nodes one after another, from the trees as they are now. Errors come at once, not with the first node. */
  iterate(selector: string, options?: SelectOptions, view?: View): Generator<Node, void, undefined> {
    const entry = this.#entry(selector, options, view)
    const { plan } = entry
    const only = view ?? this.#one(plan, selector, true)
    const window = windowOf(plan, options)
    const budget = budgetFor(selector, options)
    const noteEmpty = (): void => this.#noteEmpty(entry, selector, window, view !== undefined)
    return orElse(this.#nodes(plan, only ?? this.#all(), window, budget), noteEmpty)
  }

  /** Warns, once for each text, where a read that asked for all it could find found nothing and may have meant more. */
  #noteEmpty(entry: Entry, selector: string, { skip, limit }: Window, isBound: boolean): void {
    if (entry.isNoted || skip > 0 || limit === 0) return
    entry.isNoted = true
    const warning = emptyWarning(selector, entry.plan.dialect, isBound)
    if (warning !== undefined) this.#sources.warn(warning.subject, warning.message, warning.details)
  }

  *#nodes(
    plan: Plan,
    from: View | Iterable<View> | undefined,
    window: Window,
    budget: Budget,
  ): Generator<Node, void, undefined> {
    for (const { record, view } of this.#hits(plan, from, window, budget)) yield nodeOf(view, record)
  }

  /** In one view, in several, or without either in every snapshot there is. */
  *#hits(
    plan: Plan,
    from: View | Iterable<View> | undefined,
    { skip, limit }: Window,
    budget: Budget,
  ): Generator<Hit, void, undefined> {
    const { cache } = this.#plans
    let at = 0
    if (limit <= 0) return
    for (const hit of from instanceof View
      ? hitsIn(from, plan, cache, budget)
      : iterateJoined(from ?? this.#all(), plan, cache, budget)) {
      if (at++ < skip) continue
      yield hit
      if (at >= skip + limit) return
    }
  }

  /** The one tree that a plan reads; undefined for `@*`, which reads all of them. */
  #one(plan: Plan, text: string, isKept = false): View | undefined {
    const { time } = plan
    if (time === undefined) {
      return plan.dialect === '1.0' ? this.#working(isKept) : placed(text, NOWHERE, () => this.#newest())
    }
    switch (time.kind) {
      case 'working':
        return this.#working(isKept)
      case 'preview':
        return this.#sources.view('preview')
      case 'all':
        return undefined
      case 'at':
        return placed(text, time.span, () => this.#at(time.at))
      case 'range':
        throw faultAt(
          text,
          plan,
          'A range of snapshots is for select and rangeDiffLatest; name one snapshot here, or @* for all.',
        )
    }
  }

  /** Every snapshot there is now, newest first; to be gone through more than once. */
  #all(): Iterable<View> {
    const bounds = this.#sources.bounds()
    if (bounds === undefined) return []
    return { [Symbol.iterator]: () => viewsOf(bounds, this.#sources.viewAt) }
  }

  #working(isKept: boolean): View {
    return isKept ? this.#sources.still() : this.#sources.view('working')
  }

  #at(point: TimePoint): View {
    if (point.kind === 'oldest') {
      const bounds = this.#sources.bounds()
      if (bounds !== undefined) return this.#sources.viewAt(bounds.oldest)!
      throw new PactError('E_SNAPSHOT_NOT_FOUND', 'There is no @t-* before the first commit.', { lens: '@t-*' })
    }
    const { kind, value } = point
    if (value === 0 && kind === 't') return this.#newest()
    return this.#sources.view((kind === 'c' ? `@c${value}` : value > 0 ? `@t+${value}` : `@t${value}`) as Lens)
  }

  #newest(): View {
    // Where there is none, the call says so.
    return this.#sources.newest() ?? this.#sources.view('@t0')
  }

  #entry(selector: string, options: SelectOptions | undefined, view: View | undefined): Entry {
    checkSelectOptions(options)
    return this.#plans.entry(selector, options?.dialect ?? this.#sources.dialect, view !== undefined)
  }
}

const NO_OPTIONS: SelectOptions = Object.freeze({})

function* viewsOf({ oldest, newest }: Bounds, viewAt: Sources['viewAt']): Generator<View, void, undefined> {
  for (let cycle = newest; cycle >= oldest; cycle--) {
    const view = viewAt(cycle)
    if (view !== undefined) yield view
  }
}

/** The same one after another; where there is none, `act` is called at the end. */
function* orElse<T>(items: Iterable<T>, act: () => void): Generator<T, void, undefined> {
  let isEmpty = true
  for (const item of items) {
    isEmpty = false
    yield item
  }
  if (isEmpty) act()
}

function* hitsIn(view: View, plan: Plan, cache: SearchCache, budget: Budget): Generator<Hit, void, undefined> {
  for (const record of iteratePlan(view, plan, cache, budget)) yield { record, view }
}

function nodeOf(view: View, record: NodeRecord): Node {
  return nodeView(view, record.nodeClass === 'root' ? record : view.nodeOf(record))
}

const NOWHERE: Span = { start: 0, end: 0 }

/** A selector in a sentence, cut short where it is long. */
function quote(selector: string): string {
  return JSON.stringify(selector.length > 80 ? `${selector.slice(0, 79)}…` : selector)
}

/** How the snapshots of a range are compared (D23). */
function modeOf({ controls }: Plan): 'pairwise' | 'latest' | 'union' {
  const mode = controls.find((control) => control.name === 'mode')?.value
  return mode === 'latest' || mode === 'union' ? mode : 'pairwise'
}
