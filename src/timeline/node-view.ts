// Public nodes, made on demand. All properties are own and enumerable, so that nodes compare, spread and clone as expected. Children, hash and
// time text are getters, since they may be large or costly.

import { asCall, PactError } from '../errors/index.js'
import {
  countText,
  defineGetter,
  INSPECT,
  labelOf,
  oneLine,
  previewOf,
  shownAttribute,
  ttlText,
  type Inspect,
  type JsonObject,
  type JsonValue,
  type Node,
  type Warning,
} from '../core/index.js'
import { contentHashOf, contentHashOfRecord, createdAtIso, nodeToJson, withJsonForm } from '../codec/index.js'
import { withEmptied } from './encode-tree.js'
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
  readonly attributes: Readonly<Record<string, JsonValue>>
  declare readonly createdAtIso: string
  declare readonly contentHash: string
  declare readonly children: readonly Node[]
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
    this.tags = record.tags
    this.content = record.content
    this.refs = record.refs
    this.supersedes = rare?.supersedes
    this.removable = rare?.removable ?? false
    this.pinned = rare?.pinned ?? false
    this.provenance = rare?.provenance
    this.attributes = rare?.attributes === undefined ? NO_ATTRIBUTES : attributesOf(rare.attributes)
    this.#frame = frame
    this.#node = node
    defineGetter(this, 'createdAtIso', NodeView.#createdAtIso)
    defineGetter(this, 'contentHash', NodeView.#contentHash)
    if (record.nodeClass === 'block') this.children = CHILDLESS
    else defineGetter(this, 'children', NodeView.#childrenOf)
    Object.freeze(this)
  }

  static #createdAtIso(this: NodeView): string {
    return createdAtIso(recordOf(this.#node))
  }

  static #contentHash(this: NodeView): string {
    return contentHashOfRecord(recordOf(this.#node))
  }

  static #childrenOf(this: NodeView): readonly Node[] {
    this.#children ??= Object.freeze(this.#childNodes().map((child) => nodeView(this.#frame, child)))
    return this.#children
  }

  /** One line about it. */
  toString(): string {
    const { id, nodeType, ttl } = this
    const count = this.#node instanceof Branch ? this.#node.children.size : this.#childNodes().length
    const name = this.key === undefined ? oneLine(nodeType) : `${oneLine(nodeType)} #${oneLine(this.key)}`
    const words = [name, labelOf(this), ttlText(ttl), count === 0 ? '' : countText(count, 'child', 'children')]
    const about = words.filter((word) => word !== '').join(', ')
    const preview = this.content === undefined ? '' : `: ${previewOf(this, PREVIEW)}`
    return `${oneLine(id)} (${about})${preview}`
  }

  /** The output of console.log in Node: the properties, with children by id only. */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    if (depth < 0) return `[Node ${oneLine(this.id)}]`
    const shown: Record<string, unknown> = {}
    for (const name of Object.keys(this) as (keyof Node)[]) {
      const value = name === 'children' ? this.#childNodes().map((child) => recordOf(child).id) : this[name]
      if (name === 'content' ? value !== undefined : !isEmpty(value)) shown[name] = value
    }
    return `Node ${inspect(shown, options)}`
  }

  toJSON(): JsonObject {
    const record = recordOf(this.#node)
    const children = this.#node instanceof Branch || record.nodeClass === 'root' ? this.children : undefined
    const isSpent = this.#node instanceof Branch && this.#node.isSpent
    return nodeToJson(
      isSpent ? withEmptied(record) : record,
      this.ttl,
      children?.map((child) => child.toJSON()),
    )
  }

  #childNodes(): TreeNode[] {
    if (this.#node instanceof Branch) return [...this.#node.children]
    return this.#node.nodeClass === 'root' ? [...this.#frame.tree.regions] : []
  }
}

const CHILDLESS: readonly Node[] = Object.freeze([])
const NO_ATTRIBUTES = attributesOf(new Map())

/** The length of the content preview in the one line about a node. */
const PREVIEW = 60

function attributesOf(given: ReadonlyMap<string, JsonValue>): Readonly<Record<string, JsonValue>> {
  // No prototype: a custom name such as `constructor` must not find anything but data.
  const attributes: Record<string, JsonValue> = Object.create(null)
  // Originals are for recall(), and not for everyone who reads the node.
  for (const [name, value] of given) {
    const shown = shownAttribute(name, value)
    if (shown !== undefined) attributes[name] = shown
  }
  return Object.freeze(withJsonForm(attributes))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

/** The node as this frame shows it, frozen; it holds on to nothing but its tree. */
export function nodeView(frame: Frame, node: TreeNode): Node {
  return new NodeView(frame.bare, node)
}

/** The content hash of a node, or of a plain object in the specification's form with its `data_*` at the top. */
export function contentHash(block: object, onWarning?: (warning: Warning) => void): string {
  return asCall(contentHash, () => {
    if (block instanceof NodeView) return block.contentHash
    if (typeof block === 'object' && block !== null) return contentHashOf(block as Record<string, unknown>, onWarning)
    throw new PactError('E_CONTENT_INVALID', 'contentHash takes a node, or an object with content, role and kind.')
  })
}
