// Pages as canonical JSON bytes. A leaf page has the nodes of a chunk of the tree, an inner page the links to the chunks below. A page is named by
// the hash of its bytes.

import type { ChunkSums, LeafNames, LeafPage, PageLink, PruningKey, SiblingKey } from '../core/index.js'
import {
  checked,
  count,
  digits,
  encodeRecord,
  integer,
  list,
  mapped,
  name,
  optional,
  orNull,
  parseRecord,
  record,
  some,
  text,
  textLike,
  tuple,
  type Form,
} from './forms.js'
import { isPacked } from './name-hashes.js'
import { fault } from './raw.js'
import { Scope, type BodyReader, type BodyWriter } from './scope.js'
import { sha256Hex } from './sha256.js'
import { NODES } from './version-list.js'

const WHOLE = integer()
const KEY = textLike(/^[0-9a-f]{32}$/, 'The key of a page')
const PLACE = tuple<SiblingKey>({ offset: WHOLE, createdAtNs: digits, creationIndex: WHOLE, id: name })

/** Null where nothing can be pruned. */
const PRUNING: Form<PruningKey | undefined> = mapped(
  orNull(tuple<PruningKey>({ priority: WHOLE, createdAtNs: digits, id: name })),
  (key) => key ?? null,
  (key) => key ?? undefined,
)

const HASHES = checked(text, (hashes, path) => {
  if (!isPacked(hashes)) throw fault(path, 'A list of hashes is expected here.')
})

/** A link as its fields by place: the last four are the name lists of a leaf, and missing from the link of an inner page. */
type LinkRow = Pick<PageLink, 'key' | 'height' | 'first'> &
  ChunkSums & { lowest: number; highest: number } & {
    refCount: number
    callCount: number
    standInCount: number
  } & { [K in keyof LeafNames]: string | undefined }

const LINK_ROW = tuple<LinkRow>(
  {
    key: KEY,
    height: count,
    size: integer(1),
    count: integer(1),
    rendered: count,
    due: integer(-1),
    fullest: count,
    firstItem: PRUNING,
    firstInside: PRUNING,
    first: PLACE,
    lowest: integer(-1),
    highest: integer(-1),
    refCount: count,
    callCount: count,
    standInCount: count,
    ids: optional(HASHES),
    refs: optional(HASHES),
    calls: optional(HASHES),
    standIns: optional(HASHES),
  },
  4,
)

/** A page, and what the tree has to know of its chunk without reading it. */
export const LINK: Form<PageLink> = mapped(
  LINK_ROW,
  ({ key, height, sums, first, named: [lowest, highest], ties, names }) => ({
    key,
    height,
    ...sums,
    first,
    lowest,
    highest,
    refCount: ties.refs,
    callCount: ties.calls,
    standInCount: ties.standIns,
    ids: names?.ids,
    refs: names?.refs,
    calls: names?.calls,
    standIns: names?.standIns,
  }),
  (row, path) => {
    const { key, height, first, lowest, highest, refCount, callCount, standInCount, ids, refs, calls, standIns } = row
    const { size, count: nodes, rendered, due, fullest, firstItem, firstInside } = row
    const isWhole = ids !== undefined && refs !== undefined && calls !== undefined && standIns !== undefined
    if (height === 0 ? !isWhole : ids !== undefined)
      throw fault(path, 'A leaf lists its names, and no other page does.')
    return {
      key,
      height,
      sums: { size, count: nodes, rendered, due, fullest, firstItem, firstInside },
      first,
      named: [lowest, highest],
      ties: { refs: refCount, calls: callCount, standIns: standInCount },
      names: isWhole ? { ids, refs, calls, standIns } : undefined,
    }
  },
)

const LEAF_PAGE = record<LeafPage>({ nodes: NODES, emptied: some(name) })

const INNER_PAGE = record<{ chunks: readonly PageLink[] }>({
  chunks: checked(list(LINK, 1), (links, path) => {
    const [first] = links
    if (links.some(({ height }) => height !== first!.height))
      throw fault(path, 'The chunks of a page are of one height.')
  }),
})

/** The name of a page. */
export function pageKey(bytes: Uint8Array): string {
  return sha256Hex(bytes).slice(0, 32)
}

export function encodeLeafPage(page: LeafPage): Uint8Array {
  return encodeRecord(LEAF_PAGE, page, new Scope<BodyWriter>(undefined, 0n))
}

export function decodeLeafPage(bytes: Uint8Array): LeafPage {
  return LEAF_PAGE.read(parseRecord(bytes), '', new Scope<BodyReader>(undefined, 0n, Infinity))
}

export function encodeInnerPage(links: readonly PageLink[]): Uint8Array {
  return encodeRecord(INNER_PAGE, { chunks: links }, new Scope<BodyWriter>(undefined, 0n))
}

export function decodeInnerPage(bytes: Uint8Array): readonly PageLink[] {
  return INNER_PAGE.read(parseRecord(bytes), '', new Scope<BodyReader>(undefined, 0n)).chunks
}
