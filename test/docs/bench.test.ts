// The bench itself: how a row is judged, and that all contenders of the rows on real turns are asked the same about the
// same nodes. Nothing is timed here.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import * as engine from '../../src/index.js'
import type { Context } from '../../src/index.js'
import type { Store, StoredContext } from '../../src/store/index.js'

interface Figure {
  readonly mean: number
  readonly p99?: number
  readonly samples: number
  readonly counted?: boolean
}

interface Line {
  readonly ratio: number | undefined
  readonly met: boolean | undefined
  readonly note: string | undefined
}

interface Harness {
  line(row: object): Line
  summarize(values: readonly (number | { mean: number; times: number[] })[]): Figure
  single(value: number): Figure
  timesBetter(factor: number): object
  timesAtMost(factor: number): object
  trimmedDifference(pairs: readonly (readonly [number, number])[]): number
}

interface Turns {
  readonly recorded: readonly (readonly { role: string; kind: string; content: string }[])[]
}

interface Plain {
  readonly all: readonly { id: string; data_topic?: string }[]
}

interface RealTurns {
  openTurns(): Turns
  buildReal(from: typeof engine, turns: Turns, count: number): Context
  openRealPlain(turns: Turns, count: number): Plain
  checkSame(ctx: Context, plain: Plain): void
  rareWords(recorded: Turns['recorded'], count: number): string[]
  valueOf(name: string, number: number): string
}

interface Question {
  readonly name: string
  readonly from?: number
  readonly counts?: boolean
  ours(n: number): string
  loop?(all: Plain['all'], n: number): string[] | number
  plain?(all: Plain['all'], n: number): string[] | number
}

interface Questions {
  readonly STRIDE: number
  readonly KNOWN_QUESTIONS: readonly Question[]
  coldQuestions(words: readonly string[]): readonly Question[]
}

// The bench is plain JavaScript outside the project that the compiler checks.
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../bench/${name}`, import.meta.url).href)) as T
const harness = await load<Harness>('harness.mjs')
const realTurns = await load<RealTurns>('real-turns.mjs')
const { coldQuestions, KNOWN_QUESTIONS, STRIDE } = await load<Questions>('real-questions.mjs')

interface Row {
  readonly hash: Uint8Array
  readonly changes: Uint8Array
  readonly bodies: Uint8Array
}

interface Stores {
  loadStore(): Promise<object | undefined>
  inFolder<T>(work: (folder: string) => Promise<T>): Promise<T>
  openRecording(from: object, file: string, options: object, count: number): { store: Store; seen: Row[] }
  openBare(from: object, file: string, synchronous: string): { add(row: Row): unknown; close(): void }
  commitStored(ctx: StoredContext, texts: readonly string[]): Promise<unknown>
  bytesOnDisk(file: string): number
}

interface Place {
  openStore(name: string): Promise<Store>
  bytesOf(name: string): Promise<{ bytes: number; standing?: number }>
  writeRaw(bodies: Iterable<string>): Promise<{ read(): Promise<readonly unknown[]>; close(): Promise<void> }>
}

const figure = (mean: number, samples = 5): Figure => ({ mean, samples })

describe('a line of the table', () => {
  const { line, timesBetter, timesAtMost, single } = harness

  test('gives no ratio and judges nothing from fewer than five samples', () => {
    const goal = timesBetter(2)
    expect(line({ theirs: figure(100, 4), ours: figure(1), goal })).toMatchObject({
      ratio: undefined,
      met: undefined,
      note: 'too few samples',
    })
    expect(line({ theirs: figure(100), ours: figure(1, 4), goal }).ratio).toBeUndefined()
    expect(line({ theirs: figure(100), ours: figure(1), goal })).toMatchObject({ ratio: 100, met: true })
  })

  test('takes a counted figure as it is', () => {
    expect(line({ theirs: single(8), ours: single(4) }).ratio).toBe(2)
  })

  test('turns the ratio round where the goal is "at most"', () => {
    expect(line({ theirs: figure(10), ours: figure(30), goal: timesAtMost(4) })).toMatchObject({ ratio: 3, met: true })
    expect(line({ theirs: figure(10), ours: figure(50), goal: timesAtMost(4) })).toMatchObject({ ratio: 5, met: false })
  })

  test('has no verdict where one side is missing', () => {
    expect(line({ peer: 'nobody', ours: figure(1), goal: timesBetter(2) })).toMatchObject({
      ratio: undefined,
      met: undefined,
      note: 'does not run here',
    })
  })
})

describe('figures', () => {
  test('are the median of the means of batches, with the p99 of single calls', () => {
    const batch = (mean: number, worst: number) => ({ mean, times: [...Array.from({ length: 99 }, () => 1), worst] })
    const summary = harness.summarize([batch(3, 1), batch(90, 1), batch(4, 50)])
    expect(summary).toMatchObject({ mean: 4, samples: 3 })
    expect(harness.summarize([batch(1, 1_000)]).p99).toBeGreaterThan(1)
  })

  test('leave the outliers of paired times out', () => {
    const pairs = Array.from({ length: 40 }, (_, i): [number, number] => [i === 7 ? 9_000 : 15, i === 9 ? 9_000 : 10])
    expect(harness.trimmedDifference(pairs)).toBe(5)
  })
})

describe('the rows about stores', () => {
  test('find what they need in the build, feed both sides the same bytes, and leave nothing behind', async () => {
    const stores = await load<Stores>('stores.mjs')
    const from = await stores.loadStore()
    expect(from).toBeDefined()
    const folder = await stores.inFolder(async (place) => {
      const files = [path.join(place, 'store.db'), path.join(place, 'bare.db')] as const
      const { store, seen } = stores.openRecording(from!, files[0], { durability: 'relaxed' }, 2)
      await stores.commitStored(await store.open('bench'), ['a', 'b', 'c', 'd'])
      const bare = stores.openBare(from!, files[1], 'NORMAL')
      bare.add(seen[1]!)
      await store.close()
      bare.close()
      expect(seen[1]!.bodies.length).toBeGreaterThan(4 * 16)
      for (const file of files) expect(stores.bytesOnDisk(file)).toBeGreaterThan(0)
      return place
    })
    expect(fs.existsSync(folder)).toBe(false)
  })

  test('do the same in every database', async () => {
    const { PLACES } = await load<{
      PLACES: Readonly<
        Record<string, (work: (place: Place) => Promise<readonly number[]>) => Promise<readonly number[]>>
      >
    }>('places.mjs')
    for (const [name, inPlace] of Object.entries(PLACES)) {
      const found = await inPlace(async (place) => {
        const store = await place.openStore('one')
        const ctx = await store.open('bench')
        ctx.user('a')
        await ctx.commit()
        await store.close()
        const again = await place.openStore('one')
        const cycle = (await again.open('bench')).cycle
        await again.close()
        const raw = await place.writeRaw(['{"a":1}', '{"a":2}'])
        expect(await raw.read(), name).toEqual([{ a: 1 }, { a: 2 }])
        await raw.close()
        const { bytes, standing = bytes } = await place.bytesOf('one')
        expect(bytes, name).toBeGreaterThan(0)
        expect(standing, name).toBeGreaterThanOrEqual(bytes)
        return [cycle]
      })
      // Nothing where the database is not there, as the row says then.
      expect([[2], []], name).toContainEqual(found)
    }
  })
})

describe('the history of real turns', () => {
  test('is the same on both sides, and all questions find the same', () => {
    const turns = realTurns.openTurns()
    const count = 250
    const ctx = realTurns.buildReal(engine, turns, count)
    const plain = realTurns.openRealPlain(turns, count)
    expect(() => realTurns.checkSame(ctx, plain)).not.toThrow()
    const cold = coldQuestions(realTurns.rareWords(turns.recorded, STRIDE))
    for (const question of [...cold, ...KNOWN_QUESTIONS]) {
      for (let n = question.from ?? 0; n < (question.from ?? 0) + 10; n++) compareAnswers(question, n, ctx, plain)
    }
  })

  test('has turns of 100 and more messages, and several shapes', () => {
    const { recorded } = realTurns.openTurns()
    expect(recorded.some((turn) => turn.length >= 100)).toBe(true)
    expect(
      new Set(recorded.map((turn) => turn.map(({ role, kind }) => `${role} ${kind}`).join())).size,
    ).toBeGreaterThan(5)
  })

  test('has each value of a vocabulary on about as many nodes as the next', () => {
    const turns = realTurns.openTurns()
    const { all } = realTurns.openRealPlain(turns, 6_000)
    const counts = new Map<string, number>()
    for (const { data_topic: topic } of all) if (topic !== undefined) counts.set(topic, (counts.get(topic) ?? 0) + 1)
    const sorted = [...counts.values()].toSorted((a, b) => a - b)
    expect(counts.size).toBe(5_000)
    expect(sorted.at(-1)! - sorted[0]!).toBeLessThanOrEqual(1)
  })

  test('is asked for another meaning with each number', () => {
    const words = realTurns.rareWords(realTurns.openTurns().recorded, STRIDE)
    for (const { from = 0, ours } of coldQuestions(words)) {
      const texts = Array.from({ length: STRIDE }, (_, i) => ours(from + i))
      expect(new Set(texts).size).toBe(STRIDE)
    }
  })
})

/** As sets: keys have an order of their own. */
function compareAnswers(question: Question, n: number, ctx: Context, plain: Plain): void {
  const byHand = question.loop ?? question.plain
  const expected = byHand!(plain.all, n)
  const text = question.ours(n)
  if (question.counts) expect(ctx.count(text), text).toBe(expected)
  else expect([...(ctx.select(text) as string[])].sort(), text).toEqual([...(expected as string[])].sort())
}
