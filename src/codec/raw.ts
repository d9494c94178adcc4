// The objects of a file before their values are checked: own names only, each with its path for errors. A path is put together only when an
// error needs it.

import { PactError } from '../errors/index.js'
import { pathTo } from './canonical-json.js'
import { RARE_NAMES, type RareName } from './document.js'

/** The source of a document, as far as it decides the meaning of numbers. */
export type Source = {
  /** True if integers beyond 2^53 are bigints. Otherwise they may have been rounded. */
  readonly isExact: boolean
  /** The number of times of nodes that were read from the marks of `parseQuickly`. */
  marksRead: number
}

/** An object of the file: its path and its source. */
export type Raw = Readonly<{ path: string; source: Source }>

/** The numbers in a caller's object are exact. */
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

  /** The value under a name. Null reads as left out, everywhere in a document (04 §5.5, N8). */
  own(name: string): unknown {
    return this.any(name) ?? undefined
  }

  /** The value under a name that may hold any JSON, null included. */
  any(name: string): unknown {
    if (!Object.hasOwn(this.#object, name)) return undefined
    try {
      return (this.#object as Record<string, unknown>)[name]
    } catch (cause) {
      throw unreadable(pathTo(this.path, name), cause)
    }
  }
}

/** The common headers of a node, by their names in a document. */
const HEADERS = {
  id: 'id',
  nodeType: 'nodeType',
  offset: 'offset',
  ttl: 'ttl',
  priority: 'priority',
  cycle: 'cycle',
  created_at_ns: 'createdAtNs',
  created_at_iso: 'createdAtIso',
  creation_index: 'creationIndex',
  content_hash: 'contentHash',
  role: 'role',
  kind: 'kind',
  content: 'content',
  children: 'children',
} as const

const HEADERS_BY_NAME: ReadonlyMap<string, (typeof HEADERS)[keyof typeof HEADERS]> = new Map(Object.entries(HEADERS))
const RARE: ReadonlySet<string> = new Set(RARE_NAMES)

/** The rare headers of a node, and the values under names that are no headers. */
type RawRare = Partial<Record<RareName, unknown>> & { others?: Map<string, unknown> }

/** A node. Its names are read once: a getter cannot show one value to a check and another to the record. */
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
  rare: RawRare | undefined = undefined

  constructor(object: object, source: Source, from: string | RawNode, index = 0) {
    this.source = source
    this.#from = from
    this.#index = index
    const names = Object.getOwnPropertyNames(object)
    let i = 0
    try {
      for (; i < names.length; i++) this.#take(names[i]!, object as Record<string, unknown>)
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

  /**
   * Files a value under its name. Null reads as left out, but content and provenance may be any JSON. A name that is no header is an
   * attribute, if it is enumerable.
   */
  #take(name: string, object: Readonly<Record<string, unknown>>): void {
    const value = object[name]
    const header = HEADERS_BY_NAME.get(name)
    if (header !== undefined) {
      this[header] = header === 'content' ? value : (value ?? undefined)
      return
    }
    this.rare ??= {}
    if (RARE.has(name)) {
      this.rare[name as RareName] = name === 'provenance' ? value : (value ?? undefined)
    } else if (value !== undefined && Object.prototype.propertyIsEnumerable.call(object, name)) {
      this.rare.others ??= new Map()
      this.rare.others.set(name, value)
    }
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
