// A naive second opinion on diffs (05 §4, 06 §4, 08 §2; D38): two exported documents are walked whole, every node of one is
// looked up by id in the other, and every header is compared as text. It shares no code with the engine. What counts as a
// header is what the export prints (D35), so two documents without a difference print the same nodes in the same places.
// One thing is told apart less finely: content shows only through its hash (chapter 08), so a node without content and one
// with the content "" are alike.

import { createHash } from 'node:crypto'

import { OracleError, oracleSelect, type OracleTree } from './selector.js'
import { documentOrder, idOf, type Place, viewOf } from './selector-match.js'
import { type Dialect, parseOracleSelector } from './selector-parse.js'
import { compareCodePoints } from './selector-values.js'

/** An exported snapshot as plain data (D35): every header under the documents' names, containers with `children`. */
export type SnapshotDocument = Readonly<{ spec_version?: string; cycle: number; lens?: string; root: OracleTree }>

export type NaiveDiff = {
  added: string[]
  removed: string[]
  changed: { id: string; fields: string[] }[]
}

/** One id that both sides select, and the names under which they differ; `from` and `to` hold the values. */
export type ChangedNode = { id: string; fields: string[]; from: Headers; to: Headers }

/** Every header of a node by the documents' name, `parent` and `content_hash` among them. */
export type Headers = ReadonlyMap<string, unknown>

const FIELDS_FIRST = [
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
] as const

/** The higher cycle; of one cycle, what a commit would make rather than the working state it is made of. */
function isNewer(a: SnapshotDocument, b: SnapshotDocument): boolean {
  return a.cycle > b.cycle || (a.cycle === b.cycle && a.lens !== 'working' && b.lens === 'working')
}

/**
 * The answer of `ctx.diff(a, b, selector?)`: the way from `a` to `b`, whichever is newer (D38).
 *
 * The sides are the sets that the selector selects on each document, after its own windows; without one, every node, root
 * and regions included. `@order` and the other orders of a selection matter for the windows only: every list is in
 * document order, since 05 §4.4 wants the canonical order of a snapshot. A node that is on one side only has
 * that side's order only; `changed` takes that of the newer document (the higher cycle, else `b`).
 *
 * The dialect is that of the newer document unless given. A time prefix, and so also a facet (D9), is
 * E_SELECTOR_INVALID; every fault is an OracleError with its `code`.
 */
export function naiveDiff(
  a: SnapshotDocument,
  b: SnapshotDocument,
  selector?: string,
  options: { dialect?: Dialect } = {},
): NaiveDiff {
  const newer = isNewer(a, b) ? a : b
  const dialect = options.dialect ?? dialectOf(newer)
  if (selector !== undefined && parseOracleSelector(selector, dialect).time !== undefined) {
    throw new OracleError('E_SELECTOR_INVALID', 'The selector of a diff has no time prefix (D38).')
  }
  const idsOf = (document: SnapshotDocument): string[] | undefined => {
    if (selector === undefined) return undefined
    // The document is both the working state and @t0, so either dialect reads it (D5).
    const { cycle, root } = document
    return oracleSelect({ dialect, snapshots: [{ cycle, tree: root }], working: root }, selector)
  }
  const inA = placesIn(a, idsOf(a))
  const inB = placesIn(b, idsOf(b))
  return {
    added: onlyIn(inB, inA),
    removed: onlyIn(inA, inB),
    changed: (newer === b ? changesBetween(inB, inA) : changesBetween(inA, inB)).map(({ id, fields }) => ({
      id,
      fields,
    })),
  }
}

/** D1: `PACT/1…` is dialect 1.0, everything else the oracle is given is 0.1. */
export function dialectOf(document: SnapshotDocument): Dialect {
  return document.spec_version?.startsWith('PACT/1') === true ? '1.0' : '0.1'
}

/** The nodes with these ids (without a list: all of them) in document order. */
export function placesIn(document: SnapshotDocument, ids?: readonly string[]): Place[] {
  return documentOrder(viewOf(document.root, dialectOf(document), document.cycle)).filter(
    (place) => ids === undefined || ids.includes(idOf(place)),
  )
}

/** Ids of the one side that the other lacks, in the order of the side they are on. */
export function onlyIn(side: readonly Place[], other: readonly Place[]): string[] {
  const known = other.map(idOf)
  return side.map(idOf).filter((id) => !known.includes(id))
}

/** The nodes that both sides have and show differently, in the order of the first. */
export function changesBetween(from: readonly Place[], to: readonly Place[]): ChangedNode[] {
  return from.flatMap((place) => {
    const match = to.find((other) => idOf(other) === idOf(place))
    if (match === undefined) return []
    const [ours, theirs] = [headersOf(place), headersOf(match)]
    // No content and '' have one hash; a node has one or the other.
    const isSameHash = ours.get('content_hash') === theirs.get('content_hash')
    if (isSameHash && 'content' in place.node! !== 'content' in match.node!) {
      if ('content' in place.node!) ours.set('content', place.node['content'])
      if ('content' in match.node!) theirs.set('content', match.node['content'])
    }
    const change = { id: idOf(place), from: ours, to: theirs }
    const fields = fieldsThatDiffer(ours, theirs)
    return fields.length === 0 ? [] : [{ ...change, fields }]
  })
}

// -------------------------------------------------------------------------------------------------------------- headers

/**
 * The export has all fields but two: the parent, which follows from the place of the node, and the hash, which follows from the content.
 * Names in `pact:` are the engine's bookkeeping (N10), the children are nodes of their own, the id is what is compared by.
 */
function headersOf({ node, parent }: Place): Map<string, unknown> {
  const headers = new Map(
    Object.entries(node!).filter(
      ([name]) => name !== 'id' && name !== 'children' && name !== 'content' && !name.startsWith('pact:'),
    ),
  )
  headers.set('parent', parent === undefined ? null : idOf(parent))
  headers.set('content_hash', naiveContentHash(node!))
  return headers
}

/** A header that is not there reads null (02 §3.5). */
export function headerValue(headers: Headers, name: string): unknown {
  return headers.get(name) ?? null
}

/** D38: ten names first, the rest by code point. */
function fieldsThatDiffer(a: Headers, b: Headers): string[] {
  const differ = [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => canonicalJson(headerValue(a, name)) !== canonicalJson(headerValue(b, name)),
  )
  const rank = (name: string): number => {
    const at = FIELDS_FIRST.findIndex((first) => first === name)
    return at === -1 ? FIELDS_FIRST.length : at
  }
  return differ.toSorted((x, y) => rank(x) - rank(y) || compareCodePoints(x, y))
}

// ---------------------------------------------------------------------------------------------------------------- bytes

/** 08 §2.1: SHA-256 over content, kind, role and every `content_*` and `data_*`; `content_hash` takes no part (D34). */
export function naiveContentHash(node: Readonly<Record<string, unknown>>): string {
  const custom = Object.entries(node).filter(
    ([name]) => (name.startsWith('content_') || name.startsWith('data_')) && name !== 'content_hash',
  )
  const named = ['content', 'kind', 'role'].map((name) => [name, Object.hasOwn(node, name) ? node[name] : ''])
  return createHash('sha256')
    .update(canonicalJson(Object.fromEntries([...named, ...custom])))
    .digest('hex')
}

/** Python's `json.dumps(sort_keys=True, separators=(',',':'), ensure_ascii=True)` (D33). */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : pythonFloat(value)
  if (typeof value === 'bigint' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object') throw new Error(`No JSON: ${typeof value}`)
  const entries = Object.entries(value).toSorted(([a], [b]) => compareCodePoints(a, b))
  return `{${entries.map(([name, one]) => `${quote(name)}:${canonicalJson(one)}`).join(',')}}`
}

/** Everything but printable ASCII is escaped, unit by unit, so an astral character becomes two escapes. */
function quote(text: string): string {
  const short: Record<string, string> = { '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\' }
  const units = text
    .split('')
    .map((unit) =>
      Object.hasOwn(short, unit)
        ? `\\${short[unit]}`
        : unit >= ' ' && unit <= '~'
          ? unit
          : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  return `"${units.join('')}"`
}

/** The shortest digits that read back the same, with an exponent from 1e16 up and below 1e-4. */
export function pythonFloat(value: number): string {
  const [, sign, mantissa, power] = /^(-?)([\d.]+)e([+-]\d+)$/.exec(value.toExponential())!
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) {
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  const digits = mantissa!.replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** Reads the text of an export without the engine's parser: an integer beyond 2^53, at any place, is a bigint. */
export function readDocument(text: string): SnapshotDocument {
  return readJson(text) as SnapshotDocument
}

export function readJson(text: string): unknown {
  const mark = '\u0000integer '
  const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? JSON.stringify(mark + token) : token,
  )
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}
