// A tree as rows, a window of them at a time. Regions and the content of open turns are open; past turns are closed. All open nodes are walked.
// Closed turns are counted, so that their pages are not read. The core of a turn has no row of its own, since every turn has one: its content takes
// its place.

import { firstIndex, type NodeRecord } from '../core/index.js'
import { childrenOf, recordOf, type Branch, type Sequence, type TreeNode, type View } from '../timeline/index.js'

export type RowState = Readonly<{
  /** Ids that are open or closed against the default. */
  open: ReadonlySet<string>
  closed: ReadonlySet<string>
  /** True if past turns are open, too. */
  isAllOpen: boolean
  /** Nodes that left, of an older view, each in its document order. */
  ghosts: readonly NodeRecord[]
  /** Why a node left. */
  causeOf: (ghost: NodeRecord) => string
}>

/** One row: a node, or one that has left. */
export type Row = Readonly<{
  row: number
  node: TreeNode
  isGhost: boolean
  level: number
  /** Its place among its siblings, from 1, and the number of siblings. */
  index: number
  size: number
  /** Only of a node that has something under it. */
  isOpen: boolean | undefined
  /** The containers that are folded into it, the outermost first. */
  holders?: readonly NodeRecord[]
  /** The blocks of a closed turn that has left. */
  gone?: readonly NodeRecord[]
  /** The turns of a run that has left, if they are one row. */
  run?: readonly NodeRecord[]
}>

/** A node that has left, before the child of this rank, and the nodes that left with it. */
type Ghost = Readonly<{ record: NodeRecord; rank: number; below: Ghost[] }>

/** Turns that are not open, from a rank to another. */
type Closed = Readonly<{ row: number; start: number; end: number; level: number }>

export class RowWindow {
  readonly #view: View
  readonly #state: RowState
  /** Departed nodes by the parent that is still there, in the order of their ranks. */
  readonly #ghosts = new Map<string, Ghost[]>()
  readonly #parts: (Row | Closed)[] = []
  /** The row of its content, for a core without one of its own. */
  readonly #folded = new Map<string, number>()
  /** The rows of nodes, without closed turns; made when it is first asked for. */
  #rowOf: ReadonlyMap<string, number> | undefined
  /** The number of rows. */
  total = 0

  constructor(view: View, state: RowState) {
    this.#view = view
    this.#state = state
    this.#noteGhosts()
    const { regions } = view.tree
    for (const [i, region] of regions.entries()) this.#visit(region, 1, i + 1, regions.length)
  }

  /** The rows from one on. */
  rows(from: number, count: number): readonly Row[] {
    const to = Math.min(from + count, this.total)
    const out: Row[] = []
    for (let at = firstIndex(this.#parts.length, (i) => this.#parts[i]!.row > from) - 1; from + out.length < to; at++) {
      const part = this.#parts[at]!
      if ('node' in part) out.push(part)
      else {
        const end = Math.min(part.row + part.end - part.start, to)
        for (let row = from + out.length; row < end; row++) out.push(this.#closedRow(part, row))
      }
    }
    return out
  }

  /** The row of a node; undefined where something above it is closed. */
  rowOf(record: NodeRecord): number | undefined {
    this.#rowOf ??= new Map(this.#parts.flatMap((part) => ('node' in part ? [[recordOf(part.node).id, part.row]] : [])))
    const row = this.#rowOf.get(record.id) ?? this.#folded.get(record.id)
    if (row !== undefined || record.nodeClass !== 'seg') return row
    const rank = segmentsOf(this.#view).rank(record)
    const closed = this.#parts.find((part) => 'start' in part && part.start <= rank && rank < part.end) as Closed
    return closed && closed.row + rank - closed.start
  }

  #noteGhosts(): void {
    const ghosts = new Map<string, Ghost>()
    for (const record of this.#state.ghosts) {
      const parentId = record.parentId!
      const above = ghosts.get(parentId)
      const parent = above === undefined ? this.#view.find(parentId) : undefined
      const children = parent === undefined ? undefined : childrenOf(this.#view.nodeOf(parent))
      const ghost = { record, rank: children?.rank(record) ?? 0, below: [] }
      ghosts.set(record.id, ghost)
      if (above !== undefined) above.below.push(ghost)
      // If its parent left in another way, its place is not known.
      else if (parent !== undefined && parent.nodeClass !== 'root') {
        const siblings = this.#ghosts.get(parentId) ?? []
        siblings.push(ghost)
        this.#ghosts.set(parentId, siblings)
      }
    }
    for (const list of this.#ghosts.values()) list.sort((a, b) => a.rank - b.rank)
  }

  #isOpen(node: TreeNode): boolean | undefined {
    const { id, nodeClass } = recordOf(node)
    if (childrenOf(node).size === 0 && !this.#ghosts.has(id)) return undefined
    if (this.#state.open.has(id)) return true
    return !this.#state.closed.has(id) && (this.#state.isAllOpen || nodeClass !== 'seg')
  }

  #visit(node: TreeNode, level: number, index: number, size: number, holders?: readonly NodeRecord[]): void {
    const record = recordOf(node)
    const only = isWrapper(record) && !this.#ghosts.has(record.id) ? onlyChild(node) : undefined
    if (only !== undefined) {
      this.#folded.set(record.id, this.total)
      return this.#visit(only, level, index, size, [...(holders ?? []), record])
    }
    if (isFolded(record)) {
      this.#folded.set(record.id, this.total)
      return this.#children(node as Branch, level)
    }
    const isOpen = this.#isOpen(node)
    const row = { row: this.total++, node, isGhost: false, level, index, size, isOpen }
    this.#parts.push(holders === undefined ? row : { ...row, holders })
    if (isOpen === true) this.#children(node as Branch, level + 1)
  }

  /** The children, each with the departed nodes before it. */
  #children(parent: Branch, level: number): void {
    const { children, record } = parent
    const { size } = children
    const ghosts = this.#ghosts.get(record.id) ?? []
    const opened = record.nodeType === '^seq' && !this.#state.isAllOpen ? this.#openTurns(children) : undefined
    // The usual case first, since there may be many thousands.
    if (ghosts.length === 0 && opened === undefined) {
      return children.toArray().forEach((child, i) => this.#visit(child, level, i + 1, size))
    }
    const ranks = new Set([...ghosts.map(({ rank }) => rank), ...(opened ?? []), size])
    let [start, seen] = [0, 0]
    for (const rank of [...ranks].sort((a, b) => a - b)) {
      if (opened !== undefined && start < rank) {
        this.#parts.push({ row: this.total, start, end: rank, level })
        this.total += rank - start
      }
      if (opened === undefined) for (let i = start; i < rank; i++) this.#visit(children.at(i)!, level, i + 1, size)
      const first = seen
      while (ghosts[seen]?.rank === rank) seen++
      this.#visitGhosts(ghosts.slice(first, seen), level, rank + 1, size)
      start = rank
      if (opened?.has(rank) === true) this.#visit(children.at(start++)!, level, rank + 1, size)
    }
  }

  /** The ranks of the turns that are open. */
  #openTurns(turns: Sequence): ReadonlySet<number> {
    const records = [...this.#state.open].flatMap((id) => this.#view.find(id) ?? [])
    return new Set(records.filter(({ nodeClass }) => nodeClass === 'seg').map((record) => turns.rank(record)))
  }

  #closedRow({ row: first, start, level }: Closed, row: number): Row {
    const turns = segmentsOf(this.#view)
    const rank = start + row - first
    const node = turns.at(rank)!
    return { row, node, isGhost: false, level, index: rank + 1, size: turns.size, isOpen: this.#isOpen(node) }
  }

  /** A turn that has left is one line, until it is opened: many may leave at once. */
  #isGhostOpen({ id, nodeClass }: NodeRecord): boolean {
    return nodeClass !== 'seg' || this.#state.isAllOpen || this.#state.open.has(id)
  }

  /** Departed nodes before the same child. Turns in a row that left for one reason are one row, until one of them is opened. */
  #visitGhosts(ghosts: readonly Ghost[], level: number, index: number, size: number): void {
    for (let at = 0; at < ghosts.length;) {
      const run = this.#runFrom(ghosts, at)
      at += run.length
      if (run.length === 1 || run.some(({ record }) => this.#isGhostOpen(record))) {
        for (const each of run) this.#visitGhost(each, level, index, size)
        continue
      }
      const turns = run.map(({ record }) => record)
      const row = { row: this.total++, node: turns[0]!, isGhost: true, level, index, size, isOpen: false }
      this.#parts.push({ ...row, gone: blocksIn(run), run: turns })
    }
  }

  #runFrom(ghosts: readonly Ghost[], at: number): readonly Ghost[] {
    const cause = this.#turnCause(ghosts[at]!)
    if (cause === undefined) return [ghosts[at]!]
    const rest = ghosts.slice(at)
    const end = rest.findIndex((each) => this.#turnCause(each) !== cause)
    return end < 0 ? rest : rest.slice(0, end)
  }

  #turnCause({ record }: Ghost): string | undefined {
    return record.nodeClass === 'seg' ? this.#state.causeOf(record) : undefined
  }

  #visitGhost({ record, below }: Ghost, level: number, index: number, size: number): void {
    if (isWrapper(record) && below.length === 1) return this.#visitGhost(below[0]!, level, index, size)
    const isOpen = below.length > 0 ? this.#isGhostOpen(record) : undefined
    if (!isFolded(record)) {
      const row = { row: this.total++, node: record, isGhost: true, level, index, size, isOpen }
      this.#parts.push(isOpen === false ? { ...row, gone: blocksIn(below) } : row)
    }
    if (isOpen === false) return
    for (const each of below) this.#visitGhost(each, isFolded(record) ? level : level + 1, index, size)
  }
}

/** The blocks among ghosts and all that left with them. */
function blocksIn(ghosts: readonly Ghost[]): NodeRecord[] {
  return ghosts.flatMap(({ record, below }) => [...(record.isRendered ? [record] : []), ...blocksIn(below)])
}

/** True if a node is folded into its parent. */
function isFolded(record: NodeRecord): boolean {
  return record.nodeClass === 'core' && record.content === undefined
}

/** True for a container that says nothing itself: with one child, the two are one row. */
function isWrapper({ nodeClass, content, tags, ttl, rare }: NodeRecord): boolean {
  if (nodeClass !== 'cont' || content !== undefined || tags.length > 0 || (ttl ?? null) !== null) return false
  return rare?.key === undefined && rare?.cad === undefined && rare?.refs === undefined && rare?.pinned !== true
}

function onlyChild(node: TreeNode): TreeNode | undefined {
  const children = childrenOf(node)
  return children.size === 1 ? children.at(0) : undefined
}

/** The number of direct children of a node; the content of a folded core counts in place of the core. */
export function childRows(node: TreeNode): number {
  const { items, chunks, size } = childrenOf(node)
  if (chunks !== undefined || items === undefined) return size
  return items.reduce((sum, item) => sum + (isFolded(recordOf(item)) ? childrenOf(item).size : 1), 0)
}

/** The sequence of turns in a region. */
export function segmentsOf(view: View): Sequence {
  return view.tree.regions[1].children
}
