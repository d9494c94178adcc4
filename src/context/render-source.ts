// The input of a request: the tree that a lens names, of a context or of a kept snapshot.

import { describe, invalid, PactError } from '../errors/index.js'
import type { View } from '../timeline/index.js'
import type { Edition } from './edition.js'
import { ContextEdits, type AnyContext } from './edits.js'
import type { Lens } from '../core/index.js'
import type { RequestBudget } from './over-budget.js'
import { Snapshot } from './snapshot.js'

export type RenderSource = Readonly<{
  view: View
  tokensOf: (node: string) => number
  /** Measures the request, if the context has a limit for it. */
  budget: RequestBudget | undefined
}>

/** Gives the tree; without a lens, the tree that would be sent now (D47). */
export function renderSource(source: unknown, lens?: Lens): RenderSource {
  if (source instanceof Snapshot) {
    if (lens === undefined) return sourceOf(Snapshot.viewOf(source), Snapshot.editionOf(source))
    throw new PactError('E_CONTENT_INVALID', 'A snapshot is one tree already; give the context to choose a lens.', {
      lens,
    })
  }
  if (source instanceof ContextEdits) {
    const parts = ContextEdits.partsOf(source as AnyContext)
    return sourceOf(lens === undefined ? parts.views.sent : parts.views.still(lens), parts.home.edition)
  }
  throw invalid('source', `A request is made of a context or a snapshot, not of ${describe(source)}.`)
}

/** The lens of the tree that would be sent now (D47). */
export function sentLens(ctx: AnyContext): Lens {
  return ContextEdits.partsOf(ctx).views.sentLens
}

function sourceOf(view: View, edition: Edition): RenderSource {
  return { view, tokensOf: edition.tokens.byNode(view), budget: edition.budget }
}
