// A rendering with whose bytes are whose, and what each of these nodes is for.

import type { Lens, NodeRecord } from '../core/index.js'
import type { RendersRequests } from '../thread/index.js'
import { lineOf, type View } from '../timeline/index.js'
import { ContextEdits, type AnyContext } from './edits.js'
import type { SourceEntry } from './node-tokens.js'
import type { Part } from './part-tokens.js'
import { rendererOf } from './prefix.js'
import { sentLens } from './sent-lens.js'
import { Snapshot } from './snapshot.js'

export type MappedEntry = SourceEntry & Readonly<{ part: Part; item: number }>

export type RenderedSource = Readonly<{
  lens: Lens
  snapshot: Snapshot
  /** In order, and apart; of the rendering without cache marks. */
  map: readonly MappedEntry[]
  /** Of all nodes in it. */
  tokens: number
}>

/** What would be sent now, or of the tree that a lens names; of the provider-neutral thread where nothing renders. */
export function renderedSource(
  ctx: AnyContext,
  given: Lens | undefined,
  to: RendersRequests | undefined,
  options: object = {},
): RenderedSource {
  const parts = ContextEdits.partsOf(ctx)
  const lens = given ?? sentLens(parts)
  const view = parts.views.still(lens)
  const rendered = rendererOf(to === undefined ? {} : { for: to, options }, ctx.dialect)(view)
  const map: MappedEntry[] = []
  const counted = new Set<string>()
  let [start, items, tokens] = [0, 0, 0]
  for (const chunk of rendered) {
    let item = 0
    for (const { node, start: from, end } of chunk.ranges) {
      while (item < chunk.items.length && chunk.items[item]! <= from) item++
      const record = view.find(node)
      const own = record === undefined ? 0 : parts.gate.reading(() => parts.tokens.ofNode(view.nodeOf(record), view))
      if (!counted.has(node)) tokens += own
      counted.add(node)
      const place = { node, start: start + from, end: start + end, tokens: own }
      map.push(Object.freeze({ ...place, part: partOf(view, record), item: Math.max(0, items + item - 1) }))
    }
    items += chunk.items.length
    start += chunk.byteLength
  }
  return { lens, snapshot: Snapshot.handOut(view, parts.home), map: Object.freeze(map), tokens }
}

/** What a node is for. */
export function partOf(view: View, record: NodeRecord | undefined): Part {
  if (record === undefined || record.nodeClass === 'root') return 'sys'
  const [region, ...below] = lineOf(view, record)
  if (region!.nodeType === '^sys') return 'sys'
  const inTurn = region!.nodeType === '^seq' ? below[1] : below[0]
  return inTurn?.offset === 0 ? 'core' : 'ctx'
}
