// The results of a plan over several snapshots as one list (D8, D45): newest snapshot first, document order within each, every
// node where it is first seen. `??` and `@order` apply to the whole list.

import { compareSiblings, REGIONS, type NodeRecord, type Region } from '../../core/index.js'
import { lineOf, sortByPlace, type View } from '../../timeline/index.js'
import type { Visits } from '../match/visits.js'
import type { Group, Plan, Step, Union } from '../plan/plan.js'
import { groupOf, planOf, unionOf } from '../plan/traits.js'
import { Earlier } from './earlier.js'
import { iteratePlan, runPlan } from './run.js'

/** A node, in the newest snapshot that selects it. */
export type Hit = Readonly<{ record: NodeRecord; view: View }>

/** Goes through the views, newest first, as often as the plan has choices to try; windows are the caller's. */
export function* iterateJoined(views: Iterable<View>, plan: Plan, budget: Visits): Generator<Hit, void, undefined> {
  const { order } = plan
  const join: Join = (union) => joinUnion(views, union, budget)
  for (const union of plan.choices) {
    const hits = join(settleUnion(union, join))
    let isEmpty = true
    for (const hit of order === undefined ? hits : inOrder([...hits], order)) {
      isEmpty = false
      yield hit
    }
    if (!isEmpty) return
  }
}

/** The results of a union over the given snapshots. */
type Join = (union: Union) => Generator<Hit, void, undefined>

/** The newest view is asked for all it has; older ones, where that is less, for what the next newer one has not. */
function* joinUnion(views: Iterable<View>, union: Union, budget: Visits): Generator<Hit, void, undefined> {
  const plan = planFor(union)
  const { groups } = union
  const isSorted = groups.length === 1 && givesDocumentOrder(groups[0]!)
  const earlier = Earlier.isWorthIt(union)
    ? new Earlier(
        groups.map((group) => planFor(unionOf([group]))),
        budget,
      )
    : undefined
  const seen = new Set<string>()
  const sorted = (view: View, records: readonly NodeRecord[]): readonly NodeRecord[] => {
    return sortByPlace(
      view,
      records.filter(({ id }) => !seen.has(id)),
    )
  }
  let newer: View | undefined
  for (const view of views) {
    const found =
      newer !== undefined && earlier !== undefined
        ? sorted(view, earlier.recordsIn(view, newer))
        : isSorted
          ? iteratePlan(view, plan, budget)
          : sorted(view, runPlan(view, plan, budget))
    for (const record of found) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      yield { record, view }
    }
    newer = view
  }
}

/** A union by itself. The orders of keys and unions do not count here, so it may as well be one of 1.0, which sorts less. */
function planFor(union: Union): Plan {
  return planOf({ dialect: '1.0', time: undefined, choices: [union], optional: false, controls: [] })
}

/** Keys have an order of their own, and so have several coordinates and parentheses that end a chain. */
function givesDocumentOrder({ steps, isKeyed }: Group): boolean {
  const { source } = steps.at(-1)!
  return !isKeyed && (source === undefined || (source.kind === 'coordinates' && source.coordinates.length === 1))
}

// `??` in parentheses is judged on the whole too, so its choice is made before any snapshot is asked for the rest.

function settleUnion(union: Union, join: Join): Union {
  if (!union.groups.some(({ steps }) => steps.some(hasChoices))) return union
  return unionOf(
    union.groups.map(({ scope, steps, isKeyed }) => {
      return groupOf(
        scope,
        steps.map((step) => settleStep(step, join)),
        isKeyed,
      )
    }),
  )
}

function settleStep(step: Step, join: Join): Step {
  if (step.source?.kind !== 'choices') return step
  let chosen: Union = NO_UNION
  for (const union of step.source.choices) {
    chosen = settleUnion(union, join)
    if (join(chosen).next().done !== true) break
  }
  return { ...step, source: { kind: 'choices', choices: [chosen] } }
}

const NO_UNION = unionOf([])

function hasChoices({ source }: Step): boolean {
  if (source?.kind !== 'choices') return false
  return source.choices.length > 1 || source.choices[0]!.groups.some(({ steps }) => steps.some(hasChoices))
}

/** A node and its ancestors, from its region down, the node last. The root has none. */
type Placed = Readonly<{ hit: Hit; line: readonly NodeRecord[] }>

/** Sorts by the places that the nodes have where they were first seen; what is equal stays, the newer snapshot first. */
function inOrder(hits: readonly Hit[], order: string): readonly Hit[] {
  const placed = hits.map((hit): Placed => {
    return { hit, line: hit.record.nodeClass === 'root' ? [] : lineOf(hit.view, hit.record) }
  })
  return placed.sort(comparison(order)).map(({ hit }) => hit)
}

function comparison(order: string): (a: Placed, b: Placed) => number {
  switch (order) {
    case 'post':
      return (a, b) => compareLines(a.line, b.line, 1)
    case 'bfs':
      return (a, b) => a.line.length - b.line.length
    case 'path':
      return comparePaths
    case 'turn':
    case 'turn:asc':
      return (a, b) => a.hit.record.cycle - b.hit.record.cycle
    case 'turn:desc':
      return (a, b) => b.hit.record.cycle - a.hit.record.cycle
    default:
      return (a, b) => compareLines(a.line, b.line, -1)
  }
}

/** Document order, also between trees: from the region down, each pair as siblings; `above` is the rank of an ancestor. */
function compareLines(a: readonly NodeRecord[], b: readonly NodeRecord[], above: number): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i]!, b[i]!]
    const between = i === 0 ? regionRank(left) - regionRank(right) : compareSiblings(left, right)
    if (between !== 0) return between
  }
  return above * Math.sign(b.length - a.length)
}

function comparePaths(a: Placed, b: Placed): number {
  const [left, right] = [a, b].map(({ hit: { view, record } }) => view.depthOf(record) ?? Infinity) as [number, number]
  if (left !== right) return left - right
  return compareOffsets(offsetsOf(a.line), offsetsOf(b.line))
}

function compareOffsets(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((offset, i) => offset !== b[i])
  if (at < 0) return a.length - b.length
  return b[at] === undefined ? 1 : a[at]! - b[at]
}

/** The offsets from the segment or region down (D17). */
function offsetsOf(line: readonly NodeRecord[]): readonly number[] {
  return line.filter(({ nodeClass }) => nodeClass !== 'seg' && nodeClass !== 'region').map(({ offset }) => offset)
}

function regionRank({ nodeType }: NodeRecord): number {
  return REGIONS.indexOf(nodeType as Region)
}
