// The sequence diff against the definition: changes that lead from the older to the newer, and no shorter ones exist.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { clusterChanges, diffSequences, MAX_EDITS, MAX_ELEMENTS, Search, type Change } from './text-diff.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Few letters, so that there is more than one way to match them. */
const letters = fc.integer({ min: 1, max: 6 }).chain((size) => fc.array(fc.nat(size - 1), { maxLength: 30 }))

/** A sequence and what a few edits make of it, as versions of one text are. */
const versions = fc
  .tuple(letters, fc.array(fc.tuple(fc.nat(30), fc.nat(3), fc.array(fc.nat(5), { maxLength: 3 })), { maxLength: 5 }))
  .map(([older, edits]) => {
    const newer = [...older]
    for (const [at, count, inserted] of edits) newer.splice(at, count, ...inserted)
    return [older, newer] as const
  })

/** One side much longer than the other, so that a path comes to an edge long before it comes to the end. */
const lopsided = fc
  .tuple(fc.array(fc.nat(4), { minLength: 30, maxLength: 80 }), fc.array(fc.nat(4), { maxLength: 4 }), fc.boolean())
  .map(([long, short, turned]) => (turned ? ([short, long] as const) : ([long, short] as const)))

const pairs = fc.oneof(fc.tuple(letters, letters), versions, lopsided)

describe('diffSequences', () => {
  const rows: [older: string, newer: string, changes: string][] = [
    ['', '', ''],
    ['abc', 'abc', ''],
    ['', 'abc', '0-0>0-3'],
    ['abc', '', '0-3>0-0'],
    ['abc', 'xyz', '0-3>0-3'],
    ['abc', 'abxc', '2-2>2-3'],
    ['abxc', 'abc', '2-3>2-2'],
    ['aXbYc', 'aPbQc', '1-2>1-2 3-4>3-4'],
    ['abcabba', 'cbabac', '0-1>0-1 2-3>2-2 5-6>4-4 7-7>5-6'],
    ['aaa', 'aaaa', '3-3>3-4'],
  ]

  test.each(rows)('turns %j into %j by %j', (older, newer, expected) => {
    expect(
      diffSequences([...older], [...newer], new Search())
        .map(formatChange)
        .join(' '),
    ).toBe(expected)
  })

  it('gives changes that turn the older sequence into the newer, in the fewest edits (D39)', () => {
    fc.assert(
      fc.property(pairs, ([older, newer]) => {
        const search = new Search()
        const changes = diffSequences(older, newer, search)
        checkChanges(changes, older, newer)
        expect(countEdits(changes)).toBe(fewestEdits(older, newer))
        expect(search.truncated).toBe(false)
      }),
      { ...SEED, numRuns: 2000 },
    )
  })

  it('stays correct at every limit of edits, and says when the limit was passed (D39)', () => {
    fc.assert(
      fc.property(pairs, fc.nat(12), ([older, newer], maxEdits) => {
        const search = new Search(maxEdits)
        const changes = diffSequences(older, newer, search)
        checkChanges(changes, older, newer)
        const [a, b] = searchedPart(older, newer)
        expect(search.truncated).toBe(a.length > 0 && b.length > 0 && fewestEdits(a, b) > maxEdits)
        if (!search.truncated) expect(countEdits(changes)).toBe(fewestEdits(older, newer))
      }),
      { ...SEED, numRuns: 2000 },
    )
  })

  it('stays correct at every limit of steps, and keeps to it but for one run of equal elements', () => {
    fc.assert(
      fc.property(pairs, fc.nat(60), fc.nat(12), ([older, newer], maxSteps, maxEdits) => {
        const search = new Search(maxEdits, maxSteps)
        checkChanges(diffSequences(older, newer, search), older, newer)
        expect(search.steps).toBeLessThanOrEqual(maxSteps + 1 + Math.min(older.length, newer.length))
      }),
      { ...SEED, numRuns: 2000 },
    )
  })

  it('solves what both ends have in reach and gives only the middle as one change when edits run out', () => {
    // Two small edits near the ends, and a middle in reversed order that would take hundreds.
    const middle = Array.from({ length: 300 }, (_, i) => `m${i}`)
    const ends = Array.from({ length: 50 }, (_, i) => `e${i}`)
    const older = ['a', 'b', ...ends, ...middle, ...ends, 'c', 'd']
    const newer = ['b', 'a', ...ends, ...middle.toReversed(), ...ends, 'd', 'c']
    const search = new Search(20)
    const changes = diffSequences(older, newer, search)
    checkChanges(changes, older, newer)
    expect(search.truncated).toBe(true)
    expect(changes.length).toBeGreaterThan(2)
    expect(countEdits(changes)).toBeLessThanOrEqual(2 * middle.length + 4)
  })

  it('counts a run of equal elements step by step, since comparing is what takes time', () => {
    const older = Array.from({ length: 20_000 }, (_, i) => (i % 997 === 3 ? 'y' : 'x'))
    const newer = Array.from({ length: 20_000 }, (_, i) => (i % 1000 === 500 ? 'y' : 'x'))
    const free = new Search()
    const changes = diffSequences(older, newer, free)
    expect(free).toMatchObject({ truncated: false })
    expect(free.steps).toBeGreaterThan(older.length)
    const bound = new Search(MAX_EDITS, 10_000)
    checkChanges(diffSequences(older, newer, bound), older, newer)
    expect(countEdits(changes)).toBeLessThan(100)
    expect(bound.truncated).toBe(true)
  })

  it('ends when the steps are used up, even with no limit of edits', () => {
    const [older, newer] = [noise(2000, 3, 7), noise(2000, 3, 8)]
    const search = new Search(Number.POSITIVE_INFINITY, 5000)
    checkChanges(diffSequences(older, newer, search), older, newer)
    expect(search.truncated).toBe(true)
  })

  it('asks for no search where the sides share nothing', () => {
    const older = Array.from({ length: 20_000 }, (_, i) => `older ${i}`)
    const newer = Array.from({ length: 20_000 }, (_, i) => `newer ${i}`)
    const search = new Search()
    expect(diffSequences(older, newer, search)).toHaveLength(1)
    expect(search).toMatchObject({ steps: 0, truncated: false })
  })

  // Rounds from both sides, once more for the boxes they leave, and the runs on their diagonals.
  const SOME = MAX_EDITS ** 2
  const hard: [name: string, older: readonly number[], newer: readonly number[], steps: number][] = [
    ['reversed', count(20_000), count(20_000).toReversed(), SOME],
    ['shuffled', count(20_000), count(20_000).map((i) => (i * 7919) % 20_000), SOME],
    ['of two letters in no order', noise(20_000, 2, 1), noise(20_000, 2, 2), SOME],
    ['of few letters in no order', noise(20_000, 40, 3), noise(20_000, 40, 4), SOME],
    // Diagonals outside the narrow box cost nothing.
    ['long against short', noise(40_000, 50, 5), noise(40, 50, 6), 500_000],
    ['short against long', noise(40, 50, 5), noise(40_000, 50, 6), 500_000],
  ]

  test.each(hard)('takes a bounded number of steps for sequences %s', (_, older, newer, steps) => {
    const search = new Search()
    checkChanges(diffSequences(older, newer, search), older, newer)
    expect(search.steps).toBeLessThan(steps)
  })

  it('shares one allowance of steps among all sequences of a search', () => {
    const search = new Search(MAX_EDITS, 1_000_000)
    for (let i = 0; i < 50; i++) {
      const [older, newer] = [noise(2000, 2, 2 * i), noise(2000, 2, 2 * i + 1)]
      checkChanges(diffSequences(older, newer, search), older, newer)
    }
    expect(search.truncated).toBe(true)
    expect(search.steps).toBeLessThan(1_000_000 + 2002)
  })

  it('searches nothing beyond a million elements, common ends not counted', () => {
    const end = Array.from({ length: MAX_ELEMENTS / 2 }, () => 'same')
    const small = new Search()
    expect(diffSequences([...end, 'a', 'x', 'b', ...end], [...end, 'b', 'x', 'a', ...end], small)).toHaveLength(2)
    expect(small.truncated).toBe(false)
    const large = new Search()
    expect(diffSequences(['a', 'x', ...end, 'b'], ['b', 'x', ...end, 'a'], large)).toEqual([
      { olderStart: 0, olderEnd: end.length + 3, newerStart: 0, newerEnd: end.length + 3 },
    ])
    expect(large).toMatchObject({ steps: 0, truncated: true })
  })

  it('gives the same changes every time', () => {
    fc.assert(
      fc.property(pairs, fc.nat(10), ([older, newer], maxEdits) => {
        const first = diffSequences(older, newer, new Search(maxEdits))
        expect(diffSequences([...older], [...newer], new Search(maxEdits))).toEqual(first)
        const asText = (each: readonly number[]): string[] => each.map((number) => `line ${number}`)
        expect(diffSequences(asText(older), asText(newer), new Search(maxEdits))).toEqual(first)
      }),
      SEED,
    )
  })
})

describe('clusterChanges', () => {
  const older = [...'0123456789abcdef']
  const newer = [...'01X3456Y789abcdefZ']

  const rows: [context: number, clusters: string][] = [
    [0, '2-3>2-3 7-7>7-8 16-16>17-18'],
    [1, '1-4>1-4 6-8>6-9 15-16>16-18'],
    [2, '0-9>0-10 14-16>15-18'],
    [3, '0-10>0-11 13-16>14-18'],
    [4, '0-11>0-12 12-16>13-18'],
    [5, '0-16>0-18'],
    [Number.POSITIVE_INFINITY, '0-16>0-18'],
  ]

  test.each(rows)('joins changes whose %i elements of context touch, into %j', (context, expected) => {
    const changes = diffSequences(older, newer, new Search())
    const clusters = clusterChanges(changes, context, older.length)
    expect(clusters.map(formatChange).join(' ')).toBe(expected)
    expect(clusters.flatMap((cluster) => cluster.changes)).toEqual(changes)
  })
})

function formatChange(change: Change): string {
  return `${change.olderStart}-${change.olderEnd}>${change.newerStart}-${change.newerEnd}`
}

/** Checks that changes are in order, never empty, apart from each other, and lead from one sequence to the other. */
function checkChanges<T>(changes: readonly Change[], older: readonly T[], newer: readonly T[]): void {
  const rebuilt: T[] = []
  let kept = 0
  for (const [i, change] of changes.entries()) {
    const run = older.slice(kept, change.olderStart)
    expect(change.olderStart).toBeGreaterThanOrEqual(i === 0 ? 0 : kept + 1)
    expect(change.olderEnd - change.olderStart + change.newerEnd - change.newerStart).toBeGreaterThan(0)
    for (const each of run) rebuilt.push(each)
    expect(rebuilt).toHaveLength(change.newerStart)
    for (const each of newer.slice(change.newerStart, change.newerEnd)) rebuilt.push(each)
    kept = change.olderEnd
  }
  for (const each of older.slice(kept)) rebuilt.push(each)
  expect(rebuilt).toEqual(newer)
}

function countEdits(changes: readonly Change[]): number {
  return changes.reduce((sum, each) => sum + each.olderEnd - each.olderStart + each.newerEnd - each.newerStart, 0)
}

/** The definition, by the table of all prefixes. */
function fewestEdits<T>(older: readonly T[], newer: readonly T[]): number {
  let row = Array.from({ length: newer.length + 1 }, (_, j) => j)
  for (const [i, element] of older.entries()) {
    const next = [i + 1]
    for (const [j, other] of newer.entries()) {
      next.push(element === other ? row[j]! : Math.min(row[j + 1]!, next[j]!) + 1)
    }
    row = next
  }
  return row.at(-1)!
}

/** The subject of the limit of edits: the elements that both sides have between their common ends, without new ends. */
function searchedPart<T>(older: readonly T[], newer: readonly T[]): [T[], T[]] {
  const [a, b] = trim([...older], [...newer])
  return trim(
    a.filter((each) => b.includes(each)),
    b.filter((each) => a.includes(each)),
  )
}

function trim<T>(a: T[], b: T[]): [T[], T[]] {
  while (a.length > 0 && b.length > 0 && a[0] === b[0]) [a, b] = [a.slice(1), b.slice(1)]
  while (a.length > 0 && b.length > 0 && a.at(-1) === b.at(-1)) [a, b] = [a.slice(0, -1), b.slice(0, -1)]
  return [a, b]
}

function count(length: number): readonly number[] {
  return Array.from({ length }, (_, i) => i)
}

/** Numbers without order, the same in every run. */
function noise(length: number, size: number, seed: number): readonly number[] {
  let state = seed + 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 16) % size
  })
}
