// The pane of the inspector about one tree.

import { defined, type JsonObject, type Lens, type NodeRecord, type Receipt } from '../core/index.js'
import { schedulesToJson } from '../codec/index.js'
import { childrenOf, createdAtIso, recordOf, type TreeNode, type View } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'
import { toolOf } from './call-pair.js'
import { sizeOf } from './size.js'
import type { ReportSource } from './source.js'

export type LargeNode = Readonly<{
  id: string
  tokens: number
  role?: string
  kind?: string
  key?: string
  name?: string
}>

export type CyclePane = Readonly<{
  cycle: number
  createdAt: string | undefined
  segments: number
  nodes: number
  tokens: number
  receipt: Receipt
  schedules: readonly JsonObject[]
  largest: readonly LargeNode[]
}>

/** The number of largest nodes to list. */
const LARGEST = 5

/** Sizes, the receipt, and the nodes with the most tokens. */
export function largestNodes({ trees, tokens }: ReportSource, lens: Lens): CyclePane {
  const view = trees.of(lens)
  const { tree, cycle, receipt } = view
  const largest = tokens.reading(() => findLargest(view, tokens.counts))
  const newest = tree.regions[1].children.last
  return {
    cycle,
    createdAt: newest && createdAtIso(recordOf(newest)),
    segments: tree.regions[1].children.size,
    nodes: sizeOf(view).nodes,
    tokens: tokens.of(view).total,
    receipt,
    schedules: schedulesToJson(tree.schedules),
    largest,
  }
}

/** The nodes with the most tokens, the largest first. Visits every node: 50,000 take about 20 ms. */
function findLargest(view: View, counts: TokenCounts): readonly LargeNode[] {
  const found: { record: NodeRecord; tokens: number }[] = []
  const look = (node: TreeNode): void => {
    const tokens = counts.ofNode(node, view)
    if (tokens > (found[LARGEST - 1]?.tokens ?? 0)) {
      found.push({ record: recordOf(node), tokens })
      found.sort((a, b) => b.tokens - a.tokens)
      found.splice(LARGEST)
    }
    for (const child of childrenOf(node)) look(child)
  }
  for (const region of view.tree.regions) look(region)
  return found.map(({ record, tokens }) => about(view, record, tokens))
}

function about(view: View, record: NodeRecord, tokens: number): LargeNode {
  const { id, role, kind, rare } = record
  return defined({ id, tokens, role, kind, key: rare?.key, name: toolOf(view, record) })
}
