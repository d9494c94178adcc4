// The tree while it is being made: the same shapes as in ast.ts, still open for a trailing filter to join its step (D22).

import type { Condition, Control, DepthScope, Selector, Step } from '../ast.js'

export type StepDraft = { reach: Step['reach']; conditions: Condition[]; span: OpenSpan }

export type GroupDraft = { scope: DepthScope | undefined; steps: StepDraft[]; span: OpenSpan }

export type UnionDraft = { groups: GroupDraft[]; span: OpenSpan }

export type SelectorDraft = Pick<Selector, 'dialect' | 'time'> & {
  choices: UnionDraft[]
  optional: boolean
  controls: Control[]
  span: OpenSpan
}

type OpenSpan = { start: number; end: number }

/** Freezes a finished tree: everything that leaves the room is frozen. */
export function freezeTree<T extends object>(tree: T): T {
  // This takes most of the time of a parse. `for … in` is faster than Object.values, but makes a string of every index of a list.
  if (Array.isArray(tree)) for (const item of tree) freezePart(item)
  else for (const name in tree) freezePart(tree[name])
  return Object.freeze(tree)
}

function freezePart(part: unknown): void {
  if (typeof part === 'object' && part !== null) freezeTree(part)
}
