import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Breath } from './breath.js'
import { openStore } from './open-store.js'

async function turned(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('a turn is due where there was none for a while, and only then', async () => {
  const breath = new Breath()
  expect([0, 1, 49].map((now) => breath.taken(now))).toEqual([undefined, undefined, undefined])
  expect(breath.taken(50)).toBeInstanceOf(Promise)
  // Whoever passes it over is asked again.
  const turn = breath.taken(1000)
  expect(turn).toBeInstanceOf(Promise)
  await turn
  expect(breath.taken(1001)).toBeUndefined()
  expect(breath.taken(1050)).toBeUndefined()
  expect(breath.taken(1051)).toBeInstanceOf(Promise)
  await turned()
  expect(breath.taken(5000)).toBeUndefined()
})

test.each(['memory:', 'sqlite:'])('a loop of commits in %s lets others have their turn', async (scheme) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-breath-'))
  const store = await openStore(scheme === 'memory:' ? scheme : `${scheme}${path.join(folder, 'test.db')}`)
  const ctx = await store.open('one', { prune: { maxNodes: 10 } })
  const told = { isHeard: false }
  setTimeout(() => (told.isHeard = true), 0)
  // So many take seconds; the bound is for whoever waits for this test to fail.
  for (let commits = 0; commits < 50_000 && !told.isHeard; commits++) await ctx.commit()
  expect(told.isHeard).toBe(true)
  await store.close()
  fs.rmSync(folder, { recursive: true })
})
