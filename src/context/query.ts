// Which trees a selector reads (D5, D8), and what comes back: ids, nodes, how many, one after another, or for a range
// what changed in it. A selector is compiled once per text; its last answer is kept, and given again as long as nothing
// was written.

import { describe, PactError } from '../errors/index.js'
import type { Dialect, Node, NodeRecord } from '../core/index.js'
import {
  checkRangeOptions,
  diffRange,
  selectionOf,
  type RangeDiffLatestResult,
  type RangeOptions,
} from '../diff/index.js'
import { nodeView, type View } from '../timeline/index.js'
import {
  compileSelector,
  countPlan,
  forgetPlan,
  iteratePlan,
  IDS,
  readSelector,
  RECORDS,
  rerunPlan,
  runPlan,
  SearchCache,
  selectApart,
  selectorError,
  type Apart,
  type Plan,
  type TimePoint,
} from '../selector/index.js'
import { Entry } from './entry.js'
import type { Lens } from './lens.js'
import { resolveRange, type TimeRange } from './range.js'
import { isShort, windowed, windowOf, type Window } from './window.js'

/** Options for one selector; those of RangeOptions say something about ranges only. */
export type SelectOptions = RangeOptions &
  Readonly<{
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
  /** Whether a range gives what changed in it, or a flat list (D23). */
  rangesAreDiffs: boolean
  view: (lens: Lens) => View
  /** The working state as it is now, whatever is written later. */
  still: () => View
  /** The cycles of all snapshots, newest first. */
  cycles: () => readonly number[]
  viewAt: (cycle: number) => View
}>

/** How many compiled selectors are kept, how many of their last answers, and how many ids these may hold at least. */
const ENTRIES = 512
const ANSWERS = 64
const SPARE_IDS = 200_000

export class Queries {
  readonly #sources: Sources
  /** By dialect and text, the oldest first: with a time prefix or none, and for a snapshot's own calls. */
  readonly #free: EntriesByDialect = { '1.0': new Map(), '0.1': new Map() }
  readonly #bound: EntriesByDialect = { '1.0': new Map(), '0.1': new Map() }
  /** The entries of the dialect that calls have unless they say otherwise. */
  readonly #usual: Map<string, Entry>
  readonly #cache = new SearchCache()
  /** Entries that hold an answer, the one used longest ago first. */
  readonly #kept = new Set<Entry>()
  #latest: Entry | undefined
  #keptIds = 0
  #stamp = 0

  constructor(sources: Sources) {
    this.#sources = sources
    this.#usual = this.#free[sources.dialect]!
  }

  /** Something was written: no answer of before can be given again unseen. */
  touch(): void {
    this.#stamp++
  }

  /** What `select` gives: a list of ids, or for a range what changed in it. */
  select(selector: string, options?: SelectOptions): readonly string[] | RangeDiffLatestResult {
    // Only lists of ids are kept, so a known answer is one.
    if (options === undefined && this.#usual.get(selector)?.stamp === this.#stamp) return this.#usual.get(selector)!.ids
    const { plan } = this.#entry(selector, options, undefined)
    if (plan.time?.kind !== 'range') return this.ids(selector, options)
    if (modeOf(plan) === 'union' || !this.#sources.rangesAreDiffs) return this.#rangeIds(plan, plan.time, options)
    return this.rangeDiff(selector, options)
  }

  /** What changed in a range; a selector without one has nothing to compare. */
  rangeDiff(selector: string, options: SelectOptions = NO_OPTIONS): RangeDiffLatestResult {
    const { plan } = this.#entry(selector, options, undefined)
    const mode = modeOf(plan)
    if (plan.time?.kind !== 'range') {
      throw faultAt(selector, plan, 'rangeDiffLatest needs a range of snapshots, such as @t-3..@t0 or @history.')
    }
    if (mode === 'union') {
      const { span } = plan.controls.findLast((control) => control.name === 'mode')!
      const sentence = '@mode=union is a flat list of ids; use select for it.'
      throw selectorError('E_SELECTOR_INVALID', sentence, selector, span.start, span.end)
    }
    const window = windowOf(plan, options)
    checkRangeOptions(options)
    const { refs, warnings } = resolveRange(plan.time, this.#sources.cycles())
    const sides = refs.slice(0, options.maxSnapshots).map((ref) => ({ ref, view: this.#sources.viewAt(ref.cycle) }))
    const select = this.#selector(plan, window)
    return diffRange({ query: selector, mode, sides, select, found: refs.length, warnings, options })
  }

  /** Selects in pairs of views; the next pair usually has one of the last pair's. */
  #selector(plan: Plan, window: Window): (older: View, newer: View) => Apart {
    const isWhole = window.skip === 0 && window.limit === Infinity
    let last: Readonly<{ view: View; ids: readonly string[] }> | undefined
    const idsOf = (view: View): readonly string[] => {
      if (last?.view === view) return last.ids
      return windowed(runPlan(view, plan, this.#cache, IDS), window)
    }
    return (older, newer) => {
      const apart = isWhole ? selectApart(older, newer, plan, this.#cache) : undefined
      if (apart !== undefined) return apart
      const after = idsOf(newer)
      const before = idsOf(older)
      last = { view: older, ids: before }
      return selectionOf(before, after)
    }
  }

  /** The flat list over a range (D8, D23). */
  #rangeIds(plan: Plan, time: TimeRange, options: SelectOptions = NO_OPTIONS): readonly string[] {
    const window = windowOf(plan, options)
    checkRangeOptions(options)
    const { refs } = resolveRange(time, this.#sources.cycles())
    const views = refs.slice(0, options.maxSnapshots).map(({ cycle }) => this.#sources.viewAt(cycle))
    return Object.freeze(Array.from(this.#hits(plan, views, window), ({ record }) => record.id))
  }

  /** The nodes that a mutation's selector finds in the working state; none is a fault, unless it ends in `?` (D23). */
  targets(selector: string): readonly NodeRecord[] {
    if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
    const plan = compileSelector(readSelector(selector, { dialect: this.#sources.dialect }))
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A mutation works on the open cycle, so its selector has no time prefix.')
    }
    const { skip, limit } = windowOf(plan)
    const found = runPlan(this.#sources.view('working'), plan, this.#cache, RECORDS).slice(skip, skip + limit)
    if (found.length > 0 || plan.optional) return found
    const message = `Nothing in the working state matches ${quote(selector)}; end it in ? to let that pass.`
    throw new PactError('E_NODE_NOT_FOUND', message, { selector })
  }

  /** What a selector selects in two views, for a diff of them (D38). */
  selection(older: View, newer: View, selector: string): Apart {
    const { plan } = this.#entry(selector, undefined, undefined)
    if (plan.time !== undefined) {
      throw faultAt(selector, plan, 'A diff names its two trees itself, so its selector has no time prefix.')
    }
    return this.#selector(plan, windowOf(plan))(older, newer)
  }

  ids(selector: string, options?: SelectOptions, view?: View): readonly string[] {
    // What is asked again and again is answered here.
    if (options === undefined && view === undefined) {
      const known = this.#usual.get(selector)
      if (known !== undefined && known.stamp === this.#stamp) return known.ids
    }
    const entry = this.#entry(selector, options, view)
    const { plan } = entry
    const window = windowOf(plan, options)
    const views = view === undefined ? this.#views(plan, selector) : [view]
    const ids = Object.freeze(this.#ids(entry, views, window))
    if (options === undefined && view === undefined && plan.time?.kind !== 'preview') {
      entry.stamp = this.#stamp
      entry.ids = ids
    }
    return ids
  }

  nodes(selector: string, options?: SelectOptions, view?: View): readonly Node[] {
    const { plan } = this.#entry(selector, options, view)
    const window = windowOf(plan, options)
    const [only, ...others] = view === undefined ? this.#views(plan, selector) : [view]
    if (only === undefined || others.length > 0 || isShort(window, only)) {
      return Object.freeze([...this.iterate(selector, options, view)])
    }
    const records = runPlan(only, plan, this.#cache, RECORDS)
    const { skip, limit } = window
    return Object.freeze(records.slice(skip, skip + limit).map((record) => nodeOf(only, record)))
  }

  count(selector: string, options?: SelectOptions, view?: View): number {
    const isUsual = options === undefined && view === undefined
    if (isUsual) {
      const known = this.#usual.get(selector)
      if (known !== undefined && known.countStamp === this.#stamp) return known.count
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
    const { skip, limit } = windowOf(plan, options)
    const [only, ...others] = view === undefined ? this.#views(plan, selector) : [view]
    if (only === undefined || others.length > 0) return this.ids(selector, options, view).length
    const found = entry.holds(only) ? entry.found!.length : countPlan(only, plan, this.#cache)
    return Math.max(0, Math.min(found - skip, limit))
  }

  first(selector: string, options?: SelectOptions, view?: View): Node | undefined {
    for (const node of this.iterate(selector, options, view)) return node
    return undefined
  }

  /** The nodes one after another, from the trees as they are now. Errors come at once, not with the first node. */
  iterate(selector: string, options?: SelectOptions, view?: View): Generator<Node, void, undefined> {
    const { plan } = this.#entry(selector, options, view)
    const views = view === undefined ? this.#views(plan, selector, true) : [view]
    return this.#nodes(plan, views, windowOf(plan, options))
  }

  *#nodes(plan: Plan, views: readonly View[], window: Window): Generator<Node, void, undefined> {
    for (const { record, view } of this.#hits(plan, views, window)) yield nodeOf(view, record)
  }

  #ids(entry: Entry, views: readonly View[], window: Window): readonly string[] {
    const { plan } = entry
    const [only] = views
    if (only === undefined || views.length > 1 || (isShort(window, only) && !entry.holds(only))) {
      return Array.from(this.#hits(plan, views, window), ({ record }) => record.id)
    }
    return windowed(this.#remembered(entry, only), window)
  }

  /** The ids that a plan finds in one view. A tree that was asked before gives the same list again. */
  #remembered(entry: Entry, view: View): readonly string[] {
    if (entry.holds(view)) return entry.found!
    const { plan } = entry
    // What is asked a second time will be asked a third time: from then on it pays to keep what does not change.
    const isAgain = entry.runs++ > 0
    const found = isAgain ? rerunPlan(view, plan, this.#cache) : runPlan(view, plan, this.#cache, IDS)
    this.#keep(entry, view, found)
    return found
  }

  #keep(entry: Entry, view: View, found: readonly string[]): void {
    this.#keptIds += found.length - (entry.found?.length ?? 0)
    entry.found = found
    entry.tree = view.tree
    entry.cycle = view.cycle
    entry.isWorking = view.isWorking
    if (this.#latest !== entry) {
      this.#latest = entry
      this.#kept.delete(entry)
      this.#kept.add(entry)
    }
    const mostIds = SPARE_IDS + 2 * view.tree.regions[1].children.count
    while (this.#kept.size > ANSWERS || (this.#keptIds > mostIds && this.#kept.size > 1)) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const [oldest] = this.#kept as Iterable<Entry> as [Entry]
    this.#kept.delete(oldest)
    this.#forget(oldest)
  }

  #forget(entry: Entry): void {
    this.#keptIds -= entry.found?.length ?? 0
    if (this.#latest === entry) this.#latest = undefined
    entry.found = undefined
    entry.tree = undefined
    entry.stamp = -1
    entry.ids = NO_IDS
    entry.runs = 0
    forgetPlan(entry.plan)
  }

  /** Over several views: newest first, each id where it is first seen (D8). */
  *#hits(plan: Plan, views: readonly View[], { skip, limit }: Window): Generator<Hit, void, undefined> {
    const seen = new Set<string>()
    let at = 0
    for (const view of views) {
      for (const record of iteratePlan(view, plan, this.#cache)) {
        if (at >= skip + limit) return
        if (views.length > 1) {
          if (seen.has(record.id)) continue
          seen.add(record.id)
        }
        if (at++ >= skip) yield { record, view }
      }
    }
  }

  #views(plan: Plan, text: string, isKept = false): readonly View[] {
    const { time } = plan
    if (time === undefined) return [plan.dialect === '1.0' ? this.#working(isKept) : this.#sources.view('@t0')]
    switch (time.kind) {
      case 'working':
        return [this.#working(isKept)]
      case 'preview':
        return [this.#sources.view('preview')]
      case 'all':
        return this.#sources.cycles().map((cycle) => this.#sources.viewAt(cycle))
      case 'at':
        return [this.#at(time.at)]
      case 'range':
        throw faultAt(
          text,
          plan,
          'A range of snapshots is for select and rangeDiffLatest; name one snapshot here, or @* for all.',
        )
    }
  }

  #working(isKept: boolean): View {
    return isKept ? this.#sources.still() : this.#sources.view('working')
  }

  #at(point: TimePoint): View {
    if (point.kind === 'oldest') {
      const oldest = this.#sources.cycles().at(-1)
      return oldest === undefined ? this.#sources.view('@t0') : this.#sources.viewAt(oldest)
    }
    const { kind, value } = point
    if (value === 0 && kind === 't') return this.#sources.view('@t0')
    return this.#sources.view((kind === 'c' ? `@c${value}` : value > 0 ? `@t+${value}` : `@t${value}`) as Lens)
  }

  #entry(selector: string, options: SelectOptions | undefined, view: View | undefined): Entry {
    const dialect = options?.dialect ?? this.#sources.dialect
    const entries = (view === undefined ? this.#free : this.#bound)[dialect]
    if (entries === undefined) throw invalid(`The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
    const known = entries.get(selector)
    if (known !== undefined) return known
    if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
    const plan = compileSelector(readSelector(selector, { dialect, bound: view !== undefined }))
    checkReadable(plan, selector, view !== undefined)
    const entry = new Entry(plan)
    if (entries.size >= ENTRIES) this.#dropOldest(entries)
    entries.set(selector, entry)
    return entry
  }

  #dropOldest(entries: Map<string, Entry>): void {
    const [[selector, entry]] = entries as Iterable<[string, Entry]> as [[string, Entry]]
    entries.delete(selector)
    if (this.#kept.delete(entry)) this.#forget(entry)
  }
}

type EntriesByDialect = Readonly<Partial<Record<Dialect, Map<string, Entry>>>>

type Hit = Readonly<{ record: NodeRecord; view: View }>

const NO_IDS: readonly string[] = Object.freeze([])
const NO_OPTIONS: SelectOptions = Object.freeze({})

function nodeOf(view: View, record: NodeRecord): Node {
  return nodeView(view, record.nodeClass === 'root' ? record : view.nodeOf(record))
}

/** Refuses what only mutations may say, and what a snapshot's own calls may not. */
function checkReadable({ optional, time }: Plan, text: string, isBound: boolean): void {
  if (isBound && time !== undefined) {
    const sentence = "A snapshot's own calls read that snapshot, so their selectors have no time prefix."
    throw selectorError('E_SELECTOR_INVALID', sentence, text, time.span.start, time.span.end)
  }
  if (optional) {
    const at = text.lastIndexOf('?')
    const sentence = 'A trailing "?" is for mutations; a read that finds nothing gives an empty list.'
    throw selectorError('E_SELECTOR_INVALID', sentence, text, at, at + 1)
  }
}

/** A selector in a sentence, cut short where it is long. */
function quote(selector: string): string {
  return JSON.stringify(selector.length > 80 ? `${selector.slice(0, 79)}…` : selector)
}

/** How the snapshots of a range are compared; the last `@mode` counts (D23). */
function modeOf({ controls }: Plan): 'pairwise' | 'latest' | 'union' {
  const mode = controls.findLast((control) => control.name === 'mode')?.value
  return mode === 'latest' || mode === 'union' ? mode : 'pairwise'
}

function faultAt(text: string, { time }: Plan, sentence: string): PactError {
  const { start, end } = time?.span ?? { start: 0, end: 0 }
  return selectorError('E_SELECTOR_INVALID', sentence, text, start, end)
}

function invalid(message: string): PactError {
  return new PactError('E_SELECTOR_INVALID', message)
}
