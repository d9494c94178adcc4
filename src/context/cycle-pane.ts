// What a pane beside a timeline says of one tree.

import type { JsonObject, Lens, NodeRecord, Receipt } from '../core/index.js'
import { schedulesToJson } from '../codec/index.js'
import {
  Branch,
  createdAtIso,
  recordOf,
  type Fact,
  type Sequence,
  type TreeNode,
  type View,
} from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'
import { sizeOf } from './cycle-facts.js'
import { ContextEdits, type AnyContext } from './edits.js'
import { FactPerCounter } from './fact-per-counter.js'
import { toolName } from './tool-name.js'

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

/** How many of the largest nodes are told. */
const LARGEST = 5

/** Sizes, the receipt, and the nodes with the most tokens. */
export function largestNodes(ctx: AnyContext, lens: Lens): CyclePane {
  const { views, gate, tokens, home } = ContextEdits.partsOf(ctx)
  const view = views.of(lens)
  const { tree, cycle, receipt } = view
  const largest = gate.reading(() => new Largest(view, tokens).find())
  const newest = tree.regions[1].children.last
  return {
    cycle,
    createdAt: newest && createdAtIso(recordOf(newest)),
    segments: tree.regions[1].children.size,
    nodes: sizeOf(view).nodes,
    tokens: home.edition.tokens(view, undefined).total,
    receipt,
    schedules: schedulesToJson(tree.schedules),
    largest,
  }
}

type Most = Readonly<{ most: number }>

const MOST = new FactPerCounter<Most>()

/** Looks only into parts that have more tokens than the smallest of those that were found: most of a tree is passed over. */
class Largest {
  readonly #view: View
  readonly #counts: TokenCounts
  readonly #fact: Fact<Sequence, Most>
  readonly #found: { record: NodeRecord; tokens: number }[] = []

  constructor(view: View, counts: TokenCounts) {
    this.#view = view
    this.#counts = counts
    this.#fact = MOST.of(counts)
  }

  find(): readonly LargeNode[] {
    const { regions } = this.#view.tree
    for (const region of regions) this.#look(region)
    return this.#found.map(({ record, tokens }) => about(record, tokens))
  }

  #look(node: TreeNode): void {
    const own = this.#counts.ofNode(node, this.#view)
    if (own > this.#least) {
      this.#found.push({ record: recordOf(node), tokens: own })
      this.#found.sort((a, b) => b.tokens - a.tokens)
      this.#found.splice(LARGEST)
    }
    if (node instanceof Branch) this.#lookIn(node.children)
  }

  #lookIn(sequence: Sequence): void {
    if (this.#most(sequence) <= this.#least) return
    for (const chunk of sequence.chunks ?? []) this.#lookIn(chunk)
    for (const item of sequence.items ?? []) this.#look(item)
  }

  /** The most tokens that one node of a chunk has. */
  #most(sequence: Sequence): number {
    const fact = this.#fact
    return (fact.known(sequence) ?? fact.keep(sequence, { most: this.#mostIn(sequence) })).most
  }

  #mostIn({ chunks, items }: Sequence): number {
    let most = 0
    for (const chunk of chunks ?? []) most = Math.max(most, this.#most(chunk))
    for (const item of items ?? []) {
      most = Math.max(most, this.#counts.ofNode(item, this.#view))
      if (item instanceof Branch) most = Math.max(most, this.#mostIn(item.children))
    }
    return most
  }

  get #least(): number {
    return this.#found.length < LARGEST ? 0 : this.#found.at(-1)!.tokens
  }
}

function about(record: NodeRecord, tokens: number): LargeNode {
  const { id, role, kind, rare } = record
  const name = toolName(record)
  return {
    id,
    tokens,
    ...(role === undefined ? {} : { role }),
    ...(kind === undefined ? {} : { kind }),
    ...(rare?.key === undefined ? {} : { key: rare.key }),
    ...(name === undefined ? {} : { name }),
  }
}
