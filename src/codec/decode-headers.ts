// The headers of one imported node. Each is checked for its type, and a fault names its path in the file (D4).

import { PactError } from '../errors/index.js'
import {
  COMPACTED,
  COVERS,
  isCovers,
  LIMITS,
  SHED,
  type JsonValue,
  type RareHeaders,
  type RecordFields,
} from '../core/index.js'
import { copyJson, joinPaths, pathTo } from './canonical-json.js'
import { BOUND, EMPTIED, ERASED, isBound, isStop, RARE_NAMES, STANDS_FOR, STOP, type RareName } from './document.js'
import { isoTime, readIsoTime } from './iso-time.js'
import { checkSure, checkSureText, digitsOfMark } from './quick-parse.js'
import { fault, listAt, type Raw, type RawNode, type RawObject } from './raw.js'

/** The headers that say nothing about place, id and time. */
export function decodeOwn(raw: RawNode): Pick<RecordFields, 'priority' | 'ttl' | 'role' | 'kind' | 'content' | 'rare'> {
  return {
    priority: integerAt(raw, 'priority', raw.priority, 0),
    ttl: ttlAt(raw),
    role: optionalTextAt(raw, 'role', raw.role),
    kind: optionalTextAt(raw, 'kind', raw.kind),
    content: anyAt(raw, 'content', raw.content),
    rare: rareAt(raw, false),
  }
}

/** The rare headers. With `isUsual`, created_at_iso follows from created_at_ns and is not kept. */
export function rareAt(raw: RawNode, isUsual: boolean): RareHeaders | undefined {
  const createdAtIso = isUsual ? undefined : optionalTextAt(raw, 'created_at_iso', raw.createdAtIso)
  const { rare } = raw
  if (rare === undefined) return createdAtIso === undefined ? undefined : { createdAtIso }
  const attributes = attributesAt(raw, rare.others)
  const standsFor = attributes?.get(STANDS_FOR) as readonly string[] | undefined
  if (standsFor !== undefined) attributes!.delete(STANDS_FOR)
  const found: { [name: string]: unknown } = {}
  for (const name of RARE_NAMES) {
    if (rare[name] !== undefined) found[name] = RARE_READERS[name](raw, name, rare[name])
  }
  if (standsFor !== undefined) found['standsFor'] = standsFor
  if (createdAtIso !== undefined) found['createdAtIso'] = createdAtIso
  if (attributes !== undefined && attributes.size > 0) found['attributes'] = attributes
  return isEmpty(found) ? undefined : found
}

const RARE_READERS: Readonly<Record<RareName, (raw: Raw, name: string, value: unknown) => JsonValue>> = {
  key: textAt,
  tags: textsAt,
  refs: textsAt,
  supersedes: textAt,
  removable: booleanAt,
  pinned: booleanAt,
  provenance: jsonAt,
  cad: positiveAt,
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** The values under other names, checked and copied. */
function attributesAt(raw: Raw, others: Map<string, unknown> | undefined): Map<string, JsonValue> | undefined {
  if (others === undefined) return undefined
  let hasEngineNames = false
  for (const [name, value] of others) {
    others.set(name, jsonAt(raw, name, value))
    hasEngineNames ||= isEngineName(name)
  }
  const attributes = others as Map<string, JsonValue>
  if (hasEngineNames) checkEngineNames(attributes, raw)
  return attributes
}

/** The values under unknown names, checked and copied. */
export function restOf(raw: RawObject, known: ReadonlySet<string>): Map<string, JsonValue> {
  const rest = new Map<string, JsonValue>()
  for (const name of raw.names) {
    if (known.has(name)) continue
    const value = raw.any(name)
    if (value !== undefined) rest.set(name, jsonAt(raw, name, value))
  }
  return rest
}

export function idAt(raw: RawNode): string {
  const { id } = raw
  if (typeof id === 'string' && id !== '') return jsonAt(raw, 'id', id) as string
  throw fault(pathTo(raw.path, 'id'), 'Every node needs an id, a string that is not empty.')
}

export function integerAt(raw: Raw, name: string, value: unknown, missing: number): number {
  if (value === undefined) return missing
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
  throw fault(pathTo(raw.path, name), 'An integer within 2^53 is expected here.')
}

export function positiveAt(raw: Raw, name: string, value: unknown): number {
  const integer = integerAt(raw, name, value, 1)
  if (integer > 0) return integer
  throw fault(pathTo(raw.path, name), 'A positive integer is expected here.')
}

/** When a node was made, and whether created_at_iso is the text that follows from that. */
export type Time = Readonly<{ ns: bigint; isUsual: boolean }>

/**
 * Nanoseconds since 1970. A number that JSON.parse or toJSON has rounded is replaced by created_at_iso, which has all nine
 * digits. If the two do not agree, the time is unknown and the import is refused.
 */
export function timeAt(raw: RawNode): Time {
  const ns = nsAt(raw, raw.createdAtNs, raw.createdAtIso)
  return { ns, isUsual: typeof raw.createdAtIso === 'string' && raw.createdAtIso === isoTime(ns) }
}

function nsAt(raw: RawNode, value: unknown, iso: unknown): bigint {
  if (value === undefined) return 0n
  if (typeof value === 'string' && !raw.source.isExact) {
    raw.source.marksRead++
    return BigInt(digitsOfMark(value))
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'bigint') return jsonAt(raw, 'created_at_ns', value) as bigint
  const time = typeof value === 'number' && typeof iso === 'string' ? readIsoTime(iso) : undefined
  if (raw.source.isExact && time?.span === 1n && Number(time.ns) === value) return time.ns
  throw fault(
    pathTo(raw.path, 'created_at_ns'),
    'An integer is expected here. Beyond 2^53, pass JSON text, a bigint, or also a created_at_iso to the nanosecond.',
  )
}

export function ttlAt(raw: RawNode): number | null {
  const { ttl } = raw
  if (ttl === undefined) return null
  if (typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl >= 0) return ttl === 0 ? 0 : ttl
  throw fault(pathTo(raw.path, 'ttl'), 'A ttl is null or an integer from 0 up.')
}

export function textAt(raw: Raw, name: string, value: unknown): string {
  if (typeof value === 'string') return jsonAt(raw, name, value) as string
  throw fault(pathTo(raw.path, name), 'A string is expected here.')
}

/** A text that may be left out. */
export function optionalTextAt(raw: Raw, name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : textAt(raw, name, value)
}

function textsAt(raw: Raw, name: string, value: unknown): readonly string[] {
  const list = listAt(raw, name, value)
  for (let i = 0; i < list.length; i++) {
    if (typeof list[i] !== 'string') throw fault(`${pathTo(raw.path, name)}[${i}]`, 'A string is expected here.')
  }
  return jsonAt(raw, name, list) as readonly string[]
}

function booleanAt(raw: Raw, name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw fault(pathTo(raw.path, name), 'true or false is expected here.')
}

export function anyAt(raw: Raw, name: string, value: unknown): JsonValue | undefined {
  return value === undefined ? undefined : jsonAt(raw, name, value)
}

function jsonAt(raw: Raw, name: string, value: unknown): JsonValue {
  // Nearly all values are short texts, which are kept as they are.
  if (typeof value === 'string' && value.length <= LIMITS.text) {
    if (!raw.source.isExact) checkSureText(value)
    return value
  }
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

/** Refuses names of the engine's that it does not know, or whose value it never writes; takes out those left out by null. */
function checkEngineNames(attributes: Map<string, JsonValue>, raw: Raw): void {
  for (const [name, value] of attributes) {
    if (!isEngineName(name)) continue
    checkEngineName(name, value, pathTo(raw.path, name))
    if (value === null) attributes.delete(name)
  }
}

function checkEngineName(name: string, value: JsonValue, path: string): void {
  if (name === STOP) {
    if (value === null || isStop(value)) return
    throw fault(path, 'The end of a reply is expected here, such as pause or length.')
  }
  if (name === BOUND) {
    if (value === null || isBound(value)) return
    throw fault(path, 'The digests of what was before a thought are expected here: { before, tools? }.')
  }
  if (name === COVERS) {
    if (value === null || isCovers(value)) return
    throw fault(path, 'The nodes that a summary stands for are expected here: a list of [id, content hash, expiry?].')
  }
  if (name === SHED) {
    if (value === null || isShed(value)) return
    throw fault(path, 'The id and the content of the original are expected here.')
  }
  // Its value is checked with the whole node.
  if (name === COMPACTED) return
  if (name !== EMPTIED && name !== ERASED && name !== STANDS_FOR) throw engineNameFault(path)
  if (value === null || (name === STANDS_FOR ? isNameList(value) : value === true)) return
  throw fault(path, name === STANDS_FOR ? 'A list of ids, each once, is expected here.' : 'true is expected here.')
}

function isShed(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { id, content, ...rest } = value as Readonly<Record<string, JsonValue>>
  return typeof id === 'string' && id !== '' && content !== undefined && Object.keys(rest).length === 0
}

function isNameList(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((id) => typeof id === 'string' && id !== '') && new Set(value).size === value.length
}
