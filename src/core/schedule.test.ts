// Schedules by key (D28): as a plain map would keep them.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { compareText } from './order.js'
import { Schedules, type Schedule } from './schedule.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)

function scheduleOf(key: string, cad: number, firstCycle: number): Schedule {
  return { key, cad, firstCycle, zone: 'post', offset: undefined, node: {} as Schedule['node'] }
}

describe('schedules', () => {
  const keys = fc.oneof(fc.string({ maxLength: 2 }), fc.integer({ min: 0, max: 60 }).map(String))
  const steps = fc.array(
    fc.record({ key: keys, cad: fc.constantFrom(0, 1, 2, 3, 7, 2 ** 53 - 1), first: fc.integer({ min: -3, max: 9 }) }),
    { maxLength: 120 },
  )

  it('tell what leads from one version to any other, each key once and in order', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const versions = [Schedules.NONE]
        for (const { key, cad, first } of changes) {
          const last = versions.at(-1)!
          versions.push(cad === 0 ? last.without(key) : last.with(scheduleOf(key, cad, first)))
        }
        for (const before of versions.slice(-20)) {
          const after = versions[versions.length >> 1]!
          const told = after.changesSince(before)
          const all = new Set([...before, ...after].map(({ key }) => key))
          const differing = [...all].filter((key) => before.get(key) !== after.get(key)).sort(compareText)
          expect(told).toEqual(differing.map((key) => ({ key, schedule: after.get(key) })))
          expect([...before.changed(told)]).toEqual([...after])
        }
      }),
      { seed: SEED, numRuns: 100 },
    )
  })

  it('are what a map would hold after every change, in the order of the keys, and due when the rule says so (D28)', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: -2, max: 40 }), { maxLength: 8 }), (changes, cycles) => {
        let schedules = Schedules.NONE
        const model = new Map<string, Schedule>()
        const versions: [Schedules, readonly Schedule[]][] = []
        for (const { key, cad, first } of changes) {
          // A cadence of 0 stands for an end.
          if (cad === 0) {
            schedules = schedules.without(key)
            model.delete(key)
          } else {
            const schedule = scheduleOf(key, cad, first)
            schedules = schedules.with(schedule)
            model.set(key, schedule)
          }
          versions.push([schedules, [...model.values()].sort((a, b) => compareText(a.key, b.key))])
        }
        for (const [version, expected] of versions) {
          expect([...version]).toEqual(expected)
          expect([...Schedules.of(expected.toReversed())]).toEqual(expected)
          expect(version.size).toBe(expected.length)
          for (const cycle of cycles) {
            const due = expected.filter(({ firstCycle, cad }) => cycle > firstCycle && (cycle - firstCycle) % cad === 0)
            expect(version.isDueIn(cycle)).toBe(due.length > 0)
            expect(version.dueIn(cycle)).toEqual(due)
          }
          for (const { key } of changes) expect(version.get(key)).toBe(expected.find((each) => each.key === key))
        }
      }),
      { seed: SEED, numRuns: 60 },
    )
  })
})
