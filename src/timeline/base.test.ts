// The rest of cycles that were let go, against a plain map, along histories that others share from some point on.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import { EMPTY_RECEIPT, Gone, type NodeRecord, type Version } from '../core/index.js'
import { Base } from './base.js'
import { Era } from './era.js'
import { newTree } from './tree.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 5) }

/** A base and the versions that it should have. */
type Line = { base: Base; cycle: number; readonly held: Map<string, NodeRecord> }

const step = fc.record({
  line: fc.nat(),
  isShared: fc.boolean(),
  log: fc.uniqueArray(fc.record({ id: fc.nat(40), isGone: fc.boolean() }), { selector: ({ id }) => id, maxLength: 12 }),
})

test('each line has what still held in the end, whatever others do that share its past', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (program) => {
      const lines: Line[] = [{ base: Base.NONE, cycle: 1, held: new Map() }]
      for (const { line: at, isShared, log } of program) {
        const line = lines[at % lines.length]!
        if (isShared && lines.length < 6) lines.push({ ...line, base: line.base.shared(), held: new Map(line.held) })
        letGo(
          line,
          log.map(({ id, isGone }) => (isGone ? gone(id, line.cycle) : record(id, line.cycle))),
        )
      }
      for (const { base, held } of lines) {
        for (let id = 0; id <= 40; id++) {
          const known = held.get(`n${id}`)
          expect(base.find(`n${id}`)).toBe(known)
          const referrers = [...base.links()].flatMap((links) => links.referrersOf(`to${id}`))
          if (known !== undefined) expect(referrers).toContain(known.id)
        }
      }
    }),
    SEED,
  )
})

test('hints about what is gone do not pile up', () => {
  const line: Line = { base: Base.NONE, cycle: 1, held: new Map() }
  for (let n = 0; n < 2000; n++) {
    letGo(line, [recordWith({ id: `n${n}`, cycle: line.cycle, rare: { refs: ['all'] } }), gone(n - 5, line.cycle)])
  }
  expect([...line.base.links()].flatMap((links) => links.referrersOf('all')).length).toBeLessThan(200)
})

test('what has left does not pile up, also where others share the past now and then', () => {
  const line: Line = { base: Base.NONE, cycle: 1, held: new Map() }
  for (let n = 0; n < 3000; n++) {
    if (n % 7 === 0) line.base.shared()
    letGo(line, [record(n, line.cycle), gone(n - 5, line.cycle)])
  }
  const known = Array.from({ length: 3000 }, (_, n) => line.base.mayHold(`n${n}`)).filter((isKnown) => isKnown)
  expect(known.length).toBeLessThan(400)
})

function letGo(line: Line, log: readonly Version[]): void {
  const era = new Era(line.cycle++)
  era.append(newTree(), log, EMPTY_RECEIPT)
  line.base = line.base.after(era)
  for (const version of log) {
    if (version instanceof Gone) line.held.delete(version.id)
    else line.held.set(version.id, version)
  }
}

function record(id: number, cycle: number): NodeRecord {
  return recordWith({ id: `n${id}`, cycle, born: cycle, rare: { refs: [`to${id}`] } })
}

function gone(id: number, cycle: number): Gone {
  return new Gone(`n${id}`, cycle, 'expired')
}
