// The open edits of a draft by themselves, without the timeline they are about.

import type { Version } from '../core/index.js'
import type { Erasing } from './erase.js'
import type { Links } from './reference-index.js'
import type { Tree } from './tree.js'

/** What a draft has beside its timeline: enough to read it again, over the same past. */
export type OpenEdits = Readonly<{
  cycle: number
  tree: Tree
  changes: Map<string, Version>
  links: Links
  /** Whether there is a snapshot before it. */
  hasBase: boolean
}>

/** The same edits without what was erased; those that were given stay as they are. */
export function erasedEdits({ tree, changes, ...edits }: OpenEdits, erasing: Erasing): OpenEdits {
  return { ...edits, tree: erasing.tree(tree), changes: erasedChanges(changes, erasing) }
}

export function erasedChanges(changes: ReadonlyMap<string, Version>, erasing: Erasing): Map<string, Version> {
  return new Map(Array.from(changes, ([id, version]) => [id, erasing.version(version)]))
}
