// The tokens of what a rendering says. A chunk that renderings share is summed up once, so that after a commit only the nodes of other chunks
// are asked about.

import type { TokenCounts } from '../commit/index.js'
import type { RenderedBytes } from '../thread/index.js'
import type { View } from '../timeline/index.js'
import type { Gate } from './write-gate.js'

/** The tokens of the nodes that stand whole before a place, and of all of them. */
export type RenderedTokens = Readonly<{ tokens: number; total: number }>

/** Counts a rendering of a view up to a byte. */
export type RenderedCounter = (view: View, rendered: RenderedBytes, place: number) => RenderedTokens

/** Asks the caller's counter, which cannot write meanwhile. */
export function renderedCounter(counts: TokenCounts, gate: Gate): RenderedCounter {
  return (view, rendered, place) => gate.reading(() => countRendered(view, rendered, place, counts))
}

type Chunk = RenderedBytes[number]

function countRendered(view: View, rendered: RenderedBytes, place: number, counts: TokenCounts): RenderedTokens {
  let [tokens, total, at] = [0, 0, 0]
  for (const chunk of rendered) {
    const all = counts.ofAll(chunk, () => tokensBefore(view, chunk, Infinity, counts))
    const end = at + chunk.byteLength
    total += all
    tokens += end <= place ? all : at >= place ? 0 : tokensBefore(view, chunk, place - at, counts)
    at = end
  }
  return { tokens, total }
}

/** A node counts once, however many parts of the chunk are its own. */
function tokensBefore(view: View, { ranges }: Chunk, place: number, counts: TokenCounts): number {
  const seen = new Set<string>()
  let tokens = 0
  for (const { node, end } of ranges) {
    if (seen.has(node) || end > place) continue
    seen.add(node)
    const record = view.find(node)
    if (record?.content !== undefined) tokens += counts.ofNode(record, view)
  }
  return tokens
}
