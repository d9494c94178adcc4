// Facts about groups and steps that hold on every tree. A group is local if nothing it asks compares a unit (`^sys`, a segment,
// or `^ah`) with its siblings; then each unit can be searched by itself.

import type { DepthScope, NumberRange } from '../../selector/index.js'
import type { Group, Narrowing, Plan, Predicate, Step, Test, Traits, Union } from './plan.js'

/** A plan with its order read from the controls. */
export function planOf(plan: Omit<Plan, 'order'>): Plan {
  return { ...plan, order: plan.controls.findLast(({ name }) => name === 'order')?.value }
}

/** The alternatives between `??`, each as a plan of its own; parentheses around all of them change nothing. */
export function partsOf(plan: Plan): readonly Plan[] {
  const choices = plan.choices.flatMap(choicesIn)
  return choices.length === 1 ? [plan] : choices.map((union) => ({ ...plan, choices: [union] }))
}

/** The union itself, or the unions inside it where it is nothing but a parenthesis. */
function choicesIn(union: Union): readonly Union[] {
  const only = union.groups.length === 1 ? union.groups[0]! : undefined
  if (only === undefined || only.steps.length > 1 || only.scope !== undefined) return [union]
  const { source, tests, counting } = only.steps[0]!
  const isBare = tests.length + counting.length === 0
  return isBare && source?.kind === 'choices' ? source.choices.flatMap(choicesIn) : [union]
}

/** A plan is windowed if its results depend on what else it finds: on a window, or on a position among siblings. */
export function isWindowed({ controls, choices }: Plan): boolean {
  return controls.some(({ name }) => WINDOWS.has(name)) || choices.some(countsSiblings)
}

const WINDOWS: ReadonlySet<string> = new Set(['first', 'limit', 'skip'])

function countsSiblings({ groups }: Union): boolean {
  return groups.some(({ steps }) =>
    steps.some(
      ({ source, counting }) =>
        counting.length > 0 || (source?.kind === 'choices' && source.choices.some(countsSiblings)),
    ),
  )
}

export function unionOf(groups: readonly Group[]): Union {
  return {
    groups,
    isLocal: groups.every(({ traits }) => traits.isLocal),
    isLasting: groups.every(({ traits }) => traits.isLasting),
  }
}

export function groupOf(scope: DepthScope | undefined, steps: readonly Step[], isKeyed: boolean): Group {
  const depths = scope === undefined ? depthsOf(steps) : [scope]
  const isLocal = steps.every(isLocalStep)
  const isLasting = isLocal && depths === undefined && steps.every(isLastingStep)
  const only = steps.length === 1 ? steps[0]! : undefined
  const plain = only !== undefined && testsEachNode(only) ? only : undefined
  const traits: Traits = { isLocal, isLasting, depths, id: idOf(steps.at(-1)!), plain }
  return { scope, steps, isKeyed, traits }
}

function testsEachNode({ source, isZone, counting }: Step): boolean {
  return source === undefined && !isZone && counting.length === 0
}

/** A step; the tests before the first position is counted may be asked in any order. */
export function stepOf(step: Omit<Step, 'tests' | 'passes' | 'counting'>, narrowings: readonly Narrowing[]): Step {
  const at = narrowings.findIndex(({ kind }) => kind === 'nth')
  const end = at < 0 ? narrowings.length : at
  const tests = narrowings.slice(0, end) as readonly Test[]
  return { ...step, tests, passes: allOf(tests), counting: narrowings.slice(end) }
}

/** All tests as one. */
function allOf(tests: readonly Test[]): Predicate {
  if (tests.length === 1) return tests[0]!.test
  return (record, view, depth) => {
    for (let i = 0; i < tests.length; i++) if (!tests[i]!.test(record, view, depth)) return false
    return true
  }
}

/** Counting among siblings is local only below segments. Several coordinates are results in the order they are written. */
function isLocalStep({ source, isInner, counting }: Step): boolean {
  if (source !== undefined && (source.kind === 'choices' || source.coordinates.length > 1)) return false
  return isInner || counting.length === 0
}

function isLastingStep({ source, tests, counting }: Step): boolean {
  return source === undefined && tests.every(isLastingOne) && counting.every(isLastingOne)
}

function isLastingOne(narrowing: Narrowing): boolean {
  return narrowing.kind === 'nth' || narrowing.sees !== 'place'
}

function idOf({ tests, counting }: Step): string | undefined {
  for (const each of [...tests, ...counting]) if (each.kind === 'test' && each.id !== undefined) return each.id
  return undefined
}

/** The depths of the first step that names some: a chain that has passed through them stays below them. */
function depthsOf(steps: readonly Step[]): readonly NumberRange[] | undefined {
  for (const { source, tests, counting } of steps) {
    if (source?.kind === 'coordinates') return source.coordinates
    for (const each of [...tests, ...counting]) if (each.kind === 'test' && each.depths) return each.depths
  }
  return undefined
}
