// The provider-neutral thread (02 §12, D36): every block, and any other node with content, in the order of rendering.

import type { Dialect, JsonValue, NodeRecord, Region } from '../core/index.js'
import { canonicalJson, quoteJson, withJsonForm } from '../codec/index.js'
import { eachRecord, recordOf, type Branch, type Sequence, type TreeNode, type View } from '../timeline/index.js'

/** One entry of a thread, with its keys in the order they are written. */
export type ThreadItem = Readonly<{ id: string; role?: string; kind?: string; content: JsonValue }>

/** The thread as objects. */
export function threadItems(view: View, dialect: Dialect): readonly ThreadItem[] {
  const items: ThreadItem[] = []
  if (view.tree.root.isRendered) items.push(itemOf(view.tree.root, dialect === '0.1' ? 'user' : undefined))
  for (const region of view.tree.regions) {
    const missingRole = defaultRole(region, dialect)
    eachRecord(region, (record) => {
      if (record.isRendered) items.push(itemOf(record, missingRole))
    })
  }
  return Object.freeze(items)
}

/** Where in a thread a node stands: which item it is, and which bytes of the canonical form are its own. */
export type ThreadPlace = Readonly<{ index: number; start: number; end: number }>

/** Finds a node's item; undefined for a node that has none. Writes down everything before it, so it is for debuggers. */
export function threadPlace(view: View, dialect: Dialect, wanted: NodeRecord): ThreadPlace | undefined {
  if (!wanted.isRendered) return undefined
  let index = 0
  let start = 1 // behind the bracket that opens the list
  let place: ThreadPlace | undefined
  const pass = (record: NodeRecord, missingRole: string | undefined): void => {
    if (place !== undefined || !record.isRendered) return
    const { length } = itemText(record, missingRole)
    if (record.id === wanted.id) place = Object.freeze({ index, start, end: start + length })
    index++
    start += length + 1
  }
  pass(view.tree.root, dialect === '0.1' ? 'user' : undefined)
  for (const region of view.tree.regions) {
    const missingRole = defaultRole(region, dialect)
    eachRecord(region, (record) => pass(record, missingRole))
  }
  return place
}

/**
 * The thread as canonical text in pieces. What was rendered for the last thread is kept by chunk of the tree, so a
 * thread after a commit renders what the commit touched; the pieces of older threads are let go.
 */
export class ThreadWriter {
  readonly #dialect: Dialect
  #rendered = new Map<Sequence | TreeNode, string>()

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** Forgets what it has rendered. */
  clear(): void {
    this.#rendered = new Map()
  }

  /** Pure ASCII strings that joined are the thread: immutable, so they can be handed out without copying. */
  chunks(view: View): readonly string[] {
    const before = this.#rendered
    const rendered: typeof before = new Map()
    const chunks: string[] = []
    const add = (part: Sequence | TreeNode, render: () => string): void => {
      const text = before.get(part) ?? render()
      rendered.set(part, text)
      if (text !== '') chunks.push(chunks.length === 0 ? '[' : ',', text)
    }
    const { root } = view.tree
    if (root.isRendered) add(root, () => itemText(root, this.#dialect === '0.1' ? 'user' : undefined))
    for (const region of view.tree.regions) {
      const missingRole = defaultRole(region, this.#dialect)
      if (region.record.isRendered) add(region.record, () => itemText(region.record, missingRole))
      const leaves = [...region.children.leaves()]
      const newest = leaves.pop()!
      const childText = (child: TreeNode): string => before.get(child) ?? textOf(child, missingRole)
      for (const leaf of leaves) add(leaf, () => leaf.items!.map(childText).filter(Boolean).join(','))
      // The last leaf grows with every commit; by child, only the new child is rendered.
      for (const child of newest.items!) add(child, () => textOf(child, missingRole))
    }
    this.#rendered = rendered
    chunks.push(chunks.length === 0 ? '[]' : ']')
    return Object.freeze(chunks)
  }
}

/** Joins ASCII pieces into one buffer. */
export function encodeAscii(chunks: readonly string[]): Uint8Array {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const bytes = new Uint8Array(length)
  const encoder = new TextEncoder()
  let at = 0
  for (const chunk of chunks) at += encoder.encodeInto(chunk, bytes.subarray(at)).written
  return bytes
}

function textOf(node: TreeNode, missingRole: string | undefined): string {
  const texts: string[] = []
  eachRecord(node, (record) => {
    if (record.isRendered) texts.push(itemText(record, missingRole))
  })
  return texts.join(',')
}

/** 0.1 names a role for every item; 1.0 leaves it to whoever sends the thread (D36). */
function defaultRole(region: Branch, dialect: Dialect): string | undefined {
  if (dialect === '1.0') return undefined
  return (recordOf(region).nodeType as Region) === '^sys' ? 'system' : 'user'
}

function itemOf(record: NodeRecord, missingRole: string | undefined): ThreadItem {
  const role = record.role ?? missingRole
  const item = {
    id: record.id,
    ...(role === undefined ? {} : { role }),
    ...(record.kind === undefined ? {} : { kind: record.kind }),
    content: record.content ?? (record.content === null ? null : ''),
  }
  return Object.freeze(typeof item.content === 'bigint' ? withJsonForm(item) : item)
}

function itemText(record: NodeRecord, missingRole: string | undefined): string {
  const role = record.role ?? missingRole
  const roleText = role === undefined ? '' : `,"role":${quoteJson(role)}`
  const kindText = record.kind === undefined ? '' : `,"kind":${quoteJson(record.kind)}`
  const content = record.content === undefined ? '""' : canonicalJson(record.content)
  return `{"id":${quoteJson(record.id)}${roleText}${kindText},"content":${content}}`
}
