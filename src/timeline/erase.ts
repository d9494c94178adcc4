// Erasing the texts of nodes everywhere (D56): the one change that reaches committed trees. Ids, places and all headers that make up the tree
// stay. Trees share afterwards what they shared before, also between a context and its forks: each chunk, record and era is mapped once.

import { compactedOf, Gone, NodeRecord, type JsonValue, type RareHeaders, type Version } from '../core/index.js'
import { CALL_ID, ERASED, withoutErased } from '../codec/index.js'
import type { Era } from './era.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { withCompacted } from './travelling.js'
import type { Tree } from './tree.js'

export class Erasing {
  readonly ids: ReadonlySet<string>
  /** The keys whose schedules end (D46). */
  readonly keys: ReadonlySet<string>
  readonly #records = new Map<NodeRecord, NodeRecord>()
  readonly #branches = new Map<Branch, Branch>()
  readonly #sequences = new Map<Sequence, Sequence>()
  readonly #eras = new Map<Era, Era>()

  constructor(ids: ReadonlySet<string>, keys: ReadonlySet<string>) {
    this.ids = ids
    this.keys = keys
  }

  /** The number of versions that were erased. */
  get versions(): number {
    return this.#records.size
  }

  record(record: NodeRecord): NodeRecord {
    if (isErased(record)) return record
    if (this.ids.has(record.id)) return known(this.#records, record, erased)
    const compacted = compactedOf(record)
    const left = compacted && withoutErased(compacted, this.ids)
    return left === compacted ? record : known(this.#records, record, () => withCompacted(record, left!))
  }

  version(version: Version): Version {
    return version instanceof Gone ? version : this.record(version)
  }

  tree(tree: Tree): Tree {
    const root = this.record(tree.root)
    const regions = tree.regions.map((region) => this.#branch(region)) as unknown as Tree['regions']
    let { schedules } = tree
    for (const key of this.keys) schedules = schedules.without(key)
    const isSame =
      root === tree.root && schedules === tree.schedules && regions.every((each, i) => each === tree.regions[i])
    return isSame ? tree : { root, regions, schedules }
  }

  era(era: Era): Era {
    return known(this.#eras, era, () => era.mapped(this))
  }

  #node(node: TreeNode): TreeNode {
    return node instanceof Branch ? this.#branch(node) : this.record(node)
  }

  #branch(branch: Branch): Branch {
    return known(this.#branches, branch, () => {
      const record = this.record(branch.record)
      const children = this.sequence(branch.children)
      if (record === branch.record && children === branch.children) return branch
      return new Branch(record, children, branch.everHeld)
    })
  }

  /** A chunk of a tree. */
  sequence(sequence: Sequence): Sequence {
    return known(this.#sequences, sequence, () => {
      const { unread } = sequence
      if (unread !== undefined && ![...this.ids].some((id) => unread.mayHold(id))) return sequence
      const { chunks } = sequence
      if (chunks !== undefined) {
        const mapped = chunks.map((chunk) => this.sequence(chunk))
        return isSameList(chunks, mapped) ? sequence : Sequence.inner(mapped)
      }
      const items = sequence.items!
      const mapped = items.map((item) => this.#node(item))
      return isSameList(items, mapped) ? sequence : Sequence.leaf(mapped)
    })
  }
}

/** True if the node was erased before. */
export function isErased({ rare }: NodeRecord): boolean {
  return rare?.attributes?.get(ERASED) === true
}

/** The node with an empty content, without provenance and attributes. The call id stays, since it ties a call to its results. */
function erased(record: NodeRecord): NodeRecord {
  const { provenance: _provenance, attributes, ...rest } = record.rare ?? {}
  const callId = attributes?.get(CALL_ID)
  const kept = new Map<string, JsonValue>([[ERASED, true]])
  if (callId !== undefined) kept.set(CALL_ID, callId)
  const rare: RareHeaders = { ...rest, attributes: kept }
  return new NodeRecord({ ...record, content: record.content === undefined ? undefined : '', rare })
}

function known<T>(all: Map<T, T>, key: T, make: (key: T) => T): T {
  let value = all.get(key)
  if (value === undefined) all.set(key, (value = make(key)))
  return value
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.every((each, i) => each === b[i])
}
