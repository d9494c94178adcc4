// Token sums by chunk of the tree: a chunk that two snapshots share is counted once, so a commit counts what is new.

import { describe, PactError } from '../errors/index.js'
import { EMPTY_RECEIPT, type NodeRecord } from '../core/index.js'
import { canonicalJson } from '../codec/index.js'
import { Branch, nodeView, recordOf, View, type Draft, type Sequence, type TreeNode } from '../timeline/index.js'
import type { CountTokens } from './policy.js'

/** The counts that one counter has given; forks with the same counter share them. */
export class TokenCounts {
  readonly counter: CountTokens
  // Made by the first count: most contexts never count.
  #recordCounts: WeakMap<NodeRecord, number> | undefined
  #chunkCounts: WeakMap<Sequence, number> | undefined

  constructor(counter: CountTokens = roughTokens) {
    this.counter = counter
  }

  get #ofRecord(): WeakMap<NodeRecord, number> {
    return (this.#recordCounts ??= new WeakMap())
  }

  get #ofChunk(): WeakMap<Sequence, number> {
    return (this.#chunkCounts ??= new WeakMap())
  }

  /** The tokens of a branch and everything under it. */
  ofBranch(branch: Branch, draft: Draft): number {
    return this.#count(branch, draft) + this.#ofSequence(branch.children, draft)
  }

  /** The same content in another record is not counted again. */
  inherit(from: NodeRecord, to: NodeRecord): void {
    const tokens = this.#recordCounts?.get(from)
    if (tokens !== undefined) this.#ofRecord.set(to, tokens)
  }

  #ofSequence(sequence: Sequence, draft: Draft): number {
    const known = this.#ofChunk.get(sequence)
    if (known !== undefined) return known
    let sum = 0
    for (const chunk of sequence.chunks ?? []) sum += this.#ofSequence(chunk, draft)
    for (const item of sequence.items ?? []) {
      sum += item instanceof Branch ? this.ofBranch(item, draft) : this.#count(item, draft)
    }
    this.#ofChunk.set(sequence, sum)
    return sum
  }

  #count(node: TreeNode, draft: Draft): number {
    const record = recordOf(node)
    if (record.content === undefined) return 0
    let tokens = this.#ofRecord.get(record)
    if (tokens === undefined) {
      tokens = askCounter(this.counter, node, draft)
      this.#ofRecord.set(record, tokens)
    }
    return tokens
  }
}

/** The text that stands for a content: itself, or its canonical JSON. */
export function textOf(content: NodeRecord['content']): string {
  return content === undefined ? '' : typeof content === 'string' ? content : canonicalJson(content)
}

function askCounter(counter: CountTokens, node: TreeNode, draft: Draft): number {
  const record = recordOf(node)
  let tokens: unknown
  try {
    tokens = counter(textOf(record.content), nodeView(View.ofPreview(draft, EMPTY_RECEIPT), node))
  } catch (cause) {
    throw new PactError('E_BUDGET', `countTokens failed for ${record.id}.`, { id: record.id }, { cause })
  }
  if (typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0) return tokens
  throw new PactError(
    'E_BUDGET',
    `countTokens gave ${describe(tokens)} for ${record.id}; it must give a number from 0 up.`,
    {
      id: record.id,
    },
  )
}

/** Where no counter is given: four bytes a token, about right for English and not far off for CJK. */
function roughTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4)
}

/** The UTF-8 length of a text, without encoding it; a lone surrogate takes the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    length += unit < 0x800 ? 1 : 2
    if (unit >= 0xd800 && unit <= 0xdbff && text.charCodeAt(i + 1) >= 0xdc00 && text.charCodeAt(i + 1) <= 0xdfff) i++
  }
  return length
}
