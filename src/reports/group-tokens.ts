// The tokens of a tree by role, kind or tool: all of them, and those in the prefix that it shares with an earlier tree. Sums are kept with
// chunks, so that a tree of the next cycle costs only its changed chunks.

import { hasTokens, type TokenCounts } from '../commit/index.js'
import { toolName, type NodeRecord } from '../core/index.js'
import { Branch, recordOf, type Sequence, type TreeNode, type View } from '../timeline/index.js'
import { nameOf, TokenSums } from './request-tokens.js'

export const GROUPINGS = ['role', 'kind', 'name'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** The tokens of one group, and those of them that the earlier tree has at the same place. */
export type TokenGroup = Readonly<{ name: string; tokens: number; repeated: number }>

/** The largest number of groups; the smaller ones are summed under this name. */
const MOST = 40
const OTHERS = '…'

/** `isOwn` if no node outside the chunk gives a name to one in it; only then the sums hold as long as the chunk. */
type ChunkSums = Readonly<{ sums: TokenSums; total: number; isOwn: boolean }>

/** Objects under which the counts keep the sums of each grouping. */
const KEYS: Readonly<Record<Grouping, object>> = { role: {}, kind: {}, name: {} }

/** The groups of a tree, the largest first; the first `same` tokens are shared with an earlier tree. */
export function tokenGroups(view: View, counts: TokenCounts, by: Grouping, same: number): readonly TokenGroup[] {
  const all = new GroupSums(view, counts, by, Infinity).sums
  const repeated = new GroupSums(view, counts, by, same).sums
  const groups = Array.from(all, ([name, tokens]) => ({ name, tokens, repeated: repeated.get(name) ?? 0 }))
  groups.sort((a, b) => b.tokens - a.tokens)
  const rest = groups.splice(MOST)
  const sumOf = (of: 'tokens' | 'repeated'): number => rest.reduce((sum, each) => sum + each[of], 0)
  return rest.length === 0
    ? groups
    : [...groups, { name: OTHERS, tokens: sumOf('tokens'), repeated: sumOf('repeated') }]
}

/** The sums of the first tokens of a tree, in the order of its thread. */
class GroupSums {
  readonly sums: TokenSums = new TokenSums()
  readonly #view: View
  readonly #counts: TokenCounts
  readonly #by: Grouping
  readonly #kept: WeakMap<Sequence, ChunkSums>
  #left: number

  constructor(view: View, counts: TokenCounts, by: Grouping, most: number) {
    this.#view = view
    this.#counts = counts
    this.#by = by
    this.#left = most
    this.#kept = counts.sums(KEYS[by], () => new WeakMap<Sequence, ChunkSums>())
    for (const region of view.tree.regions) if (this.#left > 0) this.#take(region)
  }

  #take(node: TreeNode): void {
    const record = recordOf(node)
    if (hasTokens(record)) {
      const tokens = this.#counts.ofNode(node, this.#view)
      // A node is shared whole or not at all.
      if (tokens > this.#left) return void (this.#left = 0)
      this.#left -= tokens
      this.sums.add(this.#nameOf(record), tokens)
    }
    if (node instanceof Branch) this.#takeChunk(node.children)
  }

  #takeChunk(chunk: Sequence): void {
    const known = this.#sumsOf(chunk)
    if (known.total <= this.#left) {
      this.#left -= known.total
      for (const [name, tokens] of known.sums) this.sums.add(name, tokens)
      return
    }
    for (const each of chunk.chunks ?? []) if (this.#left > 0) this.#takeChunk(each)
    for (const each of chunk.items ?? []) if (this.#left > 0) this.#take(each)
  }

  #sumsOf(chunk: Sequence): ChunkSums {
    const known = this.#kept.get(chunk)
    if (known !== undefined) return known
    const sums = new TokenSums()
    let isOwn = true
    const addAll = (part: ChunkSums): void => {
      isOwn &&= part.isOwn
      for (const [name, tokens] of part.sums) sums.add(name, tokens)
    }
    for (const each of chunk.chunks ?? []) addAll(this.#sumsOf(each))
    for (const each of chunk.items ?? []) {
      const record = recordOf(each)
      if (hasTokens(record)) {
        sums.add(this.#nameOf(record), this.#counts.ofNode(each, this.#view))
        isOwn &&= this.#by !== 'name' || record.kind !== 'result' || toolName(record) !== undefined
      }
      if (each instanceof Branch) addAll(this.#sumsOf(each.children))
    }
    const total = [...sums.values()].reduce((sum, tokens) => sum + tokens, 0)
    const found = { sums, total, isOwn }
    if (isOwn) this.#kept.set(chunk, found)
    return found
  }

  #nameOf(record: NodeRecord): string {
    return nameOf(this.#view, record, this.#by)
  }
}
