// The plain tree under the naive model (test/oracle/editing.ts): the shape of a node, ways to walk the tree, the orders, and
// the documents' JSON form (D20, D24, D33, D35, D37). It shares no code with the engine.

import { pythonFloat } from './diff.js'

export type Dialect = '1.0' | '0.1'
export type Zone = 'pre' | 'core' | 'post'
export type NodeClass = 'region' | 'seg' | 'cont' | 'block' // the root counts as a region here

/** The headers of a caller: content, children, headers; `data_*`, `content_*` and `namespace:name` are free. */
export type EditSpec = {
  content?: unknown
  zone?: Zone
  offset?: number
  ttl?: number | null
  cad?: number
  priority?: number
  role?: string
  kind?: string
  key?: string
  tags?: string[]
  refs?: string[]
  removable?: boolean
  pinned?: boolean
  provenance?: unknown
  nodeType?: string
  children?: EditSpec[]
  [custom: `data_${string}`]: unknown
  [custom: `content_${string}`]: unknown
  [custom: `${string}:${string}`]: unknown
}

export type ModelNode = {
  id: string
  class: NodeClass
  core: boolean
  nodeType: string
  offset: number
  ttl: number | null // as last given
  ttlCycle: number // the cycle it was given in
  expiry: number | null // the first cycle whose snapshot lacks the node (D24)
  priority: number
  cycle: number
  createdAtNs: bigint
  creationIndex: number
  given: Record<string, unknown> // content and the optional headers, as exported
  standsFor: readonly string[] // the earlier ids of its chain, without `supersedes` (D41); never changed, only exchanged
  everHeldNode: boolean
  children: ModelNode[]
}

/** The documents' JSON form of one node with its subtree (D35). Only blocks lack `children`. */
export type TreeJson = {
  id: string
  role?: string
  kind?: string
  content?: unknown
  children?: TreeJson[]
  [header: string]: unknown
}

export const SEGMENT_STEP = 1_048_576

export const CLASS_NAMES = {
  '1.0': { seg: 'seg', cont: 'cont', block: 'block' },
  '0.1': { seg: 'mt', cont: 'mc', block: 'cb' },
} as const

export function emptyTree(): ModelNode {
  const make = (name: string, creationIndex: number, children: ModelNode[]): ModelNode => ({
    id: name,
    class: 'region',
    core: false,
    nodeType: `^${name}`,
    offset: 0,
    ttl: null,
    ttlCycle: 1,
    expiry: null,
    priority: 0,
    cycle: 1,
    createdAtNs: 0n,
    creationIndex,
    given: {},
    standsFor: [],
    everHeldNode: false,
    children,
  })
  return make('root', 0, [make('sys', 1, []), make('seq', 2, []), make('ah', 3, [])])
}

// ------------------------------------------------------------------------------------------------------------- headers

export function refsOf(node: ModelNode): string[] {
  return (node.given['refs'] ?? []) as string[]
}

export function callIdsOf(node: ModelNode): string[] {
  const ids = (node.given['data_call_id'] ?? []) as string | string[]
  return typeof ids === 'string' ? [ids] : ids
}

export function keyOf(node: ModelNode): string | undefined {
  return node.given['key'] as string | undefined
}

/** True if the node has the place of one that had this id (D41). */
export function standsInFor(node: ModelNode, id: string): boolean {
  return node.given['supersedes'] === id || node.standsFor.includes(id)
}

/**
 * A deletion leaves a marker in history. Its type alone proves nothing, since callers can write nodes of it; the headers that
 * `update` can give prove nothing either (N124).
 */
export function isMarker(node: ModelNode): boolean {
  const isBare = node.given['content'] === '' && ['kind', 'key', 'refs'].every((name) => node.given[name] === undefined)
  return /^(?:block|cb):redaction$/.test(node.nodeType) && isBare && node.given['supersedes'] !== undefined
}

/** Content and the optional headers a spec names: null is absent (N8), but null is content like any other. */
export function headersOf(spec: EditSpec): Record<string, unknown> {
  const structural = new Set(['zone', 'offset', 'ttl', 'priority', 'nodeType', 'children'])
  const named = Object.entries(spec).filter(
    ([name, value]) => !structural.has(name) && value !== undefined && (value !== null || name === 'content'),
  )
  return structuredClone(Object.fromEntries(named))
}

// ------------------------------------------------------------------------------------------------------------- walking

export function region(root: ModelNode, name: '^sys' | '^seq' | '^ah'): ModelNode {
  return root.children.find((child) => child.nodeType === name)!
}

export function coreOf(parent: ModelNode): ModelNode | undefined {
  return parent.children.find((child) => child.core)
}

export function offsetsIn(parent: ModelNode): number[] {
  return parent.children.map((child) => child.offset)
}

/** Every node in document order, with its ancestors from the root down (D20). */
export function walk(top: ModelNode, ancestors: ModelNode[] = []): { node: ModelNode; ancestors: ModelNode[] }[] {
  const below = sorted(top.children).flatMap((child) => walk(child, [...ancestors, top]))
  return [{ node: top, ancestors }, ...below]
}

export function subtree(top: ModelNode): ModelNode[] {
  return walk(top).map(({ node }) => node)
}

/** From the root down to the node itself. */
export function lineOf(root: ModelNode, node: ModelNode): ModelNode[] {
  const search = (top: ModelNode): ModelNode[] | undefined => {
    if (top === node) return [top]
    for (const child of top.children) {
      const line = search(child)
      if (line !== undefined) return [top, ...line]
    }
    return undefined
  }
  const line = search(root)
  if (line === undefined) throw new Error(`${node.id} is not in the tree.`)
  return line
}

/** The node with this id, if the tree holds it. */
export function findById(top: ModelNode, id: string): ModelNode | undefined {
  if (top.id === id) return top
  for (const child of top.children) {
    const found = findById(child, id)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The target of a reference in this tree: the node with that id, else the one in its place (D41). Of several, which
 * only a file can make, the one with the smallest id.
 */
export function resolver(root: ModelNode, follows: boolean): (id: string) => ModelNode | undefined {
  const nodes = subtree(root)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const claimants = follows ? nodes.toSorted((a, b) => compareText(a.id, b.id)) : []
  return (id) => byId.get(id) ?? claimants.find((node) => standsInFor(node, id))
}

/** The values of headers: JSON values, copied faster than structuredClone does. */
function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyJson) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyJson(each)])) as T
}

/** A deep copy: nothing of the old tree is in it. */
export function copyTree(node: ModelNode): ModelNode {
  return { ...node, given: copyJson(node.given), children: node.children.map(copyTree) }
}

export function parentOf(root: ModelNode, node: ModelNode): ModelNode {
  return lineOf(root, node).at(-2)!
}

/** -1 in `^sys`, 0 in `^ah`, the segment's place from the newest back in `^seq`; none for the root and `^seq` (D10). */
export function depthOf(root: ModelNode, node: ModelNode): number | undefined {
  const line = lineOf(root, node)
  if (line.includes(region(root, '^sys'))) return -1
  if (line.includes(region(root, '^ah'))) return 0
  const segments = sorted(region(root, '^seq').children)
  const at = segments.findIndex((segment) => line.includes(segment))
  return at === -1 ? undefined : segments.length - at
}

/** The container at a depth, if there is one. */
export function anchorAt(root: ModelNode, depth: number): ModelNode | undefined {
  if (depth === -1) return region(root, '^sys')
  if (depth === 0) return region(root, '^ah')
  const segments = sorted(region(root, '^seq').children)
  return segments[segments.length - depth]
}

/** True if the node is the core of a segment, or is in one. */
export function inSealedCore(root: ModelNode, node: ModelNode): boolean {
  const line = lineOf(root, node)
  return line.some((member, i) => member.core && line[i - 1]!.class === 'seg')
}

/** Segments and the head: what parts its children into pre, core and post. */
export function hasZones(node: ModelNode): boolean {
  return node.class === 'seg' || node.nodeType === '^ah'
}

/** The place of a node in the head, itself or through its container. */
export function zoneInHead(root: ModelNode, node: ModelNode): Zone {
  const line = lineOf(root, node)
  const top = line[line.indexOf(region(root, '^ah')) + 1]!
  return top.core ? 'core' : top.offset < 0 ? 'pre' : 'post'
}

export function removeWhere(top: ModelNode, goes: (node: ModelNode) => boolean): void {
  top.children = top.children.filter((child) => !goes(child))
  for (const child of top.children) removeWhere(child, goes)
}

/** True unless the head holds nothing but an empty core, or nothing at all (D25). */
export function willSeal(root: ModelNode): boolean {
  return region(root, '^ah').children.some((child) => !child.core || child.children.length > 0)
}

// -------------------------------------------------------------------------------------------------------------- orders

export function sorted(siblings: readonly ModelNode[]): ModelNode[] {
  return siblings.toSorted((a, b) => compare(a.offset, b.offset) || compareAge(a, b))
}

/** Older first: `created_at_ns`, `creation_index`, `id` (D29). */
export function compareAge(a: ModelNode, b: ModelNode): number {
  return compare(a.createdAtNs, b.createdAtNs) || compare(a.creationIndex, b.creationIndex) || compareText(a.id, b.id)
}

export function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code point: `<` would rank UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (/^[ -~]*$/.test(a + b)) return a < b ? -1 : a > b ? 1 : 0
  const left = Array.from(a, (char) => char.codePointAt(0)!)
  const right = Array.from(b, (char) => char.codePointAt(0)!)
  const at = left.findIndex((point, i) => point !== right[i])
  if (at === -1) return left.length - right.length
  return at < right.length ? left[at]! - right[at]! : 1
}

// -------------------------------------------------------------------------------------------------------------- output

export function ttlInSnapshot(node: ModelNode, cycle: number): number | null {
  return node.expiry === null ? null : Math.max(0, node.expiry - cycle)
}

/** In the open cycle: a ttl given in it reads as given, an older one as the latest snapshot shows it (D24). */
export function ttlInWorking(node: ModelNode, openCycle: number): number | null {
  return node.ttlCycle === openCycle ? node.ttl : ttlInSnapshot(node, openCycle - 1)
}

export function toJson(node: ModelNode, ttlOf: (node: ModelNode) => number | null): TreeJson {
  const emptied =
    node.class === 'cont' &&
    node.given['removable'] === true &&
    node.everHeldNode &&
    node.children.length === 0 &&
    !node.core
  return {
    id: node.id,
    nodeType: node.nodeType,
    offset: node.offset,
    ttl: ttlOf(node),
    priority: node.priority,
    cycle: node.cycle,
    created_at_ns: node.createdAtNs,
    created_at_iso: isoOf(node.createdAtNs),
    creation_index: node.creationIndex,
    ...copyJson(node.given),
    ...(node.standsFor.length > 0 ? { 'pact:stands_for': [...node.standsFor] } : {}),
    ...(emptied ? { 'pact:emptied': true } : {}), // N10
    ...(node.class === 'block' ? {} : { children: sorted(node.children).map((child) => toJson(child, ttlOf)) }),
  }
}

/** UTC with nine fraction digits (D37). */
function isoOf(ns: bigint): string {
  const second = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().replace('.000Z', '')
  return `${second}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
}

/** Python's `json.dumps(sort_keys=True, separators=(',',':'), ensure_ascii=True)` (D33). */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : pythonFloat(value)
  if (typeof value === 'string') {
    const ascii = /[^ -~]/g // without the u flag: astral characters become two escapes, as in Python
    return JSON.stringify(value).replace(ascii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object') throw new Error(`This oracle writes no ${typeof value}.`)
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return `{${entries.map(([key, each]) => `${canonicalJson(key)}:${canonicalJson(each)}`).join(',')}}`
}
