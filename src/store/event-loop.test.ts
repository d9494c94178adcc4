import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'

import { EventLoopYield } from './event-loop.js'
import { openStore } from './open-store.js'

async function turned(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('a turn is due where there was none for a while, and only then', async () => {
  const breath = new EventLoopYield()
  expect([0, 1, 49].map((now) => breath.afterWork(now))).toEqual([undefined, undefined, undefined])
  expect(breath.afterWork(50)).toBeInstanceOf(Promise)
  // A skipped yield is due again.
  const turn = breath.afterWork(1000)
  expect(turn).toBeInstanceOf(Promise)
  await turn
  expect(breath.afterWork(1001)).toBeUndefined()
  expect(breath.afterWork(1050)).toBeUndefined()
  expect(breath.afterWork(1051)).toBeInstanceOf(Promise)
  await turned()
  expect(breath.afterWork(5000)).toBeUndefined()
})

test.each(['memory:', 'sqlite:'])('a loop of commits in %s lets others have their turn', async (scheme) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-breath-'))
  const store = await openStore(scheme === 'memory:' ? scheme : `${scheme}${path.join(folder, 'test.db')}`)
  const ctx = await store.open('one', { prune: { maxNodes: 10 } })
  const told = { isHeard: false }
  setTimeout(() => (told.isHeard = true), 0)
  // These commits take seconds; the bound ends a failing test.
  for (let commits = 0; commits < 50_000 && !told.isHeard; commits++) await ctx.commit()
  expect(told.isHeard).toBe(true)
  await store.close()
  fs.rmSync(folder, { recursive: true })
})
