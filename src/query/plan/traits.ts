// What can be known about groups and steps before any tree is there. A group is local if nothing it asks compares a unit
// (`^sys`, a segment, or `^ah`) with its siblings; then each unit answers for itself.

import type { DepthScope, NumberRange } from '../../selector/index.js'
import type { Group, Narrowing, Plan, Step, Test, Traits, Union } from './plan.js'

/** A plan whose traits follow from the rest. */
export function planOf(plan: Omit<Plan, 'order' | 'only' | 'isSearched' | 'isLasting'>): Plan {
  const { dialect, time, choices, optional, controls } = plan
  const order = controls.findLast(({ name }) => name === 'order')?.value
  const [first] = choices
  const only = choices.length === 1 && first!.groups.length === 1 ? first!.groups[0] : undefined
  const isSearched = choices.every((union) => union.isSearched) && (order === undefined || !WHOLE_ORDERS.has(order))
  const isLasting = isSearched && choices.every((union) => union.isLasting)
  return Object.freeze({ dialect, time, choices, optional, controls, order, only, isSearched, isLasting })
}

/** Orders for which the whole tree has to be set up. */
const WHOLE_ORDERS: ReadonlySet<string> = new Set(['post', 'bfs', 'path'])

/** What stands between `??`, each as a plan of its own. */
export function partsOf(plan: Plan): readonly Plan[] {
  return plan.choices.length === 1 ? [plan] : plan.choices.map((union) => planOf({ ...plan, choices: [union] }))
}

/** Whether what a plan selects depends on what else it finds: on a window, or on a place among siblings. */
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
  const all = (trait: (traits: Traits) => boolean): boolean => groups.every(({ traits }) => trait(traits))
  const isSearched = all((traits) => traits.isSearched && traits.id === undefined)
  return Object.freeze({
    groups,
    isSearched,
    isLasting: isSearched && all((traits) => traits.isLasting),
    isLocal: all((traits) => traits.isLocal),
  })
}

export function groupOf(scope: DepthScope | undefined, steps: readonly Step[], isKeyed: boolean): Group {
  return Object.freeze({ scope, steps, isKeyed, traits: traitsOf(scope, steps) })
}

function traitsOf(scope: DepthScope | undefined, steps: readonly Step[]): Traits {
  const isLocal = steps.every(isLocalStep)
  const isSearched = isLocal && steps.every(({ source }) => source === undefined)
  const depths = scope === undefined ? depthsOf(steps) : [scope]
  const isLasting =
    isSearched && depths === undefined && steps.every(({ narrowings }) => narrowings.every(isLastingOne))
  const isPlain = steps.length === 1 && isPlainStep(steps[0]!)
  const plain = isPlain ? (steps[0]!.narrowings as readonly Test[]) : undefined
  const id = idOf(steps.at(-1)!)
  return Object.freeze({ isLocal, isSearched, isLasting, depths, depth: segmentDepth(depths), id, plain })
}

function segmentDepth(depths: Traits['depths']): number | undefined {
  const only = depths?.length === 1 ? depths[0]! : undefined
  return only !== undefined && only.from === only.to && only.from >= 1 ? only.from : undefined
}

/** A step; what stands before anything is counted may be asked in any order. */
export function stepOf(step: Omit<Step, 'kindTests' | 'otherTests' | 'counting'>): Step {
  const { narrowings } = step
  const at = narrowings.findIndex(({ kind }) => kind === 'nth')
  const before = (at < 0 ? narrowings : narrowings.slice(0, at)) as readonly Test[]
  const kindTests = before.filter(({ sees }) => sees === 'kind')
  const otherTests = before.filter(({ sees }) => sees !== 'kind').sort((a, b) => costOf(a) - costOf(b))
  return Object.freeze({ ...step, kindTests, otherTests, counting: at < 0 ? [] : narrowings.slice(at) })
}

/** What is told by a short list comes first, what has to read every content last. */
function costOf({ clue }: Test): number {
  if (clue === undefined) return 3
  if (clue.kind === 'attribute') return clue.acceptsNone ? 3 : 1
  return clue.kind === 'number' ? 2 : 4
}

/** Counting among siblings is local only below segments. */
function isLocalStep({ source, isInner, narrowings }: Step): boolean {
  return source?.kind !== 'choices' && (isInner || narrowings.every(({ kind }) => kind === 'test'))
}

function isLastingOne(narrowing: Narrowing): boolean {
  return narrowing.kind === 'nth' || narrowing.sees !== 'place'
}

function isPlainStep({ source, isZone, counting }: Step): boolean {
  return source === undefined && !isZone && counting.length === 0
}

function idOf({ narrowings }: Step): string | undefined {
  for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.id !== undefined) return narrowing.id
  return undefined
}

/** Once a chain has passed through some depths, it stays below them. */
function depthsOf(steps: readonly Step[]): readonly NumberRange[] | undefined {
  for (const { source, narrowings } of steps) {
    if (source?.kind === 'coordinates') return source.coordinates
    for (const narrowing of narrowings) if (narrowing.kind === 'test' && narrowing.depths) return narrowing.depths
  }
  return undefined
}
