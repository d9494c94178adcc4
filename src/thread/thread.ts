// The provider-neutral thread (02 §12, D36): every block, and any other node with content, in the order of rendering.

import type { Dialect, JsonValue, NodeRecord, Region } from '../core/index.js'
import { canonicalJson, escapeJson, withJsonForm } from '../codec/index.js'
import { eachRecord, recordOf, type Branch, type View } from '../timeline/index.js'
import type { RenderedBytes } from './rendered-bytes.js'
import { Rendering, type ItemPlace } from './rendering.js'

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

/** The place of a node in a thread: the index of its item, and its bytes in the canonical form. */
export type ThreadPlace = ItemPlace

/** Finds a node's item; undefined for a node that has none. */
export function threadPlace(view: View, dialect: Dialect, record: NodeRecord): ThreadPlace | undefined {
  return RENDERINGS[dialect].placeOf(view, record)
}

/** Pure ASCII strings that joined are the thread: immutable, so they can be handed out without copying. */
export function threadChunks(view: View, dialect: Dialect): readonly string[] {
  const chunks: string[] = []
  for (const text of RENDERINGS[dialect].pieces(view)) chunks.push(chunks.length === 0 ? '[' : ',', text)
  chunks.push(chunks.length === 0 ? '[]' : ']')
  return Object.freeze(chunks)
}

/** The thread in chunks, with the node of every item. */
export function threadRendered(view: View, dialect: Dialect): RenderedBytes {
  return RENDERINGS[dialect].bytes(view)
}

/** 0.1 names a role for every item; 1.0 leaves it to the sender of the thread (D36). */
function defaultRole(region: Branch, dialect: Dialect): string | undefined {
  if (dialect === '1.0') return undefined
  return (recordOf(region).nodeType as Region) === '^sys' ? 'system' : 'user'
}

function itemOf({ id, role: own, kind, content: said }: NodeRecord, missingRole: string | undefined): ThreadItem {
  const role = own ?? missingRole
  const content = said === undefined ? '' : said
  const item = shaped(id, role, kind, content)
  return Object.freeze(typeof content === 'bigint' ? withJsonForm(item) : item)
}

/** Whole literals: an object that is spread together costs three times as much, and there is one for every message. */
function shaped(id: string, role: string | undefined, kind: string | undefined, content: JsonValue): ThreadItem {
  if (role === undefined) return kind === undefined ? { id, content } : { id, kind, content }
  return kind === undefined ? { id, role, content } : { id, role, kind, content }
}

/** Of as few pieces as there can be: each makes a string, and a thread has thousands of items. */
function itemText({ id, role: own, kind, content }: NodeRecord, missingRole: string | undefined): string {
  const role = own ?? missingRole
  const head =
    role === undefined ? `{"id":"${escapeJson(id)}"` : `{"id":"${escapeJson(id)}","role":"${escapeJson(role)}"`
  const start = kind === undefined ? `${head},"content":` : `${head},"kind":"${escapeJson(kind)}","content":`
  if (content === undefined) return `${start}""}`
  return typeof content === 'string' ? `${start}"${escapeJson(content)}"}` : `${start}${canonicalJson(content)}}`
}

/** The thread of each edition; what they keep is kept with the trees. */
const RENDERINGS: Readonly<Record<Dialect, Rendering>> = {
  '1.0': new Rendering((record) => itemText(record, undefined)),
  '0.1': new Rendering((record, isSystem) => itemText(record, isSystem ? 'system' : 'user')),
}
