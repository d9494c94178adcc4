// The part of a context that reports read: its trees by lens, and its token counts. A report knows nothing else of a context.

import type { Dialect, Lens } from '../core/index.js'
import type { SentCall } from '../thread/index.js'
import type { View } from '../timeline/index.js'
import type { TreeTokens } from './tree-tokens.js'

/** The trees of a context, by lens. */
export interface Trees {
  of(lens: Lens): View
  /** A view that later edits do not change. */
  still(lens: Lens): View
  /** Two trees with the changes between them; refused if those changes are not loaded. */
  pair(a: Lens, b: Lens): readonly [View, View]
  /** The call that sent a tree, if the lens is an attempt and its record names it. */
  callOf(lens: Lens): SentCall | undefined
  /** The newest snapshot; undefined before the first commit. */
  readonly newest: View | undefined
  /** The lens of the tree that would be sent now (D47). */
  readonly sentLens: Lens
}

/** The input of every report. */
export type ReportSource = Readonly<{ dialect: Dialect; trees: Trees; tokens: TreeTokens }>

/** The options of a rendering whose bytes all belong to nodes: those of cache marks belong to none. */
export function withoutMarks(options: object = {}): object {
  const { cache: _, ...plain }: Readonly<{ cache?: unknown }> = options
  return plain
}
