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
