// One export from another and the detailed diff between them: what a diff has to say so that nothing is lost (D38).

import type { DetailedChange, DetailedDiff } from 'pact-context'

import { canonicalJson, type SnapshotDocument } from '../oracle/diff.js'
import type { OracleTree } from '../oracle/selector.js'
import { bySiblingRule } from './context.js'
import { idOf, type Json } from './diff-histories.js'

export type Bare = Readonly<{ header: Json; parent: string | null; isContainer: boolean; wasEmptied: boolean }>

const EMPTIED = 'pact:emptied'
const STANDS_FOR = 'pact:stands_for'

/**
 * The export of B from that of A and their detailed diff. The heading is taken from B, since a diff is about nodes:
 * spec_version, schedules, the mark of the working state, and the fields that an imported document had next to its tree; so are the
 * earlier ids that a node stands for, which are a note of the engine's and change with what names them. Two things
 * about a node that both sides have are worked out, because the diff does not say them: whether a removable container has
 * been emptied (it is marked if it is empty now and has held something before), and whether an id that came again for
 * another node is a container now (its type tells).
 */
export function applyDetailedDiff(from: SnapshotDocument, diff: DetailedDiff, heading: SnapshotDocument): string {
  const nodes = new Map(bareNodes(from))
  for (const { id } of diff.removed) nodes.delete(id)
  for (const change of diff.changed) nodes.set(change.id, applyChange(nodes.get(change.id)!, change))
  for (const { id, parent, is_container, node } of diff.added) {
    const { [EMPTIED]: emptied, ...header } = node
    nodes.set(id, { header, parent, isContainer: is_container, wasEmptied: emptied === true })
  }
  for (const [id, node] of nodes) nodes.set(id, withNotes(node, bareNodes(heading).get(id)))
  const children = new Map<string | null, Bare[]>()
  for (const node of nodes.values()) {
    const siblings = children.get(node.parent)
    if (siblings === undefined) children.set(node.parent, [node])
    else siblings.push(node)
  }
  const write = (node: Bare): string => {
    const below = (children.get(idOf(node.header)) ?? []).toSorted(bySibling)
    const isEmptied = node.wasEmptied && below.length === 0 && node.header['removable'] === true
    return objectText([
      ...entriesOf(node.header),
      ...(isEmptied ? [[EMPTIED, `"${EMPTIED}":true`] as const] : []),
      ...(node.isContainer ? [['children', `"children":[${below.map(write).join(',')}]`] as const] : []),
    ])
  }
  const { root: _root, ...rest } = heading
  const [root] = children.get(null)!
  return objectText([...entriesOf({ ...rest, cycle: diff.to.cycle }), ['root', `"root":${write(root!)}`]])
}

function withNotes(node: Bare, inB: Bare | undefined): Bare {
  const { [STANDS_FOR]: before, ...header } = node.header
  const now = inB?.header[STANDS_FOR]
  if (before === undefined && now === undefined) return node
  return { ...node, header: now === undefined ? header : { ...header, [STANDS_FOR]: now } }
}

function applyChange(node: Bare, { delta, content, parent_changed }: DetailedChange): Bare {
  const header: Record<string, unknown> = { ...node.header }
  for (const [name, { to }] of Object.entries(delta)) {
    if (name === 'parent' || name === 'content_hash') continue
    // A header that is not there reads null; only a ttl can be there and null.
    if (to === null && name !== 'ttl') delete header[name]
    else header[name] = to
  }
  if (content !== undefined && 'to' in content) header['content'] = content.to
  else if (content !== undefined) delete header['content']
  const isOther = delta['created_at_ns'] !== undefined
  const isContainer = isOther ? /^(?:seg|mt|cont|mc)/.test(String(header['nodeType'])) : node.isContainer
  const parent = parent_changed ? (delta['parent']!.to as string) : node.parent
  return { header, parent, isContainer, wasEmptied: node.wasEmptied }
}

const bareNodesOf = new WeakMap<SnapshotDocument, ReadonlyMap<string, Bare>>()

/** Every node by its id, without its children. */
export function bareNodes(document: SnapshotDocument): ReadonlyMap<string, Bare> {
  const known = bareNodesOf.get(document)
  if (known !== undefined) return known
  const nodes = new Map<string, Bare>()
  const visit = (node: OracleTree, parent: string | null): void => {
    const { children, [EMPTIED]: emptied, ...header } = node as Json & { children?: readonly OracleTree[] }
    const wasEmptied = emptied === true || (children ?? []).length > 0
    nodes.set(idOf(node), { header, parent, isContainer: children !== undefined, wasEmptied })
    for (const child of children ?? []) visit(child, idOf(node))
  }
  visit(document.root, null)
  bareNodesOf.set(document, nodes)
  return nodes
}

/** The regions in their own order, everything else by 02 §4.3. */
function bySibling({ header: a }: Bare, { header: b }: Bare): number {
  const regions = ['^sys', '^seq', '^ah']
  const at = (header: Json): number => regions.indexOf(String(header['nodeType']))
  return at(a) - at(b) || bySiblingRule(keyOf(a), keyOf(b))
}

function keyOf(header: Json): Parameters<typeof bySiblingRule>[0] {
  return {
    offset: Number(header['offset']),
    createdAtNs: BigInt(String(header['created_at_ns'])),
    creationIndex: Number(header['creation_index']),
    id: String(header['id']),
  }
}

/** An unchanged node is written once, however many pairs it takes part in. */
const written = new WeakMap<Json, readonly Written[]>()

type Written = readonly [name: string, text: string]

function entriesOf(header: Json): readonly Written[] {
  let entries = written.get(header)
  if (entries === undefined) {
    entries = Object.entries(header).map(([name, value]) => [name, `${canonicalJson(name)}:${canonicalJson(value)}`])
    written.set(header, entries)
  }
  return entries
}

/** Sorts by name; all names in these histories are ASCII, where code units and code points agree. */
function objectText(entries: readonly Written[]): string {
  const inOrder = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${inOrder.map(([, text]) => text).join(',')}}`
}
