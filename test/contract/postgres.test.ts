// Both contracts on a real PostgreSQL, which is started for it: every case with a tenant of its own.

import { Store } from 'pact-context/store'
import { rowsContract, storeContract } from 'pact-context/testing'
import { describe, test } from 'vitest'

import { postgresPlace, sharedServer } from '../support/postgres.js'

const { server, why } = await sharedServer()

const place = () => postgresPlace(server!.url)
const CASES = [
  ...rowsContract({ name: 'postgres', place }),
  ...storeContract({
    name: 'postgres',
    place: () => {
      const { open } = place()
      return { open: async () => new Store(await open()) }
    },
  }),
]

describe.skipIf(server === undefined)(`the contracts${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  test.each(CASES.map(({ name, run }) => [name, run] as const))('%s', async (_, check) => {
    await check()
  })
})
