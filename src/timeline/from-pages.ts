// A timeline from a snapshot whose tree is in pages. A page is read when its nodes are asked for, and read once for all snapshots that are
// read through the same book.

import { PactError } from '../errors/index.js'
import { Gone, type NodeRecord, type PagedSnapshot, type PageLink, type Version } from '../core/index.js'
import { canonicalJson, decodeInnerPage, decodeLeafPage, pageKey } from '../codec/index.js'
import { Base, type KnownVersion } from './base.js'
import { plantTree } from './checkpoint.js'
import type { PageBook } from './page-book.js'
import { mayHold, PagedChunk, PagedLayer } from './paged-layer.js'
import { aboutChunk, namesBelow, namesIn, type Named } from './paged-snapshot.js'
import { misfitIn, plant } from './plant.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'

/** Returns the bytes of a page; throws if there are none. */
export type ReadPage = (key: string) => Uint8Array

/** The versions and chunks that the reading context already has. */
export type Present = Readonly<{
  known: KnownVersion
  /** Opens the pages on the way to an id in the present tree, so that the book knows its chunks. */
  openWayTo: (id: string) => void
}>

const NOTHING_PRESENT: Present = { known: (record) => record, openWayTo: () => undefined }

/** The pages of one level of a tree. */
export type PageLevel = Readonly<{ keys: readonly string[]; areLeaves: boolean }>

/**
 * The pages of a snapshot, level by level from the top. `page` is asked for the inner pages of a level only when the next level is
 * asked for, so the caller can fetch them in between.
 */
export function* pageLevels(
  { seq }: Pick<PagedSnapshot, 'seq'>,
  page: ReadPage,
): Generator<PageLevel, void, undefined> {
  if (seq === undefined) return
  let keys: readonly string[] = [seq.key]
  for (let { height } = seq; height > 0; height--) {
    yield { keys, areLeaves: false }
    keys = keys.flatMap((key) => decoded(key, page, decodeInnerPage).map((link) => link.key))
  }
  yield { keys, areLeaves: true }
}

/** A timeline that begins with this snapshot. */
export function timelineFromPages(
  snapshot: PagedSnapshot,
  page: ReadPage,
  book: PageBook,
  history: number | undefined,
  isBacked: boolean = false,
  present: Present = NOTHING_PRESENT,
): Timeline {
  const { cycle, seq: link } = snapshot
  const nodes = snapshot.nodes.map(present.known)
  const { regions, ...tree } = plantTree({ ...snapshot, nodes }, misfit)
  const [sys, seq, ah] = regions
  const children = link === undefined ? Sequence.EMPTY : new Reading(seq.record.id, page, book, present).chunkOf(link)
  const at = nodes.indexOf(seq.record) + 1
  if (seq.children.size > 0) throw misfit(at, 'the children of ^seq lie in pages')
  const layer = new PagedLayer({
    cycle,
    before: nodes.slice(0, at),
    behind: nodes.slice(at),
    seq: link && new PagedChunk(children, link, (chunk) => book.linkOf(chunk)!),
  })
  return Timeline.beginning(
    {
      ...snapshot,
      tree: { ...tree, regions: [sys, new Branch(seq.record, children), ah] },
      log: logOf(snapshot, layer),
    },
    Base.over(layer),
    history,
    isBacked,
  )
}

/** The log of the commit. Reads the leaves of its nodes. */
function logOf({ log, cycle }: PagedSnapshot, layer: PagedLayer): readonly Version[] {
  const isNew = (record: NodeRecord | undefined): boolean => record?.born === cycle
  if (log === undefined) {
    const records = layer.records()
    if (!records.every(isNew)) throw misfit(0, 'some of its nodes were there before')
    return records
  }
  const known = new Set<string>()
  return log.map((each) => {
    const id = each instanceof Gone ? each.id : each
    const record = layer.find(id)
    if (known.has(id)) throw misfit(0, `${id} has changed twice`)
    known.add(id)
    if (each instanceof Gone ? record !== undefined : !isNew(record)) throw misfit(0, `${id} does not fit its log`)
    return each instanceof Gone ? each : record!
  })
}

class Reading {
  readonly #parentId: string
  readonly #page: ReadPage
  readonly #book: PageBook
  readonly #present: Present

  constructor(parentId: string, page: ReadPage, book: PageBook, present: Present) {
    this.#parentId = parentId
    this.#page = page
    this.#book = book
    this.#present = present
  }

  chunkOf(link: PageLink): Sequence {
    const { first, sums, height, key } = link
    // A leaf that the present tree has too is not read again.
    if (height === 0 && this.#book.chunkOf(key) === undefined) this.#present.openWayTo(first.id)
    const there = this.#book.chunkOf(key)
    if (there !== undefined) return there
    const read = (): readonly TreeNode[] => readLeaf(link, this.#page, this.#parentId, this.#present.known)
    const told = { first, mayHold: (id: string) => mayHold(link, id) }
    const chunk =
      height === 0
        ? Sequence.unreadLeaf({ ...told, read }, sums)
        : Sequence.unreadInner({ ...told, read: () => this.#chunksIn(link) }, sums)
    this.#book.add(chunk, link)
    return chunk
  }

  #chunksIn(link: PageLink): readonly Sequence[] {
    const links = linksIn(link, this.#page)
    const chunks = links.map((each) => this.chunkOf(each))
    checkLink(link, Sequence.inner(chunks), namesBelow(links))
    return chunks
  }
}

/** The links in an inner page. */
function linksIn(link: PageLink, page: ReadPage): readonly PageLink[] {
  const links = decoded(link.key, page, decodeInnerPage)
  if (links[0]!.height !== link.height - 1) throw damaged(link.key, 'its chunks are at another level')
  return links
}

function readLeaf(link: PageLink, page: ReadPage, parentId: string, known: KnownVersion): readonly TreeNode[] {
  const misplaced = (index: number, why: string): PactError => damaged(link.key, `node ${index}: ${why}`)
  const leaf = decoded(link.key, page, decodeLeafPage)
  const items = plant({ ...leaf, nodes: leaf.nodes.map(known), parentId, isRoot: false, misfit: misplaced })
  checkLink(link, Sequence.leaf(items), namesIn(leaf.nodes))
  return items
}

/** Refuses a chunk that differs from its link. */
function checkLink({ key, ...about }: PageLink, chunk: Sequence, found: Named): void {
  if (canonicalJson(about) === canonicalJson(aboutChunk(chunk, about.height, found))) return
  throw damaged(key, 'its content does not match its link')
}

function decoded<T>(key: string, page: ReadPage, decode: (bytes: Uint8Array) => T): T {
  const bytes = page(key)
  if (pageKey(bytes) !== key) throw damaged(key, 'its bytes are not those that were written')
  try {
    return decode(bytes)
  } catch (cause) {
    throw damaged(key, 'its bytes cannot be read', cause)
  }
}

function damaged(page: string, why: string, cause?: unknown): PactError {
  const message = `The page ${page} is damaged: ${why}; fsck with repair makes it again from what was written.`
  const details = { page, outcome: 'failed', reason: 'damaged' }
  return new PactError('E_STORE', message, details, cause === undefined ? undefined : { cause })
}

const misfit = misfitIn('paged')
