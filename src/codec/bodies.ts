// Bodies: the content, the provenance and the attributes of a node, written apart from its version. A store can erase a body for good while
// the record around it stays as it is (D56). The call id stays in the record, since it ties a call to its results.

import { COMPACTED, type Compacted, type JsonValue, type NodeRecord, type RareHeaders } from '../core/index.js'
import { CALL_ID, ERASED } from './document.js'
import { attributes, json, object, optional, parseText } from './forms.js'
import { readStoredList, storedList } from './originals.js'
import { fault } from './raw.js'
import type { BodyOwner, BodyReader, ReadScope, WriteScope } from './scope.js'

type Body = Readonly<{
  attributes: ReadonlyMap<string, JsonValue> | undefined
  content: JsonValue | undefined
  provenance: JsonValue | undefined
}>

const BODY = object<Body>({ attributes: optional(attributes), content: optional(json), provenance: optional(json) })

/** The content and the rare headers of a node, whole. */
export type NodeText = Readonly<Pick<NodeRecord, 'content' | 'rare'>>

/** A body number that means the body of the previous version. */
const AS_BEFORE = 0

/** A node whose texts were written apart: the number of its body, and the rare headers that stay in the record. */
type WrittenApart = Readonly<{ content: number | undefined; rare: RareHeaders | undefined }>

/**
 * Writes the body of a node. Its number is negative if there is no content in it, undefined if the body would be empty. The nodes that a
 * summary stands for have bodies of their own, so that each can be erased; the record says which.
 */
export function writeBody(record: NodeRecord, scope: WriteScope): WrittenApart {
  const { content, rare } = record
  const provenance = rare?.provenance
  const own = withoutOutside(rare?.attributes)
  if (content === undefined && own === undefined && provenance === undefined) {
    return { content: undefined, rare: rare && headersOutside(rare) }
  }
  const before = record.isFirst ? undefined : scope.before(record.id)
  if (before !== undefined && hasSameBody(before, record))
    return { content: AS_BEFORE, rare: rare && headersOutside(rare) }
  const add = (text: string): number => scope.bodies!.add(text)
  const compacted = rare?.attributes?.get(COMPACTED)
  const list = compacted && storedList(compacted as unknown as Compacted, add)
  const number = add(BODY.write({ attributes: own, content, provenance }, scope)!)
  return { content: content === undefined ? -number : number, rare: rare && headersOutside(rare, list) }
}

/** The attributes that are part of the body. */
function withoutOutside(held: RareHeaders['attributes']): RareHeaders['attributes'] {
  if (held === undefined || !(held.has(CALL_ID) || held.has(COMPACTED))) return held
  const inside = new Map([...held].filter(([name]) => name !== CALL_ID && name !== COMPACTED))
  return inside.size === 0 ? undefined : inside
}

/** The rare headers that stay in the record when the body is written apart. */
function headersOutside(
  { attributes: held, provenance: _provenance, ...rest }: RareHeaders,
  list?: JsonValue,
): RareHeaders | undefined {
  const callId = held?.get(CALL_ID)
  const outside = new Map<string, JsonValue>()
  if (callId !== undefined) outside.set(CALL_ID, callId)
  if (list !== undefined) outside.set(COMPACTED, list)
  if (outside.size > 0) return { ...rest, attributes: outside }
  return Object.keys(rest).length === 0 ? undefined : rest
}

function hasSameBody(a: NodeRecord, b: NodeRecord): boolean {
  return (
    a.content === b.content && a.rare?.attributes === b.rare?.attributes && a.rare?.provenance === b.rare?.provenance
  )
}

/** Joins a body with the rare headers that were left in the record. */
export function readBody(
  number: number,
  path: string,
  id: string,
  rare: RareHeaders | undefined,
  scope: ReadScope,
): NodeText {
  if (number === AS_BEFORE) {
    const before = scope.before(id)
    if (before === undefined) throw fault(path, `There is no version of ${id} before this one.`)
    return joined(rare, before.content, before.rare?.attributes, before.rare?.provenance)
  }
  const found = bodyText(scope.bodies!, Math.abs(number), { id }, path)
  // Read also if the body was erased: every body has its owner.
  const outside = withList(rare?.attributes, id, path, scope.bodies!)
  if (found === undefined) {
    return joined(rare, number < 0 ? undefined : '', erased(outside), undefined)
  }
  const body = BODY.read(parseText(found), path, scope)
  if ((body.content === undefined) !== number < 0) throw fault(path, 'A content is missing here, or was not expected.')
  const all = body.attributes && new Map([...body.attributes, ...(outside ?? [])])
  return joined(rare, body.content, all ?? outside, body.provenance)
}

/** A node without a body. It has no texts, but it may be marked as erased. */
export function readBodiless(id: string, rare: RareHeaders | undefined, { bodies }: ReadScope): NodeText {
  bodies?.bodiless?.(id)
  if (bodies?.erased?.has(id) !== true) return { content: undefined, rare }
  return joined(rare, undefined, erased(rare?.attributes), undefined)
}

/** The attributes of the record, with the list of a summary put together. */
function withList(
  outside: RareHeaders['attributes'],
  summary: string,
  path: string,
  bodies: BodyReader,
): RareHeaders['attributes'] {
  const stored = outside?.get(COMPACTED)
  if (stored === undefined) return outside
  const list = readStoredList(stored, (id, number) => {
    const text = bodyText(bodies, number, { id, summary }, path)
    return text === undefined ? undefined : parseText(text)
  })
  if (list === undefined) throw fault(path, 'The list of a summary is expected here.')
  return new Map([...outside!, [COMPACTED, list as unknown as JsonValue]])
}

function erased(outside: RareHeaders['attributes']): ReadonlyMap<string, JsonValue> {
  const callId = outside?.get(CALL_ID)
  return new Map<string, JsonValue>([[ERASED, true], ...(callId === undefined ? [] : [[CALL_ID, callId] as const])])
}

function joined(
  rare: RareHeaders | undefined,
  content: JsonValue | undefined,
  all: RareHeaders['attributes'],
  provenance: JsonValue | undefined,
): NodeText {
  if (rare === undefined && all === undefined && provenance === undefined) return { content, rare: undefined }
  return {
    content,
    rare: {
      ...rare,
      ...(all === undefined ? {} : { attributes: all }),
      ...(provenance === undefined ? {} : { provenance }),
    },
  }
}

/** The text of a body; undefined if it was erased. */
export function bodyText(
  { count, owner, text }: BodyReader,
  number: number,
  whose: BodyOwner,
  path: string,
): string | undefined {
  if (number > count) throw fault(path, `There are ${count} bodies, and this is number ${number}.`)
  owner?.(number, whose, path)
  return text(number)
}
