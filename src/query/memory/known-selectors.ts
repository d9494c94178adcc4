// Compiled selectors by their text, and their last answers: both are kept as far as they are used, within bounds.

import { describe, PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import { readSelector, selectorError } from '../../selector/index.js'
import { compileSelector, type Plan } from '../plan/compile.js'
import { forgetPlan, runPlan } from '../search/run.js'
import { IDS } from '../search/join.js'
import { rerunOf, type Rerun } from './follow.js'
import { SearchCache } from './search-cache.js'
import { type Budget } from '../search/budget.js'

/** How many compiled selectors are kept, how many of their last answers, and how many ids these may hold at least. */
const ENTRIES = 512
/** Who was asked only once waits among so many at the most: most of those are never asked again, and keeping them has its price. */
const NEWCOMERS = 32
const ANSWERS = 64
const SPARE_IDS = 200_000
/** An answer that is no list of a whole tree is kept only if it is this short. */
const SHORT = 256

/** A compiled selector with its last answer. */
export class Entry {
  readonly plan: Plan
  /** Whether it was asked since the last time room was needed. */
  isUsed = false
  /** Whether it was asked once only. */
  isNew = true
  /** Whether it found nothing once, and its text was looked at for the reason. */
  isNoted = false
  /** When `ids` was the whole answer: see Queries.touch. */
  stamp = -1
  ids: readonly string[] = NO_IDS
  /** When `count` was the whole answer to how many. */
  countStamp = -1
  count = 0
  /** What the plan found in which tree, before any window. */
  found: readonly string[] | undefined
  /** How many of these count against the room for answers; -1 for none, not even as an answer. */
  counted = -1
  tree: View['tree'] | undefined
  cycle = 0
  isWorking = false
  rerun: Rerun | undefined
  /** Whether the answer is all that is found in the newest snapshot. */
  readonly isOfNewest: boolean

  constructor(plan: Plan) {
    this.plan = plan
    const { dialect, time, controls } = plan
    const isNow = time?.kind === 'at' && time.at.kind === 't' && time.at.value === 0
    this.isOfNewest = controls.length === 0 && (isNow || (time === undefined && dialect === '0.1'))
  }

  /** One tree can be a snapshot, the working state after it and a preview: age and ttl read differently in each. */
  holds({ tree, cycle, isWorking }: View): boolean {
    return this.tree === tree && this.cycle === cycle && this.isWorking === isWorking
  }
}

export class Plans {
  /** By dialect: with a time prefix or none, and for a snapshot's own calls. */
  readonly #free: ByDialect = byDialect()
  readonly #bound: ByDialect = byDialect()
  /** Entries that hold an answer. */
  readonly #kept = new Set<Entry>()
  #keptIds = 0
  readonly cache: SearchCache = new SearchCache()

  /** The entries of one dialect, for a look at them without a call. */
  entriesOf(dialect: Dialect): ReadonlyMap<string, Entry> {
    return this.#free.get(dialect)!.known
  }

  /** The compiled form of a text that reads; `isBound` for a snapshot's own calls (D5). */
  entry(selector: string, dialect: Dialect, isBound: boolean): Entry {
    const entries = (isBound ? this.#bound : this.#free).get(dialect)
    if (entries === undefined) throw invalid(`The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
    const { known, newcomers } = entries
    const old = known.get(selector)
    if (old !== undefined) {
      old.isUsed = true
      return old
    }
    const again = newcomers.take(selector)
    if (again !== undefined) {
      again.isNew = false
      if (again.found !== undefined) {
        this.#count(again, again.found.length)
        if (this.#kept.size > ANSWERS) this.#forgetOne(again)
      }
      if (known.size >= ENTRIES) this.#makeRoom(known)
      known.set(selector, again)
      return again
    }
    const plan = compile(selector, dialect, isBound)
    checkReadable(plan, selector, isBound)
    const entry = new Entry(plan)
    const gone = newcomers.add(selector, entry)
    if (gone !== undefined) for (const each of gone.values()) if (each.counted >= 0) this.#forget(each)
    return entry
  }

  /** The ids that a plan finds in one view, frozen. A tree that was asked before gives the same list again. */
  idsIn(entry: Entry, view: View, budget: Budget): readonly string[] {
    if (entry.holds(view)) return entry.found!
    const found = this.#find(entry, view, budget)
    entry.tree = view.tree
    entry.cycle = view.cycle
    entry.isWorking = view.isWorking
    if (found !== entry.found) this.#hold(entry, found, SPARE_IDS + 2 * view.tree.regions[1].children.count)
    return found
  }

  #find(entry: Entry, view: View, budget: Budget): readonly string[] {
    if (entry.rerun !== undefined) return entry.rerun.ids(view, budget)
    const { plan, found, tree } = entry
    // What is asked a second time will be asked a third time: from then on it pays to keep what does not change.
    if (found === undefined || tree === undefined) return runPlan(view, plan, this.cache, budget, IDS)
    entry.rerun = rerunOf(plan, this.cache, { tree, ids: found })
    return entry.rerun.ids(view, budget)
  }

  #hold(entry: Entry, found: readonly string[], mostIds: number): void {
    Object.freeze(found)
    entry.found = found
    // A newcomer is likely to go soon; a short list of its is not worth the counting.
    if (entry.isNew && entry.counted < 0 && found.length <= SHORT) return
    this.#count(entry, found.length)
    while (this.#kept.size > ANSWERS || (this.#keptIds > mostIds && this.#kept.size > 1)) this.#forgetOne(entry)
  }

  #count(entry: Entry, ids: number): void {
    if (entry.counted < 0) this.#kept.add(entry)
    this.#keptIds += ids - Math.max(0, entry.counted)
    entry.counted = ids
  }

  /** Remembers a whole answer until something is written. */
  keepIds(entry: Entry, ids: readonly string[], stamp: number): void {
    if (ids !== entry.found && ids.length > SHORT) return
    entry.stamp = stamp
    entry.ids = ids
  }

  /** The entry used longest ago, more or less: whoever was used since the last look gets a second chance. */
  #makeRoom(entries: Map<string, Entry>): void {
    for (const [selector, entry] of entries) {
      entries.delete(selector)
      if (entry.isUsed) {
        entry.isUsed = false
        entries.set(selector, entry)
        continue
      }
      if (entry.counted >= 0) this.#forget(entry)
      return
    }
  }

  #forgetOne(latest: Entry): void {
    for (const entry of this.#kept) {
      this.#kept.delete(entry)
      if (entry.isUsed || entry === latest) {
        entry.isUsed = entry === latest
        this.#kept.add(entry)
        continue
      }
      this.#forget(entry)
      return
    }
  }

  #forget(entry: Entry): void {
    this.#kept.delete(entry)
    this.#keptIds -= entry.counted
    entry.counted = -1
    entry.found = undefined
    entry.tree = undefined
    entry.stamp = -1
    entry.ids = NO_IDS
    entry.rerun = undefined
    forgetPlan(entry.plan)
  }
}

/** The texts asked last that were asked once only, in two halves: the older one goes whole, which costs least. */
class Newcomers {
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()

  take(text: string): Entry | undefined {
    const entry = this.#young.get(text) ?? this.#old.get(text)
    if (entry !== undefined && !this.#young.delete(text)) this.#old.delete(text)
    return entry
  }

  /** Gives those that had to go. */
  add(text: string, entry: Entry): ReadonlyMap<string, Entry> | undefined {
    let gone: ReadonlyMap<string, Entry> | undefined
    if (this.#young.size >= NEWCOMERS / 2) {
      gone = this.#old
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(text, entry)
    return gone
  }
}

type Entries = Readonly<{ known: Map<string, Entry>; newcomers: Newcomers }>
type ByDialect = ReadonlyMap<string, Entries>

function byDialect(): ByDialect {
  const dialects: readonly Dialect[] = ['1.0', '0.1']
  return new Map(dialects.map((dialect) => [dialect, { known: new Map(), newcomers: new Newcomers() }]))
}

const NO_IDS: readonly string[] = Object.freeze([])

/** Compiles a text; a fault in it is a PactError with its place. */
export function compile(selector: string, dialect: Dialect, isBound: boolean): Plan {
  if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
  return compileSelector(readSelector(selector, { dialect, bound: isBound }))
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

function invalid(message: string): PactError {
  return new PactError('E_SELECTOR_INVALID', message)
}
