// The law of records: a context that is made again from a checkpoint of any earlier cycle and the records of the commits
// since, all through their bytes, with what nodes say apart from them as in stores, is the one that was never closed; so is one that is made from the past that the context still
// keeps, of which nothing had been written before. They are the same in every lens, in diffs with their causes, in what it
// explains, in the ids and times of the calls that follow, and in the record of the next commit, to the byte.

import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { checkpointOf, historyOf, restoreContext } from '../../src/context/persistence.js'
import { Context as ContextClass } from '../../src/context/index.js'
import { editedPrograms, editedRuns, expectAllDone } from '../support/edited.js'
import { Law, type Way } from '../support/records-law.js'
import { expectSame } from '../support/same.js'
import { readCheckpoint, writeCheckpoint, type WrittenRow } from '../support/written.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const CHECKPOINTS: Way<WrittenRow> = {
  keep: (ctx) => writeCheckpoint(checkpointOf(ContextClass.partsOf(ctx))),
  keepOldest: (ctx) => writeCheckpoint(historyOf(ContextClass.partsOf(ctx)).checkpoint),
  restore: (bytes, records, options) => {
    const checkpoint = readCheckpoint(bytes)
    expectSame(writeCheckpoint(checkpoint), bytes)
    return restoreContext(checkpoint, records, options)
  },
}

describe.each(['1.0', '0.1'] as const)('records of commits, in %s', (dialect) => {
  test('a checkpoint and the records after it make the same context again', () => {
    const runs: Readonly<Record<string, number>>[] = []
    const told = { exact: 0, partly: 0, followed: 0, unwritten: 0, expanded: 0, skipped: 0 }
    const history = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })
    const picks = fc.array(fc.nat(99), { minLength: 5, maxLength: 10 })
    fc.assert(
      fc.property(editedPrograms(dialect, 40), history, picks, (program, limit, chosen) => {
        runs.push(new Law(CHECKPOINTS, program, limit, chosen, told).run())
      }),
      editedRuns(16),
    )
    expectAllDone(runs)
    if (runs.length < 16) return
    const { expanded, skipped: _skipped, ...often } = told
    for (const [what, count] of Object.entries(often)) expect(count, what).toBeGreaterThan(20)
    expect(expanded).toBeGreaterThan(0)
  })
})
