// The contract of stores, on those that come with the package.

import { Store, type Rows } from 'pact-context/store'
import { storeContract, type Place } from 'pact-context/testing'
import { expect, test } from 'vitest'

import { memoryPlace, sqlitePlace } from '../support/places.js'

const CASES = [
  ...storeContract({ name: 'memory', place: () => storeAt(memoryPlace()) }),
  ...storeContract({ name: 'sqlite', place: () => storeAt(sqlitePlace()) }),
  ...storeContract({ name: 'sqlite, relaxed', place: () => storeAt(sqlitePlace({ durability: 'relaxed' })) }),
]

test.each(CASES.map(({ name, run }) => [name, run] as const))('%s', async (_, run) => {
  await expect(run()).resolves.toBeUndefined()
})

function storeAt({ open, end }: Place<Rows>): Place<Store> {
  return { open: async () => new Store(await open()), end }
}
