// The names in a tree, with counts: types, keys, tags, roles, kinds and attributes, for completing selectors. The counts of a leaf are kept
// with it, so that the next question after a commit costs only the changed leaves.

import { SHED, type JsonValue, type Lens, type NodeRecord } from '../core/index.js'
import { Branch, Fact, recordOf, type Sequence, type TreeNode } from '../timeline/index.js'
import type { ReportSource } from './source.js'

export type NameCount = Readonly<{ name: string; count: number; values?: readonly string[] }>
export type NameCounts = Readonly<
  Record<'types' | 'keys' | 'tags' | 'roles' | 'kinds' | 'attributes', readonly NameCount[]>
>

/** The page of names of each sort. */
export type NamesWanted = Readonly<{ skip: number; limit: number }>

/** The number of values to list of an attribute. */
const VALUES = 10

type Counts = Map<string, number>
type NameTally = Readonly<{
  types: Counts
  keys: Counts
  tags: Counts
  roles: Counts
  kinds: Counts
  attributes: Counts
  values: Map<string, Set<string>>
}>

/** Counts the names of the tree that a lens shows, the most frequent first, and says whether these were the last of every sort. */
export function namesIn(
  { trees }: Pick<ReportSource, 'trees'>,
  lens: Lens,
  { skip, limit }: NamesWanted,
): Readonly<{ names: NameCounts; isLast: boolean }> {
  const { tree } = trees.of(lens)
  const found = nothing()
  for (const region of tree.regions) {
    addRecord(found, region.record)
    join(found, ofSequence(region.children))
  }
  const { values, ...sorts } = found
  const listed = (counts: Counts): readonly NameCount[] => ranked(counts).slice(skip, skip + limit)
  const { types, keys, tags, roles, kinds, attributes } = sorts
  const names = {
    types: listed(types),
    keys: listed(keys),
    tags: listed(tags),
    roles: listed(roles),
    kinds: listed(kinds),
    attributes: listed(attributes).map((each) => ({ ...each, values: [...(values.get(each.name) ?? [])] })),
  }
  return { names, isLast: Object.values(sorts).every(({ size }) => size <= skip + limit) }
}

/** Large leaves are worth keeping; counts of every turn would be more than the tree itself. */
const LEAVES = new Fact<Sequence, NameTally>((leaf) => {
  const found = nothing()
  for (const item of leaf.items!) addNode(found, item)
  return found
})

function ofSequence(sequence: Sequence): NameTally {
  const { chunks } = sequence
  if (chunks === undefined) return LEAVES.of(sequence)
  const found = nothing()
  for (const chunk of chunks) join(found, ofSequence(chunk))
  return found
}

function addNode(found: NameTally, node: TreeNode): void {
  addRecord(found, recordOf(node))
  if (!(node instanceof Branch)) return
  for (const child of node.children) addNode(found, child)
}

function addRecord(found: NameTally, { nodeType, role, kind, rare, tags }: NodeRecord): void {
  add(found.types, nodeType)
  if (role !== undefined) add(found.roles, role)
  if (kind !== undefined) add(found.kinds, kind)
  if (rare?.key !== undefined) add(found.keys, rare.key)
  for (const tag of tags) add(found.tags, tag)
  for (const [name, value] of rare?.attributes ?? []) {
    if (name === SHED) continue
    add(found.attributes, name)
    addValue(found.values, name, value)
  }
}

/** Only short values that can be written into a selector. */
function addValue(values: NameTally['values'], name: string, value: JsonValue): void {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return
  const text = String(value)
  if (text.length > 64) return
  let known = values.get(name)
  if (known === undefined) values.set(name, (known = new Set()))
  if (known.size < VALUES) known.add(text)
}

function add(counts: Counts, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

function join(into: NameTally, from: NameTally): void {
  for (const sort of ['types', 'keys', 'tags', 'roles', 'kinds', 'attributes'] as const) {
    for (const [name, count] of from[sort]) add(into[sort], name, count)
  }
  for (const [name, values] of from.values) for (const value of values) addValue(into.values, name, value)
}

function nothing(): NameTally {
  const [types, keys, tags, roles, kinds, attributes]: Counts[] = Array.from({ length: 6 }, () => new Map())
  return {
    types: types!,
    keys: keys!,
    tags: tags!,
    roles: roles!,
    kinds: kinds!,
    attributes: attributes!,
    values: new Map(),
  }
}

function ranked(counts: Counts): readonly NameCount[] {
  const names = Array.from(counts, ([name, count]) => ({ name, count }))
  return names.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}
