// Public nodes, made on demand. Scalars are own properties, so that nodes print and compare as one expects; what may be
// large or costly (children, hash, time text) is worked out when asked for.

import { PactError } from '../errors/index.js'
import type { JsonObject, JsonValue, Node, Warning } from '../core/index.js'
import { contentHashOf, contentHashOfRecord, createdAtIso, nodeToJson } from '../codec/index.js'
import { Branch, recordOf, type TreeNode } from './sequence.js'
import type { Frame } from './view.js'

class NodeView implements Node {
  readonly id: string
  readonly nodeType: string
  readonly parentId: string | undefined
  readonly offset: number
  readonly ttl: number | null
  readonly cad: number | undefined
  readonly priority: number
  readonly cycle: number
  readonly createdAtNs: bigint
  readonly creationIndex: number
  readonly role: string | undefined
  readonly kind: string | undefined
  readonly key: string | undefined
  readonly tags: readonly string[]
  readonly content: JsonValue | undefined
  readonly refs: readonly string[]
  readonly supersedes: string | undefined
  readonly removable: boolean
  readonly pinned: boolean
  readonly provenance: JsonValue | undefined
  readonly #frame: Frame
  readonly #node: TreeNode
  #children: readonly Node[] | undefined

  constructor(frame: Frame, node: TreeNode) {
    const record = recordOf(node)
    const { rare } = record
    this.id = record.id
    this.nodeType = record.nodeType
    this.parentId = record.parentId
    this.offset = record.offset
    this.ttl = frame.ttlOf(record)
    this.cad = rare?.cad
    this.priority = record.priority
    this.cycle = record.cycle
    this.createdAtNs = record.createdAtNs
    this.creationIndex = record.creationIndex
    this.role = record.role
    this.kind = record.kind
    this.key = rare?.key
    this.tags = rare?.tags ?? NONE
    this.content = record.content
    this.refs = record.refs
    this.supersedes = rare?.supersedes
    this.removable = rare?.removable ?? false
    this.pinned = rare?.pinned ?? false
    this.provenance = rare?.provenance
    this.#frame = frame
    this.#node = node
    Object.freeze(this)
  }

  get createdAtIso(): string {
    return createdAtIso(recordOf(this.#node))
  }

  get contentHash(): string {
    return contentHashOfRecord(recordOf(this.#node))
  }

  get attributes(): Readonly<Record<string, JsonValue>> {
    // No prototype: a custom name such as `constructor` must not find anything but data.
    const attributes: Record<string, JsonValue> = Object.create(null)
    for (const [name, value] of recordOf(this.#node).rare?.attributes ?? []) attributes[name] = value
    return Object.freeze(attributes)
  }

  get children(): readonly Node[] {
    this.#children ??= Object.freeze(this.#childNodes().map((child) => nodeView(this.#frame, child)))
    return this.#children
  }

  /** What Node prints for console.log: the getters too, but children by id only. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    const { createdAtIso, attributes } = this
    return { ...this, createdAtIso, attributes, children: this.#childNodes().map((child) => recordOf(child).id) }
  }

  toJSON(): JsonObject {
    const record = recordOf(this.#node)
    const children = this.#node instanceof Branch || record.nodeClass === 'root' ? this.children : undefined
    return nodeToJson(
      record,
      this.ttl,
      children?.map((child) => child.toJSON()),
    )
  }

  #childNodes(): TreeNode[] {
    if (this.#node instanceof Branch) return [...this.#node.children]
    return this.#node.nodeClass === 'root' ? [...this.#frame.tree.regions] : []
  }
}

const NONE: readonly string[] = Object.freeze([])

/** The node as this frame shows it, frozen. */
export function nodeView(frame: Frame, node: TreeNode): Node {
  return new NodeView(frame, node)
}

/** The content hash of a node, or of a plain object in the documents' form with its `data_*` at the top (D34). */
export function contentHash(block: object, onWarning?: (warning: Warning) => void): string {
  if (block instanceof NodeView) return block.contentHash
  if (typeof block === 'object' && block !== null) return contentHashOf(block as Record<string, unknown>, onWarning)
  throw new PactError('E_CONTENT_INVALID', 'contentHash takes a node, or an object with content, role and kind.')
}
