// The two serializations of a whole tree (D35) as canonical text.

import { compareText, NodeRecord, type JsonValue } from '../core/index.js'
import {
  canonicalJson,
  EMPTIED,
  encodeNode,
  encodeReference,
  encodeSchedules,
  quoteJson,
  sortForReference,
} from '../codec/index.js'
import { Branch, recordOf, Sequence, type TreeNode } from './sequence.js'
import type { View } from './view.js'

/** The fields of an export around the tree. */
export type ExportHeading = Readonly<{ specVersion: string; extras: ReadonlyMap<string, JsonValue> | undefined }>

/** About how many characters a piece of an export has. */
const PIECE = 1 << 16

/** The full form: every header and attribute; importing it gives the same text again. In pieces, since it may be long. */
export function* exportPieces(view: View, heading: ExportHeading): Generator<string, void, undefined> {
  const [before, after] = headingTexts(view, heading)
  const { root, regions } = view.tree
  const around = encodeNode(root, view.ttlOf(root), false)
  let text = `${before}${around.before}`
  // By hand: a generator that calls itself at every level would hand each piece through all of them.
  const open: Level[] = [{ parts: regions, at: 0, after: around.after + after }]
  while (open.length > 0) {
    if (text.length >= PIECE) {
      yield text
      text = ''
    }
    const level = open.at(-1)!
    const part = level.parts[level.at++]
    if (part === undefined) {
      text += level.after
      open.pop()
      continue
    }
    if (level.at > 1) text += ','
    if (part instanceof Sequence) {
      open.push({ parts: partsOf(part), at: 0, after: '' })
      continue
    }
    const record = recordOf(part)
    const ttl = view.ttlOf(record)
    if (part instanceof Branch) {
      const own = encodeNode(part.isSpent ? withEmptied(record) : record, ttl, false)
      text += own.before
      open.push({ parts: partsOf(part.children), at: 0, after: own.after })
    } else text += encodeNode(record, ttl, true).after
  }
  yield text
}

/** The bytes of all pieces. Each is encoded as it comes: strings that are put together late are hard to collect. */
export function joinPieces(pieces: Iterable<string>): Uint8Array {
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  let length = 0
  for (const piece of pieces) {
    const part = encoder.encode(piece)
    parts.push(part)
    length += part.length
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Sibling nodes or chunks, the number of them that are written, and the text after the last. */
type Level = { readonly parts: readonly (TreeNode | Sequence)[]; at: number; readonly after: string }

function partsOf(sequence: Sequence): Level['parts'] {
  return sequence.chunks ?? sequence.items!
}

/** The text of an export before its root node and after it. */
function headingTexts(view: View, { specVersion, extras }: ExportHeading): readonly [before: string, after: string] {
  const fields: [string, string][] = [
    ['cycle', canonicalJson(view.cycle)],
    ['schedules', encodeSchedules(view.tree.schedules)],
  ]
  if (extras?.has('spec_version') !== true) fields.push(['spec_version', quoteJson(specVersion)])
  // The working state is for comparing; this mark is what import refuses it by (D24).
  if (view.isWorking) fields.push(['lens', '"working"'])
  for (const [name, value] of extras ?? []) fields.push([name, canonicalJson(value)])
  fields.sort(([a], [b]) => compareText(a, b))
  const texts = fields.map(([name, text]) => `${quoteJson(name)}:${text}`)
  const at = fields.findIndex(([name]) => compareText(name, 'root') > 0)
  return [`{${[...texts.slice(0, at), '"root":'].join(',')}`, `,${texts.slice(at).join(',')}}`]
}

/** The form of chapter 08, to the byte. */
export function referenceText(view: View): string {
  const { root, regions } = view.tree
  const ordered = sortForReference(regions.map((region) => region.record)).map((record) => {
    return nodeReference(
      view,
      regions.find((region) => region.record === record)!,
    )
  })
  return encodeReference(root, view.ttlOf(root), ordered)
}

function nodeReference(view: View, node: TreeNode): string {
  const record = recordOf(node)
  const ttl = view.ttlOf(record)
  if (!(node instanceof Branch)) return encodeReference(record, ttl, undefined)
  const children: string[] = []
  for (const child of node.children) children.push(nodeReference(view, child))
  return encodeReference(record, ttl, children)
}

/** Tells a reader that an empty removable container has held something, so that it leaves there as it would here. */
export function withEmptied(record: NodeRecord): NodeRecord {
  const attributes = new Map(record.rare?.attributes).set(EMPTIED, true)
  return new NodeRecord({ ...record, rare: { ...record.rare, attributes } })
}
