// The one matcher: a chain of steps against a scene, from left to right (04 §3, D11–D16). Each step turns the spots
// reached so far into the next ones: whatever is in reach, narrowed by the step's conditions in the order they are
// written, since :first and its kin count among what is left at that point.

import type { View } from '../../timeline/index.js'
import type { Coordinate, DepthScope } from '../../selector/index.js'
import type { BareGroup, CompiledStep, CompiledUnion, Narrowing, Source } from '../plan/compile.js'
import type { Scene, Spot } from './flat-tree.js'

/** Finds what a group selects in a scene: in document order, but for a lone set of coordinates or parenthesis. */
export function matchGroup(scene: Scene, view: View, group: BareGroup, unite: Unite): readonly Spot[] {
  let spots: readonly Spot[] = []
  let afterZone = false
  for (let i = 0; i < group.steps.length; i++) {
    const step = group.steps[i]!
    const reach = i === 0 ? scene.spots : inReach(scene, spots, step.reach, afterZone)
    spots = step.source === undefined ? reach : fromSource(scene, step.source, i === 0 ? undefined : reach, unite)
    scene.budget.spend(spots.length)
    spots = spots.filter((spot) => isOpen(spot, step, group.scope))
    for (const narrowing of step.narrowings) {
      scene.budget.spend(spots.length)
      spots = narrow(spots, narrowing, view)
    }
    afterZone = step.isZone
  }
  return spots
}

/** Whether anything but virtual cores was found; those only lead on, they are no result (D12). */
export function findsSomething(spots: readonly Spot[]): boolean {
  return spots.some((spot) => spot.record !== undefined)
}

/** How the groups of a union become one list; given by the caller, since parentheses need it too. */
export type Unite = (scene: Scene, union: CompiledUnion) => readonly Spot[]

/** What is below a set of spots. After a zone, its own nodes count as within reach (D13). */
function inReach(
  scene: Scene,
  from: readonly Spot[],
  reach: 'child' | 'descendant',
  afterZone: boolean,
): readonly Spot[] {
  const sorted = inOrder(from)
  if (reach === 'child')
    return afterZone ? sorted : inOrder([...new Set(sorted.flatMap((spot) => childrenOf(scene, spot)))])
  const below: Spot[] = []
  let next = 0
  for (const { order, last } of sorted) {
    next = Math.max(next, afterZone ? order : order + 1)
    while (next <= last) below.push(scene.spots[next++]!)
  }
  return below
}

function childrenOf(scene: Scene, spot: Spot): Spot[] {
  const children: Spot[] = []
  for (let i = spot.order + 1; i <= spot.last;) {
    const child = scene.spots[i]!
    children.push(child)
    // What a virtual core holds stays a child of its segment too (D12).
    i = child.record === undefined ? i + 1 : child.last + 1
  }
  return children
}

function fromSource(scene: Scene, source: Source, within: readonly Spot[] | undefined, unite: Unite): readonly Spot[] {
  const found =
    source.kind === 'coordinates'
      ? source.coordinates.flatMap((coordinate) => atCoordinate(scene, coordinate))
      : chosen(source.choices.map((union) => unite(scene, union)))
  const unique = [...new Set(found)]
  if (within === undefined) return unique
  const allowed = new Set(within)
  return unique.filter((spot) => allowed.has(spot))
}

/** The first that finds something; else the last, whose virtual cores may still lead on. */
function chosen(lists: readonly (readonly Spot[])[]): readonly Spot[] {
  return lists.find(findsSomething) ?? lists.at(-1) ?? []
}

/** The container at a depth, then the children with each further offset; siblings that share one are all meant (D17). */
function atCoordinate(scene: Scene, { from, to, offsets }: Coordinate): readonly Spot[] {
  let spots: readonly Spot[] = scene.containersAt(from, to)
  scene.budget.spend(spots.length)
  for (const offset of offsets) {
    spots = spots.flatMap((spot) => childrenOf(scene, spot).filter((child) => child.record?.offset === offset))
  }
  return spots
}

/** Whether a step may look at a spot at all, before its conditions do. */
function isOpen({ record, parent, depth }: Spot, step: CompiledStep, scope: DepthScope | undefined): boolean {
  if (scope !== undefined && (depth === undefined || depth < scope.from || depth > scope.to)) return false
  if (record === undefined) return step.meetsVirtual && !step.isZone
  // Inside a depth scope no region can be met (D11).
  if (scope !== undefined && record.nodeClass === 'region') return false
  if (!step.isZone) return true
  const above = parent?.record
  return above?.nodeClass === 'seg' || above?.nodeType === '^ah' || above?.nodeType === '^sys'
}

function narrow(spots: readonly Spot[], narrowing: Narrowing, view: View): readonly Spot[] {
  if (narrowing.kind === 'test') return spots.filter((spot) => narrowing.test(spot, view))
  const families = new Map<Spot | undefined, Spot[]>()
  for (const spot of inOrder(spots)) {
    const family = families.get(spot.parent)
    if (family === undefined) families.set(spot.parent, [spot])
    else family.push(spot)
  }
  const chosen = new Set<Spot>()
  for (const family of families.values()) {
    const spot = narrowing.fromEnd ? family.at(-narrowing.n) : family[narrowing.n - 1]
    if (spot !== undefined) chosen.add(spot)
  }
  return spots.filter((spot) => chosen.has(spot))
}

export function inOrder(spots: readonly Spot[]): readonly Spot[] {
  for (let i = 1; i < spots.length; i++) {
    if (spots[i - 1]!.order > spots[i]!.order) return spots.toSorted((a, b) => a.order - b.order)
  }
  return spots
}
