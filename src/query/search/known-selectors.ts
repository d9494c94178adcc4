// Compiled selectors by their text, each with its memo and its last answer. Both are bounded: the least recently used go first.

import { describe, PactError } from '../../errors/index.js'
import type { Dialect, NodeRecord } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import { readSelector, selectorError, type Selector } from '../../selector/index.js'
import { windowed, type Window } from '../match/result-order.js'
import type { Visits } from '../match/visits.js'
import { PartMemo } from '../memory/part-memo.js'
import { REMEMBERING } from '../memory/remembering.js'
import { compileSelector } from '../plan/compile.js'
import type { Plan } from '../plan/plan.js'
import { idsOfPlan, iteratePlan, type Memos } from './run.js'

/** The bounds of compiled selectors in each of four maps, and of selectors that hold an answer. */
export const MAX_SELECTORS = 512
export const MAX_ANSWERS = 64
/** The bound of ids in all answers together, beyond two for every node. */
export const SPARE_IDS = 200_000

/** A compiled selector with its last answer. */
export class KnownSelector {
  readonly plan: Plan
  /** It found nothing before, and its text was looked at for a warning. */
  isNoted = false
  memos: Memos
  /** The ids of the last answer, before any window, and the view they are of. */
  found: readonly string[] | undefined
  #tree: View['tree'] | undefined
  #cycle = 0
  #isWorking = false

  constructor(plan: Plan) {
    this.plan = plan
    this.memos = memosOf(plan)
  }

  /** One tree can be a snapshot, the working state after it and a preview: age and ttl read differently in each. */
  answerFor({ tree, cycle, isWorking }: View): readonly string[] | undefined {
    const isSame = this.#tree === tree && this.#cycle === cycle && this.#isWorking === isWorking
    return isSame ? this.found : undefined
  }

  hold({ tree, cycle, isWorking }: View, found: readonly string[] | undefined): void {
    this.found = found
    this.#tree = tree
    this.#cycle = cycle
    this.#isWorking = isWorking
  }

  forget(): void {
    this.found = undefined
    this.#tree = undefined
    this.memos = memosOf(this.plan)
  }

  /** The number of ids that it holds, more or less. */
  get size(): number {
    return this.memos.reduce((sum, memo) => sum + memo.size, this.found?.length ?? 0)
  }
}

function memosOf({ choices, order }: Plan): Memos {
  return choices.map(() => (order === undefined ? new PartMemo<string>() : new PartMemo<NodeRecord>()))
}

type Texts = Map<string, KnownSelector>

export class KnownSelectors {
  /** By text: for calls that may have a time prefix, and for a snapshot's own calls; each by dialect. */
  readonly #free: Readonly<Record<Dialect, Texts>> = { '1.0': new Map(), '0.1': new Map() }
  readonly #bound: Readonly<Record<Dialect, Texts>> = { '1.0': new Map(), '0.1': new Map() }
  /** The selectors that hold an answer with the size of each, least recently used first. */
  readonly #answered = new Map<KnownSelector, number>()
  #ids = 0

  /** The number of answers and of the ids in them. */
  get held(): Readonly<{ answers: number; ids: number }> {
    return { answers: this.#answered.size, ids: this.#ids }
  }

  /** The number of compiled selectors of one dialect. */
  countOf(dialect: Dialect): number {
    return this.#free[dialect].size
  }

  /** Compiles a text, or finds it compiled; `isBound` for a snapshot's own calls (D5). */
  read(selector: string, dialect: Dialect, isBound: boolean): KnownSelector {
    const all = isBound ? this.#bound : this.#free
    if (!Object.hasOwn(all, dialect)) throw invalid(`The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
    const texts = all[dialect]
    const known = REMEMBERING.isOn ? texts.get(selector) : undefined
    if (known !== undefined) {
      texts.delete(selector)
      texts.set(selector, known)
      return known
    }
    const tree = readText(selector, dialect, isBound)
    const made = new KnownSelector(compileSelector(tree))
    checkReadable(made.plan, selector, isBound)
    if (REMEMBERING.isOn) {
      texts.set(selector, made)
      if (texts.size > MAX_SELECTORS) this.#dropOldest(texts)
    }
    return made
  }

  /** The ids that a plan finds in one view: the part that a window shows, frozen. */
  idsIn(known: KnownSelector, view: View, window: Window, budget: Visits): readonly string[] {
    const answer = known.answerFor(view)
    if (answer !== undefined) return windowed(answer, window)
    const isPart = isShort(window, view)
    if (isPart && known.plan.order === undefined) {
      return Object.freeze(Array.from(windowedOf(iteratePlan(view, known.plan, budget), window), ({ id }) => id))
    }
    const most = isPart ? window.skip + window.limit : Infinity
    const found = Object.freeze(idsOfPlan(view, known.plan, budget, known.memos, most))
    if (REMEMBERING.isOn) this.#hold(known, view, isPart ? undefined : found)
    return windowed(found, window)
  }

  #hold(known: KnownSelector, view: View, found: readonly string[] | undefined): void {
    known.hold(view, found)
    this.#release(known)
    this.#answered.set(known, known.size)
    this.#ids += known.size
    const most = SPARE_IDS + 2 * view.tree.regions[1].children.count
    for (const oldest of this.#answered.keys()) {
      if (this.#answered.size <= MAX_ANSWERS && (this.#ids <= most || oldest === known)) return
      this.#release(oldest)
      oldest.forget()
    }
  }

  #release(known: KnownSelector): void {
    this.#ids -= this.#answered.get(known) ?? 0
    this.#answered.delete(known)
  }

  #dropOldest(texts: Texts): void {
    const [text, known] = texts.entries().next().value!
    texts.delete(text)
    this.#release(known)
  }
}

/** A short window from the start is found faster one by one. */
function isShort({ skip, limit }: Window, { tree }: View): boolean {
  return limit < Infinity && skip + limit < tree.regions[1].children.count / 8
}

/** The items that a window shows. */
export function* windowedOf<T>(items: Iterable<T>, { skip, limit }: Window): Generator<T, void, undefined> {
  if (limit <= 0) return
  let at = 0
  for (const item of items) {
    if (at++ < skip) continue
    yield item
    if (at >= skip + limit) return
  }
}

/** Compiles a text; a fault in it is a PactError with its position. */
export function compile(selector: string, dialect: Dialect, isBound: boolean): Plan {
  return compileSelector(readText(selector, dialect, isBound))
}

function readText(selector: string, dialect: Dialect, isBound: boolean): Selector {
  if (typeof selector !== 'string') throw invalid(`A selector is a string, not ${describe(selector)}.`)
  return readSelector(selector, { dialect, bound: isBound })
}

/** Refuses `?`, which only mutations may end in, and a time prefix in a snapshot's own calls. */
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
