// The headers of one imported node, each checked for its type where it stands in the file (D4).

import { PactError } from '../errors/index.js'
import type { JsonValue, RareHeaders, RecordFields } from '../core/index.js'
import { copyJson, joinPaths, pathTo } from './canonical-json.js'
import { EMPTIED, ERASED, HEADER_NAMES, STANDS_FOR } from './document.js'
import { isIsoTimeOf, readIsoTime } from './iso-time.js'
import { checkSure, readMark } from './quick-parse.js'

/** Where a document comes from, as far as it matters for what its numbers mean. */
export type Source = {
  /** Whether integers beyond 2^53 would be bigints; where not, they may have been rounded. */
  readonly isExact: boolean
  /** How many times of nodes were read from the marks that `parseQuickly` leaves. */
  marksRead: number
}

/** An object of the file, read by own names only, with the path that an error names. */
export class RawObject {
  readonly source: Source
  readonly #object: object
  readonly #path: string | RawObject
  /** Where the path is a parent: at which place it lists the object. */
  readonly #index: number
  readonly #id: string | undefined

  /** With `id`, the object reads as if it had this one. */
  constructor(object: object, source: Source, path: string | RawObject, index = 0, id?: string) {
    this.source = source
    this.#object = object
    this.#path = path
    this.#index = index
    this.#id = id
  }

  /** Put together when an error needs it, since nearly none does. */
  get path(): string {
    return typeof this.#path === 'string' ? this.#path : `${this.#path.path}.children[${this.#index}]`
  }

  /** The object that stands at a place of its children. */
  child(value: unknown, index: number): RawObject {
    if (isObject(value)) return new RawObject(value, this.source, this, index)
    return objectAt(value, `${this.path}.children[${index}]`)
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
    if (name === 'id' && this.#id !== undefined) return this.#id
    if (!Object.hasOwn(this.#object, name)) return undefined
    try {
      return (this.#object as Record<string, unknown>)[name]
    } catch (cause) {
      throw new PactError(
        'E_SNAPSHOT_INVALID',
        `${pathTo(this.path, name)} cannot be read.`,
        { path: pathTo(this.path, name) },
        { cause },
      )
    }
  }

  /** The same object with an id, for a root that has none. */
  withId(id: string): RawObject {
    return new RawObject(this.#object, this.source, this.#path, this.#index, id)
  }

  /** What stands under any other name, checked and copied. */
  rest(known: ReadonlySet<string>): Map<string, JsonValue> {
    const rest = new Map<string, JsonValue>()
    for (const name of this.names) {
      if (known.has(name)) continue
      const value = this.any(name)
      if (value !== undefined) rest.set(name, jsonAt(value, this, name))
    }
    return rest
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a caller's own object says is meant as it stands. */
const AS_GIVEN: Source = { isExact: true, marksRead: 0 }

export function fault(path: string, message: string): PactError {
  return new PactError('E_SNAPSHOT_INVALID', path === '' ? message : `${path}: ${message}`, { path })
}

export function objectAt(value: unknown, path: string, source: Source = AS_GIVEN): RawObject {
  if (isObject(value)) return new RawObject(value, source, path)
  const isDocument = path === '' || (path === 'root' && value === undefined)
  throw fault(
    path,
    isDocument ? 'A snapshot is an object with a root: { root: { children: […] } }.' : 'An object is expected here.',
  )
}

export function listAt(value: unknown, path: string | (() => string)): readonly unknown[] {
  // Array.from: a hole must be met, not skipped.
  if (Array.isArray(value)) return Array.from(value as readonly unknown[])
  throw fault(typeof path === 'string' ? path : path(), 'A list is expected here.')
}

/** The headers that say nothing about place, id and time. */
export function decodeOwn(
  raw: RawObject,
  createdAtNs: bigint,
): Pick<RecordFields, 'priority' | 'ttl' | 'role' | 'kind' | 'content' | 'rare'> {
  return {
    priority: integerAt(raw, 'priority', 0),
    ttl: ttlAt(raw),
    role: textAt(raw, 'role'),
    kind: textAt(raw, 'kind'),
    content: anyAt(raw, 'content'),
    rare: rareAt(raw, createdAtNs),
  }
}

const RARE_NAMES = ['key', 'tags', 'refs', 'supersedes', 'removable', 'pinned', 'provenance', 'cad']

/** What nearly every node has; one without other names has no rare headers. */
const USUAL_NAMES: ReadonlySet<string> = new Set([...HEADER_NAMES].filter((name) => !RARE_NAMES.includes(name)))

function hasOnly(names: readonly string[], known: ReadonlySet<string>): boolean {
  for (let i = 0; i < names.length; i++) if (!known.has(names[i]!)) return false
  return true
}

export function rareAt(raw: RawObject, createdAtNs: bigint): RareHeaders | undefined {
  const iso = textAt(raw, 'created_at_iso')
  const createdAtIso = iso === undefined || isIsoTimeOf(iso, createdAtNs) ? undefined : iso
  if (createdAtIso === undefined && hasOnly(raw.names, USUAL_NAMES)) return undefined
  const attributes = new Map(raw.rest(HEADER_NAMES))
  for (const [name, value] of attributes) {
    checkEngineName(name, value, pathTo(raw.path, name))
    // Null reads as left out.
    if (value === null && isEngineName(name)) attributes.delete(name)
  }
  const standsFor = attributes.get(STANDS_FOR) as readonly string[] | undefined
  attributes.delete(STANDS_FOR)
  const given: { -readonly [K in keyof RareHeaders]: RareHeaders[K] | undefined } = {
    key: textAt(raw, 'key'),
    tags: textsAt(raw, 'tags'),
    refs: textsAt(raw, 'refs'),
    supersedes: textAt(raw, 'supersedes'),
    standsFor,
    removable: booleanAt(raw, 'removable'),
    pinned: booleanAt(raw, 'pinned'),
    provenance: anyAt(raw, 'provenance'),
    cad: raw.own('cad') === undefined ? undefined : positiveAt(raw, 'cad'),
    createdAtIso,
    attributes: attributes.size === 0 ? undefined : attributes,
  }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

export function idAt(raw: RawObject): string {
  const id = raw.own('id')
  if (typeof id === 'string' && id !== '') return jsonAt(id, raw, 'id') as string
  throw fault(pathTo(raw.path, 'id'), 'Every node needs an id, a string that is not empty.')
}

export function integerAt(raw: RawObject, name: string, missing: number): number {
  const value = raw.own(name)
  if (value === undefined) return missing
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
  throw fault(pathTo(raw.path, name), 'An integer within 2^53 is expected here.')
}

export function positiveAt(raw: RawObject, name: string): number {
  const value = integerAt(raw, name, 1)
  if (value > 0) return value
  throw fault(pathTo(raw.path, name), 'A positive integer is expected here.')
}

/**
 * Nanoseconds since 1970. What JSON.parse or a number in toJSON has rounded is taken from the text beside it, which has
 * all nine digits; where that does not lead to the same number, nobody knows the time, and nothing is made up.
 */
export function timeAt(raw: RawObject): bigint {
  const value = raw.own('created_at_ns')
  if (value === undefined) return 0n
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'bigint') return jsonAt(value, raw, 'created_at_ns') as bigint
  if (!raw.source.isExact) {
    raw.source.marksRead++
    return readMark(value)
  }
  const iso = typeof value === 'number' ? raw.own('created_at_iso') : undefined
  const time = typeof iso === 'string' ? readIsoTime(iso) : undefined
  if (time?.span === 1n && Number(time.ns) === value) return time.ns
  throw fault(
    pathTo(raw.path, 'created_at_ns'),
    'An integer is expected here; beyond 2^53 give JSON text, a bigint, or a created_at_iso to the nanosecond beside it.',
  )
}

export function ttlAt(raw: RawObject): number | null {
  const value = raw.own('ttl')
  if (value === undefined) return null
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value === 0 ? 0 : value
  throw fault(pathTo(raw.path, 'ttl'), 'A ttl is null or an integer from 0 up.')
}

export function textAt(raw: RawObject, name: string): string | undefined {
  const value = raw.own(name)
  if (value === undefined) return undefined
  if (typeof value === 'string') return jsonAt(value, raw, name) as string
  throw fault(pathTo(raw.path, name), 'A string is expected here.')
}

function textsAt(raw: RawObject, name: string): readonly string[] | undefined {
  const value = raw.own(name)
  if (value === undefined) return undefined
  const path = pathTo(raw.path, name)
  for (const [i, each] of listAt(value, path).entries()) {
    if (typeof each !== 'string') throw fault(`${path}[${i}]`, 'A string is expected here.')
  }
  return jsonAt(value, raw, name) as readonly string[]
}

function booleanAt(raw: RawObject, name: string): boolean | undefined {
  const value = raw.own(name)
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value
  throw fault(pathTo(raw.path, name), 'true or false is expected here.')
}

export function anyAt(raw: RawObject, name: string): JsonValue | undefined {
  const value = raw.any(name)
  return value === undefined ? undefined : jsonAt(value, raw, name)
}

function jsonAt(value: unknown, raw: RawObject, name: string): JsonValue {
  if (!raw.source.isExact) checkSure(value)
  try {
    return copyJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    const inner = typeof error.details['path'] === 'string' ? error.details['path'] : ''
    throw fault(joinPaths(pathTo(raw.path, name), inner), error.message)
  }
}

// Names that begin with `pact:` are the engine's own: a file cannot bring others.

export function isEngineName(name: string): boolean {
  return name.startsWith('pact:')
}

export function engineNameFault(path: string): PactError {
  return fault(path, "Names that begin with pact: are the engine's own, and this is none of them.")
}

/** Refuses a name of the engine's that it does not know, or whose value it never writes. */
export function checkEngineName(name: string, value: JsonValue, path: string): void {
  if (!isEngineName(name)) return
  if (name !== EMPTIED && name !== ERASED && name !== STANDS_FOR) throw engineNameFault(path)
  if (value === null || (name === STANDS_FOR ? isNameList(value) : value === true)) return
  throw fault(path, name === STANDS_FOR ? 'A list of ids, each once, is expected here.' : 'true is expected here.')
}

function isNameList(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((id) => typeof id === 'string' && id !== '') && new Set(value).size === value.length
}
