// The contracts are tests of tests: each fault that is planted in a toy database, or in a store, has to be noticed by a case. Which of them comes
// first does not matter, so those that took the least time without a fault do, and those that wait for something, which may never come, are the last.

import { rowsContract, storeContract, type ContractCase } from 'pact-context/testing'
import { describe, expect, test } from 'vitest'

import { PLANTED, plantedRows } from '../support/planted-rows.js'
import { PLANTED_STORES, plantedPlace } from '../support/planted-stores.js'

describe('a fault that is planted in a database breaks a promise', () => {
  const casesFor = (fault?: string): readonly ContractCase[] => {
    const place = () => {
      const rows = plantedRows(fault)
      return { open: () => rows }
    }
    return rowsContract({ name: 'toy', place })
  }

  test('and without one all promises are kept', async () => {
    expect(await firstBroken(casesFor())).toBeUndefined()
  })

  test.each(Object.keys(PLANTED))('%s', async (fault) => {
    expect(await firstBroken(casesFor(fault))).toMatch(/^toy does not keep ".+": .+/)
  })
})

describe('a fault that is planted in a store breaks a promise', () => {
  const casesFor = (fault?: string): readonly ContractCase[] =>
    storeContract({ name: 'toy', place: () => plantedPlace(fault) })

  test('and without one all promises are kept', async () => {
    expect(await firstBroken(casesFor())).toBeUndefined()
  })

  test.each(Object.keys(PLANTED_STORES))('%s', async (fault) => {
    expect(await firstBroken(casesFor(fault))).toMatch(/^toy does not keep ".+": .+/)
  })
})

/** The time of a case without a planted fault, by its name. */
const took = new Map<string, number>()

const WAITS = /watch|wait|misses/

function rankOf({ name }: ContractCase): number {
  return WAITS.test(name) ? Infinity : (took.get(name) ?? 0)
}

/** The message of the first case that fails. */
async function firstBroken(cases: readonly ContractCase[]): Promise<string | undefined> {
  const ranked = cases.map((each) => ({ ...each, rank: rankOf(each) }))
  for (const { name, run } of ranked.toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))) {
    const started = performance.now()
    try {
      await run()
    } catch (error) {
      return (error as Error).message
    }
    if (!took.has(name)) took.set(name, performance.now() - started)
  }
  return undefined
}
