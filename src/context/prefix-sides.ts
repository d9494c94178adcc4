// The two trees that `ctx.prefix` compares, and the calls that sent them.

import { PactError } from '../errors/index.js'
import type { Lens } from '../core/index.js'
import type { PrefixSide } from '../reports/index.js'
import type { Parts } from './parts.js'

/** The tree that was sent last and the tree that would be sent now, unless lenses name others. */
export function prefixSides(
  parts: Parts,
  earlier: Lens | undefined,
  later: Lens | undefined,
): readonly [PrefixSide, PrefixSide] {
  const { views } = parts
  const side = (lens: Lens): PrefixSide => ({ view: views.still(lens), call: views.callOf(lens) })
  const before = earlier === undefined ? sentBefore(parts) : side(earlier)
  const after = side(later ?? views.sentLens)
  views.checkBetween(before.view, after.view)
  return [before, after]
}

/** The tree of the newest attempt, as long as it is known; else the newest snapshot. */
function sentBefore({ attempts, timeline, views }: Parts): PrefixSide {
  const { sentLast } = attempts
  // Changes since that attempt are known only if the snapshots since then are loaded.
  if (attempts.sentLastFrom !== undefined) timeline.need(attempts.sentLastFrom)
  if (sentLast !== undefined) return { view: sentLast, call: attempts.sentLastCall }
  if (views.newest !== undefined) return { view: views.newest }
  const message = 'Nothing was sent or committed yet; name the two trees to compare, such as working and preview.'
  throw new PactError('E_SNAPSHOT_NOT_FOUND', message, {})
}
