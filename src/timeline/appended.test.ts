// What was appended, against plain lists: whatever is told must be exactly the difference, with a mark and without.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import type { NodeRecord } from '../core/index.js'
import { appendedItems, noteGrowth } from './appended.js'
import { Sequence } from './sequence.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 11) }

function block(offset: number, priority = 0): NodeRecord {
  return recordWith({ id: `b${offset}`, offset, priority })
}

/** Every second place is taken at the start, so that there is room between. */
function sequenceOf(size: number): Sequence {
  return Sequence.fromSorted(Array.from({ length: size }, (_, i) => block(2 * i)))
}

/** Sizes around the edges of leaves and of the chunks above them. */
const sizes = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1010, max: 1100 }))
const edits = fc.constantFrom('append', 'append', 'append', 'append', 'insert', 'replace', 'remove')

describe('appendedItems', () => {
  it('tells what was added at the end, and nothing where anything else changed', () => {
    const program = fc.record({
      size: sizes,
      steps: fc.array(fc.record({ edit: edits, pick: fc.nat(), isNoted: fc.boolean() }), { maxLength: 70 }),
    })
    fc.assert(
      fc.property(program, ({ size, steps }) => {
        let sequence = sequenceOf(size)
        let end = 2 * size
        const versions = [sequence]
        for (const { edit, pick, isNoted } of steps) {
          if (isNoted) noteGrowth(sequence)
          const at = sequence.size === 0 ? undefined : (sequence.at(pick % sequence.size) as NodeRecord)
          if (edit === 'append' || at === undefined) sequence = sequence.insert(block((end += 2)))
          else if (edit === 'replace') sequence = sequence.replace(block(at.offset, at.priority + 1))
          else if (edit === 'remove') sequence = sequence.remove(at)
          else if (sequence.find(block(at.offset - 1)) === undefined) sequence = sequence.insert(block(at.offset - 1))
          versions.push(sequence)
        }
        const newest = [...sequence]
        for (const old of versions.slice(-40)) {
          const added = appendedItems(old, sequence, 32)
          const before = [...old]
          const isPrefix = before.every((item, i) => item === newest[i])
          if (added !== undefined) {
            expect(isPrefix).toBe(true)
            expect(added).toEqual(newest.slice(before.length))
          }
        }
      }),
      { ...SEED, numRuns: 300 },
    )
  })

  it('tells one more child at any size, as long as the number of levels stays', () => {
    const missed: number[] = []
    for (const isNoted of [false, true]) {
      let sequence = sequenceOf(1)
      for (let i = 2; i < 2_200; i++) {
        if (isNoted) noteGrowth(sequence)
        const item = block(2 * i)
        const grown = sequence.insert(item)
        const added = appendedItems(sequence, grown, 32)
        if (added === undefined) missed.push(grown.size)
        else expect(added).toEqual([item])
        sequence = grown
      }
    }
    expect(missed).toEqual([33, 1025])
  })

  it('does not take two ways to grow for one another', () => {
    const old = sequenceOf(40)
    noteGrowth(old)
    const [one, other] = [old.insert(block(1000)), old.insert(block(1002))]
    noteGrowth(one)
    expect(appendedItems(one, other, 32)).toBeUndefined()
    const further = one.insert(block(2000))
    expect(appendedItems(old, further, 32)).toHaveLength(2)
    expect(appendedItems(other, further, 32)).toBeUndefined()
    expect(appendedItems(further, one, 32)).toBeUndefined()
    expect(appendedItems(old, old, 32)).toEqual([])
  })
})
