// The two serializations of a whole tree (D35), written from the leaves up as canonical text.

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
import { Branch, recordOf, type TreeNode } from './sequence.js'
import type { View } from './view.js'

/** What an export says beside the tree. */
export type ExportHeading = Readonly<{ specVersion: string; extras: ReadonlyMap<string, JsonValue> | undefined }>

type Encode = (record: NodeRecord, ttl: number | null, children: readonly string[] | undefined) => string

/** The full form: every header and attribute; importing it gives the same text again. */
export function exportText(view: View, heading: ExportHeading): string {
  const regions = view.tree.regions.map((region) => nodeText(view, region, encodeNode))
  const fields: [string, string][] = [
    ['cycle', canonicalJson(view.cycle)],
    ['root', encodeNode(view.tree.root, view.ttlOf(view.tree.root), regions)],
    ['schedules', encodeSchedules(view.tree.schedules)],
    ['spec_version', quoteJson(heading.specVersion)],
  ]
  // The working state is for comparing; this mark is what import refuses it by (D24).
  if (view.isWorking) fields.push(['lens', '"working"'])
  for (const [name, value] of heading.extras ?? []) fields.push([name, canonicalJson(value)])
  fields.sort(([a], [b]) => compareText(a, b))
  return `{${fields.map(([name, text]) => `${quoteJson(name)}:${text}`).join(',')}}`
}

/** The form of chapter 08, to the byte. */
export function referenceText(view: View): string {
  const { root, regions } = view.tree
  const ordered = sortForReference(regions.map((region) => region.record)).map((record) => {
    return nodeText(
      view,
      regions.find((region) => region.record === record)!,
      encodeReference,
    )
  })
  return encodeReference(root, view.ttlOf(root), ordered)
}

/** Tells a reader that an empty removable container has held something, so that it leaves there as it would here. */
function withEmptied(record: NodeRecord): NodeRecord {
  const attributes = new Map(record.rare?.attributes).set(EMPTIED, true)
  return new NodeRecord({ ...record, rare: { ...record.rare, attributes } })
}

function nodeText(view: View, node: TreeNode, encode: Encode): string {
  const record = recordOf(node)
  const ttl = view.ttlOf(record)
  if (!(node instanceof Branch)) return encode(record, ttl, undefined)
  const children: string[] = []
  for (const child of node.children) children.push(nodeText(view, child, encode))
  return encode(node.isSpent ? withEmptied(record) : record, ttl, children)
}
