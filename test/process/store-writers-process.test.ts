// Several processes write into one context of an SQLite store: one winner per cycle, and no late winner. The same runs are
// longer in `npm run soak -- --kills 1000`.

import { expect, it } from 'vitest'

import { packBetweenCommits, raceWriters, rebaseWriters, stopWriters } from '../../scripts/soak/store/writers.mjs'

it('gives every cycle to one of ten processes that begin with a file that is not there; losers are told the head', async () => {
  const { failures, commits, conflicts, packs } = await raceWriters({ processes: 10, commits: 40 })
  expect(failures).toEqual([])
  expect(commits).toBe(400)
  expect(conflicts).toBeGreaterThan(0)
  expect(packs).toBeGreaterThan(0)
})

it('refuses a writer that was stopped between reading and committing, 20 of 20, also when its rows were packed', async () => {
  const { failures, refused, packed } = await stopWriters({ rounds: 20 })
  expect(failures).toEqual([])
  expect(refused).toBe(20)
  expect(packed).toBe(10)
})

it('refuses a writer that comes too late where others committed while rows were packed', async () => {
  const { failures, packs } = await packBetweenCommits({ rounds: 7 })
  expect(failures).toEqual([])
  expect(packs).toBeGreaterThan(7)
})

it('loses nothing of ten processes that share a context and rebase: all 200 messages, in one chain', async () => {
  const { failures, messages, rebased, packs } = await rebaseWriters({ processes: 10, commits: 20 })
  expect(failures).toEqual([])
  expect(messages).toBe(200)
  expect(rebased).toBeGreaterThan(0)
  expect(packs).toBeGreaterThan(0)
})
