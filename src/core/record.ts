// One version of one node: its headers and content, without its children. A record never changes; an edit makes a new
// one. Headers that few nodes have are in `rare`, since a context may hold a million records.

import type { Maker, Cause } from './cause.js'
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
  /** The first cycle whose snapshot has this version. */
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
    this.rare = normalRare(fields.rare)
    this.born = fields.born
    this.by = fields.by
  }

  /** The first cycle whose snapshot does not have the node any more (D24). */
  get expiry(): number {
    // A finite ttl always ends, however late: a node that is due some day has a running ttl.
    return this.ttl === null ? NEVER : Math.min(this.ttlFrom + this.ttl, NEVER - 1)
  }

  /** True if this is the first version of the node, which shows without the versions before it. */
  get isFirst(): boolean {
    return this.born === this.cycle
  }

  /** True if the provider thread has an item for it (D36). */
  get isRendered(): boolean {
    return this.nodeClass === 'block' || this.content !== undefined
  }

  get refs(): readonly string[] {
    return this.rare?.refs ?? NONE
  }

  /** The tags as selectors see them: `tags` and an imported `tag`, a text or a list of texts, are one list (D21, N139). */
  get tags(): readonly string[] {
    const { tags = NONE, attributes } = this.rare ?? {}
    const tag = attributes?.get(TAG)
    if (tag === undefined) return tags
    const given: readonly JsonValue[] = Array.isArray(tag) ? tag : [tag]
    return [...new Set([...tags, ...given.filter((each) => typeof each === 'string')])]
  }

  /** The same as `tags.includes(tag)`, without making a list. */
  hasTag(tag: string): boolean {
    const { rare } = this
    if (rare === undefined) return false
    return rare.tags?.includes(tag) === true || (rare.attributes?.has(TAG) === true && this.tags.includes(tag))
  }

  /** Every id that means this node: its own, and those of the nodes that it replaced (D41). */
  get names(): readonly string[] {
    const { supersedes, standsFor = NONE } = this.rare ?? {}
    if (supersedes === undefined) return standsFor.length === 0 ? [this.id] : [this.id, ...standsFor]
    return [this.id, supersedes, ...standsFor]
  }

  /** True if it replaced a node with this id. */
  standsInFor(id: string): boolean {
    return this.rare?.supersedes === id || this.rare?.standsFor?.includes(id) === true
  }

  /**
   * True if it marks the place of a deleted node (D30). A marker that `replace` gave content, a key, a kind or refs is an
   * ordinary node; the headers that `update` can give (ttl, priority, pinned, tags) change nothing (N124).
   */
  get isMarker(): boolean {
    if (this.nodeClass !== 'block' || this.rare?.supersedes === undefined) return false
    const { key, refs } = this.rare
    const isBare = key === undefined && refs === undefined && this.kind === undefined
    return isBare && this.content === '' && MARKER_TYPES.includes(this.nodeType)
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

  /** The key that this is an instance of (D29): structure has none, even if an import says so. */
  get instanceKey(): string | undefined {
    return this.nodeClass === 'block' || this.nodeClass === 'cont' ? this.rare?.key : undefined
  }

  /** True for a container that the cascade may take (02 §5.3.1). */
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

const TAG = 'tag'

/** Rare headers with new tags, which replace an imported `tag` too. */
export function withTags({ attributes, ...rare }: RareHeaders, tags: readonly string[]): RareHeaders {
  const others = attributes?.has(TAG) ? new Map([...attributes].filter(([name]) => name !== TAG)) : attributes
  return { ...rare, tags, ...(others === undefined || others.size === 0 ? {} : { attributes: others }) }
}

/** The end of the node type of a deletion marker. */
export const REDACTION = ':redaction'

/** In the names of both editions: an imported marker keeps its name. */
const MARKER_TYPES: readonly string[] = [
  `${className('1.0', 'block')}${REDACTION}`,
  `${className('0.1', 'block')}${REDACTION}`,
]

/** Up to this many, a list is searched faster than a set. */
const FEW = 8
const refSets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The one form of rare headers: a record without any has none, and no empty list of attributes. Stored and live records then compare equal. */
function normalRare(rare: RareHeaders | undefined): RareHeaders | undefined {
  if (rare === undefined) return undefined
  const { attributes } = rare
  if (attributes === undefined || attributes.size > 0) {
    for (const _name in rare) return rare
    return undefined
  }
  const { attributes: _none, ...rest } = rare
  return normalRare(rest)
}

/** Marks that an id is gone from this cycle on. */
export class Gone {
  readonly id: string
  readonly born: number
  /** Why it went. */
  readonly cause: Cause
  /** The id of the node that took its place, if one did. */
  readonly successor: string | undefined
  /** True if an edit had put another node in its place before, which no snapshot has: what the node said was no longer meant when it left. */
  readonly wasEdited: boolean

  constructor(id: string, born: number, cause: Cause, successor?: string, wasEdited = false) {
    this.id = id
    this.born = born
    this.cause = cause
    this.successor = successor
    this.wasEdited = wasEdited
  }
}

export type Version = NodeRecord | Gone
