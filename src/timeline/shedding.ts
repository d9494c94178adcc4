// Tool results in a tree (D61): the oldest first, those that were shed, and the tree with the originals in their place. The numbers of a chunk
// are kept with it, so that a search looks only at chunks with something to find.

import { isToolResult, NodeRecord, shedOf, toolName, withLine, withOriginal, type Stamp } from '../core/index.js'
import { regionNameOf } from './document-order.js'
import type { Draft } from './draft.js'
import { Fact } from './facts.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { standInOf } from './stand-in.js'
import { hasTravelling, openedSummary, travellingWith } from './travelling.js'
import { regionOf, type Tree } from './tree.js'

/** The numbers of results, of results that were not shed, and of nodes that hold originals: shed results and summaries (D63). */
type Numbers = Readonly<{ results: number; whole: number; holders: number }>

const NUMBERS: Fact<Sequence, Numbers> = new Fact(({ chunks, items }) => {
  let [results, whole, holders] = [0, 0, 0]
  for (const part of chunks ?? items ?? []) {
    const inside = numbersOf(part)
    results += inside.results
    whole += inside.whole
    holders += inside.holders
  }
  return { results, whole, holders }
})

function numbersOf(part: Sequence | TreeNode): Numbers {
  if (part instanceof Sequence) return NUMBERS.of(part)
  if (part instanceof Branch) return NUMBERS.of(part.children)
  const isShed = shedOf(part) !== undefined
  if (!isToolResult(part)) return isShed || hasTravelling(part) ? HOLDER : NOTHING
  return isShed ? SHED_RESULT : WHOLE_RESULT
}

const NOTHING: Numbers = { results: 0, whole: 0, holders: 0 }
const WHOLE_RESULT: Numbers = { results: 1, whole: 1, holders: 0 }
const SHED_RESULT: Numbers = { results: 1, whole: 0, holders: 1 }
const HOLDER: Numbers = { results: 0, whole: 0, holders: 1 }

/** The tool results of history and of the open turn but for the newest ones, the oldest first; those that were shed are left out. */
export function* oldResults(tree: Tree, keep: number): Generator<NodeRecord, void, undefined> {
  const regions = [regionOf(tree, '^seq'), regionOf(tree, '^ah')]
  let left = regions.reduce((sum, { children }) => sum + NUMBERS.of(children).results, -keep)
  for (const { children } of regions) {
    if (left <= 0) return
    yield* firstResults(children, left)
    left -= NUMBERS.of(children).results
  }
}

/** Of the first `count` results those that were not shed. */
function* firstResults(sequence: Sequence, count: number): Generator<NodeRecord, void, undefined> {
  let left = count
  for (const part of sequence.chunks ?? sequence.items ?? []) {
    if (left <= 0) return
    const { results, whole } = numbersOf(part)
    if (whole > 0) {
      if (part instanceof Sequence) yield* firstResults(part, left)
      else if (part instanceof Branch) yield* firstResults(part.children, left)
      else yield part
    }
    left -= results
  }
}

/** All nodes whose content was shed, and all summaries with which nodes travel. */
export function* holdersIn(tree: Tree): Generator<NodeRecord, void, undefined> {
  for (const { children } of tree.regions) yield* holders(children)
}

function* holders(sequence: Sequence): Generator<NodeRecord, void, undefined> {
  if (NUMBERS.of(sequence).holders === 0) return
  for (const chunk of sequence.chunks ?? []) yield* holders(chunk)
  for (const item of sequence.items ?? []) {
    if (item instanceof Branch) yield* holders(item.children)
    else if (numbersOf(item).holders > 0) yield item
  }
}

/** All nodes whose content was shed, also those that travel with a summary. */
export function* shedNodes(tree: Tree): Generator<NodeRecord, void, undefined> {
  for (const holder of holdersIn(tree)) {
    for (const each of [holder, ...travellingWith(holder)]) if (shedOf(each) !== undefined) yield each
  }
}

/** The shed result that an id means: its own, that of its original, or that of a node which it stands in for. */
export function shedResult(draft: Draft, id: string): NodeRecord | undefined {
  const isShed = (record: NodeRecord | undefined): boolean => record !== undefined && shedOf(record) !== undefined
  const own = draft.find(id)
  if (isShed(own)) return own
  for (const record of holdersIn(draft.tree)) if (shedOf(record)?.id === id) return record
  const meant = draft.meant(id)
  return isShed(meant) ? meant : undefined
}

/**
 * The tree with the original of every shed result in its place, and with every summary opened to the nodes that travel with it; undefined if
 * there is neither.
 */
export function treeWithOriginals(tree: Tree): Tree | undefined {
  if (tree.regions.every(({ children }) => NUMBERS.of(children).holders === 0)) return undefined
  const regions = tree.regions.map(original) as unknown as Tree['regions']
  return { ...tree, regions }
}

function original(node: TreeNode): TreeNode {
  if (!(node instanceof Branch)) return hasTravelling(node) ? openedSummary(node, withOriginal) : withOriginal(node)
  return new Branch(node.record, originals(node.children), node.everHeld)
}

function originals(sequence: Sequence): Sequence {
  if (NUMBERS.of(sequence).holders === 0) return sequence
  const { chunks } = sequence
  return chunks === undefined ? Sequence.leaf(sequence.items!.map(original)) : Sequence.inner(chunks.map(originals))
}

/** A result with a line in place of its content; undefined if its form has no place for one. */
export function shedVersion(draft: Draft, record: NodeRecord, tokens: number): NodeRecord | undefined {
  return withLine(record, nameOfTool(draft, record), tokens)
}

/** Sheds a result: in place in the active head, else by a stand-in. */
export function shedOne(
  draft: Draft,
  record: NodeRecord,
  version: NodeRecord,
  by: NodeRecord['by'],
  stamp: (target: NodeRecord) => Stamp,
): NodeRecord {
  if (regionNameOf(draft, record) === '^ah') {
    const { cycle } = draft
    const changed = new NodeRecord({ ...version, born: cycle, by: record.born === cycle ? record.by : by })
    draft.change(changed)
    return changed
  }
  const standIn = standInOf(draft, record, version, stamp(record), by)
  draft.supersede(record, standIn, 'shed')
  return standIn
}

/** The name of the tool that gave a result: the result says it, or its call. */
export function nameOfTool(tree: Pick<Draft, 'carriersOf' | 'meant'>, record: NodeRecord): string | undefined {
  const own = toolName(record)
  if (own !== undefined) return own
  const calls = record.callIds.flatMap((callId) => [...tree.carriersOf(callId)])
  const referred = record.refs.flatMap((id) => tree.meant(id) ?? [])
  // The id of a call may recur; its last call is the nearest one that was made before the result.
  const made = [...calls, ...referred].filter((each) => each.kind === 'call' && !isLater(each, record))
  made.sort((a, b) => (isLater(a, b) ? 1 : -1))
  return made.length === 0 ? undefined : toolName(made.at(-1)!)
}

function isLater(a: NodeRecord, b: NodeRecord): boolean {
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs > b.createdAtNs
  return a.creationIndex > b.creationIndex
}
