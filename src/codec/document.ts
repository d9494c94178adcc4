// A node in the documents' form, as canonical text and as plain JSON (D35).

import {
  compareSiblings,
  compareText,
  STOPS,
  type JsonObject,
  type JsonValue,
  type NodeRecord,
  type RareHeaders,
  type Template,
} from '../core/index.js'
import { canonicalJson, quoteJson } from './canonical-json.js'
import { contentHashOf } from './content-hash.js'
import { isoTime } from './iso-time.js'

/** Marks, in an export, a removable container that is empty but has held something; nothing else tells (D26). */
export const EMPTIED = 'pact:emptied'

/** Names, in an export, the earlier ids that a node stands in for, without the one in `supersedes` (D41). */
export const STANDS_FOR = 'pact:stands_for'

/** Says, in an export, that the texts of the node were erased everywhere (D56). */
export const ERASED = 'pact:erased'

/** Says, on the last node of a reply, why it ended, if that was unusual; on a call, that its arguments were cut off. */
export const STOP = 'pact:stop'

/** The value of `STOP` on a call whose arguments were cut off. */
export const CUT = 'cut'

/** Digests, on a thought that its provider has signed, of what was before it when it was made (D58). */
export const BOUND = 'pact:bound'

/** The value of `BOUND`: a digest of system text and messages, and one of the tools where these are known. */
export type Bound = Readonly<{ before: string; tools?: string }>

/** True for a value that `BOUND` may have. */
export function isBound(value: unknown): value is Bound {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { before, tools = before, ...others } = value as Readonly<Record<string, unknown>>
  return isDigest(before) && isDigest(tools) && Object.keys(others).length === 0
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value)
}

/** True for a value that `STOP` may have. */
export function isStop(value: unknown): boolean {
  return value === CUT || STOPS.some((each) => each === value)
}

/** The attributes of adapters with a digest of the content. A redaction empties them: the digest of a short secret gives the secret away. */
export const DIGESTS = { thought: 'data_thought', wire: 'data_wire' } as const

/** The attribute that ties a call to its results. It stays where it is when a node is erased (D56). */
export const CALL_ID = 'data_call_id'

/** The rare headers that a document names as a record does. */
export type RareName = Exclude<keyof RareHeaders, 'standsFor' | 'createdAtIso' | 'attributes'>

/** In the order in which nodes list them. */
export const RARE_NAMES: readonly RareName[] = [
  'key',
  'tags',
  'refs',
  'supersedes',
  'removable',
  'pinned',
  'provenance',
  'cad',
]

/** The fields that chapter 08's serialize_snapshot writes (08 §6.1). */
export const REFERENCE_NAMES: ReadonlySet<string> = new Set([
  'id',
  'nodeType',
  'offset',
  'ttl',
  'priority',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'content',
  'role',
  'kind',
])

/** The text of a node around that of its children. A block's is all in `after`. */
export type NodeText = Readonly<{ before: string; after: string }>

/** Writes one node, but for its children. */
export function encodeNode(record: NodeRecord, ttl: number | null, isBlock: boolean): NodeText {
  if (record.rare !== undefined) return encodeFull(record, ttl, isBlock)
  const after = usualText(record, ttl)
  return isBlock ? { before: '', after: `{${after}}` } : { before: '{"children":[', after: `],${after}}` }
}

/** Writes one node the way chapter 08 does, with its already written children; undefined children for a block. */
export function encodeReference(
  record: NodeRecord,
  ttl: number | null,
  children: readonly string[] | undefined,
): string {
  const fields = fieldsOf(record, ttl).filter(([name]) => REFERENCE_NAMES.has(name))
  return encodeFields(fields, children === undefined ? [] : [['children', `[${children.join(',')}]`]])
}

/** The headers that nearly all nodes have and no others, by name: most of an export is written here. */
function usualText(record: NodeRecord, ttl: number | null): string {
  const { content, kind, role, createdAtNs } = record
  const first = content === undefined ? '' : `"content":${canonicalJson(content)},`
  const time = `"created_at_iso":"${isoTime(createdAtNs)}","created_at_ns":${createdAtNs}`
  const turn = `"creation_index":${record.creationIndex},"cycle":${record.cycle}`
  const name = `"id":${quoteJson(record.id)},${kind === undefined ? '' : `"kind":${quoteJson(kind)},`}`
  const place = `"nodeType":${quoteJson(record.nodeType)},"offset":${record.offset},"priority":${record.priority}`
  return `${first}${time},${turn},${name}${place},${role === undefined ? '' : `"role":${quoteJson(role)},`}"ttl":${ttl}`
}

/** Any node: its fields by name, those before `children` and those behind. */
function encodeFull(record: NodeRecord, ttl: number | null, isBlock: boolean): NodeText {
  const fields = fieldsOf(record, ttl).sort(([a], [b]) => compareText(a, b))
  if (isBlock) return { before: '', after: `{${memberTexts(fields).join(',')}}` }
  const at = fields.findIndex(([name]) => compareText(name, 'children') > 0)
  const [before, after] = [memberTexts(fields.slice(0, at)), memberTexts(fields.slice(at))]
  return { before: `{${[...before, '"children":['].join(',')}`, after: `],${after.join(',')}}` }
}

function memberTexts(fields: readonly (readonly [string, JsonValue])[]): string[] {
  return fields.map(([name, value]) => `${quoteJson(name)}:${canonicalJson(value)}`)
}

/** Orders regions the way chapter 08 does; everywhere else their order is fixed (D20, D35). */
export function sortForReference(regions: readonly NodeRecord[]): readonly NodeRecord[] {
  return regions.toSorted(compareSiblings)
}

/** Gives one node as a plain object with numbers, so that JSON.stringify works on it. */
export function nodeToJson(
  record: NodeRecord,
  ttl: number | null,
  children: readonly JsonObject[] | undefined,
): JsonObject {
  const fields = fieldsOf(record, ttl).map(([name, value]) => [name, withoutBigints(value)] as const)
  // fromEntries defines own properties, so even a name such as __proto__ stays data.
  return Object.fromEntries(children === undefined ? fields : [...fields, ['children', children] as const])
}

export function createdAtIso(record: NodeRecord): string {
  return record.rare?.createdAtIso ?? isoTime(record.createdAtNs)
}

/** The record's content hash, worked out once (08 §8.1). */
export function contentHashOfRecord(record: NodeRecord): string {
  let hash = hashes.get(record)
  if (hash === undefined) hashes.set(record, (hash = contentHashOf(hashedFields(record))))
  return hash
}

/** Outside the records, since few of a million are ever asked. */
const hashes = new WeakMap<NodeRecord, string>()

function hashedFields(record: NodeRecord): Readonly<Record<string, unknown>> {
  const { content, kind, role } = record
  const attributes = record.rare?.attributes
  return attributes === undefined ? { content, kind, role } : { ...Object.fromEntries(attributes), content, kind, role }
}

/** Every header and attribute that the node has, without its children. */
export function fieldsOf(record: NodeRecord, ttl: number | null): (readonly [string, JsonValue])[] {
  const fields: (readonly [string, JsonValue])[] = [
    ['id', record.id],
    ['nodeType', record.nodeType],
    ['offset', record.offset],
    ['ttl', ttl],
    ['priority', record.priority],
    ['cycle', record.cycle],
    ['created_at_ns', record.createdAtNs],
    ['created_at_iso', createdAtIso(record)],
    ['creation_index', record.creationIndex],
  ]
  addOptional(fields, record)
  return fields
}

/** Adds the fields that a node has only if they were given. */
export function addOptional(
  fields: (readonly [string, JsonValue])[],
  { role, kind, content, rare }: Pick<Template, 'role' | 'kind' | 'content' | 'rare'>,
): void {
  const add = (name: string, value: JsonValue | undefined): void => {
    if (value !== undefined) fields.push([name, value])
  }
  add('role', role)
  add('kind', kind)
  add('content', content)
  if (rare === undefined) return
  for (const name of RARE_NAMES) add(name, rare[name])
  if (rare.standsFor !== undefined) add(STANDS_FOR, Object.freeze(rare.standsFor.toSorted(compareText)))
  for (const attribute of rare.attributes ?? []) fields.push(attribute)
}

/** The canonical text of an object, some of whose parts are written already. */
export function encodeFields(
  fields: readonly (readonly [string, JsonValue])[],
  written: readonly (readonly [string, string])[],
): string {
  const texts: (readonly [string, string])[] = fields.map(([name, value]) => [name, canonicalJson(value)])
  texts.push(...written)
  texts.sort(([a], [b]) => compareText(a, b))
  return `{${texts.map(([name, text]) => `${quoteJson(name)}:${text}`).join(',')}}`
}

/** The value with numbers for bigints, as JSON.stringify wants it. */
export function withoutBigints(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutBigints)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutBigints(each)]))
}
