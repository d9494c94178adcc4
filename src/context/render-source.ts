// What a request is rendered from: the tree that a lens names, of a context or of a snapshot that somebody kept.

import { describe, PactError } from '../errors/index.js'
import type { View } from '../timeline/index.js'
import { Context } from './context.js'
import type { Lens } from '../core/index.js'
import type { Parts } from './parts.js'
import type { RangeResults } from './select-result.js'
import { Snapshot } from './snapshot.js'

export type RenderSource = Readonly<{ view: View }>

/** Gives the tree; without a lens, what would be sent now (D47). */
export function renderSource(source: unknown, lens?: Lens): RenderSource {
  if (source instanceof Snapshot) {
    if (lens === undefined) return { view: Snapshot.viewOf(source) }
    throw new PactError('E_CONTENT_INVALID', 'A snapshot is one tree already; give the context to choose a lens.', {
      lens,
    })
  }
  if (source instanceof Context) {
    const parts = Context.partsOf(source as Context<RangeResults>)
    return { view: parts.views.still(lens ?? sentLens(parts)) }
  }
  throw new PactError(
    'E_CONTENT_INVALID',
    `A request is made of a context or a snapshot, not of ${describe(source)}.`,
    {
      name: 'source',
    },
  )
}

/** The preview where the open cycle says anything that the newest snapshot does not, else that snapshot (D47). */
export function sentLens({ timeline, open }: Pick<Parts, 'timeline' | 'open'>): Lens {
  const { newest } = timeline
  return newest !== undefined && timeline.treeAt(newest) === open.draft.tree ? '@t0' : 'preview'
}
