// The tree while it is being made: the same shapes as in ast.ts, still open for a trailing filter to join its step (D22).

import type { Condition, DepthScope, Step } from './ast.js'

export type StepDraft = { reach: Step['reach']; conditions: Condition[]; span: OpenSpan }

export type GroupDraft = { scope: DepthScope | undefined; steps: StepDraft[]; span: OpenSpan }

export type UnionDraft = { groups: GroupDraft[]; span: OpenSpan }

type OpenSpan = { start: number; end: number }

/** Makes a finished tree unchangeable: what leaves the room is frozen. */
export function freezeTree<T extends object>(tree: T): T {
  // By name, not by Object.values: this walk is most of the time that parsing takes.
  for (const name in tree) {
    const value = tree[name]
    if (typeof value === 'object' && value !== null) freezeTree(value)
  }
  return Object.freeze(tree)
}
