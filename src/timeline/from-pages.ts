// A timeline from a snapshot whose tree lies in pages. The inner pages are read at once, there are few; a leaf is read when
// somebody asks for what stands in it, and read once, also for all other snapshots that are read through the same book.

import { PactError } from '../errors/index.js'
import {
  compareForPruning,
  compareSiblings,
  Gone,
  type NodeRecord,
  type PagedSnapshot,
  type PageLink,
  type PruningKey,
  type Version,
} from '../core/index.js'
import { decodeInnerPage, decodeLeafPage, pageKey } from '../codec/index.js'
import { Base } from './base.js'
import { plantTree } from './checkpoint.js'
import type { PageBook } from './page-book.js'
import { LeafNames, PagedLayer } from './paged-layer.js'
import { namedBy, namesOf, spanOf } from './paged-snapshot.js'
import { plant } from './plant.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import { walkRecords } from './tree.js'

/** Gives the bytes of a page; throws where there are none. */
export type ReadPage = (key: string) => Uint8Array

/** Gives the object that there is already for a version that was read; without one, the version. */
export type KnownVersion = (record: NodeRecord) => NodeRecord

/** The pages of one level of a tree. */
export type PageLevel = Readonly<{ keys: readonly string[]; areLeaves: boolean }>

/**
 * Every page that a snapshot needs, level by level from the top. `page` is asked for the inner pages of a level when the next
 * one is asked for, so whoever fetches them elsewhere can do so in between.
 */
export function* pageLevels(
  { seq }: Pick<PagedSnapshot, 'seq'>,
  page: ReadPage,
): Generator<PageLevel, void, undefined> {
  let links = seq === undefined ? [] : [seq]
  while (links.length > 0) {
    const areLeaves = links[0]!.height === 0
    yield { keys: links.map(({ key }) => key), areLeaves }
    links = areLeaves ? [] : links.flatMap((link) => linksIn(link, page))
  }
}

/** A timeline that begins with this snapshot. */
export function timelineFromPages(
  snapshot: PagedSnapshot,
  page: ReadPage,
  book: PageBook,
  history: number | undefined,
  isBacked: boolean = false,
  known: KnownVersion = (record) => record,
): Timeline {
  const { cycle, seq: link } = snapshot
  const nodes = snapshot.nodes.map(known)
  const { regions, ...tree } = plantTree({ ...snapshot, nodes }, misfit)
  const [sys, seq, ah] = regions
  const children = link === undefined ? Sequence.EMPTY : new Reading(seq.record.id, page, book, known).chunkOf(link)
  if (seq.children.size > 0) throw misfit(nodes.indexOf(seq.record), 'what it holds lies in pages')
  const leaves = link === undefined ? [] : [...children.leaves()]
  const at = nodes.indexOf(seq.record) + 1
  const layer = new PagedLayer({
    cycle,
    before: nodes.slice(0, at),
    behind: nodes.slice(at),
    leaves,
    links: leaves.map((leaf) => book.linkOf(leaf)!),
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

/** What the commit changed; reads the leaves in which that stands. */
function logOf({ log, cycle }: PagedSnapshot, layer: PagedLayer): readonly Version[] {
  const isNew = (record: NodeRecord | undefined): boolean => record?.born === cycle
  if (log === undefined) {
    const records = [...layer.records()]
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
  readonly #known: KnownVersion

  constructor(parentId: string, page: ReadPage, book: PageBook, known: KnownVersion) {
    this.#parentId = parentId
    this.#page = page
    this.#book = book
    this.#known = known
  }

  chunkOf(link: PageLink): Sequence {
    const known = this.#book.chunkOf(link.key)
    if (known !== undefined) return known
    const chunk = link.height === 0 ? this.#leaf(link) : this.#inner(link)
    this.#book.add(chunk, link)
    return chunk
  }

  #inner(link: PageLink): Sequence {
    const links = linksIn(link, this.#page)
    const chunk = Sequence.inner(links.map((each) => this.chunkOf(each)))
    checkLink(link, chunk, spanOf(links.map(({ named }) => named)))
    return chunk
  }

  #leaf(link: PageLink): Sequence {
    const names = new LeafNames(link)
    const [page, parentId, known] = [this.#page, this.#parentId, this.#known]
    const read = (): readonly TreeNode[] => readLeaf(link, page, parentId, known)
    return Sequence.unread({ first: link.first, read, mayHold: (id) => names.mayHoldNode(id) }, link.sums)
  }
}

/** The links in an inner page. */
function linksIn(link: PageLink, page: ReadPage): readonly PageLink[] {
  const links = decoded(link, page, decodeInnerPage)
  if (links[0]!.height !== link.height - 1) throw damaged(link.key, 'its chunks stand at another level')
  return links
}

function readLeaf(link: PageLink, page: ReadPage, parentId: string, known: KnownVersion): readonly TreeNode[] {
  const misplaced = (index: number, why: string): PactError => damaged(link.key, `node ${index}: ${why}`)
  const { nodes, emptied } = decoded(link, page, decodeLeafPage)
  const items = plant({ nodes: nodes.map(known), emptied, parentId, isRoot: false, misfit: misplaced })
  const records = items.flatMap((item) => [...walkRecords(item)])
  const names = namesOf(records)
  const isSame = Object.entries(names).every(([kind, list]) => link.names![kind as keyof typeof names] === list)
  if (!isSame) throw damaged(link.key, 'it has other names than is told of it')
  checkLink(link, Sequence.leaf(items), namedBy(records))
  return items
}

/** What a link tells of a chunk is so. */
function checkLink({ key, sums, first, named }: PageLink, chunk: Sequence, [lowest, highest]: PageLink['named']): void {
  const isSame =
    chunk.size === sums.size &&
    chunk.count === sums.count &&
    chunk.rendered === sums.rendered &&
    chunk.due === sums.due &&
    chunk.fullest === sums.fullest &&
    isSameKey(chunk.firstItem, sums.firstItem) &&
    isSameKey(chunk.firstInside, sums.firstInside) &&
    compareSiblings(chunk.first, first) === 0 &&
    named[0] === lowest &&
    named[1] === highest
  if (!isSame) throw damaged(key, 'it holds something else than is told of it')
}

function isSameKey(a: PruningKey | undefined, b: PruningKey | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return compareForPruning(a, b) === 0
}

function decoded<T>({ key }: PageLink, page: ReadPage, decode: (bytes: Uint8Array) => T): T {
  const bytes = page(key)
  if (pageKey(bytes) !== key) throw damaged(key, 'its bytes are not those that were written')
  try {
    return decode(bytes)
  } catch (cause) {
    throw damaged(key, 'its bytes cannot be read', cause)
  }
}

function damaged(page: string, why: string, cause?: unknown): PactError {
  const message = `The page ${page} is damaged: ${why}.`
  return new PactError('E_STORE', message, { page }, cause === undefined ? undefined : { cause })
}

function misfit(index: number, why: string): PactError {
  const path = `paged.nodes[${index}]`
  return new PactError('E_SNAPSHOT_INVALID', `${path}: The tree does not hold together here: ${why}.`, { path })
}
