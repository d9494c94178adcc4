// Token counts of a tree, of single nodes and of renderings. The counts are those that pruning uses. Sums of regions, segments and rendered
// chunks are kept with their chunks, so a commit counts only new nodes.

import { callOption } from '../errors/index.js'
import { NodeRecord, type JsonValue } from '../core/index.js'
import { copyJson } from '../codec/index.js'
import { hasTokens, type TokenCounts } from '../commit/index.js'
import type { CallPrompt, RenderedBytes, RendersRequests } from '../thread/index.js'
import { withoutMarks } from './source.js'
import { Branch, eachRecord, type TreeNode, type View } from '../timeline/index.js'
import { overheadFor, type Overhead } from '../tokens/index.js'
import { addedTo, checkTokensOptions, nameOf, requestTokens, sentWith, TokenSums } from './request-tokens.js'

/** The properties by which tokens can be grouped. */
export type TokensBy = 'region' | 'depth' | 'role' | 'kind' | 'name' | 'key' | 'node'

export type TokensOptions<By extends TokensBy | undefined = TokensBy | undefined> = Readonly<{
  /**
   * Groups the tokens: by region (`^sys`, `^seq`, `^ah`), by depth (`-1` for the system), by role, by kind, by the name of the tool of a
   * call or a result, by the key of a node or of the nearest node around it, or by id. Nodes without one are under `''`.
   */
  by?: By
  /** Counts these nodes alone, by their ids, as `select` gives them. */
  only?: readonly string[] | undefined
  /** Counts the request that a function such as `toAnthropic` makes: its nodes, and the additions of its provider. */
  for?: RendersRequests | undefined
  /** The options of that function. */
  options?: object | undefined
  /** The tools of the call, as JSON, which are sent before the prompt. */
  tools?: JsonValue | undefined
  /** The system text in the params of the call, for a tree without one. */
  system?: JsonValue | undefined
  /** The tokens that the provider adds, instead of its row in the table. */
  overhead?: Overhead | undefined
}>

/** The tokens of a tree, or of a request; `overhead` is the part of a request that belongs to no node. */
export type TokenTotal = Readonly<{ total: number; overhead?: number }>

/** A total with its groups: the numbers of `by` add up to the total. The overhead of a request is under `''`. */
export type TokenTable = TokenTotal & Readonly<{ by: Readonly<Record<string, number>> }>

/** The byte range of a node in a rendering, and the tokens of the node. */
export type SourceEntry = Readonly<{ node: string; start: number; end: number; tokens: number }>

/** The tokens of the nodes that end before a byte of a rendering, and of all nodes in it. */
export type RenderedTokens = Readonly<{ tokens: number; total: number }>

/** Runs a function while the context refuses writes: the caller's token counter must not write. */
export interface ReadGuard {
  reading<T>(ask: () => T): T
}

/** The token counts of one context, for any of its trees. Holds on to no context. */
export class TreeTokens {
  readonly counts: TokenCounts
  readonly #guard: ReadGuard

  constructor(counts: TokenCounts, guard: ReadGuard) {
    this.counts = counts
    this.#guard = guard
  }

  /** Runs a function that counts. */
  reading<T>(ask: () => T): T {
    return this.#guard.reading(ask)
  }

  /** The tokens of a tree, or of a request made from it; grouped if the options have `by`. */
  of(view: View, options?: TokensOptions): TokenTotal | TokenTable {
    const { by, only, request } = checkTokensOptions(options)
    return this.reading(() => {
      if (request !== undefined) {
        const inParams = this.#ofPrompt(request.prompt, request.overhead.tools, view)
        const { name } = request.renderer
        const chunks = callOption('for', () =>
          request.renderer.bytesOf(view, withoutMarks(request.options), request.prompt),
        )
        const overhead = addedTo(chunks, request.overhead) + inParams
        if (by === undefined) {
          return Object.freeze({ total: this.rendered(view, chunks, 0, name).total + overhead, overhead })
        }
        const sent = new Map(chunks.flatMap((chunk) => [...this.#sent(Infinity, chunk, view, name).values()]))
        return requestTokens(view, sent, overhead, by)
      }
      if (only !== undefined) return this.#ofThose(only, by, view)
      const { regions } = view.tree
      const total = regions.reduce((sum, region) => sum + this.counts.ofBranch(region, view), 0)
      // fromEntries makes own properties, whatever the keys of nodes are.
      if (by === undefined) return Object.freeze({ total })
      return Object.freeze({ total, by: Object.freeze(Object.fromEntries(this.#by(by, view))) })
    })
  }

  #ofThose(ids: ReadonlySet<string>, by: TokensBy | undefined, view: View): TokenTotal | TokenTable {
    const sums = new TokenSums()
    let total = 0
    for (const id of ids) {
      const record = view.find(id)
      if (record === undefined || !hasTokens(record)) continue
      const own = this.counts.ofNode(record, view)
      total += own
      if (by !== undefined) sums.add(nameOf(view, record, by), own)
    }
    return Object.freeze(by === undefined ? { total } : { total, by: Object.freeze(Object.fromEntries(sums)) })
  }

  /** The tokens of a request that was rendered: of its nodes, of the params that the model reads, and of what the provider adds. */
  ofRequest(view: View, chunks: RenderedBytes, name: string, prompt: CallPrompt | undefined): number {
    const overhead = overheadFor(name, undefined)
    return this.reading(() => {
      return (
        this.rendered(view, chunks, 0, name).total +
        addedTo(chunks, overhead) +
        this.#ofPrompt(prompt, overhead.tools, view)
      )
    })
  }

  /** The tokens of the params that the model reads, without what the provider adds. */
  ofParams(view: View, prompt: CallPrompt | undefined): number {
    return this.reading(() => this.#ofPrompt(prompt, 0, view))
  }

  /** The counter gets the tools and the system text as contents of nodes; `added` is what the provider adds to tools. */
  #ofPrompt(prompt: CallPrompt | undefined, added: number, view: View): number {
    const { tools, system } = prompt ?? {}
    const count = (kind: string, given: JsonValue): number => {
      const node = new NodeRecord({ ...view.tree.root, nodeClass: 'block', kind, content: copyJson(given) })
      return this.counts.ofNode(node, view)
    }
    const hasTools = tools !== undefined && !(Array.isArray(tools) && tools.length === 0)
    return (hasTools ? count('tools', tools) + added : 0) + (system === undefined ? 0 : count('system', system))
  }

  /** Gives the tokens of a node by its id; all nodes are counted at the first question, since most renderings are never asked. */
  byNode(view: View): (node: string) => number {
    let byNode: ReadonlyMap<string, number> | undefined
    return (node) => (byNode ??= this.reading(() => this.#by('node', view))).get(node) ?? 0
  }

  /** The tokens of a rendering, in all and up to a byte. `format` is the name of its renderer; the thread has none. */
  rendered(view: View, chunks: RenderedBytes, byte: number, format: string | undefined): RenderedTokens {
    return this.reading(() => {
      let [tokens, total, at] = [0, 0, 0]
      for (const chunk of chunks) {
        const all = this.counts.sums(chunk, () => this.#before(Infinity, chunk, view, format))
        const end = at + chunk.byteLength
        total += all
        tokens += end <= byte ? all : at >= byte ? 0 : this.#before(byte - at, chunk, view, format)
        at = end
      }
      return { tokens, total }
    })
  }

  #before(byte: number, chunk: RenderedBytes[number], view: View, format: string | undefined): number {
    let sum = 0
    for (const [, tokens] of this.#sent(byte, chunk, view, format).values()) sum += tokens
    return sum
  }

  /** The nodes that a chunk sends up to a byte, each once and by its id, with their tokens. */
  #sent(
    byte: number,
    { ranges }: RenderedBytes[number],
    view: View,
    format: string | undefined,
  ): ReadonlyMap<string, readonly [NodeRecord, number]> {
    const sent = new Map<string, readonly [NodeRecord, number]>()
    for (const { node, end } of ranges) {
      if (sent.has(node) || end > byte) continue
      for (const record of sentWith(view, node, format)) {
        if (hasTokens(record)) sent.set(record.id, [record, this.counts.ofNode(record, view)])
      }
    }
    return sent
  }

  #by(by: TokensBy, view: View): ReadonlyMap<string, number> {
    const sums = new TokenSums()
    for (const region of view.tree.regions) {
      if (by === 'region') sums.add(region.record.nodeType, this.counts.ofBranch(region, view))
      else if (by === 'depth') this.#addDepths(region, view, sums)
      else {
        eachRecord(region, (record) => {
          if (hasTokens(record)) sums.add(nameOf(view, record, by), this.counts.ofNode(record, view))
        })
      }
    }
    return sums
  }

  #addDepths(region: Branch, view: View, sums: TokenSums): void {
    const { record, children } = region
    if (record.nodeType !== '^seq') {
      return sums.add(record.nodeType === '^sys' ? '-1' : '0', this.counts.ofBranch(region, view))
    }
    const own = this.counts.ofNode(region, view)
    // The region itself has no depth and usually no content.
    if (own > 0) sums.add('', own)
    let depth = children.size
    for (const segment of children) sums.add(String(depth--), this.whole(segment, view))
  }

  /** The tokens of a node and of everything under it. */
  whole(node: TreeNode, view: View): number {
    return node instanceof Branch ? this.counts.ofBranch(node, view) : this.counts.ofNode(node, view)
  }
}
