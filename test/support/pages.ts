// The pages of contexts as a store would have them: the bytes by key, and how often each was asked for.

import { PactError, type Context } from 'pact-context'
import { expect } from 'vitest'

import { encodeManifest, pageKey } from '../../src/codec/index.js'
import { Context as ContextClass } from '../../src/context/index.js'
import { manifestOf } from '../../src/context/persistence.js'
import { PageBook } from '../../src/timeline/index.js'
import { textOf } from './context.js'

export class Pages {
  readonly bytes = new Map<string, Uint8Array>()
  readonly asked: string[] = []

  readonly page = (key: string): Uint8Array => {
    this.asked.push(key)
    const bytes = this.bytes.get(key)
    if (bytes === undefined) throw new PactError('E_STORE', `There is no page ${key}.`, { page: key })
    return bytes
  }

  /** Takes up what a book has made. */
  take(book: PageBook): number {
    const { size } = book.fresh
    for (const [key, bytes] of book.fresh) {
      expect(pageKey(bytes)).toBe(key)
      this.bytes.set(key, bytes)
    }
    book.taken()
    return size
  }

  /** Writes a manifest of a context through a book; it is the one that a new book gives, and so are its pages. */
  write(ctx: Context, book: PageBook, cycle: number | undefined): Uint8Array {
    const parts = ContextClass.partsOf(ctx)
    const bytes = encodeManifest(manifestOf(parts, cycle, book))
    this.take(book)
    const scratch = new PageBook()
    expect(textOf(encodeManifest(manifestOf(parts, cycle, scratch)))).toBe(textOf(bytes))
    for (const [key, page] of scratch.fresh) expect(textOf(this.bytes.get(key)!)).toBe(textOf(page))
    return bytes
  }
}
