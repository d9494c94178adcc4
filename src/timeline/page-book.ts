// The pages of chunks. A chunk never changes, so its page is written once: a snapshot costs the pages that are new since the last one through the
// same book, and a page that is read again gives the chunk that exists. Chunks are held weakly, so a book keeps no tree alive.

import type { PageLink } from '../core/index.js'
import type { Sequence } from './sequence.js'

export class PageBook {
  readonly #links = new WeakMap<Sequence, PageLink>()
  readonly #chunks = new Map<string, WeakRef<Sequence>>()
  readonly #fresh = new Map<string, Uint8Array>()
  /** The number of chunks from which on collected ones are swept. */
  #limit = SPARE

  /** The pages that are not written yet, by key; lower pages come before those that link to them. */
  get fresh(): ReadonlyMap<string, Uint8Array> {
    return this.#fresh
  }

  /** Marks fresh pages as written: these, or all. */
  taken(keys: Iterable<string> = [...this.#fresh.keys()]): void {
    for (const key of keys) this.#fresh.delete(key)
  }

  /** The link to the page of a chunk, if it is known. */
  linkOf(chunk: Sequence): PageLink | undefined {
    return this.#links.get(chunk)
  }

  /** The chunk of a page, if it is still in memory. */
  chunkOf(key: string): Sequence | undefined {
    return this.#chunks.get(key)?.deref()
  }

  /** Notes the page of a chunk, with its bytes if they are not written yet. */
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
