// A snapshot as pages: one page for each chunk of `^seq` that has none yet, and all other nodes as a list. It costs what is new since the last
// snapshot through the same book.

import { Gone, type NodeRecord, type PagedSnapshot, type PageLink } from '../core/index.js'
import { countPacked, encodeInnerPage, encodeLeafPage, packNames, pageKey } from '../codec/index.js'
import { cycleNamedBy } from './era.js'
import type { PageBook } from './page-book.js'
import { Branch, recordOf, type Sequence, type TreeNode } from './sequence.js'
import type { Timeline } from './timeline.js'
import { eachNodeIn, recordsOf, walkNodes, type Tree } from './tree.js'

/** A snapshot with all that another timeline needs to begin with it. New pages are in the book. */
export function pagedSnapshot(timeline: Timeline, cycle: number, book: PageBook): Omit<PagedSnapshot, 'extras'> {
  const tree = timeline.treeAt(cycle)!
  const [sys, seq, ah] = tree.regions
  const around = [...walkNodes(sys), seq.record, ...walkNodes(ah)]
  return {
    cycle,
    first: timeline.bounds!.first,
    nodes: [tree.root, ...around.map(recordOf)],
    emptied: around.filter(isEmptied).map(({ record }) => record.id),
    seq: seq.children.size === 0 ? undefined : pageOf(seq.children, book),
    schedules: [...tree.schedules],
    log: changedIn(timeline, cycle, tree),
    receipt: timeline.receiptAt(cycle),
  }
}

/** True for a container that is empty and has held something. Regions do not count, since they always exist. */
function isEmptied(node: TreeNode): node is Branch {
  if (!(node instanceof Branch) || node.record.nodeClass === 'region') return false
  return node.everHeld && node.children.size === 0
}

/** The log of its commit; undefined if that is every node in order, as with an import. */
function changedIn(timeline: Timeline, cycle: number, tree: Tree): PagedSnapshot['log'] {
  const log = timeline.changesAt(cycle)
  const count = tree.regions.reduce((sum, { children }) => sum + 1 + children.count, 1)
  if (log.length === count && recordsOf(tree).every((node, i) => node === log[i])) return undefined
  return log.map((version) => (version instanceof Gone ? version : version.id))
}

function pageOf(chunk: Sequence, book: PageBook): PageLink {
  const known = book.linkOf(chunk)
  if (known !== undefined) return known
  if (chunk.chunks === undefined) {
    const nodes: NodeRecord[] = []
    const emptied: string[] = []
    eachNodeIn(chunk, (node) => {
      nodes.push(recordOf(node))
      if (isEmptied(node)) emptied.push(node.record.id)
    })
    return added(book, chunk, encodeLeafPage({ nodes, emptied }), 0, namesIn(nodes))
  }
  const links = chunk.chunks.map((each) => pageOf(each, book))
  return added(book, chunk, encodeInnerPage(links), links[0]!.height + 1, namesBelow(links))
}

function added(book: PageBook, chunk: Sequence, bytes: Uint8Array, height: number, names: Named): PageLink {
  return book.add(chunk, { key: pageKey(bytes), ...aboutChunk(chunk, height, names) }, bytes)
}

/** The names in a link. */
export type Named = Pick<PageLink, 'named' | 'ties' | 'names'>

/** All of a link but the key of its page. */
export function aboutChunk(chunk: Sequence, height: number, names: Named): Omit<PageLink, 'key'> {
  const { size, count, rendered, due, fullest, firstItem, firstInside, first } = chunk
  const sums = { size, count, rendered, due, fullest, firstItem: bare(firstItem), firstInside: bare(firstInside) }
  const { offset, createdAtNs, creationIndex, id } = first
  return { height, sums, first: { offset, createdAtNs, creationIndex, id }, ...names }
}

/** A key without the record that it may be. */
function bare(key: Sequence['firstItem']): Sequence['firstItem'] {
  return key && { priority: key.priority, createdAtNs: key.createdAtNs, id: key.id }
}

/** The names in a leaf. */
export function namesIn(records: readonly NodeRecord[]): Named {
  const ids: string[] = []
  const [refs, calls, standIns]: [string[], string[], string[]] = [[], [], []]
  let [lowest, highest] = [-1, -1]
  for (let i = 0; i < records.length; i++) {
    const record = records[i]!
    ids.push(record.id)
    const cycle = cycleNamedBy(record.id)
    if (cycle >= 0) {
      if (lowest < 0 || cycle < lowest) lowest = cycle
      if (cycle > highest) highest = cycle
    }
    if (record.rare === undefined) continue
    refs.push(...record.refs)
    calls.push(...record.callIds)
    // A node is named by its id first, and then by those whose place it took.
    standIns.push(...record.names.slice(1))
  }
  const names = {
    ids: packNames(ids),
    refs: packNames(refs),
    calls: packNames(calls),
    standIns: packNames(standIns),
  }
  const ties = {
    refs: countPacked(names.refs),
    calls: countPacked(names.calls),
    standIns: countPacked(names.standIns),
  }
  return { named: [lowest, highest], ties, names }
}

/** The names in all chunks below. */
export function namesBelow(links: readonly PageLink[]): Named {
  const sum = (kind: keyof PageLink['ties']): number => links.reduce((all, { ties }) => all + ties[kind], 0)
  return {
    named: spanOf(links.map(({ named }) => named)),
    ties: { refs: sum('refs'), calls: sum('calls'), standIns: sum('standIns') },
    names: undefined,
  }
}

/** From the lowest to the highest of several. */
function spanOf(spans: readonly PageLink['named'][]): PageLink['named'] {
  let [lowest, highest] = [-1, -1]
  for (const [low, high] of spans) {
    if (low < 0) continue
    lowest = lowest < 0 ? low : Math.min(lowest, low)
    highest = Math.max(highest, high)
  }
  return [lowest, highest]
}
