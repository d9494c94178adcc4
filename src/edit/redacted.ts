// A redaction as data (D54): not the text that was searched for, but the texts that are there now. Applied again, it gives the same nodes
// the same texts.

import { describe, invalid, type PactError } from '../errors/index.js'
import { COMPACTED, LIMITS, SHED, type JsonValue } from '../core/index.js'
import { copyJson } from '../codec/index.js'
import { dataOf, type Data } from './said.js'

/** The place of a match: a node, or a place in the node of a schedule, counted from its top. */
export type FoundAt = Readonly<{ id: string } | { key: string; at: number }>

/**
 * One replacement: in the node with this id, or in the node of the schedule with this key, at this place. `spec` has the changed
 * fields (content, provenance, `data_*`, `content_*`, and the originals of a shed result or of a summary); without it the node was removed whole.
 */
export type Redacted = Readonly<{
  id?: string | undefined
  key?: string | undefined
  at?: number | undefined
  spec?: Readonly<Record<string, unknown>> | undefined
}>

/** The changes of a redaction to a node. */
export type Changed = Readonly<{
  content: JsonValue | undefined
  provenance: JsonValue | undefined
  attributes: ReadonlyMap<string, JsonValue>
}>

/** The result for a node with a match: other texts, or for signed reasoning its removal. */
export type Finding = Changed | 'gone'

export function redactedData(place: FoundAt, finding: Finding): Redacted {
  if (finding === 'gone') return dataOf(place)
  const { content, provenance, attributes } = finding
  return dataOf({ ...place, spec: dataOf({ content, provenance, ...Object.fromEntries(attributes) }) })
}

/** Reads replacements; gives a function that finds them again. */
export function checkRedacted(replaced: unknown): (place: FoundAt) => Finding | undefined {
  if (!Array.isArray(replaced)) throw invalid('replaced', `replaced is a list, not ${describe(replaced)}.`)
  if (replaced.length > LIMITS.nodes) {
    throw invalid('replaced', `replaced may have at most ${LIMITS.nodes} entries.`)
  }
  const known = new Map<string, Finding>()
  for (const each of Array.from(replaced as readonly unknown[])) {
    if (typeof each !== 'object' || each === null) throw badEntry(each)
    const { spec, ...place }: Redacted = { ...each }
    known.set(nameOf(checkPlace(place)), spec === undefined ? 'gone' : checkSpec(spec))
  }
  return (place) => known.get(nameOf(place))
}

function checkPlace({ id, key, at, ...rest }: Omit<Redacted, 'spec'>): FoundAt {
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw invalid(unknown, `A replacement has id, or key and at, and spec; no ${describe(unknown)}.`)
  if (typeof id === 'string' && key === undefined && at === undefined) return { id }
  if (id === undefined && typeof key === 'string' && Number.isSafeInteger(at)) return { key, at: at! }
  throw badEntry({ id, key, at })
}

function checkSpec(spec: unknown): Changed {
  if (typeof spec !== 'object' || spec === null) throw badEntry(spec)
  const { content, provenance, ...rest }: Data = { ...spec }
  const attributes = new Map<string, JsonValue>()
  for (const [name, value] of Object.entries(rest)) {
    if (!isSearched(name) && name !== SHED && name !== COMPACTED)
      throw invalid(name, `Redaction does not change ${describe(name)}.`)
    attributes.set(name, copyJson(value))
  }
  const copied = (value: unknown): JsonValue | undefined => (value === undefined ? undefined : copyJson(value))
  return { content: copied(content), provenance: copied(provenance), attributes }
}

/** Neither the id that ties a call to its result, since the pair would break, nor the names by which adapters know how to read a node. */
export function isSearched(name: string): boolean {
  return (name.startsWith('data_') && !STRUCTURE.has(name)) || name.startsWith('content_')
}

const STRUCTURE: ReadonlySet<string> = new Set(['data_call_id', 'data_format', 'data_form'])

function nameOf(place: FoundAt): string {
  return 'id' in place ? `id ${place.id}` : `${place.at} ${place.key}`
}

function badEntry(value: unknown): PactError {
  return invalid('replaced', `A replacement is an object such as { id, spec: { content } }, not ${describe(value)}.`)
}
