// The contract of databases is a test of tests: each fault that is planted in a toy database has to be noticed by a case.

import { rowsContract } from 'pact-context/testing'
import { describe, expect, test } from 'vitest'

import { PLANTED, plantedRows } from '../support/planted-rows.js'

describe('a planted fault breaks a promise', () => {
  test('and without one all promises are kept', async () => {
    expect(await brokenBy(undefined)).toBeUndefined()
  })

  test.each(Object.keys(PLANTED))('%s', async (fault) => {
    expect(await brokenBy(fault)).toMatch(/^toy does not keep ".+": .+/)
  })

  test('there are many of them', () => {
    expect(Object.keys(PLANTED).length).toBeGreaterThan(50)
  })
})

/** What the first case says that fails. */
async function brokenBy(fault: string | undefined): Promise<string | undefined> {
  const place = () => {
    const rows = plantedRows(fault)
    return { open: () => rows }
  }
  for (const { run } of rowsContract({ name: 'toy', place })) {
    try {
      await run()
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}
