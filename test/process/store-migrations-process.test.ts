// Old files open and show what they showed; a newer one is refused; a process that is killed while tables change leaves old or new ones. The
// same run is longer in `npm run soak -- --kills 1000`.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { openStore } from 'pact-context/store'

import { scratch } from '../../scripts/soak/store/files.mjs'
import { migrateUnderFire } from '../../scripts/soak/store/migrations.mjs'
import { shownIn } from '../../scripts/soak/store/shown.mjs'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { STEPS } from '../../src/store/sqlite/schema.js'

const GOLDEN = path.join(import.meta.dirname, '../golden/stores')
const VERSIONS = Array.from({ length: STEPS.length }, (_, i) => i + 1)

describe('files of every version', () => {
  it.each(VERSIONS)('opens a file of version %i, and shows what it showed then', async (version) => {
    await withCopy(`v${version}.db`, async (file) => {
      const expected: unknown = JSON.parse(fs.readFileSync(path.join(GOLDEN, `v${version}.json`), 'utf8'))
      expect(await shownIn(file)).toEqual(expected)
      const store = await openStore(`sqlite:${file}`)
      const ctx = await store.open('talk')
      ctx.user('And on it goes.')
      await ctx.commit()
      expect(ctx.cycle).toBe(20)
      await store.close()
    })
  })

  it('refuses a newer one, and another program’s, and leaves them as they were', async () => {
    const { file, remove } = scratch()
    try {
      const newer = file('newer.db')
      fs.copyFileSync(path.join(GOLDEN, `v${STEPS.length}.db`), newer)
      const foreign = file('foreign.db')
      change(newer, `PRAGMA journal_mode = DELETE; PRAGMA user_version = ${STEPS.length + 1}`)
      change(foreign, 'CREATE TABLE notes (text)')
      for (const [each, reason] of [
        [newer, 'newer'],
        [foreign, 'foreign'],
      ] as const) {
        const before = fs.readFileSync(each)
        await expect(openStore(`sqlite:${each}`)).rejects.toMatchObject({ code: 'E_STORE', details: { reason } })
        expect(fs.readFileSync(each).equals(before), `${reason} has the bytes that it had`).toBe(true)
      }
    } finally {
      remove()
    }
  })
})

it('leaves the old tables or the new ones to whoever comes after a kill, and lets one of many change them', async () => {
  const { failures, old, new: done } = await migrateUnderFire({ kills: 12, openers: 8 })
  expect(failures).toEqual([])
  // The number of kills that came in time depends on the machine.
  expect(old + done).toBe(12)
})

async function withCopy(name: string, use: (file: string) => Promise<void>): Promise<void> {
  const { file, remove } = scratch()
  try {
    fs.copyFileSync(path.join(GOLDEN, name), file('old.db'))
    await use(file('old.db'))
  } finally {
    remove()
  }
}

function change(file: string, sql: string): void {
  const db = openDatabase(file)
  db.exec(sql)
  db.close()
}
