// One tree as one lens shows it: the same tree shows another ttl in the working state than in its snapshot (D24).

import { PactError } from '../errors/index.js'
import { EMPTY_RECEIPT, type NodeRecord, type Receipt } from '../core/index.js'
import type { Draft } from './draft.js'
import { type Branch, type TreeNode } from './sequence.js'
import type { Timeline } from './timeline.js'
import { regionOf, type Tree } from './tree.js'

/** What a node needs to show itself; holds on to nothing but the tree. */
export class Frame {
  readonly tree: Tree
  readonly cycle: number
  /** Whether this is the open cycle, whose running ttls read as the last snapshot shows them. */
  readonly isWorking: boolean

  constructor(tree: Tree, cycle: number, isWorking: boolean) {
    this.tree = tree
    this.cycle = cycle
    this.isWorking = isWorking
  }

  ttlOf(record: NodeRecord): number | null {
    if (record.ttl === null) return null
    if (this.isWorking && record.ttlFrom === this.cycle) return record.ttl
    // In this order no sum can leave the safe integers, whatever ttl a file has.
    return Math.max(0, record.ttl - ((this.isWorking ? this.cycle - 1 : this.cycle) - record.ttlFrom))
  }
}

export class View extends Frame {
  readonly receipt: Receipt
  readonly #find: (id: string) => NodeRecord | undefined

  private constructor(
    tree: Tree,
    cycle: number,
    isWorking: boolean,
    receipt: Receipt,
    find: (id: string) => NodeRecord | undefined,
  ) {
    super(tree, cycle, isWorking)
    this.receipt = receipt
    this.#find = find
  }

  static ofSnapshot(timeline: Timeline, cycle: number): View {
    const find = (id: string): NodeRecord | undefined => timeline.find(id, cycle)
    return new View(timeline.treeAt(cycle)!, cycle, false, timeline.receiptAt(cycle), find)
  }

  /** A view of the open cycle; it stays true only while the draft is not edited, so hand out a copy's view. */
  static ofWorking(draft: Draft): View {
    return new View(draft.tree, draft.cycle, true, EMPTY_RECEIPT, (id) => draft.find(id))
  }

  /** A view of a draft that a commit has been tried on, as the snapshot it would become. */
  static ofPreview(draft: Draft, receipt: Receipt): View {
    return new View(draft.tree, draft.cycle, false, receipt, (id) => draft.find(id))
  }

  find(id: string): NodeRecord | undefined {
    return this.#find(id)
  }

  /** The records from the node up to its region. */
  ancestry(record: NodeRecord): NodeRecord[] {
    const line = [record]
    for (let up = record.parentId; up !== undefined; up = line.at(-1)!.parentId) {
      const parent = this.find(up)
      if (parent === undefined) throw new PactError('E_INTERNAL', `${up} is missing; this is a bug in pact-context.`)
      if (parent.nodeClass === 'root') break
      line.push(parent)
    }
    return line
  }

  /** The node with everything under it. */
  nodeOf(record: NodeRecord): TreeNode {
    const line = this.ancestry(record)
    const top = line.pop()!
    let node: TreeNode = this.tree.regions.find((branch) => branch.record.id === top.id)!
    while (line.length > 0) node = (node as Branch).children.find(line.pop()!)!
    return node
  }

  /** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
  depthOf(record: NodeRecord): number | undefined {
    if (record.nodeClass === 'root') return undefined
    const line = this.ancestry(record)
    const region = line.at(-1)!
    if (region.nodeType === '^sys') return -1
    if (region.nodeType === '^ah') return 0
    const segment = line.at(-2)
    if (segment === undefined) return undefined
    const { children } = regionOf(this.tree, '^seq')
    return children.size - children.rank(segment)
  }
}
