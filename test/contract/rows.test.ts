// The contract of databases, on those that come with the package.

import { rowsContract } from 'pact-context/testing'
import { expect, test } from 'vitest'

import { memoryPlace, sqlitePlace } from '../support/places.js'

const CASES = [
  ...rowsContract({ name: 'memory', place: memoryPlace }),
  ...rowsContract({ name: 'sqlite', place: () => sqlitePlace() }),
  ...rowsContract({ name: 'sqlite, relaxed', place: () => sqlitePlace({ durability: 'relaxed' }) }),
]

test.each(CASES.map(({ name, run }) => [name, run] as const))('%s', async (_, run) => {
  await expect(run()).resolves.toBeUndefined()
})
