// The law of pages: a context that is made again from a manifest, the pages that it names and the records of the commits
// since is the one that was never closed, in all that the law of records compares, whether the manifest was written with what
// an earlier one had left or all at once, and whether what is read shares its chunks with a living tree or not.

import fc from 'fast-check'
import type { Context } from 'pact-context'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { decodeManifest, encodeManifest } from '../src/codec/index.js'
import { Context as ContextClass, historyOf, manifestOf, restoreFromManifest } from '../src/context/index.js'
import { PageBook, pageLevels } from '../src/timeline/index.js'
import { textOf } from './support/context.js'
import { editedPrograms, editedRuns, expectAllDone } from './support/edited.js'
import { Pages } from './support/pages.js'
import { Law, type Way } from './support/records-law.js'

// A handful of segments is a tree of three levels here.
vi.mock('../src/timeline/width.js', () => ({ LEAF_WIDTH: 2, INNER_WIDTH: 2 }))

afterEach(() => {
  vi.restoreAllMocks()
})

/** Every third context that is made again has a book of its own, and the others share one with all that live. */
function inPages(told: { shared: number; apart: number }): Way<Uint8Array> {
  const pages = new Pages()
  const common = new PageBook()
  const books = new WeakMap<Context, PageBook>()
  let made = 0
  return {
    keep: (ctx) => {
      const { newest } = ContextClass.partsOf(ctx).timeline
      return pages.write(ctx, books.get(ctx) ?? common, newest)
    },
    keepOldest: (ctx) => {
      const parts = ContextClass.partsOf(ctx)
      const manifest = manifestOf(parts, parts.timeline.oldest, common)
      pages.take(common)
      return encodeManifest({ ...manifest, warnings: historyOf(parts).checkpoint.warnings })
    },
    restore: (bytes, records, options) => {
      const manifest = decodeManifest(bytes)
      expect(textOf(encodeManifest(manifest))).toBe(textOf(bytes))
      for (const { keys } of manifest.snapshot ? pageLevels(manifest.snapshot, pages.page) : []) {
        for (const key of keys) expect(pages.bytes.has(key)).toBe(true)
      }
      const book = made++ % 3 === 0 ? new PageBook() : common
      told[book === common ? 'shared' : 'apart']++
      const ctx = restoreFromManifest(manifest, pages.page, book, records, options) as Context
      books.set(ctx, book)
      return ctx
    },
  }
}

describe.each(['1.0', '0.1'] as const)('pages, in %s', (dialect) => {
  test('a manifest, its pages and the records after it make the same context again', () => {
    const runs: Readonly<Record<string, number>>[] = []
    const told = { exact: 0, partly: 0, followed: 0, unwritten: 0 }
    const made = { shared: 0, apart: 0 }
    const history = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })
    const picks = fc.array(fc.nat(99), { minLength: 5, maxLength: 10 })
    fc.assert(
      fc.property(editedPrograms(dialect, 40), history, picks, (program, limit, chosen) => {
        runs.push(new Law(inPages(made), program, limit, chosen, told).run())
      }),
      editedRuns(16),
    )
    expectAllDone(runs)
    if (runs.length < 16) return
    for (const count of Object.values({ ...told, ...made })) expect(count).toBeGreaterThan(20)
  }, 600_000)
})
