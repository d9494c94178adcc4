// What would be sent now, where nobody names a tree.

import type { Lens } from '../core/index.js'
import type { View } from '../timeline/index.js'
import type { Parts } from './parts.js'

/** The preview where the open cycle says anything that the newest snapshot does not, else that snapshot (D47). */
export function sentLens({ timeline, open }: Pick<Parts, 'timeline' | 'open'>): Lens {
  const { newest } = timeline
  return newest !== undefined && timeline.treeAt(newest) === open.draft.tree ? '@t0' : 'preview'
}

/** The tree that this lens names. */
export function sentView(parts: Pick<Parts, 'open' | 'views'>): View {
  const { newest } = parts.views
  return newest?.tree === parts.open.draft.tree ? newest : parts.views.still('preview')
}
