// What can be known about groups and steps before any tree is there. A group is local if nothing it asks compares a unit
// (`^sys`, a segment, or `^ah`) with its siblings; then each unit answers for itself.

import type { DepthScope, NumberRange } from '../../selector/index.js'
import { MAX_CHAIN } from '../match/kind-chain.js'
import type { Group, Narrowing, Plan, Step, Test, Traits, Union } from './plan.js'

/** A plan whose traits follow from the rest. */
export function planOf(plan: Omit<Plan, 'order' | 'only' | 'isSearched' | 'isLasting'>): Plan {
  const { dialect, time, choices, optional, controls } = plan
  const order = orderOf(controls)
  const first = choices[0]!
  const only = choices.length === 1 && first.groups.length === 1 ? first.groups[0] : undefined
  let isSearched = order === undefined || !WHOLE_ORDERS.has(order)
  let isLasting = true
  for (const union of choices) {
    isSearched &&= union.isSearched
    isLasting &&= union.isLasting
  }
  isLasting &&= isSearched
  return { dialect, time, choices, optional, controls, order, only, isSearched, isLasting }
}

function orderOf(controls: Plan['controls']): string | undefined {
  return controls.length === 0 ? undefined : controls.findLast(({ name }) => name === 'order')?.value
}

/** Orders for which the whole tree has to be set up. */
const WHOLE_ORDERS: ReadonlySet<string> = new Set(['post', 'bfs', 'path'])

/** What stands between `??`, each as a plan of its own; a parenthesis around some of them changes nothing. */
export function partsOf(plan: Plan): readonly Plan[] {
  const choices = plan.choices.flatMap(choicesIn)
  return choices.length === 1 ? [plan] : choices.map((union) => planOf({ ...plan, choices: [union] }))
}

/** Itself, or what is in it where it is nothing but a parenthesis. */
function choicesIn(union: Union): readonly Union[] {
  const [{ scope, steps } = NO_GROUP] = union.groups
  const { source, narrowings } = steps[0] ?? {}
  const isLone = union.groups.length === 1 && steps.length === 1 && scope === undefined && narrowings?.length === 0
  return isLone && source?.kind === 'choices' ? source.choices.flatMap(choicesIn) : [union]
}

const NO_GROUP: Pick<Group, 'scope' | 'steps'> = { scope: undefined, steps: [] }

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
  let isSearched = true
  let isLasting = true
  let isLocal = true
  for (const { traits } of groups) {
    isSearched &&= traits.isSearched && traits.id === undefined
    isLasting &&= traits.isLasting
    isLocal &&= traits.isLocal
  }
  return { groups, isSearched, isLasting: isSearched && isLasting, isLocal }
}

export function groupOf(scope: DepthScope | undefined, steps: readonly Step[], isKeyed: boolean): Group {
  return { scope, steps, isKeyed, traits: traitsOf(scope, steps) }
}

function traitsOf(scope: DepthScope | undefined, steps: readonly Step[]): Traits {
  const depths = scope === undefined ? depthsOf(steps) : [scope]
  let isLocal = true
  let isSearched = true
  let isLasting = depths === undefined
  let isPlain = steps.length <= MAX_BITS
  let leadsThroughCore = false
  const last = steps[steps.length - 1]!
  for (const step of steps) {
    isPlain &&= isPlainStep(step)
    leadsThroughCore ||= step.meetsVirtual && step !== last
    isLocal &&= isLocalStep(step)
    isSearched &&= step.source === undefined
    isLasting &&= isLastingStep(step)
  }
  isSearched &&= isLocal
  isLasting &&= isSearched
  const plain = isPlain && steps.length === 1 ? (last.narrowings as readonly Test[]) : undefined
  const id = idOf(last)
  const depth = segmentDepth(depths)
  const lead = leadOf(steps)
  const through = throughOf(steps, lead)
  return { isLocal, isSearched, isLasting, depths, depth, id, plain, isPlain, leadsThroughCore, lead, through }
}

function leadOf(steps: readonly Step[]): number {
  let lead = 0
  while (lead < steps.length - 1 && isOfKind(steps[lead]!)) lead++
  const { source, isZone } = steps[lead]!
  return source === undefined && !isZone && lead < MAX_CHAIN ? lead : 0
}

function throughOf(steps: readonly Step[], lead: number): number {
  let through = lead
  if (steps[lead]!.otherTests.length > 1 || !isPlainStep(steps[lead]!)) return lead
  while (through < MAX_CHAIN - 1 && through < steps.length - 1 && isOfKind(steps[through + 1]!)) through++
  return through
}

function isOfKind(step: Step): boolean {
  return isPlainStep(step) && step.otherTests.length === 0
}

/** How many steps have a bit each in one number. */
const MAX_BITS = 30

function segmentDepth(depths: Traits['depths']): number | undefined {
  const only = depths?.length === 1 ? depths[0]! : undefined
  return only !== undefined && only.from === only.to && only.from >= 1 ? only.from : undefined
}

/** A step; what stands before anything is counted may be asked in any order. */
export function stepOf(step: Omit<Step, 'kindTests' | 'otherTests' | 'counting'>): Step {
  // Written out: an object made by spreading another one and adding to it takes 5 µs, and all who read it are slower.
  const { reach, source, isZone, meetsVirtual, isInner, narrowings } = step
  let end = 0
  let kinds = 0
  for (; end < narrowings.length; end++) {
    const narrowing = narrowings[end]!
    if (narrowing.kind === 'nth') break
    if (narrowing.sees === 'kind') kinds++
  }
  const isUncounted = end === narrowings.length
  const tests = (isUncounted ? narrowings : narrowings.slice(0, end)) as readonly Test[]
  const counting = isUncounted ? NONE : narrowings.slice(end)
  const kindTests = kinds === end ? tests : kinds === 0 ? NONE : tests.filter(seesKind)
  const otherTests = kinds === end ? NONE : othersOf(tests)
  return { reach, source, isZone, meetsVirtual, isInner, narrowings, kindTests, otherTests, counting }
}

const NONE: readonly never[] = Object.freeze([])

function seesKind({ sees }: Test): boolean {
  return sees === 'kind'
}

function othersOf(tests: readonly Test[]): readonly Test[] {
  if (tests.length === 1) return tests
  const others = tests.filter((test) => !seesKind(test))
  return others.length < 2 ? others : others.sort((a, b) => costOf(a) - costOf(b))
}

/** What is told by a short list comes first, what has to read every content last. */
function costOf({ clue }: Test): number {
  if (clue === undefined) return 3
  if (clue.kind === 'attribute') return clue.acceptsNone ? 3 : 1
  return clue.kind === 'number' ? 2 : 4
}

/** Counting among siblings is local only below segments. */
function isLocalStep({ source, isInner, counting }: Step): boolean {
  return source?.kind !== 'choices' && (isInner || counting.length === 0)
}

/** The kind of a node stays. */
function isLastingStep({ otherTests, counting }: Step): boolean {
  return otherTests.every(isLastingOne) && counting.every(isLastingOne)
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
