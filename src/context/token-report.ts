// How many tokens a tree has, in all and by what (API). The counts are those that pruning goes by; sums of whole regions and
// segments are facts of their chunks, and nothing is counted twice.

import { describe, PactError } from '../errors/index.js'
import { TokenCounts } from '../commit/index.js'
import { Branch, recordOf, type Sequence, type TreeNode, type View } from '../timeline/index.js'
import { estimate, type Overhead } from '../tokens/index.js'
import type { RendersRequests } from '../thread/index.js'
import type { AnyOptions } from './options.js'
import { checkCounted, requestTokens, type CountedRequest } from './request-tokens.js'
import type { Gate } from './write-gate.js'

/** What tokens can be told apart by. */
export type TokensBy = 'region' | 'depth' | 'role' | 'key' | 'node'

export type TokensOptions<By extends TokensBy | undefined = TokensBy | undefined> = Readonly<{
  /**
   * Tells them apart: by region (`^sys`, `^seq`, `^ah`), by depth (`-1` for the system), by role, by the key of a node or of
   * the nearest one around it, or by id. What has no role or key stands under `''`.
   */
  by?: By
  /** Counts the request that a function such as `toAnthropic` makes: what it sends, and what its provider adds. */
  for?: RendersRequests | undefined
  /** The options of that function. */
  options?: object | undefined
  /** What the provider adds, instead of its row in the table. */
  overhead?: Overhead | undefined
}>

/** The tokens of a tree, or of a request; `overhead` is the part of a request's that no node says. */
export type TokenTotal = Readonly<{ total: number; overhead?: number }>

/** The same, told apart; the numbers of `by` add up to the total, the overhead of a request stands under `''`. */
export type TokenTable = TokenTotal & Readonly<{ by: Readonly<Record<string, number>> }>

/** Counts the tokens of a view. */
export type TokenReader = (view: View, options: TokensOptions | undefined) => TokenTotal | TokenTable

/** The counts of a context that begins with these options. */
export function tokenCountsFor({ countTokens }: AnyOptions): TokenCounts {
  return new TokenCounts(countTokens ?? estimate)
}

/** Reads that ask the caller's counter, which cannot write meanwhile; holds on to no context. */
export function tokenReader(counts: TokenCounts, gate: Gate): TokenReader {
  return (view, options) => {
    const { by, request } = checkOptions(options)
    return gate.reading(() => {
      const count = new Count(view, counts)
      return request === undefined ? report(count, by) : requestTokens(view, count.by('node'), request, by)
    })
  }
}

const CHOICES: readonly string[] = ['region', 'depth', 'role', 'key', 'node'] satisfies TokensBy[]

const NAMES: readonly string[] = ['by', 'for', 'options', 'overhead'] satisfies (keyof TokensOptions)[]

function checkOptions(given: unknown): Readonly<{ by: TokensBy | undefined; request: CountedRequest | undefined }> {
  if (given === undefined) return { by: undefined, request: undefined }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('options', `Options are an object such as { by: 'role' }, not ${describe(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (!NAMES.includes(name))
      throw invalid(name, `There is no option ${describe(name)}; there are ${NAMES.join(', ')}.`)
  }
  const { by, ...rest } = given as TokensOptions
  if (by === undefined || CHOICES.includes(by)) return { by, request: checkCounted(rest) }
  throw invalid('by', `The option by is one of ${CHOICES.join(', ')}, not ${describe(by)}.`)
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}

function report(count: Count, by: TokensBy | undefined): TokenTotal | TokenTable {
  if (by === undefined) return Object.freeze({ total: count.total })
  const sums = count.by(by)
  // As own properties, whatever the keys of nodes are.
  return Object.freeze({ total: count.total, by: Object.freeze(Object.fromEntries(sums)) })
}

type Sums = Map<string, number>

/** One view, counted. */
class Count {
  readonly #view: View
  readonly #counts: TokenCounts

  constructor(view: View, counts: TokenCounts) {
    this.#view = view
    this.#counts = counts
  }

  get total(): number {
    return this.#view.tree.regions.reduce((sum, region) => sum + this.#whole(region), 0)
  }

  by(by: TokensBy): Sums {
    const sums: Sums = new Map()
    const { regions } = this.#view.tree
    for (const region of regions) {
      if (by === 'region') add(sums, region.record.nodeType, this.#whole(region))
      else if (by === 'depth') this.#addDepths(region, sums)
      else this.#addNodes(region, '', by, sums)
    }
    return sums
  }

  /** A node with everything under it; of a chunk that was counted before, that is one look. */
  #whole(node: TreeNode): number {
    return node instanceof Branch ? this.#counts.ofBranch(node, this.#view) : this.#counts.ofNode(node, this.#view)
  }

  #addDepths(region: Branch, sums: Sums): void {
    const { record, children } = region
    if (record.nodeType !== '^seq') return add(sums, record.nodeType === '^sys' ? '-1' : '0', this.#whole(region))
    const own = this.#counts.ofNode(region, this.#view)
    // The region itself has no depth, and usually nothing to say.
    if (own > 0) add(sums, '', own)
    let depth = children.size
    for (const segment of children) add(sums, String(depth--), this.#whole(segment))
  }

  #addNodes(node: TreeNode, outerKey: string, by: TokensBy, sums: Sums): void {
    const record = recordOf(node)
    const key = record.rare?.key ?? outerKey
    if (record.content !== undefined) {
      const name = by === 'node' ? record.id : by === 'role' ? (record.role ?? '') : key
      add(sums, name, this.#counts.ofNode(node, this.#view))
    }
    if (node instanceof Branch) this.#addChildren(node.children, key, by, sums)
  }

  #addChildren({ chunks, items }: Sequence, key: string, by: TokensBy, sums: Sums): void {
    for (const chunk of chunks ?? []) this.#addChildren(chunk, key, by, sums)
    for (const item of items ?? []) this.#addNodes(item, key, by, sums)
  }
}

function add(sums: Sums, name: string, tokens: number): void {
  sums.set(name, (sums.get(name) ?? 0) + tokens)
}
