// A deleted context leaves no text behind in an SQLite file: not in free pages, not in the log.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { openStore } from 'pact-context/store'
import { afterEach, expect, test } from 'vitest'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-delete-'))
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Every file of the store that contains a text. */
function holders(text: string): readonly string[] {
  return fs.readdirSync(folder).filter((name) => fs.readFileSync(path.join(folder, name)).includes(text))
}

test('deletes rows, attempts and answers so that no file of the store has their texts', async () => {
  const secret = 'the number is 4111 1111 1111 1111'
  const store = await openStore(`sqlite:${path.join(folder, 'a.db')}`)
  const other = await store.open('other')
  other.user('stays')
  await other.commit()
  const ctx = await store.open('gone')
  for (let turn = 0; turn < 400; turn++) {
    ctx.user(`${secret} ${turn}`)
    if (turn % 50 === 0) ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).complete()
    await ctx.commit(turn % 50 === 0 ? { key: `key ${turn}` } : {})
  }
  await ctx.flush()
  expect(holders(secret).length).toBeGreaterThan(0)
  await store.delete('gone')
  expect(holders(secret)).toEqual([])
  await store.close()
  expect(holders(secret)).toEqual([])
})
