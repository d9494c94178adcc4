// Token counts of a request: of the nodes that it sends, and of the additions of its provider.

import { callOption, checkNames, checkOption, describe, invalid, isRecord, oneOf } from '../errors/index.js'
import type { NodeRecord } from '../core/index.js'
import { checkRenderer, rangesOf, type Renderer } from '../thread/index.js'
import { lineOf, regionNameOf, type View } from '../timeline/index.js'
import { overheadFor, type Overhead } from '../tokens/index.js'
import type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './tree-tokens.js'

/** The renderer of a request, its options, and the additions of its provider. */
export type CountedRequest = Readonly<{ renderer: Renderer; options: object; overhead: Overhead }>

/** Sums by name. */
export class TokenSums extends Map<string, number> {
  add(name: string, tokens: number): void {
    this.set(name, (this.get(name) ?? 0) + tokens)
  }
}

const BY = oneOf(...(['region', 'depth', 'role', 'key', 'node'] satisfies TokensBy[]))

const NAMES: readonly string[] = ['by', 'for', 'options', 'overhead'] satisfies (keyof TokensOptions)[]

export function checkTokensOptions(
  given: unknown,
): Readonly<{ by: TokensBy | undefined; request: CountedRequest | undefined }> {
  if (given === undefined) return { by: undefined, request: undefined }
  checkNames(given, NAMES, "{ by: 'role' }")
  const { by, ...rest } = given as TokensOptions
  checkOption('by', by, BY)
  return { by, request: checkCounted(rest) }
}

function checkCounted(given: Omit<TokensOptions, 'by'>): CountedRequest | undefined {
  const { for: to, options = {}, overhead } = given
  if (to === undefined) {
    const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
    if (name === undefined) return undefined
    throw invalid(name, `The option ${name} is about a request; give for, too.`)
  }
  const renderer = checkRenderer(to)
  if (!isRecord(options)) {
    throw invalid('options', `The options are an object such as { repair: false }, not ${describe(options)}.`)
  }
  return { renderer, options, overhead: overheadFor(renderer.name, overhead) }
}

/** Counts a request; `tokens` are those of all nodes of the tree that have content. */
export function requestTokens(
  view: View,
  tokens: ReadonlyMap<string, number>,
  { renderer, options, overhead }: CountedRequest,
  by: TokensBy | undefined,
): TokenTotal | TokenTable {
  const chunks = callOption('for', () => renderer.bytesOf(view, options))
  const messages = chunks.reduce((sum, { items }) => sum + items.length, 0)
  const added = overhead.request + messages * overhead.message
  const sums = new TokenSums()
  let total = added
  for (const node of new Set(rangesOf(chunks).map((range) => range.node))) {
    const own = tokens.get(node) ?? 0
    total += own
    if (by !== undefined) sums.add(nameOf(view, view.find(node), by), own)
  }
  if (by === undefined) return Object.freeze({ total, overhead: added })
  if (added > 0) sums.add('', added)
  // fromEntries makes own properties, whatever the keys of nodes are.
  return Object.freeze({ total, overhead: added, by: Object.freeze(Object.fromEntries(sums)) })
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
