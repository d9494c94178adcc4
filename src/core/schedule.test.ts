// Schedules by key (D28): as a plain map would keep them, with what is due found without asking the others (G9).

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, type Context } from '../index.js'
import { compareText } from './order.js'
import { countTwigs } from './schedule-tree.js'
import { Schedules, type Schedule } from './schedule.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)

function scheduleOf(key: string, cad: number, firstCycle: number): Schedule {
  return { key, cad, firstCycle, zone: 'post', offset: undefined, node: {} as Schedule['node'] }
}

/** How many twigs a call makes, and how many it asks what is due in them. */
function twigsOf(run: () => unknown): Readonly<{ made: number; asked: number }> {
  const before = countTwigs()
  run()
  const after = countTwigs()
  return { made: after.made - before.made, asked: after.asked - before.asked }
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

  test.each(['rising', 'mixed'] as const)('%s keys are added and ended at the price of the height', (how) => {
    const keyOf = (i: number): string => String(how === 'rising' ? 1e6 + i : (i * 7919) % 65_536)
    let schedules = Schedules.NONE
    const add = (from: number, to: number) => (): void => {
      for (let i = from; i < to; i++) schedules = schedules.with(scheduleOf(keyOf(i), 5, 1))
    }
    add(0, 32_768)()
    // At most 2.1 twigs for each halving, since none is more than three times as heavy as its neighbour.
    expect(twigsOf(add(32_768, 65_536)).made / 32_768).toBeLessThan(2.1 * 16)
    const end = (): void => {
      for (let i = 0; i < 1000; i++) schedules = schedules.without(keyOf(i))
    }
    expect(twigsOf(end).made / 1000).toBeLessThan(2.1 * 16)
  })
})

describe('a context with many schedules', () => {
  const COUNT = 2048

  function scheduled(): Context {
    const ctx = createContext({ clock: () => 1n })
    for (let i = 0; i < COUNT; i++) ctx.post('x', { key: `key-${i}`, cad: i === 99 ? 4 : 1000 + (i % 7), ttl: 1 })
    return ctx
  }

  function turn(ctx: Context): void {
    ctx.user('q')
    ctx.commit()
  }

  it('makes a few twigs for each, whatever the others (G9)', () => {
    const ctx = scheduled()
    expect(twigsOf(() => ctx.post('x', { key: 'one more', cad: 9 })).made).toBeLessThan(2 * 2.1 * 11)
  })

  it('asks those that are due at a commit, and no others (G9)', () => {
    const ctx = scheduled()
    expect(twigsOf(() => turn(ctx)).asked).toBe(COUNT)
    expect(twigsOf(() => turn(ctx)).asked).toBe(0)
    expect(twigsOf(() => turn(ctx)).asked).toBe(0)
    turn(ctx)
    // Cycle 5 has an instance of the one that is due then, and its commit asks those above that one again.
    expect(ctx.select('^ah .block[key]')).toHaveLength(1)
    expect(twigsOf(() => turn(ctx)).asked).toBeLessThan(2.1 * 11)
    expect(twigsOf(() => turn(ctx)).asked).toBe(0)
  })

  it('asks each once in an import, and none again in a fork of its newest snapshot (G9)', () => {
    const ctx = scheduled()
    turn(ctx)
    const bytes = ctx.export()
    expect(twigsOf(() => turn(importSnapshot(bytes))).asked).toBeLessThan(3 * COUNT)
    expect(twigsOf(() => turn(ctx.fork())).asked).toBe(0)
  })
})
