// Token counts of a request: of the nodes that it sends, and of the additions of its provider.

import { checkNames, checkOption, describe, invalid, isRecord, oneOf } from '../errors/index.js'
import { KEPT_KEYS, NodeRecord } from '../core/index.js'
import { checkRenderer, type CallPrompt, type RenderedBytes, type Renderer } from '../thread/index.js'
import { lineOf, regionNameOf, type View } from '../timeline/index.js'
import { overheadFor, type Overhead } from '../tokens/index.js'
import { toolOf } from './call-pair.js'
import type { TokensBy, TokensOptions, TokenTable } from './tree-tokens.js'

/** The renderer of a request, its options, and the additions of its provider. */
export type CountedRequest = Readonly<{ renderer: Renderer; options: object; prompt: CallPrompt; overhead: Overhead }>

/** Sums by name. */
export class TokenSums extends Map<string, number> {
  add(name: string, tokens: number): void {
    this.set(name, (this.get(name) ?? 0) + tokens)
  }
}

const BY = oneOf(...(['region', 'depth', 'role', 'kind', 'name', 'key', 'node'] satisfies TokensBy[]))

const NAMES: readonly string[] = [
  'by',
  'for',
  'options',
  'tools',
  'system',
  'overhead',
  'only',
] satisfies (keyof TokensOptions)[]

export function checkTokensOptions(
  given: unknown,
): Readonly<{ by: TokensBy | undefined; only: ReadonlySet<string> | undefined; request: CountedRequest | undefined }> {
  if (given === undefined) return { by: undefined, only: undefined, request: undefined }
  checkNames(given, NAMES, "{ by: 'role' }")
  const { by, only, ...rest } = given as TokensOptions
  checkOption('by', by, BY)
  const request = checkCounted(rest)
  if (only === undefined) return { by, only, request }
  if (!Array.isArray(only) || !only.every((id) => typeof id === 'string'))
    throw invalid('only', 'only is a list of ids, such as ctx.select gives.')
  if (request !== undefined) throw invalid('only', 'A request is counted whole; give only without for.')
  return { by, only: new Set(only), request }
}

function checkCounted(given: Omit<TokensOptions, 'by' | 'only'>): CountedRequest | undefined {
  const { for: to, options = {}, tools, system, overhead } = given
  if (to === undefined) {
    const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
    if (name === undefined) return undefined
    throw invalid(name, `The option ${name} is about a request; give for, too.`)
  }
  const renderer = checkRenderer(to)
  if (!isRecord(options)) {
    throw invalid('options', `The options are an object such as { repair: false }, not ${describe(options)}.`)
  }
  return { renderer, options, prompt: { tools, system }, overhead: overheadFor(renderer.name, overhead) }
}

/** The tokens that a provider adds to the messages of a request. */
export function addedTo(chunks: RenderedBytes, { request, message }: Overhead): number {
  return chunks.reduce((sum, { items }) => sum + items.length * message, request)
}

/** Counts a request by groups; `sent` are the tokens of its nodes, `overhead` those that belong to no node. */
export function requestTokens(
  view: View,
  sent: ReadonlyMap<NodeRecord, number>,
  overhead: number,
  by: TokensBy,
): TokenTable {
  const sums = new TokenSums()
  let total = overhead
  for (const [record, own] of sent) {
    total += own
    sums.add(nameOf(view, record, by), own)
  }
  if (overhead > 0) sums.add('', overhead)
  // fromEntries makes own properties, whatever the keys of nodes are.
  return Object.freeze({ total, overhead, by: Object.freeze(Object.fromEntries(sums)) })
}

/** The records of which a range sends something, from the outside in: its node, and the messages around it, whose other keys go with it. */
export function sentWith(view: View, node: string, format: string | undefined): readonly NodeRecord[] {
  const record = view.find(node)
  if (record === undefined) return []
  const line = lineOf(view, record)
  const name = line.findLast(({ rare }) => rare?.attributes?.has(FORMAT) === true)?.rare?.attributes?.get(FORMAT)
  // The provider-neutral thread has everything.
  const isOwn = format === undefined || name === format
  return isOwn ? line.filter((each) => each === record || each.content === undefined) : [withoutKeys(record)]
}

/** The attribute of a message with the format that it came in. Only requests of that format have its kept keys. */
export const FORMAT = 'data_format'

const KEPT: ReadonlySet<string> = new Set(Object.values(KEPT_KEYS))

function withoutKeys(record: NodeRecord): NodeRecord {
  const { attributes, ...rare } = record.rare ?? {}
  if (attributes === undefined || ![...KEPT].some((name) => attributes.has(name))) return record
  const others = new Map([...attributes].filter(([name]) => !KEPT.has(name)))
  return new NodeRecord({ ...record, rare: { ...rare, attributes: others } })
}

/** The group of a node; `''` for a node that belongs to none. */
export function nameOf(view: View, record: NodeRecord | undefined, by: TokensBy): string {
  if (record === undefined) return ''
  if (by === 'node') return record.id
  if (by === 'role' || by === 'kind') return record[by] ?? ''
  if (by === 'name') return toolOf(view, record) ?? ''
  if (record.nodeClass === 'root') return ''
  if (by === 'region') return regionNameOf(view, record)
  if (by === 'depth') return String(view.depthOf(record) ?? '')
  return lineOf(view, record).findLast(({ rare }) => rare?.key !== undefined)?.rare?.key ?? ''
}
