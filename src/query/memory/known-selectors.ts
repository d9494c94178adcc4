// Compiled selectors by their text, with their last answers: both are kept as far as they are used, within bounds.

import { describe, PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import { isClear, readSelector, selectorError, type Selector } from '../../selector/index.js'
import { windowed, type Window } from '../match/result-order.js'
import { compileSelector } from '../plan/compile.js'
import type { Plan } from '../plan/plan.js'
import type { Visits } from '../search/visits.js'
import { countPlan, IDS, iteratePlan, runPlan } from '../search/run.js'
import { FlatTrees } from './flat-trees.js'
import { canFollow, Following } from './following.js'
import { REMEMBERING } from './remembering.js'

/** How many compiled selectors are kept in each of four maps, and how many of them may hold an answer. */
export const MAX_SELECTORS = 512
export const MAX_ANSWERS = 64
/** How many ids the answers hold together beside two of every node. */
export const SPARE_IDS = 200_000
/** An answer that is no list of a whole tree is kept until the next write only if it is this short. */
const SHORT = 256

/** A compiled selector with its last answer. */
export class KnownSelector {
  readonly plan: Plan
  /** Whether it asks the newest snapshot. */
  readonly isOfNewest: boolean
  /** Whether it was asked since the last time room was needed. */
  isUsed = false
  /** Whether its text needs no look for a reason why it finds nothing: it is clear, or was looked at once. */
  isNoted = false
  /** When `ids`, or `count`, was the whole answer: see Queries.touch. */
  stamp = -1
  ids: readonly string[] = NO_IDS
  countStamp = -1
  count = 0
  /** What the plan found in which tree, before any window. */
  found: readonly string[] | undefined
  tree: View['tree'] | undefined
  cycle = 0
  isWorking = false
  /** How often it had to be looked for. */
  asked = 0
  following: Following | undefined
  /** How many ids it holds; -1 where it holds no answer. */
  held = -1

  constructor(plan: Plan) {
    this.plan = plan
    const { dialect, time } = plan
    const isNow = time?.kind === 'at' && time.at.kind === 't' && time.at.value === 0
    this.isOfNewest = isNow || (time === undefined && dialect === '0.1')
  }

  /** One tree can be a snapshot, the working state after it and a preview: age and ttl read differently in each. */
  holds({ tree, cycle, isWorking }: View): boolean {
    return this.tree === tree && this.cycle === cycle && this.isWorking === isWorking
  }
}

/** Compiled selectors by their text, as many as there is room for. */
class Texts {
  readonly all = new Map<string, KnownSelector>()
  /** Goes round and round: looking from the start each time would pass by all that was ever taken out there. */
  #round = this.all.entries()

  /** Takes out the one used longest ago, more or less: whoever was used since the last round gets a second chance. */
  makeRoom(): KnownSelector | undefined {
    if (this.all.size < MAX_SELECTORS) return undefined
    for (;;) {
      const { done, value } = this.#round.next()
      if (done === true) this.#round = this.all.entries()
      else if (value[1].isUsed) value[1].isUsed = false
      else {
        this.all.delete(value[0])
        return value[1]
      }
    }
  }
}

type ByDialect = Readonly<Record<Dialect, Texts>>

export class KnownSelectors {
  /** By text: with a time prefix or none, and for a snapshot's own calls; each by dialect. */
  readonly #free: ByDialect = { '1.0': new Texts(), '0.1': new Texts() }
  readonly #bound: ByDialect = { '1.0': new Texts(), '0.1': new Texts() }
  /** Those that hold an answer, and how many ids these have. */
  readonly #answered = new Set<KnownSelector>()
  #ids = 0
  readonly trees: FlatTrees = new FlatTrees()

  /** How many answers are held, and how many ids in them. */
  get held(): Readonly<{ answers: number; ids: number }> {
    return { answers: this.#answered.size, ids: this.#ids }
  }

  /** Those of one dialect, for a look without a call. */
  ofDialect(dialect: Dialect): ReadonlyMap<string, KnownSelector> {
    return this.#free[dialect].all
  }

  /** The compiled form of a text that reads; `isBound` for a snapshot's own calls (D5). */
  read(selector: string, dialect: Dialect, isBound: boolean): KnownSelector {
    const all = isBound ? this.#bound : this.#free
    if (!Object.hasOwn(all, dialect)) throw invalid(`The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
    const texts = all[dialect]
    const known = REMEMBERING.isOn ? texts.all.get(selector) : undefined
    if (known !== undefined) {
      known.isUsed = true
      return known
    }
    const tree = readText(selector, dialect, isBound)
    const made = new KnownSelector(compileSelector(tree))
    made.isNoted = isClear(tree)
    checkReadable(made.plan, selector, isBound)
    if (REMEMBERING.isOn) {
      const left = texts.makeRoom()
      if (left !== undefined) this.#forget(left)
      texts.all.set(selector, made)
    }
    return made
  }

  /** The ids that a plan finds in one view: the part that a window shows, frozen. */
  idsIn(known: KnownSelector, view: View, window: Window, budget: Visits): readonly string[] {
    if (known.holds(view)) return windowed(known.found!, window)
    const following = this.#follow(known)
    if (following === undefined && isShort(window, view)) {
      return Object.freeze(Array.from(windowedOf(iteratePlan(view, known.plan, this.trees, budget), window), IDS.of))
    }
    if (following !== undefined) {
      const ids = following.ids(view, window, budget)
      if (isWhole(window)) this.#hold(known, view, ids)
      else this.#settle(known, view)
      return ids
    }
    const found = Object.freeze(runPlan(view, known.plan, this.trees, budget, IDS))
    // Most texts are asked once; a long list of such a one is not worth its room.
    if (known.asked > 1 || found.length <= SHORT) this.#hold(known, view, found)
    return windowed(found, window)
  }

  /** How many there are, before any window. */
  countIn(known: KnownSelector, view: View, budget: Visits): number {
    if (known.holds(view)) return known.found!.length
    const following = this.#follow(known)
    if (following === undefined) return countPlan(view, known.plan, this.trees, budget)
    const count = following.count(view, budget)
    this.#settle(known, view)
    return count
  }

  /** Remembers a whole answer until something is written. */
  keepIds(known: KnownSelector, ids: readonly string[], stamp: number): void {
    if (!REMEMBERING.isOn || (ids !== known.found && ids.length > SHORT)) return
    known.stamp = stamp
    known.ids = ids
  }

  /** What is asked a second time will be asked a third time: from then on it pays to follow it. */
  #follow(known: KnownSelector): Following | undefined {
    if (!REMEMBERING.isOn) return undefined
    if (++known.asked > 1 && canFollow(known.plan)) known.following ??= new Following(known.plan, this.trees)
    return known.following
  }

  #hold(known: KnownSelector, view: View, found: readonly string[]): void {
    if (!REMEMBERING.isOn) return
    known.tree = view.tree
    known.cycle = view.cycle
    known.isWorking = view.isWorking
    if (found === known.found) return
    known.found = found
    this.#settle(known, view)
  }

  /** Counts what a selector holds now, and lets go of what is too much. */
  #settle(known: KnownSelector, view: View): void {
    const held = known.following?.size ?? known.found?.length ?? 0
    if (known.held < 0) this.#answered.add(known)
    this.#ids += held - Math.max(0, known.held)
    known.held = held
    const most = SPARE_IDS + 2 * view.tree.regions[1].children.count
    while (this.#answered.size > MAX_ANSWERS || (this.#ids > most && this.#answered.size > 1)) this.#forgetOne(known)
  }

  #forgetOne(latest: KnownSelector): void {
    for (const known of this.#answered) {
      if (known.isUsed || known === latest) {
        known.isUsed = known === latest
        this.#answered.delete(known)
        this.#answered.add(known)
        continue
      }
      this.#forget(known)
      return
    }
  }

  #forget(known: KnownSelector): void {
    this.#answered.delete(known)
    this.#ids -= Math.max(0, known.held)
    known.held = -1
    known.found = undefined
    known.tree = undefined
    known.stamp = -1
    known.ids = NO_IDS
    known.following = undefined
  }
}

const NO_IDS: readonly string[] = Object.freeze([])

function isWhole({ skip, limit }: Window): boolean {
  return skip === 0 && limit === Infinity
}

/** Whether stopping early is worth going one by one. */
function isShort({ skip, limit }: Window, { tree }: View): boolean {
  return limit < Infinity && skip + limit < tree.regions[1].children.count / 8
}

/** The part of what comes one after another that a window shows. */
export function* windowedOf<T>(items: Iterable<T>, { skip, limit }: Window): Generator<T, void, undefined> {
  if (limit <= 0) return
  let at = 0
  for (const item of items) {
    if (at++ < skip) continue
    yield item
    if (at >= skip + limit) return
  }
}

/** Compiles a text; a fault in it is a PactError with its place. */
export function compile(selector: string, dialect: Dialect, isBound: boolean): Plan {
  return compileSelector(readText(selector, dialect, isBound))
}

function readText(selector: string, dialect: Dialect, isBound: boolean): Selector {
  if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
  return readSelector(selector, { dialect, bound: isBound })
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
