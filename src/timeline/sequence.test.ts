// The persistent B+ tree against a plain sorted array: same answers, same sums, and old versions that never change.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import { compareForPruning, compareSiblings, NEVER, type NodeRecord, type RecordFields } from '../core/index.js'
import { AT_ONCE, Branch, isPrunable, recordOf, renderedIn, Sequence, type TreeNode } from './sequence.js'
import { walkNodes } from './tree.js'
import { unsharedItems } from './sequence-diff.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 11) }
const WIDTH = 32

type Shape = Readonly<{
  offset: number
  ns: number
  priority: number
  ttl: number | null
  /** A container with children of these priorities; undefined for a block. */
  inside: readonly number[] | undefined
  removable: boolean
}>

type Step =
  | Readonly<{ do: 'insert' | 'append'; shapes: readonly Shape[] }>
  | Readonly<{ do: 'remove'; picks: readonly number[] }>
  | Readonly<{ do: 'replace'; pick: number; shape: Shape }>

const shape: fc.Arbitrary<Shape> = fc.record({
  // Few places, so that time, index and id have to decide.
  offset: fc.integer({ min: -3, max: 3 }),
  ns: fc.nat(2),
  priority: fc.nat(3),
  ttl: fc.option(fc.nat(5), { nil: null }),
  inside: fc.option(fc.array(fc.nat(3), { maxLength: 3 }), { nil: undefined, freq: 2 }),
  removable: fc.boolean(),
})

const shapes = fc.array(shape, { minLength: 1, maxLength: 60 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('insert' as const, 'append' as const), shapes }),
  fc.record({ do: fc.constant('remove' as const), picks: fc.array(fc.nat(), { minLength: 1, maxLength: 80 }) }),
  fc.record({ do: fc.constant('replace' as const), pick: fc.nat(), shape }),
)

describe('Sequence', () => {
  it('agrees with a sorted array on every edit and every question, and keeps its sums (N1)', () => {
    const program = fc.record({
      start: fc.integer({ min: 0, max: 1100 }),
      steps: fc.array(step, { maxLength: 12 }),
    })
    fc.assert(
      fc.property(program, ({ start, steps }) => {
        let model: readonly TreeNode[] = Array.from({ length: start }, (_, i) => nodeOf({ ...PLAIN, offset: i - 5 }, i))
        let sequence = Sequence.fromSorted(model)
        const versions: (readonly [Sequence, readonly TreeNode[]])[] = []
        checkSame(sequence, model)
        for (const [at, each] of steps.entries()) {
          ;[sequence, model] = run(each, sequence, model, (at + 1) * 10_000)
          checkSame(sequence, model)
          versions.push([sequence, model])
        }
        // Later steps must not change the results of earlier ones.
        for (const [old, expected] of versions) expect(isSame([...old], expected)).toBe(true)
        for (const [i, [b, after]] of versions.entries()) {
          for (const [a, before] of [versions[0]!, versions[Math.max(0, i - 1)]!]) checkUnshared(a, before, b, after)
        }
      }),
      { ...SEED, numRuns: 60 },
    )
  })

  it('is low and full after 20,000 appends', () => {
    let sequence = Sequence.EMPTY
    for (let i = 0; i < 20_000; i++) sequence = sequence.insert(nodeOf({ ...PLAIN, offset: i }, i))
    checkSame(sequence, [...sequence], 997)
    // Appending leaves full chunks behind: 625 leaves, 20 chunks above them, the top.
    expect([sequence.size, [...sequence.leaves()].length, heightOf(sequence)]).toEqual([20_000, 625, 3])
  })

  const orders: readonly (readonly [name: string, order: (items: readonly TreeNode[]) => readonly TreeNode[]])[] = [
    ['the front', (items) => items],
    ['the back', (items) => items.toReversed()],
    ['the middle', (items) => items.toSorted((a, b) => distance(a) - distance(b))],
    ['here and there', (items) => items.toSorted((a, b) => scattered(a) - scattered(b))],
  ]
  test.each(orders)('keeps no thin chunks when most children go, taken from %s', (_name, order) => {
    const items = Array.from({ length: 10_000 }, (_, i) => nodeOf({ ...PLAIN, offset: i }, i))
    const full = Sequence.fromSorted(items)
    let sequence = full
    for (const item of order(items)) if (recordOf(item).offset % WIDTH !== 0) sequence = sequence.remove(recordOf(item))
    const model = items.filter((item) => recordOf(item).offset % WIDTH === 0)
    checkSame(sequence, model)
    expect(full.size).toBe(10_000)
    expect(heightOf(sequence)).toBeLessThanOrEqual(3)
    // On average an eighth of what a leaf may hold; the trees of thin leaves are what merging is there to avoid.
    expect(sequence.size / [...sequence.leaves()].length).toBeGreaterThanOrEqual(WIDTH / 8)
  })

  test.each(orders)('is the empty one again when all children have gone, taken from %s', (_name, order) => {
    const items = Array.from({ length: 2000 }, (_, i) => nodeOf({ ...PLAIN, offset: i }, i))
    let sequence = Sequence.fromSorted(items)
    for (const [i, item] of order(items).entries()) {
      sequence = sequence.remove(recordOf(item))
      if (i % 50 === 0) checkChunks(sequence)
    }
    expect(sequence).toBe(Sequence.EMPTY)
  })

  it('shares every chunk beside the path of a change', () => {
    const before = Sequence.fromSorted(Array.from({ length: 5000 }, (_, i) => nodeOf({ ...PLAIN, offset: 2 * i }, i)))
    const known = new Set(chunksOf(before))
    const fresh = (after: Sequence): number => chunksOf(after).filter((chunk) => !known.has(chunk)).length
    // A leaf and the chunks above it; an insert may halve a chunk on each level.
    expect(fresh(before.replace(nodeOf({ ...PLAIN, offset: 2500, priority: 9 }, 1250)))).toBe(3)
    expect(fresh(before.remove(recordOf(before.at(2500)!)))).toBe(3)
    expect(fresh(before.insert(nodeOf({ ...PLAIN, offset: 2501 }, 9999)))).toBeLessThanOrEqual(6)
  })

  it('gives nothing where there is nothing', () => {
    const { EMPTY } = Sequence
    expect([...EMPTY]).toEqual([])
    expect([EMPTY.last, EMPTY.at(0), EMPTY.find(recordOf(nodeOf(PLAIN, 1)))]).toEqual([undefined, undefined, undefined])
    expect(EMPTY.rank(recordOf(nodeOf(PLAIN, 1)))).toBe(0)
    expect([EMPTY.size, EMPTY.count, EMPTY.due, EMPTY.fullest]).toEqual([0, 0, NEVER, 0])
    expect(Sequence.fromSorted([])).toBe(EMPTY)
  })
})

describe('Branch', () => {
  it('is spent once it has been emptied, if it is a removable container (D26)', () => {
    const child = nodeOf(PLAIN, 1)
    const full = new Branch(
      recordOf(nodeOf({ ...PLAIN, inside: [], removable: true }, 2)),
      Sequence.fromSorted([child]),
    )
    const emptied = full.withChildren(Sequence.EMPTY)
    const never = new Branch(full.record, Sequence.EMPTY)
    const kept = new Branch(recordOf(nodeOf({ ...PLAIN, inside: [] }, 3)), Sequence.EMPTY, true)
    const core = emptied.withRecord(recordWith({ id: 'core', nodeClass: 'core', rare: { removable: true } }))
    expect([full, emptied, never, kept, core].map((branch) => branch.isSpent)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ])
    expect(Sequence.leaf([emptied]).due).toBe(AT_ONCE)
  })
})

const PLAIN: Shape = { offset: 0, ns: 0, priority: 0, ttl: null, inside: undefined, removable: false }

function run(
  { do: what, ...rest }: Step,
  sequence: Sequence,
  model: readonly TreeNode[],
  serial: number,
): [Sequence, readonly TreeNode[]] {
  let [tree, list] = [sequence, [...model]]
  if (what === 'remove') {
    for (const pick of (rest as { picks: readonly number[] }).picks) {
      const [gone] = list.splice(pick % (list.length || 1), 1)
      if (gone !== undefined) tree = tree.remove(recordOf(gone))
    }
  } else if (what === 'replace') {
    const { pick, shape: wanted } = rest as { pick: number; shape: Shape }
    const old = list[pick % (list.length || 1)]
    if (old === undefined) return [tree, list]
    const { id, offset, createdAtNs, creationIndex } = recordOf(old)
    const other = nodeOf(wanted, serial, { id, offset, createdAtNs, creationIndex })
    list[list.indexOf(old)] = other
    tree = tree.replace(other)
  } else {
    for (const [i, wanted] of (rest as { shapes: readonly Shape[] }).shapes.entries()) {
      const last = list.at(-1)
      const offset = what === 'append' && last ? recordOf(last).offset + 1 : wanted.offset
      const item = nodeOf({ ...wanted, offset }, serial + i)
      list = [...list, item].sort((a, b) => compareSiblings(recordOf(a), recordOf(b)))
      tree = tree.insert(item)
    }
  }
  return [tree, list]
}

/** The versions of one side only, found by identity, as a comparison of all children finds them. */
function checkUnshared(a: Sequence, before: readonly TreeNode[], b: Sequence, after: readonly TreeNode[]): void {
  const [inBefore, inAfter] = [new Set(before), new Set(after)]
  const [left, right] = unsharedItems(a, b)
  expect(
    isSame(
      left,
      before.filter((node) => !inAfter.has(node)),
    ),
  ).toBe(true)
  expect(
    isSame(
      right,
      after.filter((node) => !inBefore.has(node)),
    ),
  ).toBe(true)
}

function checkSame(sequence: Sequence, model: readonly TreeNode[], stride = 7): void {
  expect(isSame([...sequence], model)).toBe(true)
  expect(isSame(sequence.toArray(), model)).toBe(true)
  expect(sequence.last).toBe(model.at(-1))
  expect([sequence.at(-1), sequence.at(model.length)]).toEqual([undefined, undefined])
  const wrong = model.filter((item, i) => {
    if (i % stride !== 0) return false
    const key = recordOf(item)
    // Right behind it, at a free place.
    const gap = { ...key, id: `${key.id}\0` }
    const found = sequence.at(i) === item && sequence.find(key) === item && sequence.find(gap) === undefined
    const rendered = model.slice(0, i).reduce((sum, each) => sum + renderedIn(each), 0)
    return (
      !found ||
      sequence.rank(key) !== i ||
      sequence.rank(gap) !== i + 1 ||
      (i % 5 === 0 && sequence.sumBefore(key, shown) !== rendered)
    )
  })
  for (const offset of [-4, -1, 0, 1, 500]) {
    expect(sequence.rankOfOffset(offset)).toBe(model.filter((item) => recordOf(item).offset < offset).length)
  }
  expect(wrong).toEqual([])
  checkChunks(sequence)
}

function shown(part: Sequence | TreeNode): number {
  return part instanceof Sequence ? part.rendered : renderedIn(part)
}

/** Every chunk: neither empty nor too wide, all leaves equally deep, all sums as a recount gives them. */
function checkChunks(sequence: Sequence): void {
  const depths = new Set<number>()
  const leaves: Sequence[] = []
  const visit = (chunk: Sequence, depth: number): readonly TreeNode[] => {
    const { length } = chunk.chunks ?? chunk.items!
    if (length > WIDTH || (length === 0 && chunk !== Sequence.EMPTY)) throw new Error(`A chunk of ${length} parts.`)
    const items = chunk.items ?? chunk.chunks!.flatMap((part) => visit(part, depth + 1))
    if (chunk.items) {
      depths.add(depth)
      leaves.push(chunk)
    }
    const recounted = recount(items)
    for (const name of Object.keys(recounted) as (keyof typeof recounted)[]) {
      if (chunk[name] !== recounted[name]) expect({ name, sum: chunk[name] }).toEqual({ name, sum: recounted[name] })
    }
    return items
  }
  visit(sequence, 1)
  expect(depths.size).toBe(1)
  expect([...sequence.leaves()].every((leaf, i) => leaf === leaves[i])).toBe(true)
}

type Sums = Pick<Sequence, 'size' | 'count' | 'rendered' | 'due' | 'fullest' | 'firstItem' | 'firstInside'>

function recount(items: readonly TreeNode[]): Sums {
  const trees = items.map((item) => (item instanceof Branch ? [...walkNodes(item)] : [item]))
  const all = trees.flat()
  const first = (records: readonly NodeRecord[]): NodeRecord | undefined => {
    let best = records[0]
    for (const each of records) if (compareForPruning(each, best!) < 0) best = each
    return best
  }
  return {
    size: items.length,
    count: all.length,
    rendered: all.filter((node) => recordOf(node).nodeClass === 'block').length,
    due: Math.min(NEVER, ...all.map((n) => (n instanceof Branch && n.isSpent ? AT_ONCE : recordOf(n).expiry))),
    fullest: Math.max(0, ...trees.map((tree) => tree.length - 1)),
    firstItem: first(items.map(recordOf)),
    firstInside: first(all.map(recordOf).filter(isPrunable)),
  }
}

function nodeOf(wanted: Shape, serial: number, place: Partial<RecordFields> = {}): TreeNode {
  const { offset, ns, priority, ttl, inside, removable } = wanted
  const own = recordWith({
    id: `n${serial}`,
    offset,
    createdAtNs: BigInt(ns),
    creationIndex: serial % 2,
    priority,
    ttl,
    nodeClass: inside ? 'cont' : 'block',
    rare: removable ? { removable } : undefined,
    ...place,
  })
  if (inside === undefined) return own
  const children = inside.map((each, i) => recordWith({ id: `${own.id}.${i}`, offset: i, priority: each }))
  return new Branch(own, Sequence.fromSorted(children), true)
}

function isSame(a: readonly TreeNode[], b: readonly TreeNode[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

function heightOf(sequence: Sequence): number {
  return sequence.chunks ? 1 + heightOf(sequence.chunks[0]!) : 1
}

function chunksOf(sequence: Sequence): readonly Sequence[] {
  return [sequence, ...(sequence.chunks ?? []).flatMap(chunksOf)]
}

function distance(node: TreeNode): number {
  return Math.abs(recordOf(node).offset - 1500)
}

function scattered(node: TreeNode): number {
  return (recordOf(node).offset * 7919) % 3001
}
