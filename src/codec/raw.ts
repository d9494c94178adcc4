// What a file holds, object by object, before anybody asks what it means: own names only, each with the path that an
// error names. A path is put together when an error needs it, since nearly none does.

import { PactError } from '../errors/index.js'
import { pathTo } from './canonical-json.js'

/** Where a document comes from, as far as it matters for what its numbers mean. */
export type Source = {
  /** Whether integers beyond 2^53 would be bigints; where not, they may have been rounded. */
  readonly isExact: boolean
  /** How many times of nodes were read from the marks that `parseQuickly` leaves. */
  marksRead: number
}

/** An object of the file: where a value stands, and what its numbers mean. */
export type Raw = Readonly<{ path: string; source: Source }>

/** What a caller's own object says is meant as it stands. */
const AS_GIVEN: Source = { isExact: true, marksRead: 0 }

export function fault(path: string, message: string): PactError {
  return new PactError('E_SNAPSHOT_INVALID', path === '' ? message : `${path}: ${message}`, { path })
}

function unreadable(path: string, cause: unknown): PactError {
  return new PactError('E_SNAPSHOT_INVALID', `${path} cannot be read.`, { path }, { cause })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object that is no node: the document itself, a schedule. */
export class RawObject implements Raw {
  readonly path: string
  readonly source: Source
  readonly #object: object

  constructor(object: object, source: Source, path: string) {
    this.#object = object
    this.source = source
    this.path = path
  }

  get names(): readonly string[] {
    return Object.keys(this.#object)
  }

  /** What stands under a name that may be left out; null reads as left out, in all of a document (04 §5.5, N8). */
  own(name: string): unknown {
    return this.any(name) ?? undefined
  }

  /** What stands under a name that may hold any JSON, null included. */
  any(name: string): unknown {
    if (!Object.hasOwn(this.#object, name)) return undefined
    try {
      return (this.#object as Record<string, unknown>)[name]
    } catch (cause) {
      throw unreadable(pathTo(this.path, name), cause)
    }
  }
}

/**
 * A node. Its names are gone through once: that is faster than asking for each that a node may have, and a getter cannot
 * show one value to a check and another to the record. Null reads as left out, but for what may hold any JSON.
 */
export class RawNode implements Raw {
  readonly source: Source
  /** The path, or the parent that lists the node. */
  readonly #from: string | RawNode
  readonly #index: number
  id: unknown = undefined
  nodeType: unknown = undefined
  offset: unknown = undefined
  ttl: unknown = undefined
  priority: unknown = undefined
  cycle: unknown = undefined
  createdAtNs: unknown = undefined
  createdAtIso: unknown = undefined
  creationIndex: unknown = undefined
  contentHash: unknown = undefined
  role: unknown = undefined
  kind: unknown = undefined
  content: unknown = undefined
  children: unknown = undefined
  /** What stands under names that most nodes do without. */
  rare: RawRare | undefined = undefined

  constructor(object: object, source: Source, from: string | RawNode, index = 0) {
    this.source = source
    this.#from = from
    this.#index = index
    const names = Object.getOwnPropertyNames(object)
    let i = 0
    try {
      for (; i < names.length; i++) take(this, names[i]!, object as Record<string, unknown>)
    } catch (cause) {
      throw unreadable(pathTo(this.path, names[i]!), cause)
    }
  }

  get path(): string {
    return typeof this.#from === 'string' ? this.#from : `${this.#from.path}.children[${this.#index}]`
  }

  /** The node at a place of its children. */
  child(value: unknown, index: number): RawNode {
    if (isObject(value)) return new RawNode(value, this.source, this, index)
    throw fault(`${this.path}.children[${index}]`, 'An object is expected here.')
  }
}

/** Files a value under its name. Here stand all names that mean something in a node; any other is an attribute. */
function take(node: RawNode, name: string, object: Readonly<Record<string, unknown>>): void {
  const value = object[name]
  const given = value ?? undefined
  switch (name) {
    case 'content':
      node.content = value
      return
    case 'created_at_iso':
      node.createdAtIso = given
      return
    case 'created_at_ns':
      node.createdAtNs = given
      return
    case 'creation_index':
      node.creationIndex = given
      return
    case 'cycle':
      node.cycle = given
      return
    case 'id':
      node.id = given
      return
    case 'nodeType':
      node.nodeType = given
      return
    case 'offset':
      node.offset = given
      return
    case 'priority':
      node.priority = given
      return
    case 'ttl':
      node.ttl = given
      return
    case 'role':
      node.role = given
      return
    case 'children':
      node.children = given
      return
    case 'kind':
      node.kind = given
      return
    case 'content_hash':
      node.contentHash = given
      return
    default:
      takeRare((node.rare ??= new RawRare()), name, value, object)
  }
}

/** The rare headers of a node, and what stands under names that are no headers. */
class RawRare {
  key: unknown = undefined
  tags: unknown = undefined
  refs: unknown = undefined
  supersedes: unknown = undefined
  removable: unknown = undefined
  pinned: unknown = undefined
  provenance: unknown = undefined
  cad: unknown = undefined
  others: Map<string, unknown> | undefined = undefined
}

function takeRare(rare: RawRare, name: string, value: unknown, object: object): void {
  const given = value ?? undefined
  switch (name) {
    case 'key':
      rare.key = given
      return
    case 'tags':
      rare.tags = given
      return
    case 'refs':
      rare.refs = given
      return
    case 'supersedes':
      rare.supersedes = given
      return
    case 'removable':
      rare.removable = given
      return
    case 'pinned':
      rare.pinned = given
      return
    case 'provenance':
      rare.provenance = value
      return
    case 'cad':
      rare.cad = given
      return
    default:
      // Names that are not listed are no data, unless they are headers.
      if (value === undefined || !Object.prototype.propertyIsEnumerable.call(object, name)) return
      rare.others ??= new Map()
      rare.others.set(name, value)
  }
}

export function objectAt(value: unknown, path: string, source: Source = AS_GIVEN): RawObject {
  return new RawObject(checkedObject(value, path), source, path)
}

export function nodeAt(value: unknown, path: string, source: Source = AS_GIVEN): RawNode {
  return new RawNode(checkedObject(value, path), source, path)
}

function checkedObject(value: unknown, path: string): object {
  if (isObject(value)) return value
  const isDocument = path === '' || (path === 'root' && value === undefined)
  throw fault(
    path,
    isDocument ? 'A snapshot is an object with a root: { root: { children: […] } }.' : 'An object is expected here.',
  )
}

/** A list of the file. It may have holes, so it is read by index. */
export function listAt(raw: Raw, name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[]
  throw fault(pathTo(raw.path, name), 'A list is expected here.')
}
