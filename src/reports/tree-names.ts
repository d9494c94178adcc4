// The names in a tree, with counts: types, keys, tags, roles, kinds and attributes, for completing selectors.

import { BOUND } from '../codec/index.js'
import { COMPACTED, COVERS, SHED, type JsonValue, type Lens, type NodeRecord } from '../core/index.js'
import { eachRecord } from '../timeline/index.js'
import type { ReportSource } from './source.js'

export type NameCount = Readonly<{ name: string; count: number; values?: readonly string[] }>
export type NameCounts = Readonly<Record<(typeof SORTS)[number], readonly NameCount[]>>

const SORTS = ['types', 'keys', 'tags', 'roles', 'kinds', 'attributes'] as const

/** The page of names of each sort. */
export type NamesWanted = Readonly<{ skip: number; limit: number }>

/** The number of values to list of an attribute. */
const VALUES = 10

type Counts = Map<string, number>
type NameTally = Readonly<Record<keyof NameCounts, Counts> & { values: Map<string, Set<string>> }>

/** Counts the names of the tree that a lens shows, the most frequent first, and says whether these were the last of every sort. */
export function namesIn(
  { trees }: Pick<ReportSource, 'trees'>,
  lens: Lens,
  { skip, limit }: NamesWanted,
): Readonly<{ names: NameCounts; isLast: boolean }> {
  const { tree } = trees.of(lens)
  const bySort = (make: (sort: keyof NameCounts) => unknown): object =>
    Object.fromEntries(SORTS.map((sort) => [sort, make(sort)]))
  const values: NameTally['values'] = new Map()
  const found = { ...bySort(() => new Map()), values } as NameTally
  for (const region of tree.regions) eachRecord(region, (record) => addRecord(found, record))
  const names = bySort((sort) => ranked(found[sort]).slice(skip, skip + limit)) as NameCounts
  const attributes = names.attributes.map((each) => ({ ...each, values: [...(values.get(each.name) ?? [])] }))
  return { names: { ...names, attributes }, isLast: SORTS.every((sort) => found[sort].size <= skip + limit) }
}

function addRecord(found: NameTally, { nodeType, role, kind, rare, tags }: NodeRecord): void {
  add(found.types, nodeType)
  if (role !== undefined) add(found.roles, role)
  if (kind !== undefined) add(found.kinds, kind)
  if (rare?.key !== undefined) add(found.keys, rare.key)
  for (const tag of tags) add(found.tags, tag)
  for (const [name, value] of rare?.attributes ?? []) {
    if (name === SHED || name === COMPACTED || name === COVERS || name === BOUND) continue
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

function add(counts: Counts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function ranked(counts: Counts): readonly NameCount[] {
  const names = Array.from(counts, ([name, count]) => ({ name, count }))
  return names.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}
