// How many tokens a request has: those of the nodes that it sends, and what its provider adds around them.

import { callOption, describe, PactError } from '../errors/index.js'
import type { NodeRecord } from '../core/index.js'
import { checkRenderer, rangesOf, type Renderer } from '../thread/index.js'
import { lineOf, regionNameOf, type View } from '../timeline/index.js'
import { overheadFor, type Overhead } from '../tokens/index.js'
import type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './token-report.js'

/** Whose request is counted, and what its provider adds. */
export type CountedRequest = Readonly<{ renderer: Renderer; options: object; overhead: Overhead }>

export function checkCounted(given: Omit<TokensOptions, 'by'>): CountedRequest | undefined {
  const { for: to, options = {}, overhead } = given
  if (to === undefined) {
    const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
    if (name === undefined) return undefined
    throw invalid(name, `The option ${name} is about a request; give for, too.`)
  }
  const renderer = checkRenderer(to)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', `The options are an object such as { repair: false }, not ${describe(options)}.`)
  }
  return { renderer, options, overhead: overheadFor(renderer.name, overhead) }
}

/** Counts what is sent; `tokens` are those of all nodes of the tree that have content. */
export function requestTokens(
  view: View,
  tokens: ReadonlyMap<string, number>,
  { renderer, options, overhead }: CountedRequest,
  by: TokensBy | undefined,
): TokenTotal | TokenTable {
  const chunks = callOption('for', () => renderer.bytesOf(view, options))
  const messages = chunks.reduce((sum, { items }) => sum + items.length, 0)
  const added = overhead.request + messages * overhead.message
  const sums = new Map<string, number>()
  let total = added
  for (const node of new Set(rangesOf(chunks).map((range) => range.node))) {
    const own = tokens.get(node) ?? 0
    total += own
    if (by !== undefined) add(sums, nameOf(view, view.find(node), by), own)
  }
  if (by === undefined) return Object.freeze({ total, overhead: added })
  if (added > 0) add(sums, '', added)
  // As own properties, whatever the keys of nodes are.
  return Object.freeze({ total, overhead: added, by: Object.freeze(Object.fromEntries(sums)) })
}

function add(sums: Map<string, number>, name: string, tokens: number): void {
  sums.set(name, (sums.get(name) ?? 0) + tokens)
}

function nameOf(view: View, record: NodeRecord | undefined, by: TokensBy): string {
  if (record === undefined) return ''
  if (by === 'node') return record.id
  if (by === 'role') return record.role ?? ''
  if (record.nodeClass === 'root') return ''
  if (by === 'region') return regionNameOf(view, record)
  if (by === 'depth') return String(view.depthOf(record) ?? '')
  return lineOf(view, record).findLast(({ rare }) => rare?.key !== undefined)?.rare?.key ?? ''
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
