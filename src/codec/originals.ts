// Nodes that travel with a summary (D63): a node as plain JSON and back, the check of the list in a file, the list without erased nodes, and the
// list in a stored record, where each entry is a body that can be erased alone.

import { PactError } from '../errors/index.js'
import {
  COMPACTED,
  MAKERS,
  NodeRecord,
  type Compacted,
  type CompactedNode,
  type CompactedPlace,
  type JsonValue,
  type Maker,
} from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { decodeRecord } from './decode-place.js'
import { ERASED, fieldsOf } from './document.js'
import { erasedJson } from './erased-json.js'
import { isoTime } from './iso-time.js'
import { nodeAt } from './raw.js'

/** A node that travels; one directly in the active head is next to the core. */
export type Original = Readonly<{ record: NodeRecord; core: string | undefined }>

/** The fields of an entry that let the node travel. A summary that travels leaves its own list to the entries after it, unless it is `whole`. */
export function travellingForm(
  { record, core }: Original,
  isWhole = false,
): Required<Pick<CompactedNode, 'node' | 'at'>> {
  const fields = fieldsOf(record, record.ttl).filter(([name]) => !TIMES.has(name) && (isWhole || name !== COMPACTED))
  const own = record.rare?.createdAtIso
  const node = Object.fromEntries(own === undefined ? fields : [...fields, ['created_at_iso', own] as const])
  return {
    node,
    at: {
      parent: record.parentId!,
      ...(core === undefined ? {} : { core }),
      ns: String(record.createdAtNs),
      by: record.by,
      ttl_from: record.ttlFrom,
    },
  }
}

const TIMES: ReadonlySet<string> = new Set(['created_at_ns', 'created_at_iso'])

/** The node of an entry; undefined if it does not travel. E_SNAPSHOT_INVALID for a form that no compaction writes. */
export function travellingNode({ node, at, held }: CompactedNode): Original | undefined {
  if (node === undefined || at === undefined) return undefined
  const ns = BigInt(at.ns)
  const form = { created_at_iso: isoTime(ns), ...node, created_at_ns: ns, ...(held === undefined ? {} : NO_CHILDREN) }
  const edition = { cycle: at.ttl_from, dialect: '1.0' } as const
  const record = decodeRecord(nodeAt(form, COMPACTED), { ...IN_A_CORE, id: at.parent }, 0, edition)
  return { record: new NodeRecord({ ...record, by: at.by }), core: at.core }
}

const NO_CHILDREN = { children: [] }
const IN_A_CORE = { nodeClass: 'core', nodeType: 'core' } as const

// ---- In a file

/** True for a value that `COMPACTED` may have. */
export function isCompacted(value: unknown): value is Compacted {
  if (!hasFields(value, { cycle: isCount, nodes: Array.isArray })) return false
  const nodes = value['nodes'] as readonly unknown[]
  const ids = new Set(nodes.map((each) => (isObject(each) ? each['id'] : undefined)))
  if (nodes.length === 0 || ids.size !== nodes.length) return false
  return nodes.every((each) => isEntry(each) && (each.of === undefined || (each.of !== each.id && ids.has(each.of))))
}

/** True for an entry of the list. */
export function isEntry(value: unknown): value is CompactedNode {
  if (hasFields(value, { id: isName, erased: isTrue }, { of: isName })) return true
  const needs = { id: isName, hash: isHash, tokens: isAmount }
  const takes = { of: isName, held: isBoolean, summary: isCount }
  if (hasFields(value, needs, takes)) return true
  if (!hasFields(value, { ...needs, node: isObject, at: isPlace }, takes)) return false
  const entry = value as CompactedNode
  if (Object.hasOwn(entry.node!, COMPACTED)) return false
  try {
    return travellingNode(entry)!.record.id === entry.id
  } catch (error) {
    if (PactError.is(error)) return false
    throw error
  }
}

function isPlace(value: unknown): value is CompactedPlace {
  const needs = { parent: isName, ns: isDigits, by: isMaker, ttl_from: isCount }
  return hasFields(value, needs, { core: isName })
}

type Check = (value: unknown) => boolean

/** True for an object that has all the needed fields, perhaps the others, and nothing else. */
function hasFields(
  value: unknown,
  needs: Readonly<Record<string, Check>>,
  takes: Readonly<Record<string, Check>> = {},
): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false
  const known: Readonly<Record<string, Check>> = { ...needs, ...takes }
  if (!Object.keys(needs).every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, each]) => Object.hasOwn(known, name) && known[name]!(each))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isName: Check = (value) => typeof value === 'string' && value !== ''
const isTrue: Check = (value) => value === true
const isBoolean: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isAmount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const isDigits: Check = (value) => typeof value === 'string' && /^(?:0|-?[1-9]\d{0,40})$/.test(value)
const isMaker: Check = (value) => MAKERS.includes(value as Maker)

// ---- Without erased nodes

/** The list without what is known of erased nodes; the same list if none of them is in it. */
export function withoutErased(compacted: Compacted, ids: ReadonlySet<string>): Compacted {
  if (!compacted.nodes.some(({ id, erased }) => ids.has(id) && erased !== true)) return compacted
  return Object.freeze({ ...compacted, nodes: Object.freeze(compacted.nodes.map((each) => withoutTexts(each, ids))) })
}

function withoutTexts(entry: CompactedNode, ids: ReadonlySet<string>): CompactedNode {
  return ids.has(entry.id) ? erasedEntry(entry.id, entry.of) : entry
}

function erasedEntry(id: string, of: string | undefined): CompactedNode {
  return Object.freeze({ id, ...(of === undefined ? {} : { of }), erased: true as const })
}

/** Entries of an edit that lists nodes: an erased one keeps its place and loses its hash and its texts. */
export function erasedEntries(entries: readonly CompactedNode[], ids: ReadonlySet<string>): readonly CompactedNode[] {
  return entries.map((entry) => {
    if (!ids.has(entry.id)) return entry
    const { hash: _hash, node, ...rest } = entry
    return Object.freeze(node === undefined ? rest : { ...rest, node: erasedJson([node], ids)[0]! })
  })
}

/** True if the node of an entry was erased. */
export function isErasedEntry({ erased, node }: CompactedNode): boolean {
  return erased === true || node?.[ERASED] === true
}

// ---- In a record whose bodies are apart

/** `[id, body]` or `[id, body, of]` for each node; the body has the other fields, and is 0 for an erased entry. */
type StoredList = Readonly<{ cycle: number; nodes: readonly (readonly [string, number, string?])[] }>

/** The list as the record of the summary has it. */
export function storedList({ cycle, nodes }: Compacted, add: (text: string) => number): JsonValue {
  const rows = nodes.map(({ id, of, ...rest }) => {
    const body = rest.erased === true ? 0 : add(canonicalJson(rest))
    return of === undefined ? [id, body] : [id, body, of]
  })
  return { cycle, nodes: rows }
}

/** The list again; `text` gives the parsed body of a node, or undefined if it was erased. Undefined for a value that is no such list. */
export function readStoredList(value: JsonValue, body: (id: string, number: number) => unknown): Compacted | undefined {
  if (!hasFields(value, { cycle: isCount, nodes: Array.isArray })) return undefined
  const { cycle, nodes } = value as unknown as StoredList
  const entries = nodes.map(([id, number, of]) => {
    const rest = number === 0 ? undefined : body(id, number)
    if (!isObject(rest)) return erasedEntry(id, of)
    return Object.freeze({ id, ...(of === undefined ? {} : { of }), ...rest })
  })
  const list = Object.freeze({ cycle, nodes: Object.freeze(entries) })
  return isCompacted(list) ? list : undefined
}
