// What can be told of a context at a glance, by whoever shows it to others.

import { Thinned, type View } from '../timeline/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { sizeOf } from './cycle-facts.js'
import { oldestOf } from './lens.js'

export type ContextGlance = Readonly<{
  /** The cycles of the oldest snapshot that exists and of the newest; undefined before the first commit. */
  first: number | undefined
  newest: number | undefined
  /** Cycles between them whose snapshots exist no more. */
  thinned: Thinned
  forks: number
  /** How often something was forgotten. */
  epoch: number
  /** Another object whenever the working state is another one. */
  state: object
}>

export type ContextSize = Readonly<{ nodes: number; tokens: number }>

/** At the price of a look; how large it is, is another question. */
export function glanceAt(ctx: AnyContext): ContextGlance {
  const { timeline, forks, family, open } = ContextEdits.partsOf(ctx)
  const { bounds } = timeline
  return {
    first: bounds && oldestOf(bounds),
    newest: bounds?.newest,
    thinned: bounds?.thinned ?? Thinned.NONE,
    forks: forks.given,
    epoch: family.times,
    state: open.draft.tree,
  }
}

/** Of the newest snapshot, or of the working state before the first; the first time, every node is counted. */
export function measure(ctx: AnyContext): ContextSize {
  const { views, home } = ContextEdits.partsOf(ctx)
  const view: View = views.newest ?? views.of('working')
  return { nodes: sizeOf(view).nodes, tokens: home.edition.tokens(view, undefined).total }
}
