// The contracts are tests of tests: each fault that is planted in a toy database, or in a store, has to be noticed by a case.

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

/** What the first case says that fails. */
async function firstBroken(cases: readonly ContractCase[]): Promise<string | undefined> {
  for (const { run } of cases) {
    try {
      await run()
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}
