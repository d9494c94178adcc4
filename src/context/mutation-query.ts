// The selector of a mutation: it reads the open cycle, may end in `?`, and cannot ask for facets (D9, D23).

import { PactError } from '../errors/index.js'
import type { Dialect, NodeRecord } from '../core/index.js'
import type { Asked } from '../edit/index.js'
import { selectorError } from '../selector/index.js'
import type { View } from '../timeline/index.js'
import { Visits, compile, compileKey, isWindowed, iterateJoined, partsOf, runPlan, type Hit } from '../query/index.js'
import { adviceOn } from './empty-answer.js'
import { faultAt } from './query-views.js'
import { windowOf } from './window.js'

/** One choice of a mutation's selector; `hitsIn` searches several trees, newest first. */
export type AskedEver = Asked & Readonly<{ hitsIn: (views: readonly View[]) => readonly Hit[] }>

/** The selector of a mutation, ready to be run: one entry for each choice, and the error if none of them finds anything. */
export type Mutation = Readonly<{
  choices: readonly AskedEver[]
  isOptional: boolean
  notFound: () => PactError
  /** All nodes with a key in several trees, each once. */
  keyedIn: (views: readonly View[]) => Iterable<Hit>
}>

/** A fault in the text itself comes at once. */
export function mutationOf(selector: string, dialect: Dialect, budget: Visits = Visits.unlimited()): Mutation {
  const advice = 'A mutation cannot ask for age, born_turn or depth; cycle and :depth() tell the same.'
  const plan = withoutFacets(selector, dialect, advice, () => compile(selector, dialect, false))
  if (plan.time !== undefined) {
    throw faultAt(
      selector,
      plan,
      'Edits work on the open cycle, and erasing searches every snapshot anyway: leave the time prefix out.',
    )
  }
  const { skip, limit } = windowOf(plan)
  const choices = partsOf(plan).map((part): AskedEver => {
    const matches = (view: View): readonly NodeRecord[] => {
      return runPlan(view, part, budget).slice(skip, skip + limit)
    }
    const hitsIn = (views: readonly View[]): readonly Hit[] => {
      return [...iterateJoined(views, part, budget)].slice(skip, skip + limit)
    }
    return { matches, hitsIn, isWindowed: isWindowed(part) }
  })
  const notFound = (): PactError => {
    const hint = adviceOn(selector, plan.dialect, false)
    const sentence = `Nothing in the working state matches ${quote(selector)}; end it in ? to let that pass.`
    return new PactError('E_NODE_NOT_FOUND', hint === '' ? sentence : `${sentence} ${hint}`, { selector })
  }
  const keyedIn = (views: readonly View[]): Iterable<Hit> => iterateJoined(views, compileKey(undefined), budget)
  return { choices, isOptional: plan.optional, notFound, keyedIn }
}

/** Facets need a prefix (D9), which neither a diff nor a mutation can have: the parser's advice would lead in a circle. */
export function withoutFacets<T>(selector: string, dialect: Dialect, advice: string, compiled: () => T): T {
  try {
    return compiled()
  } catch (error) {
    if (!PactError.is(error)) throw error
    try {
      compile(selector, dialect, true)
    } catch {
      throw error
    }
    const { pos, token } = error.details as { pos: number; token: string }
    throw selectorError('E_SELECTOR_INVALID', advice, selector, pos, pos + token.length)
  }
}

/** A selector in a sentence, cut short where it is long. */
function quote(selector: string): string {
  return JSON.stringify(selector.length > 80 ? `${selector.slice(0, 79)}…` : selector)
}
