// The headers of a node that differ between two views, under the documents' names and in the order of D38.

import { compareText, type JsonValue, type NodeRecord } from '../core/index.js'
import { canonicalJson, contentHashOfRecord, fieldsOf } from '../codec/index.js'
import type { View } from '../timeline/index.js'

/** A node as one view shows it. */
export type Shown = Readonly<{ record: NodeRecord; view: View }>

/** D38 names these first, in this order; the rest follow by code point. */
const FIRST: readonly string[] = [
  'ttl',
  'priority',
  'parent',
  'offset',
  'nodeType',
  'role',
  'kind',
  'key',
  'tags',
  'content_hash',
]

const NO_FIELDS: readonly string[] = Object.freeze([])
const ONLY_TTL: readonly string[] = Object.freeze(['ttl'])

/** The names under which two showings of one node differ. */
export function changedFields(a: Shown, b: Shown): readonly string[] {
  // One version on both sides differs only in a running ttl (D24).
  if (a.record === b.record) return a.view.ttlOf(a.record) === b.view.ttlOf(b.record) ? NO_FIELDS : ONLY_TTL
  const [from, to] = [headersOf(a), headersOf(b)]
  const names = new Set([...from.keys(), ...to.keys()])
  // The engine's own notes are no difference (N10): a commit drops earlier names that nothing refers to any more.
  const changed = [...names].filter((name) => !name.startsWith('pact:') && !areEqual(from.get(name), to.get(name)))
  // No content and empty content have one hash (08 §8.1), but only one of them is an item of the thread.
  const isOnlyOne = (a.record.content === undefined) !== (b.record.content === undefined)
  if (isOnlyOne && !changed.includes('content_hash')) changed.push('content')
  return changed.length === 0 ? NO_FIELDS : Object.freeze(changed.sort(compareNames))
}

/** Every header by its name; the parent by its id, the content by its hash. */
export function headersOf({ record, view }: Shown): ReadonlyMap<string, JsonValue> {
  const headers = new Map<string, JsonValue>()
  for (const [name, value] of fieldsOf(record, view.ttlOf(record))) {
    if (name !== 'id' && name !== 'content') headers.set(name, value)
  }
  headers.set('parent', record.parentId ?? null)
  headers.set('content_hash', contentHashOfRecord(record))
  return headers
}

/** True if two values are written alike; a missing header reads as null. */
export function areEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [left, right] = [a ?? null, b ?? null]
  return left === right || canonicalJson(left) === canonicalJson(right)
}

function compareNames(a: string, b: string): number {
  const [left, right] = [FIRST.indexOf(a), FIRST.indexOf(b)]
  if (left >= 0 || right >= 0) return (left < 0 ? FIRST.length : left) - (right < 0 ? FIRST.length : right)
  return compareText(a, b)
}
