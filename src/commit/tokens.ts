// Token counts, made one way for pruning, receipts and `tokens`. Sums are kept with chunks, so that a commit counts only new nodes. A count
// belongs to a record and, by its hash, to a content: the same content is not counted again, also in another context or after reopening.

import { describe, PactError } from '../errors/index.js'
import {
  EMPTY_RECEIPT,
  keptKeys,
  withoutMedia,
  type CountTokens,
  type JsonObject,
  type NodeRecord,
} from '../core/index.js'
import { canonicalJson } from '../codec/index.js'
import {
  Branch,
  contentHashOfRecord,
  Draft,
  Fact,
  nodeView,
  recordOf,
  View,
  type Frame,
  type Sequence,
  type TreeNode,
} from '../timeline/index.js'

/** The tree of the nodes that a counter is asked about. */
type TokenView = Draft | Frame

/** The counts that one counter has given; forks with the same counter share them. */
export class TokenCounts {
  readonly counter: CountTokens
  // Made by the first count, and made again when the counter has another revision. Most contexts never count.
  #kept: Kept | undefined
  /** The tree of the count under way: a counter sees nodes as they are there. */
  #place: TokenView | undefined

  constructor(counter: CountTokens) {
    this.counter = counter
  }

  /** The tokens of a branch and everything under it. */
  ofBranch(branch: Branch, place: TokenView): number {
    return this.#at(place, () => this.#sumOf(branch))
  }

  /** The tokens of a node's own content and of the keys that are kept with it. */
  ofNode(node: TreeNode, place: TokenView): number {
    // The count is usually known, and the counter is not called.
    return this.#known.ofRecord.get(recordOf(node)) ?? this.#at(place, () => this.#own(node))
  }

  /** Sums of such counts, kept as long as the summed object lives and the counter has the same revision. One kind of sum for each object. */
  sums<T extends number | object>(summed: object, count: () => T): T {
    const { sums } = this.#known
    let known = sums.get(summed) as T | undefined
    if (known === undefined) sums.set(summed, (known = count()))
    return known
  }

  /** The same content in another record is not counted again. */
  inherit(from: NodeRecord, to: NodeRecord): void {
    const tokens = this.#kept?.ofRecord.get(from)
    if (tokens !== undefined) this.#kept!.ofRecord.set(to, tokens)
  }

  /** Keeps nothing that a content could be known by. */
  forget(): void {
    this.#kept = undefined
    countsOf.get(this.counter)?.clear()
  }

  #at<T>(place: TokenView, count: () => T): T {
    const outer = this.#place
    this.#place = place
    try {
      return count()
    } finally {
      this.#place = outer
    }
  }

  get #known(): Kept {
    const { revision } = this.counter
    if (this.#kept === undefined || !Object.is(this.#kept.revision, revision)) {
      const ofChunk = new Fact<Sequence, number>((sequence) => this.#add(sequence))
      this.#kept = { revision, ofChunk, ofRecord: new WeakMap(), sums: new WeakMap() }
    }
    return this.#kept
  }

  #sumOf(node: TreeNode): number {
    const own = this.#own(node)
    return node instanceof Branch ? own + this.#known.ofChunk.of(node.children) : own
  }

  #add({ chunks, items }: Sequence): number {
    let sum = 0
    for (const chunk of chunks ?? []) sum += this.#known.ofChunk.of(chunk)
    for (const item of items ?? []) sum += this.#sumOf(item)
    return sum
  }

  #own(node: TreeNode): number {
    const record = recordOf(node)
    if (!hasTokens(record)) return 0
    const { ofRecord } = this.#known
    let tokens = ofRecord.get(record)
    if (tokens === undefined) {
      tokens = this.#count(node)
      ofRecord.set(record, tokens)
    }
    return tokens
  }

  #count(node: TreeNode): number {
    const { counter } = this
    if (counter.isQuick === true) return askCounter(counter, node, this.#place!)
    const counts = contentCountsOf(counter)
    const hash = contentHashOfRecord(recordOf(node))
    let tokens = counts.get(hash)
    if (tokens === undefined) {
      tokens = askCounter(counter, node, this.#place!)
      counts.set(hash, tokens)
    }
    return tokens
  }
}

type Kept = Readonly<{
  revision: number | undefined
  ofChunk: Fact<Sequence, number>
  ofRecord: WeakMap<NodeRecord, number>
  sums: WeakMap<object, number | object>
}>

/** The number of contents whose counts are kept for a counter; about 2 MB. */
export const MOST_CONTENTS = 20_000

/** Counts by content hash, of the contents that were counted last. */
export class ContentCounts {
  readonly #counts = new Map<string, number>()
  readonly revision: number | undefined

  constructor(revision: number | undefined) {
    this.revision = revision
  }

  get size(): number {
    return this.#counts.size
  }

  get(hash: string): number | undefined {
    return this.#counts.get(hash)
  }

  set(hash: string, tokens: number): void {
    this.#counts.set(hash, tokens)
    if (this.#counts.size <= MOST_CONTENTS) return
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest)
      return
    }
  }

  clear(): void {
    this.#counts.clear()
  }
}

/** By counter, since a context that is opened again has the counter in common with the earlier one; the counts go when the counter goes. */
const countsOf = new WeakMap<CountTokens, ContentCounts>()

/** @internal Exported so that a test can look at the bound. */
export function contentCountsOf(counter: CountTokens): ContentCounts {
  let counts = countsOf.get(counter)
  if (counts === undefined || counts.revision !== counter.revision) {
    counts = new ContentCounts(counter.revision)
    countsOf.set(counter, counts)
  }
  return counts
}

/** The text of a content: itself, or its canonical JSON. */
export function contentText(content: NodeRecord['content']): string {
  return content === undefined ? '' : typeof content === 'string' ? content : canonicalJson(content)
}

/** True if there is something of a node itself to count. */
export function hasTokens(record: NodeRecord): boolean {
  return record.content !== undefined || keysOf(record).length > 0
}

function keysOf({ rare }: NodeRecord): readonly JsonObject[] {
  const attributes = rare?.attributes
  return attributes === undefined ? [] : keptKeys((name) => attributes.get(name))
}

/** The text of a content, then those of kept keys: strings as they are, in the order of their names. */
function countedText(record: NodeRecord): string {
  const { content } = record
  const texts = content === undefined ? [] : [contentText(withoutMedia(content))]
  for (const kept of keysOf(record)) {
    const keys = withoutMedia(kept) as JsonObject
    for (const key of Object.keys(keys).sort()) texts.push(contentText(keys[key]))
  }
  return texts.filter((text) => text !== '').join('\n')
}

/** A counter's answer; base64 is no text, and the counter finds it in the node. */
function askCounter(counter: CountTokens, node: TreeNode, place: TokenView): number {
  const record = recordOf(node)
  const frame = place instanceof Draft ? View.ofPreview(place, EMPTY_RECEIPT) : place
  let tokens: unknown
  try {
    tokens = counter(countedText(record), nodeView(frame, node))
  } catch (thrown) {
    // A tokenizer that is not installed says so itself.
    if (PactError.is(thrown) && thrown.code === 'E_BUDGET') throw thrown
    throw new PactError('E_BUDGET', `countTokens failed for ${record.id}.`, { id: record.id }, { cause: thrown })
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
