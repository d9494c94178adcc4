// Both contracts on a real PostgreSQL, which is started for it: every case with a tenant of its own. They run twice: with one statement
// for each commit, and with the transactions that Citus needs.

import { Store } from 'pact-context/store'
import { rowsContract, storeContract, type ContractCase } from 'pact-context/testing'
import { describe, test } from 'vitest'

import { postgresPlace, sharedServer } from '../support/postgres.js'

const { server, why } = await sharedServer()

function casesOf(name: string, routed: boolean): readonly ContractCase[] {
  const place = () => postgresPlace(server!.url, { routed })
  return [
    ...rowsContract({ name, place }),
    ...storeContract({
      name,
      place: () => {
        const { open } = place()
        return { open: async () => new Store(await open()) }
      },
    }),
  ]
}

const CASES = [...casesOf('postgres', false), ...casesOf('postgres, routed', true)]

describe.skipIf(server === undefined)(`the contracts${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  test.each(CASES.map(({ name, run }) => [name, run] as const))('%s', async (_, check) => {
    await check()
  })
})
