// Bodies: the content, the provenance and the attributes of a node, written apart from its version. A store can erase a body for good while
// the record around it stays as it is (D56). The call id stays in the record, since it ties a call to its results.

import type { JsonValue, NodeRecord, RareHeaders } from '../core/index.js'
import { CALL_ID, ERASED } from './document.js'
import { attributes, json, object, optional, parseText } from './forms.js'
import { fault } from './raw.js'
import type { BodyReader, ReadScope, WriteScope } from './scope.js'

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

/** Writes the body of a node and returns its number: negative if there is no content in it, undefined if the body would be empty. */
export function writeBody(record: NodeRecord, scope: WriteScope): number | undefined {
  const { content, rare } = record
  const provenance = rare?.provenance
  const own = withoutCallId(rare?.attributes)
  if (content === undefined && own === undefined && provenance === undefined) return undefined
  const before = record.isFirst ? undefined : scope.before(record.id)
  if (before !== undefined && hasSameBody(before, record)) return AS_BEFORE
  const number = scope.bodies!.add(BODY.write({ attributes: own, content, provenance }, scope)!)
  return content === undefined ? -number : number
}

function withoutCallId(held: RareHeaders['attributes']): RareHeaders['attributes'] {
  if (held === undefined || !held.has(CALL_ID)) return held
  return held.size === 1 ? undefined : new Map([...held].filter(([name]) => name !== CALL_ID))
}

/** The rare headers that stay in the record when the body is written apart. */
export function headersOutside({
  attributes: held,
  provenance: _provenance,
  ...rest
}: RareHeaders): RareHeaders | undefined {
  const callId = held?.get(CALL_ID)
  if (callId !== undefined) return { ...rest, attributes: new Map([[CALL_ID, callId]]) }
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
  const outside = rare?.attributes
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

function erased(outside: RareHeaders['attributes']): ReadonlyMap<string, JsonValue> {
  return new Map<string, JsonValue>([[ERASED, true], ...(outside ?? [])])
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
  whose: Readonly<{ id: string } | { key: string }>,
  path: string,
): string | undefined {
  if (number > count) throw fault(path, `There are ${count} bodies, and this is number ${number}.`)
  owner?.(number, whose, path)
  return text(number)
}
