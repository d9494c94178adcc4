// The two trees that `ctx.prefix` compares.

import { PactError } from '../errors/index.js'
import type { Lens } from '../core/index.js'
import type { View } from '../timeline/index.js'
import type { Parts } from './parts.js'

/** The tree that was sent last and the tree that would be sent now, unless lenses name others. */
export function prefixSides(parts: Parts, earlier: Lens | undefined, later: Lens | undefined): readonly [View, View] {
  const { views } = parts
  const before = earlier === undefined ? sentBefore(parts) : views.still(earlier)
  const view = views.still(later ?? views.sentLens)
  views.checkBetween(before, view)
  return [before, view]
}

/** The tree of the newest attempt, as long as it is known; else the newest snapshot. */
function sentBefore({ attempts, timeline, views }: Parts): View {
  const view = attempts.sentLast ?? views.newest
  // Changes since that attempt are known only if the snapshots since then are loaded.
  if (attempts.sentLastFrom !== undefined) timeline.need(attempts.sentLastFrom)
  if (view !== undefined) return view
  const message = 'Nothing was sent or committed yet; name the two trees to compare, such as working and preview.'
  throw new PactError('E_SNAPSHOT_NOT_FOUND', message, {})
}
