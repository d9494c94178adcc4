// A source map of a rendering: the byte ranges of its nodes, with their tokens and their part of the context.

import type { NodeRecord } from '../core/index.js'
import type { CallPrompt, SentCall } from '../thread/index.js'
import { regionNameOf, type View } from '../timeline/index.js'
import type { ContextPart } from './part-tokens.js'
import { zoneIn } from './place.js'
import { callFor, formatOf, rendererOf, type PrefixOptions } from './prefix.js'
import type { ReportSource } from './source.js'
import type { SourceEntry } from './tree-tokens.js'

export type MappedEntry = SourceEntry & Readonly<{ part: ContextPart; item: number; plainEnd: number }>

export type SourceMap = Readonly<{
  /** The entries in byte order; they do not overlap. Of the rendering without cache marks. */
  map: readonly MappedEntry[]
  /** The tokens of all nodes in it. */
  tokens: number
  /** The options of the rendering: those given, else those of the call. */
  options: object | undefined
  /** The part of the prompt that was in the params of the call. */
  prompt: CallPrompt | undefined
}>

/**
 * The source map of a tree as a function such as `toAnthropic` renders it; of the provider-neutral thread without one. `call` is the one that sent
 * the tree, if it is known.
 */
export function sourceMapOf(
  view: View,
  { dialect, tokens: counted }: Pick<ReportSource, 'dialect' | 'tokens'>,
  options: PrefixOptions,
  call: SentCall | undefined,
): SourceMap {
  const rendered = rendererOf(options, dialect)(view, call)
  const own = callFor(options, call)
  const map: MappedEntry[] = []
  let [start, items] = [0, 0]
  for (const chunk of rendered) {
    let item = 0
    for (const { node, start: from, end } of chunk.ranges) {
      while (item < chunk.items.length && chunk.items[item]! <= from) item++
      const record = view.find(node)
      const own = record === undefined ? 0 : counted.reading(() => counted.counts.ofNode(view.nodeOf(record), view))
      const place = { node, start: start + from, end: start + end, plainEnd: start + end, tokens: own }
      map.push(Object.freeze({ ...place, part: partOf(view, record), item: Math.max(0, items + item - 1) }))
    }
    items += chunk.items.length
    start += chunk.byteLength
  }
  const tokens = counted.rendered(view, rendered, 0, formatOf(options)).total
  return { map: Object.freeze(map), tokens, options: options.options ?? own?.options, prompt: own?.prompt }
}

function partOf(view: View, record: NodeRecord | undefined): ContextPart {
  if (record === undefined || record.nodeClass === 'root' || regionNameOf(view, record) === '^sys') return 'sys'
  return zoneIn(view, record) === 'core' ? 'core' : 'ctx'
}
