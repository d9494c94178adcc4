// Which chunks of trees have pages. A chunk never changes, so what was written of it once is written for good: a snapshot
// costs the pages that are new since the last one through the same book, and what is read through it again is the chunk
// that is there. Chunks are known weakly, so a book keeps no tree.

import type { PageLink } from '../core/index.js'
import type { Sequence } from './sequence.js'

export class PageBook {
  readonly #links = new WeakMap<Sequence, PageLink>()
  readonly #chunks = new Map<string, WeakRef<Sequence>>()
  readonly #fresh = new Map<string, Uint8Array>()
  /** How many chunks there may be before it is looked through for those that are gone. */
  #limit = SPARE

  /** The pages that were made and are not written yet, by key; deeper ones before those that name them. */
  get fresh(): ReadonlyMap<string, Uint8Array> {
    return this.#fresh
  }

  /** Says that fresh pages are written: these, or all. */
  taken(keys: Iterable<string> = [...this.#fresh.keys()]): void {
    for (const key of keys) this.#fresh.delete(key)
  }

  /** How many chunks it knows, or has known. */
  get size(): number {
    return this.#chunks.size
  }

  /** The page of a chunk, if it is known to have one. */
  linkOf(chunk: Sequence): PageLink | undefined {
    return this.#links.get(chunk)
  }

  /** The chunk of a page, if somebody has it. */
  chunkOf(key: string): Sequence | undefined {
    return this.#chunks.get(key)?.deref()
  }

  /** Notes the page of a chunk; with its bytes, unless they are written already. */
  add(chunk: Sequence, link: PageLink, bytes?: Uint8Array): PageLink {
    this.#links.set(chunk, link)
    this.#chunks.set(link.key, new WeakRef(chunk))
    if (bytes !== undefined) this.#fresh.set(link.key, bytes)
    if (this.#chunks.size > this.#limit) this.#sweep()
    return link
  }

  #sweep(): void {
    for (const [key, chunk] of this.#chunks) if (chunk.deref() === undefined) this.#chunks.delete(key)
    this.#limit = 2 * this.#chunks.size + SPARE
  }
}

const SPARE = 1024
