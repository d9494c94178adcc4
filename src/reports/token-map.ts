// The tokens of a tree in the order of its thread: its turns, and the nodes in them. Neighbours that are too small to draw share an entry, so
// the answer is short however long the context is.

import { defined, type Lens, type NodeRecord } from '../core/index.js'
import { hasTokens, type TokenCounts } from '../commit/index.js'
import { Branch, childrenOf, recordOf, type TreeNode, type View } from '../timeline/index.js'
import { toolOf } from './call-pair.js'
import { partOf, type ContextPart } from './part-tokens.js'
import type { ReportSource } from './source.js'

/** A node with its tokens, or `count` neighbours of which the first is named. */
export type MappedNode = Readonly<{
  id: string
  count?: number
  tokens: number
  part: ContextPart
  role?: string
  kind?: string
  name?: string
  key?: string
}>

/** The system, a turn, several neighbouring turns from one cycle to another, or the open cycle. */
export type MappedTurn = Readonly<{
  id: string
  zone: 'sys' | 'turn' | 'open'
  from: number
  to: number
  tokens: number
  nodes: readonly MappedNode[]
}>

export type TokenMap = Readonly<{
  at: Readonly<{ lens: Lens; cycle: number }>
  total: number
  turns: readonly MappedTurn[]
}>

/** An entry of its own has at least this share of all tokens. */
const LEAST = 1 / 300

export function tokenMap({ trees, tokens }: ReportSource, lens: Lens): TokenMap {
  const view = trees.of(lens)
  const total = tokens.of(view).total
  return tokens.reading(() => ({
    at: { lens, cycle: view.cycle },
    total,
    turns: new Mapper(view, tokens.counts, total * LEAST).turns(),
  }))
}

class Mapper {
  readonly #view: View
  readonly #counts: TokenCounts
  readonly #least: number

  constructor(view: View, counts: TokenCounts, least: number) {
    this.#view = view
    this.#counts = counts
    this.#least = least
  }

  turns(): readonly MappedTurn[] {
    const [sys, seq, head] = this.#view.tree.regions
    const turns: MappedTurn[] = [this.#turn(sys, 'sys')]
    let small: MappedTurn | undefined
    const add = (turn: MappedTurn | undefined): void => void (turn !== undefined && turns.push(turn))
    const own = hasTokens(seq.record) ? this.#counts.ofNode(seq, this.#view) : 0
    if (own > 0) add({ ...this.#at(seq, 'turn'), tokens: own, nodes: [this.#node(seq.record, own, 'core')] })
    for (const segment of seq.children) {
      if (small !== undefined && small.tokens >= this.#least) {
        add(small)
        small = undefined
      }
      const tokens = this.#whole(segment)
      if (tokens < this.#least) {
        if (tokens > 0) small = this.#joined(small, segment, tokens)
        continue
      }
      add(small)
      small = undefined
      add(this.#turn(segment, 'turn'))
    }
    add(small)
    turns.push(this.#turn(head, 'open'))
    return turns.filter(({ tokens }) => tokens > 0)
  }

  #at(node: TreeNode, zone: MappedTurn['zone']): Pick<MappedTurn, 'id' | 'zone' | 'from' | 'to'> {
    const { id, cycle } = recordOf(node)
    const made = zone === 'turn' ? cycle : this.#view.cycle
    return { id, zone, from: made, to: made }
  }

  /** One more small turn after others. */
  #joined(small: MappedTurn | undefined, segment: TreeNode, tokens: number): MappedTurn {
    const { id, cycle } = recordOf(segment)
    if (small === undefined) {
      return {
        id,
        zone: 'turn',
        from: cycle,
        to: cycle,
        tokens,
        nodes: [{ id, count: this.#sizeOf(segment), tokens, part: 'core' }],
      }
    }
    const all = small.tokens + tokens
    const [first] = small.nodes
    return {
      ...small,
      to: cycle,
      tokens: all,
      nodes: [{ ...first!, count: (first!.count ?? 1) + this.#sizeOf(segment), tokens: all }],
    }
  }

  #sizeOf(node: TreeNode): number {
    return node instanceof Branch ? 1 + node.children.count : 1
  }

  #turn(root: TreeNode, zone: MappedTurn['zone']): MappedTurn {
    const nodes: MappedNode[] = []
    let small: MappedNode | undefined
    const flush = (): void => {
      if (small !== undefined) nodes.push(small)
      small = undefined
    }
    const take = (node: TreeNode, part: ContextPart): void => {
      const record = recordOf(node)
      const tokens = hasTokens(record) ? this.#counts.ofNode(node, this.#view) : 0
      if (small !== undefined && (small.tokens >= this.#least || small.part !== part)) flush()
      if (tokens >= this.#least && tokens > 0) {
        flush()
        nodes.push(this.#node(record, tokens, part))
      } else if (tokens > 0) {
        small = small === undefined ? this.#node(record, tokens, part) : merged(small, tokens)
      }
      for (const child of childrenOf(node)) take(child, part)
    }
    if (zone === 'sys') take(root, 'sys')
    else {
      // A turn has no content by itself; a program may have given it some.
      const own = hasTokens(recordOf(root)) ? this.#counts.ofNode(root, this.#view) : 0
      if (own > 0) nodes.push(this.#node(recordOf(root), own, 'core'))
      for (const child of childrenOf(root)) take(child, partOf(child))
    }
    flush()
    return { ...this.#at(root, zone), tokens: nodes.reduce((sum, { tokens }) => sum + tokens, 0), nodes }
  }

  #node(record: NodeRecord, tokens: number, part: ContextPart): MappedNode {
    const { id, role, kind, rare } = record
    return defined({ id, tokens, part, role, kind, name: toolOf(this.#view, record), key: rare?.key })
  }

  #whole(node: TreeNode): number {
    return node instanceof Branch ? this.#counts.ofBranch(node, this.#view) : this.#counts.ofNode(node, this.#view)
  }
}

/** Several neighbours have no role, kind or name together. */
function merged({ id, part, count = 1, tokens: before }: MappedNode, tokens: number): MappedNode {
  return { id, part, count: count + 1, tokens: before + tokens }
}
