// What a view has at the end of `^seq` more than an older sequence, if that is all in which they differ: the usual step from
// one snapshot to the next. Each commit says what it has sealed, so nothing is compared.

import type { Branch, Sequence } from './sequence.js'
import type { View } from './view.js'

/** The segments that were sealed since, oldest first; undefined where anything else differs, or more than `most` were. */
export function sealedSince(view: View, old: Sequence, most: number): readonly Branch[] | undefined {
  const { regions, sealed: newest } = view.tree
  let seq = regions[1].children
  if (seq === old) return NONE
  if (newest?.onto === old) return [newest.segment]
  const segments: Branch[] = []
  for (const tree of view.trees()) {
    const { sealed } = tree
    if (seq === old) return segments.reverse()
    // The open cycle begins with the tree of the last snapshot.
    if (sealed !== undefined && sealed.segment === segments.at(-1)) continue
    if (tree.regions[1].children !== seq || segments.length >= most) return undefined
    if (sealed === undefined) continue
    segments.push(sealed.segment)
    seq = sealed.onto
  }
  return seq === old ? segments.reverse() : undefined
}

const NONE: readonly Branch[] = Object.freeze([])
