// What a selector is matched against: the nodes of a tree (or of some of its segments) in document order, each with its
// place, and the virtual cores that the documents' own fixtures ask for (D12).

import type { NodeRecord } from '../../core/index.js'
import { childrenOf, recordOf, type Tree, type TreeNode } from '../../timeline/index.js'
import type { Budget } from '../search/budget.js'
import { NOWHERE, type Positions } from '../search/pattern.js'

/** A node at its place; the virtual core is a place without a node. */
export type Spot = {
  readonly record: NodeRecord | undefined
  readonly node: TreeNode | undefined
  readonly parent: Spot | undefined
  /** As D10 counts; root and `^seq` have none. */
  readonly depth: number | undefined
  /** The index in document order, and the index of the last node below. */
  readonly order: number
  last: number
}

/** A node by itself, for tests that ask for nothing around it. */
export class Probe implements Spot {
  record: NodeRecord | undefined = undefined
  readonly node = undefined
  readonly parent = undefined
  depth: number | undefined = undefined
  readonly order = 0
  last = 0
}

/** Which part of a tree to set up. */
export type Extent = Readonly<{
  /** Whether `^sys`, and whether `^ah`, are part of it. */
  sys: boolean
  head: boolean
  /** The segments, by index in `^seq`, ascending; undefined for all. */
  segments: readonly number[] | undefined
}>

const WHOLE: Extent = { sys: true, head: true, segments: undefined }

export class Scene {
  /** Every spot in document order. */
  readonly spots: Spot[] = []
  /** Who pays for the looks at its spots; a scene that is kept is looked at for another call each time. */
  budget: Budget
  /** Segments, `^sys` and `^ah` by depth, once a coordinate asked for them. */
  #containers: Map<number, Spot[]> | undefined

  constructor(
    { root, regions: [sys, seq, ah] }: Pick<Tree, 'root' | 'regions'>,
    extent: Extent | undefined,
    budget: Budget,
  ) {
    this.budget = budget
    const { sys: hasSys, head: hasHead, segments } = extent ?? WHOLE
    const top = this.#open(root, undefined, undefined, undefined)
    if (hasSys) this.#addUnit(sys, top, -1)
    const history = this.#open(seq.record, seq, top, undefined)
    const { children } = seq
    if (segments === undefined) {
      let depth = children.size
      for (const segment of children) this.#addUnit(segment, history, depth--)
    } else {
      for (const index of segments) this.#addUnit(children.at(index)!, history, children.size - index)
    }
    history.last = this.spots.length - 1
    if (hasHead) this.#addUnit(ah, top, 0)
    top.last = this.spots.length - 1
  }

  /** What a coordinate `(dK)` or `(dK..dL)` names, in document order. */
  containersAt(from: number, to: number): readonly Spot[] {
    this.#containers ??= this.#findContainers()
    if (from === to) return this.#containers.get(from) ?? []
    const found: Spot[] = []
    for (const [depth, spots] of this.#containers) if (depth >= from && depth <= to) found.push(...spots)
    return found.sort((a, b) => a.order - b.order)
  }

  #findContainers(): Map<number, Spot[]> {
    const containers = new Map<number, Spot[]>()
    for (const spot of this.spots) {
      if (spot.depth === undefined || (spot.record?.nodeClass !== 'seg' && spot.record?.nodeClass !== 'region'))
        continue
      const known = containers.get(spot.depth)
      if (known === undefined) containers.set(spot.depth, [spot])
      else known.push(spot)
    }
    this.budget.spend(this.spots.length)
    return containers
  }

  #addUnit(unit: TreeNode, parent: Spot, depth: number): void {
    const before = this.spots.length
    this.#addTree(unit, parent, depth)
    this.budget.spend(this.spots.length - before)
  }

  #addTree(node: TreeNode, parent: Spot, depth: number): void {
    const record = recordOf(node)
    const spot = this.#open(record, node, parent, depth)
    const children = childrenOf(node)
    const virtual =
      holdsVirtualCore(record) && !children.toArray().some((child) => recordOf(child).nodeClass === 'core')
    let core: Spot | undefined
    for (const child of children) {
      if (virtual && recordOf(child).offset === 0) {
        core ??= this.#open(undefined, undefined, spot, depth)
        this.#addTree(child, spot, depth)
        core.last = this.spots.length - 1
      } else this.#addTree(child, spot, depth)
    }
    spot.last = this.spots.length - 1
  }

  #open(
    record: NodeRecord | undefined,
    node: TreeNode | undefined,
    parent: Spot | undefined,
    depth: number | undefined,
  ): Spot {
    const spot: Spot = { record, node, parent, depth, order: this.spots.length, last: this.spots.length }
    this.spots.push(spot)
    return spot
  }
}

/** Whether blocks at offset 0 directly under it count as held by a core it does not have. */
function holdsVirtualCore(record: NodeRecord): boolean {
  return record.nodeClass === 'seg' || record.nodeType === '^ah'
}

/** How far below the root a spot stands, for `@order=bfs`. */
export function levelOf(spot: Spot): number {
  let level = 0
  for (let up = spot.parent; up !== undefined; up = up.parent) level++
  return level
}

/** The offsets from the region or segment down, for `@order=path` (D23). */
export function offsetsOf(spot: Spot): readonly number[] {
  const offsets: number[] = []
  for (let at: Spot | undefined = spot; at?.record !== undefined; at = at.parent) {
    const { nodeClass, offset } = at.record
    if (nodeClass === 'seg' || nodeClass === 'region' || nodeClass === 'root') break
    offsets.push(offset)
  }
  return offsets.reverse()
}

/** The indexes, within its one unit, of some spots of a scene. */
export function positionsOf({ spots: all }: Scene, spots: ReadonlySet<Spot>): Positions {
  const start = all.findIndex((spot) => spot.depth !== undefined)
  if (start < 0) return NOWHERE
  const positions: number[] = []
  let position = 0
  for (let i = start; i <= all[start]!.last; i++) {
    if (all[i]!.record === undefined) continue
    if (spots.has(all[i]!)) positions.push(position)
    position++
  }
  return positions.length === 0 ? NOWHERE : positions
}
