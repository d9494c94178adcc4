// Pages as canonical JSON bytes. The page of a leaf has its nodes, that of an inner chunk the links to its chunks, by place:
//   [key, height, size, count, rendered, due, fullest, first to prune whole, first to prune inside, first child,
//    lowest cycle that an id names, highest, and how many names there are of each kind but ids: refs, calls, stand-ins]
// and that of a leaf also its lists of names: ids, refs, calls, stand-ins.
// As strict as the records of commits, but that a page is named by its bytes: whoever decodes them has compared both.

import type { LeafPage, PageLink, PruningKey, SiblingKey } from '../core/index.js'
import { ByteText } from './byte-text.js'
import { quoteJson } from './canonical-json.js'
import { checkFormat, FORMAT } from './commit-record.js'
import { readNodes, writeNodes } from './context-record.js'
import { isPacked } from './name-hashes.js'
import { fault } from './raw.js'
import { sha256Hex } from './sha256.js'
import {
  digitsOf,
  eachIn,
  integerOf,
  listOf,
  nameOf,
  objectText,
  objectWith,
  parseWritten,
  textOf,
} from './strict-read.js'

/** The name of a page. */
export function pageKey(bytes: Uint8Array): string {
  return sha256Hex(bytes).slice(0, 32)
}

export function encodeLeafPage({ nodes, emptied }: LeafPage): Uint8Array {
  return ByteText.bytesOf((out) => {
    out.ascii('{')
    out.list('emptied', emptied, (id) => out.quoted(id))
    out.name('format')
    out.whole(FORMAT)
    out.name('nodes')
    writeNodes(out, nodes, 0n)
    out.ascii('}')
  })
}

export function decodeLeafPage(bytes: Uint8Array): LeafPage {
  const raw = objectWith(parseWritten(bytes), '', ['emptied', 'format', 'nodes'] as const)
  checkFormat(raw.format)
  return readNodes(raw, '', 0n, Infinity)
}

export function encodeInnerPage(links: readonly PageLink[]): Uint8Array {
  const chunks = `[${links.map(linkText).join(',')}]`
  return new TextEncoder().encode(objectText({ format: `${FORMAT}`, chunks }))
}

export function decodeInnerPage(bytes: Uint8Array): readonly PageLink[] {
  const raw = objectWith(parseWritten(bytes), '', ['chunks', 'format'] as const)
  checkFormat(raw.format)
  const links = eachIn(listOf(raw.chunks, 'chunks', 1), 'chunks', readLink)
  const { height } = links[0]!
  if (links.some((link) => link.height !== height)) throw fault('chunks', 'Chunks side by side are of one height.')
  return links
}

/** The keys of the pages that an inner page names, without all that it tells of them. */
export function decodePageKeys(bytes: Uint8Array): readonly string[] {
  const { chunks } = objectWith(parseWritten(bytes), '', ['chunks', 'format'] as const)
  return eachIn(chunks, 'chunks', (link, path) => readKey(listOf(link, path)[0], `${path}[0]`))
}

export function linkText({ key, height, sums, first, named, ties, names }: PageLink): string {
  const { size, count, rendered, due, fullest, firstItem, firstInside } = sums
  const place = `[${first.offset},"${first.createdAtNs}",${first.creationIndex},${quoteJson(first.id)}]`
  const parts = [
    `"${key}",${height},${size},${count},${rendered},${due},${fullest}`,
    pruningText(firstItem),
    pruningText(firstInside),
    place,
    ...named,
    `${ties.refs},${ties.calls},${ties.standIns}`,
  ]
  if (names !== undefined)
    parts.push(...[names.ids, names.refs, names.calls, names.standIns].map((list) => `"${list}"`))
  return `[${parts.join(',')}]`
}

function pruningText(key: PruningKey | undefined): string {
  return key === undefined ? 'null' : `[${key.priority},"${key.createdAtNs}",${quoteJson(key.id)}]`
}

export function readLink(value: unknown, path: string): PageLink {
  const parts = listOf(value, path, 15, 19)
  const at = (i: number): string => `${path}[${i}]`
  const number = (i: number, least: number): number => integerOf(parts[i], at(i), least)
  const list = (i: number): string => {
    const text = textOf(parts[i], at(i))
    if (isPacked(text)) return text
    throw fault(at(i), 'A list of hashes is expected here.')
  }
  const height = number(1, 0)
  if ((height === 0) !== (parts.length === 19)) throw fault(path, 'A leaf tells its names, and nothing else does.')
  return {
    key: readKey(parts[0], at(0)),
    height,
    sums: {
      size: number(2, 1),
      count: number(3, 1),
      rendered: number(4, 0),
      due: number(5, -1),
      fullest: number(6, 0),
      firstItem: readPruning(parts[7], at(7)),
      firstInside: readPruning(parts[8], at(8)),
    },
    first: readPlace(parts[9], at(9)),
    named: [number(10, -1), number(11, -1)],
    ties: { refs: number(12, 0), calls: number(13, 0), standIns: number(14, 0) },
    names: height > 0 ? undefined : { ids: list(15), refs: list(16), calls: list(17), standIns: list(18) },
  }
}

function readKey(value: unknown, path: string): string {
  const key = textOf(value, path)
  if (KEY.test(key)) return key
  throw fault(path, 'The key of a page is expected here.')
}

const KEY = /^[0-9a-f]{32}$/

function readPruning(value: unknown, path: string): PruningKey | undefined {
  if (value === null) return undefined
  const [priority, ns, id] = listOf(value, path, 3, 3)
  return {
    priority: integerOf(priority, `${path}[0]`),
    createdAtNs: digitsOf(ns, `${path}[1]`),
    id: nameOf(id, `${path}[2]`),
  }
}

function readPlace(value: unknown, path: string): SiblingKey {
  const [offset, ns, index, id] = listOf(value, path, 4, 4)
  return {
    offset: integerOf(offset, `${path}[0]`),
    createdAtNs: digitsOf(ns, `${path}[1]`),
    creationIndex: integerOf(index, `${path}[2]`),
    id: nameOf(id, `${path}[3]`),
  }
}
