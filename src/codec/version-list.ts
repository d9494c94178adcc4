// Versions of nodes with all that a document does not say: their maker, since when they hold, since when their ttl runs.
// A node is a list by place,
//   [id, parent, class, type, offset, time, index, cycle, priority, ttl, ttl's age, maker, role, kind, rare, content]
// without the undefined ones at its end; a removal is [0, id, cause, successor?]. A time is its distance from the one
// before, or its digits where that is large. Where bodies are written apart (bodies.ts), the number of one stands in the
// place of the content.

import { CAUSES, Gone, MAKERS, NodeRecord, type NodeClass, type RareHeaders, type Version } from '../core/index.js'
import { bodyNumber, readBody, type BodyReader, type BodyWriter } from './bodies.js'
import type { ByteText } from './byte-text.js'
import { canonicalJson, pathTo, quoteJson } from './canonical-json.js'
import { isLeftBeside, RARE_NAMES, writeBeside, writeRare } from './rare-text.js'
import { fault } from './raw.js'
import {
  booleanOf,
  digitsOf,
  eachIn,
  eachOf,
  integerOf,
  jsonOf,
  listOf,
  mapOf,
  nameOf,
  objectWith,
  oneOf,
  textOf,
} from './strict-read.js'

const CLASSES: readonly NodeClass[] = ['root', 'region', 'seg', 'core', 'cont', 'block']

/** Writes versions one after another. */
export class VersionWriter {
  readonly #out: ByteText
  #ns: bigint
  readonly #bodies: BodyWriter | undefined

  /** `ns` is a time near the first one; without a place for bodies, all stands in the list. */
  constructor(out: ByteText, ns: bigint, bodies?: BodyWriter) {
    this.#out = out
    this.#ns = ns
    this.#bodies = bodies
  }

  write(version: Version): void {
    if (version instanceof Gone) return this.#out.ascii(goneText(version))
    this.#out.ascii('[')
    this.fields(version)
    this.#out.ascii(']')
  }

  /** What stands in the brackets. In one piece, since a commit writes a handful of them and should cost little more than its row. */
  fields(record: NodeRecord): void {
    const out = this.#out
    const { role, kind, rare, content, ttl } = record
    out.quoted(record.id)
    this.#name(record.parentId)
    this.#name(record.nodeClass)
    this.#name(record.nodeType)
    out.next(record.offset)
    this.#time(record.createdAtNs)
    out.next(record.creationIndex)
    out.next(record.cycle)
    out.next(record.priority)
    if (ttl === null) out.ascii(',null')
    else out.next(ttl)
    out.next(record.born - record.ttlFrom)
    this.#name(record.by)
    const hasRare = rare !== undefined && (this.#bodies === undefined || isLeftBeside(rare))
    const number = this.#bodies && bodyNumber(record, this.#bodies)
    const isSaid = this.#bodies === undefined ? content !== undefined : number !== undefined
    // Without the undefined ones at the end.
    const isLast = !hasRare && !isSaid
    if (isLast && kind === undefined && role === undefined) return
    this.#name(role)
    if (isLast && kind === undefined) return
    this.#name(kind)
    if (isLast) return
    out.comma()
    if (!hasRare) out.ascii('null')
    else if (this.#bodies === undefined) writeRare(out, rare)
    else writeBeside(out, rare)
    if (number !== undefined) out.next(number)
    else if (typeof content === 'string') this.#name(content)
    else if (content !== undefined) out.ascii(`,${canonicalJson(content)}`)
  }

  #name(name: string | undefined): void {
    if (name === undefined) return this.#out.ascii(',null')
    this.#out.comma()
    this.#out.quoted(name)
  }

  #time(ns: bigint): void {
    const distance = Number(ns - this.#ns)
    this.#ns = ns
    // Whatever is farther is rounded to something that is not safe either.
    if (Number.isSafeInteger(distance)) this.#out.next(distance)
    else this.#out.ascii(`,"${ns}"`)
  }
}

export function goneText({ id, cause, successor }: Gone): string {
  const end = successor === undefined ? '' : `,${quoteJson(successor)}`
  return `[0,${quoteJson(id)},${quoteJson(cause)}${end}]`
}

/** Reads versions one after another. */
export class VersionReader {
  #ns: bigint
  readonly #bodies: BodyReader | undefined

  constructor(ns: bigint, bodies?: BodyReader) {
    this.#ns = ns
    this.#bodies = bodies
  }

  read(value: unknown, path: string, born: number): Version {
    const parts = listOf(value, path)
    return parts[0] === 0 ? readGone(parts, path, born) : this.record(parts, path, born)
  }

  record(value: unknown, path: string, born: number): NodeRecord {
    const parts = listOf(value, path, 12, 16)
    const at = (i: number): string => `${path}[${i}]`
    const text = (i: number): string | undefined => ((parts[i] ?? null) === null ? undefined : textOf(parts[i], at(i)))
    if (parts.length > 12 && parts.length < 16 && parts.at(-1) === null) {
      throw fault(at(parts.length - 1), 'A list does not end with what is left out.')
    }
    const nodeClass = oneOf(parts[2], at(2), CLASSES)
    const id = nameOf(parts[0], at(0))
    const record = new NodeRecord({
      id,
      parentId: nodeClass === 'root' ? undefined : nameOf(parts[1], at(1)),
      nodeClass,
      nodeType: nameOf(parts[3], at(3)),
      offset: integerOf(parts[4], at(4)),
      createdAtNs: this.#time(parts[5], at(5)),
      creationIndex: integerOf(parts[6], at(6)),
      cycle: integerOf(parts[7], at(7)),
      priority: integerOf(parts[8], at(8)),
      ttl: parts[9] === null ? null : integerOf(parts[9], at(9), 0),
      ttlFrom: born - integerOf(parts[10], at(10), 0),
      role: text(12),
      kind: text(13),
      ...this.#said(parts, path, id),
      born,
      by: oneOf(parts[11], at(11), MAKERS),
    })
    if (nodeClass === 'root' && parts[1] !== null) throw fault(at(1), 'The root stands in nothing.')
    return record
  }

  #said(parts: readonly unknown[], path: string, id: string): Pick<NodeRecord, 'content' | 'rare'> {
    const rare = (parts[14] ?? null) === null ? undefined : readRare(parts[14], `${path}[14]`)
    if (parts.length <= 15) return { rare, content: undefined }
    const at = `${path}[15]`
    if (this.#bodies === undefined) return { rare, content: jsonOf(parts[15], at) }
    return readBody(integerOf(parts[15], at), at, id, rare, this.#bodies)
  }

  #time(value: unknown, path: string): bigint {
    this.#ns = typeof value === 'string' ? digitsOf(value, path) : this.#ns + BigInt(integerOf(value, path))
    return this.#ns
  }
}

function readGone(parts: readonly unknown[], path: string, born: number): Gone {
  listOf(parts, path, 3, 4)
  const successor = parts.length === 4 ? nameOf(parts[3], `${path}[3]`) : undefined
  return new Gone(nameOf(parts[1], `${path}[1]`), born, oneOf(parts[2], `${path}[2]`, CAUSES), successor)
}

function readRare(value: unknown, path: string): RareHeaders {
  const raw = objectWith(value, path, RARE_NAMES)
  const read = <T>(name: (typeof RARE_NAMES)[number], how: (value: unknown, path: string) => T): T | undefined =>
    raw[name] === undefined ? undefined : how(raw[name], pathTo(path, name))
  const headers: { [K in keyof RareHeaders]: RareHeaders[K] | undefined } = {
    key: read('key', textOf),
    tags: read('tags', textsOf),
    refs: read('refs', textsOf),
    supersedes: read('supersedes', textOf),
    standsFor: read('standsFor', textsOf),
    removable: read('removable', booleanOf),
    pinned: read('pinned', booleanOf),
    provenance: read('provenance', jsonOf),
    cad: read('cad', (cad, at) => integerOf(cad, at, 1)),
    createdAtIso: read('createdAtIso', textOf),
    attributes: read('attributes', mapOf),
  }
  return Object.fromEntries(Object.entries(headers).filter(([, header]) => header !== undefined))
}

function textsOf(value: unknown, path: string): readonly string[] {
  return Object.freeze(eachIn(value, path, textOf))
}

/** Writes the field of versions; none where there are none. */
export function writeVersions(
  out: ByteText,
  versions: readonly Version[],
  ns: bigint,
  bodies: BodyWriter | undefined,
): void {
  const writer = new VersionWriter(out, ns, bodies)
  out.list('versions', versions, (version) => writer.write(version))
}

/** Versions that all hold from one cycle on; no id stands twice. */
export function readVersions(
  value: unknown,
  path: string,
  ns: bigint,
  born: number,
  bodies: BodyReader | undefined,
): readonly Version[] {
  const reader = new VersionReader(ns, bodies)
  const ids = new Set<string>()
  return eachOf(value, path, (each, at) => {
    const version = reader.read(each, at, born)
    if (ids.has(version.id)) throw fault(at, `The id "${version.id}" stands twice in this list.`)
    ids.add(version.id)
    return version
  })
}
