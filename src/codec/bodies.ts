// What nodes say, written apart from the tree they stand in: content, provenance and all attributes but the one that ties a
// call to its results. A store can take such a body out for good, and the record around it stays what it was (D56).

import { LIMITS, NodeRecord, type JsonValue, type RareHeaders, type Version } from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { ERASED } from './document.js'
import { parseJson } from './json-text.js'
import { attributesText, CALL_ID } from './rare-text.js'
import { fault } from './raw.js'
import { jsonOf, mapOf, objectWith } from './strict-read.js'

/** Where bodies go. */
export type BodyWriter = Readonly<{
  /** Takes the text of one, and gives its number: 1, 2, 3 … */
  add: (text: string) => number
  /** The version of a node that the one to be written follows: what both say is not written again. */
  before: (id: string) => NodeRecord | undefined
}>

/** Where bodies come from. */
export type BodyReader = Readonly<{
  /** How many there are. */
  count: number
  /** The text of one; undefined where it was taken out. */
  text: (number: number) => string | undefined
  before: (id: string) => NodeRecord | undefined
  /** Told whose each body is: the id of a node or the key of a schedule, and where in the record it stands. */
  owner?: ((number: number, owner: BodyOwner, path: string) => void) | undefined
}>

export type BodyOwner = Readonly<{ id: string } | { key: string }>

/** What one body holds. */
export type Body = Readonly<Pick<NodeRecord, 'content'> & { rare: RareHeaders | undefined }>

/** Stands for the body of the version before. */
const AS_BEFORE = 0

/** The number of a record's body: below zero where there is no content in it; undefined where there is nothing to write. */
export function bodyNumber(record: NodeRecord, bodies: BodyWriter): number | undefined {
  const { content, rare } = record
  // How a node came is its first version; most have no other.
  const before = record.isFirst ? undefined : bodies.before(record.id)
  // Most say nothing but their content.
  if (rare === undefined && before === undefined) {
    return content === undefined ? undefined : bodies.add(`{"content":${canonicalJson(content)}}`)
  }
  const attributes = rare?.attributes
  const provenance = rare?.provenance
  const hasOwn = attributes !== undefined && attributes.size > (attributes.has(CALL_ID) ? 1 : 0)
  if (content === undefined && !hasOwn && provenance === undefined) return undefined
  if (before !== undefined && saysTheSame(before, record)) return AS_BEFORE
  const number = bodies.add(bodyText(hasOwn ? attributes : undefined, content, provenance))
  return content === undefined ? -number : number
}

/** In the order of canonical JSON. */
function bodyText(
  attributes: ReadonlyMap<string, JsonValue> | undefined,
  content: JsonValue | undefined,
  provenance: JsonValue | undefined,
): string {
  let text = attributes === undefined ? '' : `"attributes":${attributesText(attributes, CALL_ID)}`
  if (content !== undefined) text += `${text === '' ? '' : ','}"content":${canonicalJson(content)}`
  if (provenance !== undefined) text += `${text === '' ? '' : ','}"provenance":${canonicalJson(provenance)}`
  return `{${text}}`
}

function saysTheSame(a: NodeRecord, b: NodeRecord): boolean {
  return (
    a.content === b.content && a.rare?.attributes === b.rare?.attributes && a.rare?.provenance === b.rare?.provenance
  )
}

/** What a node says, put together again; `rare` is what is written beside the body. */
export function readBody(
  number: number,
  path: string,
  id: string,
  rare: RareHeaders | undefined,
  bodies: BodyReader,
): Body {
  if (number === AS_BEFORE) return bodyBefore(path, id, rare, bodies)
  const at = Math.abs(number)
  if (at > bodies.count) throw fault(path, `There are ${bodies.count} bodies, and this is number ${at}.`)
  bodies.owner?.(at, { id }, path)
  const text = bodies.text(at)
  const own = rare?.attributes
  if (text === undefined) return { content: number < 0 ? undefined : '', rare: { ...rare, attributes: erased(own) } }
  const raw = objectWith(parseBody(text), path, ['attributes', 'content', 'provenance'] as const)
  if ((raw.content === undefined) !== number < 0) throw fault(path, 'A content is missing here, or was not expected.')
  const provenance = raw.provenance === undefined ? {} : { provenance: jsonOf(raw.provenance, path) }
  const attributes = raw.attributes === undefined ? own : new Map([...mapOf(raw.attributes, path), ...(own ?? [])])
  const isBare = rare === undefined && attributes === undefined && raw.provenance === undefined
  return {
    content: raw.content === undefined ? undefined : jsonOf(raw.content, path),
    rare: isBare ? undefined : { ...rare, ...provenance, ...(attributes === undefined ? {} : { attributes }) },
  }
}

function bodyBefore(path: string, id: string, rare: RareHeaders | undefined, bodies: BodyReader): Body {
  const before = bodies.before(id)
  if (before === undefined) throw fault(path, `There is no version of ${id} before this one.`)
  const { content, rare: old } = before
  const { attributes, provenance } = old ?? {}
  const isBare = rare === undefined && attributes === undefined && provenance === undefined
  if (isBare) return { content, rare: undefined }
  return {
    content,
    rare: {
      ...rare,
      ...(attributes === undefined ? {} : { attributes }),
      ...(provenance === undefined ? {} : { provenance }),
    },
  }
}

function erased(own: ReadonlyMap<string, JsonValue> | undefined): ReadonlyMap<string, JsonValue> {
  return new Map<string, JsonValue>([[ERASED, true], ...(own ?? [])])
}

/** JSON.parse is several times faster, but rounds integers beyond 2^53, and says nothing of use about what is no JSON. */
function parseBody(text: string): unknown {
  if (!UNSURE.test(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // The exact parser says where and why.
    }
  }
  return parseJson(text, LIMITS.depth * 3 + 16)
}

/** What may be an integer beyond 2^53, a -0 or an infinity. */
const UNSURE = /\d{16}|-0|\d[eE]/

/** The same look-up once more versions are known: those of a change, for the opening that follows it. */
export function layered<T extends Pick<BodyReader, 'before'>>(bodies: T, versions: readonly Version[]): T {
  let later: ReadonlyMap<string, Version> | undefined
  const before = (id: string): NodeRecord | undefined => {
    later ??= new Map(versions.map((version) => [version.id, version]))
    const version = later.get(id)
    if (version === undefined) return bodies.before(id)
    return version instanceof NodeRecord ? version : undefined
  }
  return { ...bodies, before }
}
