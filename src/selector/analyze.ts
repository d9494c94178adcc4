// What can be known about a group before any tree is there: whether it can be answered segment by segment, and from
// which segments. A group is local if nothing it asks compares a segment with its siblings; then each segment answers
// for itself, and equal segments answer alike.

import type { BareGroup, CompiledStep, Narrowing } from './compile.js'
import type { NumberRange } from './ast.js'

export type Analysis = Readonly<{
  /** Whether each segment can be asked by itself. */
  isLocal: boolean
  /** The only depths that can hold a result; undefined for all. */
  depths: readonly NumberRange[] | undefined
  /** The only id that can be a result. */
  id: string | undefined
  /** The group without the tests of its last step that look at more than structure, if only those do. */
  structural: BareGroup | undefined
  /** Those tests. */
  residue: readonly Extract<Narrowing, { kind: 'test' }>[]
}>

export function analyzeGroup(group: BareGroup): Analysis {
  const isLocal = group.steps.every(isLocalStep)
  const last = group.steps.at(-1)!
  const residue: Extract<Narrowing, { kind: 'test' }>[] = []
  let kept = last.narrowings.length
  for (; kept > 0; kept--) {
    const narrowing = last.narrowings[kept - 1]!
    if (narrowing.kind !== 'test' || narrowing.isStructural) break
    residue.unshift(narrowing)
  }
  const steps = group.steps.with(group.steps.length - 1, { ...last, narrowings: last.narrowings.slice(0, kept) })
  const isStructural = isLocal && group.scope === undefined && steps.every(isStructuralStep)
  return {
    isLocal,
    depths: group.scope === undefined ? depthsOf(group.steps) : [group.scope],
    id: last.narrowings.flatMap((narrowing) => (narrowing.kind === 'test' ? (narrowing.id ?? []) : []))[0],
    structural: isStructural ? { ...group, steps } : undefined,
    residue,
  }
}

/** Counting among siblings is local only below segments. */
function isLocalStep(step: CompiledStep): boolean {
  if (step.source?.kind === 'choices') return false
  return step.isInner || step.narrowings.every((narrowing) => narrowing.kind === 'test')
}

function isStructuralStep(step: CompiledStep): boolean {
  if (step.source !== undefined) return false
  return step.narrowings.every((narrowing) => narrowing.kind === 'nth' || narrowing.isStructural)
}

/** Once a chain has passed through some depths, it stays below them. */
function depthsOf(steps: readonly CompiledStep[]): readonly NumberRange[] | undefined {
  for (const { source, narrowings } of steps) {
    if (source?.kind === 'coordinates') return source.coordinates
    for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.depths) return narrowing.depths
  }
  return undefined
}
