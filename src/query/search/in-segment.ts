// What a chain finds in one segment, node by node and without setting up rows: for the segment that a commit has added, and
// for the few that a depth names. Each node is told which steps its parent, and which those above it, have matched: a bit
// for each step. Steps that count among siblings or start elsewhere are for the matcher.

import type { NodeRecord } from '../../core/index.js'
import { Branch, type TreeNode, type View } from '../../timeline/index.js'
import { lacksCore } from '../match/flat-tree.js'
import { isReached } from '../match/kind-chain.js'
import type { Group, Spot, Step } from '../plan/plan.js'
import type { Visits } from './visits.js'

/** In document order; undefined where the matcher has to be asked. */
export function plainlyIn(
  segment: Branch,
  depth: number,
  { scope, steps, traits }: Group,
  view: View,
  budget: Visits,
): NodeRecord[] | undefined {
  if (!traits.isPlain) return undefined
  // A virtual core may lead on where there is none (D12).
  if (traits.leadsThroughCore && lacksCore(segment)) return undefined
  const found: NodeRecord[] = []
  if (scope !== undefined && (depth < scope.from || depth > scope.to)) return found
  budget.spend((segment.children.count + 1) * steps.length)
  const walk: Walk = { steps, view, spot: { record: undefined, depth: undefined }, found }
  let parent = 0
  let above = 0
  // Inside a depth scope neither the root nor `^seq` can be met (D11).
  if (steps.length > 1 && scope === undefined) {
    const { root, regions } = view.tree
    above = matched(walk, root, 0, 0)
    parent = matched(walk, regions[1].record, above, above)
    above |= parent
  }
  walk.spot.depth = depth
  askBelow(walk, segment, parent, above)
  return found
}

/** The segment at a depth. The newest one is what the last commit has sealed, and then need not be looked for. */
export function segmentAt({ tree }: View, depth: number): Branch | undefined {
  if (depth === 1 && tree.sealed !== undefined) return tree.sealed.segment
  const { children } = tree.regions[1]
  return children.at(children.size - depth) as Branch | undefined
}

type Walk = Readonly<{ steps: readonly Step[]; view: View; spot: Spot; found: NodeRecord[] }>

function askBelow(walk: Walk, node: TreeNode, parent: number, above: number): void {
  const isBranch = node instanceof Branch
  const record = isBranch ? node.record : node
  const own = matched(walk, record, parent, above)
  if ((own & (1 << (walk.steps.length - 1))) !== 0) walk.found.push(record)
  if (!isBranch) return
  const { items } = node.children
  if (items === undefined) for (const child of node.children) askBelow(walk, child, own, above | own)
  else for (let i = 0; i < items.length; i++) askBelow(walk, items[i]!, own, above | own)
}

/** Which steps a node matches, given those that its parent and all above it do. */
function matched({ steps, view, spot }: Walk, record: NodeRecord, parent: number, above: number): number {
  let own = 0
  spot.record = record
  const last = steps.length - 1
  for (let i = 0; i <= last; i++) {
    const { reach, narrowings } = steps[i]!
    if (!isReached(i, reach === 'child', parent, above)) continue
    // What leads on to all below it does so from further up already.
    if ((above & (1 << i)) !== 0 && i < last && steps[i + 1]!.reach === 'descendant') continue
    let passes = true
    for (let at = 0; passes && at < narrowings.length; at++) {
      const narrowing = narrowings[at]!
      passes = narrowing.kind === 'test' && narrowing.test(spot, view)
    }
    if (passes) own |= 1 << i
  }
  return own
}
