// One version of one node: its headers and content, without its children. A record never changes; an edit makes a new
// one. Headers that few nodes carry sit in `rare`, because a context may hold a million records.

import type { Maker } from './cause.js'
import type { JsonValue } from './json.js'
import { className, type NodeClass } from './types.js'

/** Headers that most nodes do without; a name that is absent here was not given. */
export type RareHeaders = Readonly<{
  key?: string
  tags?: readonly string[]
  refs?: readonly string[]
  supersedes?: string
  /** The earlier ids of the chain that `supersedes` ends, as far as they matter, without that one (D41). */
  standsFor?: readonly string[]
  removable?: boolean
  pinned?: boolean
  provenance?: JsonValue
  cad?: number
  /** Kept only where an import gave another text than the one that follows from created_at_ns. */
  createdAtIso?: string
  /** data_*, content_*, namespaced and unknown imported names. */
  attributes?: ReadonlyMap<string, JsonValue>
}>

export type RecordFields = Readonly<{
  id: string
  /** The id of the parent; the root has none. */
  parentId: string | undefined
  nodeClass: NodeClass
  nodeType: string
  offset: number
  createdAtNs: bigint
  creationIndex: number
  cycle: number
  priority: number
  /** As it was given in the cycle `ttlFrom`; the node is in no snapshot from `ttlFrom + ttl` on (D24). */
  ttl: number | null
  ttlFrom: number
  role: string | undefined
  kind: string | undefined
  content: JsonValue | undefined
  rare: RareHeaders | undefined
  /** The cycle from whose snapshot on this version holds. */
  born: number
  by: Maker
}>

/** A cycle that never comes; small enough to stay a machine integer. */
export const NEVER = 0x3fff_ffff

export class NodeRecord implements RecordFields {
  readonly id: string
  readonly parentId: string | undefined
  readonly nodeClass: NodeClass
  readonly nodeType: string
  readonly offset: number
  readonly createdAtNs: bigint
  readonly creationIndex: number
  readonly cycle: number
  readonly priority: number
  readonly ttl: number | null
  readonly ttlFrom: number
  readonly role: string | undefined
  readonly kind: string | undefined
  readonly content: JsonValue | undefined
  readonly rare: RareHeaders | undefined
  readonly born: number
  readonly by: Maker

  constructor(fields: RecordFields) {
    this.id = fields.id
    this.parentId = fields.parentId
    this.nodeClass = fields.nodeClass
    this.nodeType = fields.nodeType
    this.offset = fields.offset
    this.createdAtNs = fields.createdAtNs
    this.creationIndex = fields.creationIndex
    this.cycle = fields.cycle
    this.priority = fields.priority
    this.ttl = fields.ttl
    this.ttlFrom = fields.ttlFrom
    this.role = fields.role
    this.kind = fields.kind
    this.content = fields.content
    this.rare = fields.rare
    this.born = fields.born
    this.by = fields.by
  }

  /** The first cycle whose snapshot the node is not in any more (D24). */
  get expiry(): number {
    // A finite ttl always has its day, however far: what is due some day shows a ttl that runs.
    return this.ttl === null ? NEVER : Math.min(this.ttlFrom + this.ttl, NEVER - 1)
  }

  /** Whether this version is how the node came, which can be seen without the versions before it. */
  get isFirst(): boolean {
    return this.born === this.cycle
  }

  /** Whether the provider thread has an item for it (D36). */
  get isRendered(): boolean {
    return this.nodeClass === 'block' || this.content !== undefined
  }

  get refs(): readonly string[] {
    return this.rare?.refs ?? NONE
  }

  /** Every id that means this node: its own, and those of the nodes whose place it took (D41). */
  get names(): readonly string[] {
    const { supersedes, standsFor = NONE } = this.rare ?? {}
    if (supersedes === undefined) return standsFor.length === 0 ? [this.id] : [this.id, ...standsFor]
    return [this.id, supersedes, ...standsFor]
  }

  /** Whether it took the place of a node with this id. */
  standsInFor(id: string): boolean {
    return this.rare?.supersedes === id || this.rare?.standsFor?.includes(id) === true
  }

  /** Whether it marks the place of a deleted node (D30); one that was written over is a node like any other. */
  get isMarker(): boolean {
    if (this.nodeClass !== 'block' || this.rare?.supersedes === undefined) return false
    const { key, tags, refs } = this.rare
    const isBare = key === undefined && tags === undefined && refs === undefined && this.kind === undefined
    return isBare && this.content === '' && this.ttl === null && MARKER_TYPES.includes(this.nodeType)
  }

  refersTo(id: string): boolean {
    const { refs } = this
    if (refs.length <= FEW) return refs.includes(id)
    let known = refSets.get(refs)
    if (known === undefined) refSets.set(refs, (known = new Set(refs)))
    return known.has(id)
  }

  /** The call ids that tie a tool call to its results (D27). */
  get callIds(): readonly string[] {
    const value = this.rare?.attributes?.get('data_call_id')
    if (typeof value === 'string') return [value]
    return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : NONE
  }

  /** The key of which this is an instance (D29): structure has none, whatever an import says. */
  get instanceKey(): string | undefined {
    return this.nodeClass === 'block' || this.nodeClass === 'cont' ? this.rare?.key : undefined
  }

  /** Whether this is a container that the cascade may take (02 §5.3.1). */
  get isRemovable(): boolean {
    return this.nodeClass === 'cont' && this.rare?.removable === true
  }

  /** The same node under another parent, from the given cycle on. */
  movedTo(parentId: string, born: number): NodeRecord {
    // Copied by the constructor and then set, since spreading a record costs as much as everything else in a commit.
    const moved = new NodeRecord(this) as { -readonly [K in keyof NodeRecord]: NodeRecord[K] }
    moved.parentId = parentId
    moved.born = born
    return moved
  }
}

const NONE: readonly string[] = Object.freeze([])

/** What marks the type of a node that stands in for a deleted one. */
export const REDACTION = ':redaction'

/** In both editions' names: what an import brings keeps the name it has. */
const MARKER_TYPES: readonly string[] = [
  `${className('1.0', 'block')}${REDACTION}`,
  `${className('0.1', 'block')}${REDACTION}`,
]

/** Up to this many, a list is searched faster than a set. */
const FEW = 8
const refSets = new WeakMap<readonly string[], ReadonlySet<string>>()
