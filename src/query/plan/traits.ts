// What can be known about a group before any tree is there: whether it can be answered unit by unit (a unit is `^sys`, a
// segment, or `^ah`), and from which units. A group is local if nothing it asks compares a unit with its siblings; then
// each unit answers for itself, and equal units answer alike.

import type { BareGroup, CompiledStep, Test } from './compile.js'
import type { NumberRange } from '../../selector/index.js'
import type { NumberTest } from './field-test.js'

export type Analysis = Readonly<{
  /** Whether each unit can be asked by itself. */
  isLocal: boolean
  /** The only depths that can hold a result; undefined for all. */
  depths: readonly NumberRange[] | undefined
  /** The only id that can be a result. */
  id: string | undefined
  /** Whether that node alone decides: nothing is asked of what stands around it. */
  isDirect: boolean
  /** The group without the tests of its last step that see more than structure, if only those and one depth do. */
  structural: BareGroup | undefined
  /** The tests of that group, if it is nothing but tests of each node by itself. */
  plain: readonly Test[] | undefined
  /** Those tests; the first as a range of numbers, if it is one and the only one. */
  residue: readonly Test[]
  number: NumberTest | undefined
  /** A key (`#key`) or tag (`+tag`) that every result carries. */
  mark: string | undefined
  /** Whether what is found in a segment depends on nothing but the segment. */
  isLasting: boolean
}>

export function analyzeGroup(group: BareGroup): Analysis {
  const { scope, steps, isKeyed } = group
  const last = steps.at(-1)!
  if (steps.length === 1 && scope === undefined && asksStructureOnly(last)) return plainAnalysis(group)
  const kept = keptBy(last)
  const residue = last.narrowings.slice(kept) as Test[]
  const bare =
    residue.length === 0 ? steps : steps.with(steps.length - 1, { ...last, narrowings: last.narrowings.slice(0, kept) })
  const isLocal = steps.every(isLocalStep)
  const depthTests = countDepthTests(bare) + (scope === undefined ? 0 : 1)
  const isStructural = isLocal && depthTests <= 1 && bare.every(isStructuralStep)
  const id = idOf(last)
  return {
    isLocal,
    depths: scope === undefined ? depthsOf(steps) : [scope],
    id,
    isDirect: id !== undefined && scope === undefined && steps.length === 1 && isPlain(last),
    structural: isStructural ? { scope, steps: bare, isKeyed } : undefined,
    plain: isStructural && depthTests === 0 ? plainTests(bare) : undefined,
    residue,
    number: residue.length === 1 ? residue[0]!.number : undefined,
    mark: residue.find((test) => test.mark !== undefined)?.mark,
    isLasting: isStructural && depthTests === 0 && residue.every((test) => test.sees === 'record'),
  }
}

/** What comes out above for tests of the structure alone, told at once: most selectors are nothing else. */
function plainAnalysis(group: BareGroup): Analysis {
  return {
    isLocal: true,
    depths: undefined,
    id: undefined,
    isDirect: false,
    structural: group,
    plain: group.steps[0]!.narrowings as readonly Test[],
    residue: NO_TESTS,
    number: undefined,
    mark: undefined,
    isLasting: true,
  }
}

const NO_TESTS: readonly Test[] = []

function asksStructureOnly({ source, isZone, narrowings }: CompiledStep): boolean {
  if (source !== undefined || isZone) return false
  for (const each of narrowings) if (each.kind !== 'test' || each.sees !== 'structure') return false
  return true
}

/** How many narrowings stand before the trailing tests that see more than structure. */
function keptBy({ narrowings }: CompiledStep): number {
  for (let kept = narrowings.length; kept > 0; kept--) {
    const narrowing = narrowings[kept - 1]!
    if (narrowing.kind !== 'test' || narrowing.sees === 'structure') return kept
  }
  return 0
}

/** Counting among siblings is local only below segments. */
function isLocalStep(step: CompiledStep): boolean {
  if (step.source?.kind === 'choices') return false
  return step.isInner || step.narrowings.every((narrowing) => narrowing.kind === 'test')
}

/** Whether equal shapes give equal answers; a test of the depth does so for all units that pass it. */
function isStructuralStep({ source, narrowings }: CompiledStep): boolean {
  if (source !== undefined) return false
  return narrowings.every((each) => each.kind === 'nth' || each.sees === 'structure' || each.depths !== undefined)
}

/** Whether a step asks nothing but tests of each node. */
function isPlain({ source, isZone, narrowings }: CompiledStep): boolean {
  return source === undefined && !isZone && narrowings.every((narrowing) => narrowing.kind === 'test')
}

function plainTests(steps: readonly CompiledStep[]): readonly Test[] | undefined {
  return steps.length === 1 && isPlain(steps[0]!) ? (steps[0]!.narrowings as readonly Test[]) : undefined
}

function countDepthTests(steps: readonly CompiledStep[]): number {
  let count = 0
  for (const { narrowings } of steps) {
    for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.depths) count++
  }
  return count
}

function idOf({ narrowings }: CompiledStep): string | undefined {
  for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.id !== undefined) return narrowing.id
  return undefined
}

/** Once a chain has passed through some depths, it stays below them. */
function depthsOf(steps: readonly CompiledStep[]): readonly NumberRange[] | undefined {
  for (const { source, narrowings } of steps) {
    if (source?.kind === 'coordinates') return source.coordinates
    for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.depths) return narrowing.depths
  }
  return undefined
}
