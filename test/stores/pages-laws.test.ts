// The law of pages: a context that is made again from a manifest, the pages that it names and the records of the commits
// since is the one that was never closed, in all that the law of records compares, whether the manifest was written with what
// an earlier one had left or all at once, and whether what is read shares its chunks with a living tree or not.

import fc from 'fast-check'
import type { Context } from 'pact-context'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { decodeCheckpoint, decodeManifest, encodeCheckpoint, encodeManifest } from '../../src/codec/index.js'
import { checkpointOf, historyOf, manifestOf, restoreFromManifest } from '../../src/context/persistence.js'
import { Context as ContextClass } from '../../src/context/index.js'
import {
  eachRecord,
  listedSnapshot,
  PageBook,
  pageLevels,
  timelineFrom,
  timelineFromPages,
  type Timeline,
} from '../../src/timeline/index.js'
import { textOf } from '../support/context.js'
import { editedPrograms, editedRuns, expectAllDone, playEdited } from '../support/edited.js'
import { Pages } from '../support/pages.js'
import { Law, type Way } from '../support/records-law.js'
import { expectSame } from '../support/same.js'

// A handful of segments is a tree of three levels here.
vi.mock('../../src/timeline/width.js', () => ({ LEAF_WIDTH: 2, INNER_WIDTH: 2 }))

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
    const told = { exact: 0, partly: 0, followed: 0, unwritten: 0, expanded: 0, skipped: 0 }
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
    const { expanded, skipped: _skipped, ...often } = told
    for (const [what, count] of Object.entries({ ...often, ...made })) expect(count, what).toBeGreaterThan(20)
    expect(expanded).toBeGreaterThan(0)
  })

  test('a timeline from pages finds what one finds that has all nodes, and in the same order', () => {
    const told = { referrers: 0, carriers: 0, standIns: 0, emptied: 0, born: 0 }
    fc.assert(
      fc.property(editedPrograms(dialect, 60), fc.constantFrom(undefined, at, named), (program, ids) => {
        const { contexts } = playEdited(program, {}, { ids })
        for (const ctx of contexts) if (ctx.snapshots().length > 0) compareTimelines(ctx, told)
      }),
      editedRuns(30),
    )
    for (const count of Object.values(told)) expect(count).toBeGreaterThan(5)
  })
})

const at = ({ cycle, index }: { cycle: number; index: number }): string => `${index}@${cycle}`
/** Each looks like one of cycle 7. */
const named = ({ cycle, index }: { cycle: number; index: number }): string => `n:7-${cycle}0${index}`

type Found = { referrers: number; carriers: number; standIns: number; emptied: number; born: number }

function compareTimelines(ctx: Context, told: Found): void {
  const parts = ContextClass.partsOf(ctx)
  const { snapshot } = decodeCheckpoint(encodeCheckpoint(checkpointOf(parts)))
  const { cycle, nodes, emptied } = snapshot!
  const [pages, book] = [new Pages(), new PageBook()]
  const manifest = decodeManifest(pages.write(ctx, book, cycle))
  const again = (): Timeline => timelineFromPages(manifest.snapshot!, pages.page, new PageBook(), undefined)
  const [listed, paged] = [timelineFrom(snapshot!, undefined), again()]
  const names = new Set(['nobody', 'block:1-99', '0@1', 'n:7-100'])
  for (const node of nodes) for (const name of [...node.names, ...node.refs, ...node.callIds]) names.add(name)
  for (const name of names) {
    expectSame(paged.versionAt(name, cycle), listed.versionAt(name, cycle), name)
    for (const ask of ['referrersOf', 'carriersOf', 'newestCarriersOf', 'standInsOf'] as const) {
      const hints = [...listed[ask](name)]
      expectSame([...paged[ask](name)], hints, `${ask}(${name})`)
      const borns = hints.map((id) => listed.find(id, cycle)!.born)
      if (new Set(borns).size > 1) told.born++
      if (hints.length > 0 && ask !== 'newestCarriersOf') told[NAMES[ask]]++
    }
  }
  // Each version is there once, wherever it is found.
  const tree = paged.treeAt(cycle)!
  for (const region of tree.regions) eachRecord(region, (record) => expect(paged.find(record.id, cycle)).toBe(record))
  const text = (timeline: Timeline): string => {
    const whole = { ...checkpointOf(parts), snapshot: { ...listedSnapshot(timeline, cycle), extras: undefined } }
    return textOf(encodeCheckpoint(whole))
  }
  expectSame(text(again()), text(listed))
  if (emptied.length > 0) told.emptied++
}

const NAMES = { referrersOf: 'referrers', carriersOf: 'carriers', standInsOf: 'standIns' } as const
