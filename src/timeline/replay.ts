// A tree from the one before and what changed: the way of a commit once more, without its calls. Every changed node is
// taken out, put in or exchanged in its parent's sequence, and each branch above it is rebuilt once. So the cost is that
// of the change, and both trees share the rest.
//
// A change that does not fit the tree is refused: its bytes were damaged, or it belongs to another tree.

import { PactError } from '../errors/index.js'
import { compareSiblings, Gone, REGIONS, Schedules, type NodeRecord, type TreeChange } from '../core/index.js'
import { Branch, recordOf, Sequence, type TreeNode } from './sequence.js'
import { pathIn, type Tree } from './tree.js'

/** The changes among the children of one branch: removed, replaced and added nodes. */
type Turnover = { readonly left: NodeRecord[]; readonly changed: string[]; readonly came: string[] }

/** `find` looks up the tree before, which is undefined before the first commit. */
export function changedTree(
  before: Tree | undefined,
  find: (id: string) => NodeRecord | undefined,
  change: TreeChange,
): Tree {
  return new Replay(before, find, change).run()
}

class Replay {
  readonly #before: Tree | undefined
  readonly #find: (id: string) => NodeRecord | undefined
  readonly #change: TreeChange
  readonly #versions: ReadonlyMap<string, NodeRecord | Gone>
  readonly #emptied: ReadonlySet<string>
  /** By the id of the parent: one entry for every branch that changes. */
  readonly #turnovers = new Map<string, Turnover>()
  /** The number of changed nodes that were placed. */
  #placed = 0

  constructor(before: Tree | undefined, find: (id: string) => NodeRecord | undefined, change: TreeChange) {
    this.#before = before
    this.#find = find
    this.#change = change
    this.#versions = new Map(change.versions.map((version) => [version.id, version]))
    this.#emptied = new Set(change.emptied)
  }

  run(): Tree {
    const { root, regions } = this.#top()
    let nodes = 0
    for (const version of this.#versions.values()) {
      if (version instanceof Gone) this.#leave(version)
      else {
        nodes++
        this.#checkKind(version, root, regions)
        if (version.parentId === undefined) this.#placed++
        else this.#take(version)
      }
    }
    // Nothing else may tell of one that was filled and emptied in one cycle.
    for (const id of this.#emptied) this.#turnover(id)
    const built = regions.map((region) => this.#build(region)) as unknown as Tree['regions']
    if (this.#placed !== nodes) throw this.#misfit(root.id, 'some of its nodes lead to no region')
    const schedules = (this.#before?.schedules ?? Schedules.NONE).changed(this.#change.schedules)
    return { root, regions: built, schedules }
  }

  /** The root, and the ids of the regions in their order. */
  #top(): Readonly<{ root: NodeRecord; regions: readonly string[] }> {
    if (this.#before !== undefined) {
      const { root, regions } = this.#before
      return { root: this.#now(root.id)!, regions: regions.map(({ record }) => record.id) }
    }
    const nodes = this.#change.versions.filter((version): version is NodeRecord => !(version instanceof Gone))
    const root = nodes.find(({ nodeClass }) => nodeClass === 'root')
    const regions = REGIONS.map((region) =>
      nodes.find(({ nodeClass: at, nodeType }) => at === 'region' && nodeType === region),
    )
    if (root === undefined || regions.includes(undefined))
      throw this.#misfit('root', 'it has no root or lacks a region')
    return { root, regions: regions.map((region) => region!.id) }
  }

  /** A record as it is from now on. */
  #now(id: string): NodeRecord | undefined {
    const version = this.#versions.get(id) ?? this.#find(id)
    return version instanceof Gone ? undefined : version
  }

  /** Root and regions are what they were, and nothing else becomes one; blocks and branches stay what they are. */
  #checkKind({ id, nodeClass, parentId }: NodeRecord, root: NodeRecord, regions: readonly string[]): void {
    const isTop =
      nodeClass === 'root' ? id === root.id : nodeClass !== 'region' || (regions.includes(id) && parentId === root.id)
    const old = this.#find(id)
    const isSame = old === undefined || kindOf(old) === kindOf({ nodeClass })
    if (!isTop || !isSame) throw this.#misfit(id, 'it is of another kind')
  }

  #leave({ id }: Gone): void {
    const old = this.#find(id)
    if (old?.parentId === undefined || old.nodeClass === 'region')
      throw this.#misfit(id, 'it is not there and cannot leave')
    if (old.nodeClass !== 'block') this.#checkLeft(old)
    if (this.#now(old.parentId) !== undefined) this.#turnover(old.parentId).left.push(old)
  }

  /** All nodes of a removed branch have left too, or were moved elsewhere. */
  #checkLeft({ id }: NodeRecord): void {
    for (const child of this.#old(id)!.children) {
      const { id: childId } = recordOf(child)
      if (!this.#versions.has(childId)) throw this.#misfit(childId, `its parent ${id} leaves without it`)
    }
  }

  #take(record: NodeRecord): void {
    const { id, parentId, nodeClass } = record
    if (nodeClass === 'region') return void this.#turnover(id)
    const old = this.#find(id)
    const stays = old !== undefined && old.parentId === parentId && compareSiblings(old, record) === 0
    if (old !== undefined && !stays && this.#now(old.parentId!) !== undefined)
      this.#turnover(old.parentId!).left.push(old)
    const turnover = this.#turnover(parentId!)
    if (stays) turnover.changed.push(id)
    else turnover.came.push(id)
  }

  /** The changes of a branch. The branch and all branches above it are rebuilt. */
  #turnover(id: string): Turnover {
    let turnover = this.#turnovers.get(id)
    if (turnover !== undefined) return turnover
    turnover = { left: [], changed: [], came: [] }
    this.#turnovers.set(id, turnover)
    const record = this.#now(id)
    if (record === undefined || record.nodeClass === 'block' || record.nodeClass === 'root') {
      if (record?.nodeClass !== 'root') throw this.#misfit(id, 'nodes are put into it, but it can hold none')
      return turnover
    }
    // One that has changed itself is put in by what it changed.
    if (record.nodeClass !== 'region' && !this.#versions.has(id)) this.#turnover(record.parentId!).changed.push(id)
    return turnover
  }

  #build(id: string): TreeNode {
    const record = this.#now(id)!
    if (this.#versions.has(id)) this.#placed++
    if (record.nodeClass === 'block') return record
    const old = this.#old(id)
    const turnover = this.#turnovers.get(id)
    let children = old?.children ?? Sequence.EMPTY
    if (turnover !== undefined) {
      for (const gone of turnover.left) children = children.remove(gone)
      for (const child of turnover.changed) children = children.replace(this.#build(child))
      children = withAll(
        children,
        turnover.came.map((child) => this.#build(child)),
      )
    }
    const everHeld = old?.everHeld === true || this.#emptied.has(id)
    if (old !== undefined && old.record === record && old.children === children && old.everHeld === everHeld) return old
    return new Branch(record, children, everHeld)
  }

  /** A branch of the tree before. */
  #old(id: string): Branch | undefined {
    const isThere = this.#before !== undefined && this.#find(id) !== undefined
    return isThere ? pathIn(this.#before, id, this.#find).at(-1) : undefined
  }

  #misfit(id: string, why: string): PactError {
    const message = `The change does not fit the tree: ${id}: ${why}. The record is damaged or belongs to another context.`
    return new PactError('E_SNAPSHOT_INVALID', message, { id })
  }
}

/** A container becomes a core by its place. */
function kindOf({ nodeClass }: Pick<NodeRecord, 'nodeClass'>): string {
  return nodeClass === 'core' ? 'cont' : nodeClass
}

function withAll(children: Sequence, nodes: readonly TreeNode[]): Sequence {
  if (children.size > 0) return nodes.reduce((all, node) => all.insert(node), children)
  return Sequence.fromSorted(nodes.toSorted((a, b) => compareSiblings(recordOf(a), recordOf(b))))
}
