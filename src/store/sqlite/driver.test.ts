import { createRequire } from 'node:module'

import { expect, test } from 'vitest'

import { openDatabase } from './driver.js'

type Classes = Readonly<{ DatabaseSync: new (path: string) => object }>
const own = process.getBuiltinModule('node:sqlite') as Classes | undefined
const installed = createRequire(import.meta.url)('@photostructure/sqlite') as Classes

test("Node's own SQLite is opened where there is one, else that of the package", () => {
  const db = openDatabase(':memory:')
  expect(db).toBeInstanceOf((own ?? installed).DatabaseSync)
  expect(db.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 })
  db.close()
  const named = openDatabase(':memory:', '@photostructure/sqlite')
  expect(named).toBeInstanceOf(installed.DatabaseSync)
  named.close()
})

test.skipIf(own !== undefined)(
  'a driver that is not there is told in a sentence (skipped: node:sqlite is there)',
  () => {
    expect(() => openDatabase(':memory:', 'node:sqlite')).toThrow(
      expect.objectContaining({ code: 'E_STORE', details: expect.objectContaining({ reason: 'no-driver' }) }),
    )
  },
)
