// The size of a tree: nodes, items of its thread, tokens, and an estimate of its bytes in memory.

import { contentText } from '../commit/index.js'
import {
  Branch,
  createdAtIso,
  eachRecord,
  Fact,
  recordOf,
  type Sequence,
  type TreeNode,
  type View,
} from '../timeline/index.js'
import { FORMAT } from './request-tokens.js'
import type { ReportSource, Trees } from './source.js'

export type ContextSize = Readonly<{
  nodes: number
  tokens: number
  /** When the newest turn was made. */
  createdAt: string | undefined
  /** The format that its newest messages came in, if they were read from a conversation or a reply. */
  cameAs: string | undefined
}>

/** The size of the newest snapshot, or of the working state before the first commit. The first call counts every node. */
export function measure({ trees, tokens }: ReportSource): ContextSize {
  const view = shownTree(trees)
  const newest = view.tree.regions[1].children.last
  return {
    nodes: sizeOf(view).nodes,
    tokens: tokens.of(view).total,
    createdAt: newest && createdAtIso(recordOf(newest)),
    cameAs: formatIn(view),
  }
}

/** The number of turns to look at. */
const TURNS = 8

function formatIn({ tree: { regions } }: View): string | undefined {
  const [sys, { children }, head] = regions
  const turns = Array.from({ length: Math.min(TURNS, children.size) }, (_, i) => children.at(children.size - 1 - i)!)
  for (const holder of [head, ...turns, sys]) {
    let found: unknown
    eachRecord(holder, ({ rare }) => void (found = rare?.attributes?.get(FORMAT) ?? found))
    if (typeof found === 'string') return found
  }
  return undefined
}

/** The number of nodes, root and regions included, and of thread items. */
export function sizeOf({ tree }: View): Readonly<{ nodes: number; items: number }> {
  let [nodes, items] = [1, tree.root.isRendered ? 1 : 0]
  for (const { record, children } of tree.regions) {
    nodes += 1 + children.count
    items += children.rendered + (record.isRendered ? 1 : 0)
  }
  return { nodes, items }
}

/** Measured bytes of a context without nodes, of a node, and of a character of its content; with a rendered thread and some selectors asked. */
const COST = { context: 10_000, node: 650, character: 2 }

/** Estimates the memory of an open context: its nodes, and the contents that are loaded. Pages that were never read are not counted. */
export function heldBytes({ trees }: Pick<ReportSource, 'trees'>): number {
  const { tree } = shownTree(trees)
  return tree.regions.reduce((bytes, { children }) => bytes + bytesIn(children), COST.context)
}

function shownTree(trees: Trees): View {
  return trees.newest ?? trees.of('working')
}

function bytesIn(chunk: Sequence): number {
  if (chunk.unread !== undefined) return 0
  if (chunk.isLeaf) return LEAF_BYTES.of(chunk)
  return chunk.chunks!.reduce((sum, each) => sum + bytesIn(each), 0)
}

const LEAF_BYTES = new Fact<Sequence, number>((leaf) => leaf.items!.reduce((sum, node) => sum + bytesOf(node), 0))

function bytesOf(node: TreeNode): number {
  const { content } = recordOf(node)
  return (
    COST.node + COST.character * contentText(content).length + (node instanceof Branch ? bytesIn(node.children) : 0)
  )
}
