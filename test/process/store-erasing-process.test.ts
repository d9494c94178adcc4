// Nothing of what was erased is left in the files of an SQLite store, also where the erasure was killed and finished later.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { expect, it } from 'vitest'

import { scratch } from '../../scripts/soak/store/files.mjs'
import { runs } from '../support/runs.js'
import { eraseLaw, eraseSecret, eraseWhileRead, killErasing } from '../../scripts/soak/store/erasing.mjs'

it('leaves nothing of a secret in the database, its log or a dump, in any form', async () => {
  const { before, whileOpen, after, problems, refused, isSame, states, receipt } = await eraseSecret()
  expect(before).toContain('bytes of ')
  for (const where of [
    'bytes of -wal',
    'a row in a pack',
    'commits.bodies',
    'pages.body',
    'manifests.body',
    'attempts.body',
  ]) {
    expect(before).toContain(where)
  }
  expect([whileOpen, after, problems]).toEqual([[], [], []])
  expect(refused).toBe('erased')
  expect(isSame).toBe(true)
  expect(new Set(states)).toEqual(new Set(['new']))
  expect(receipt.contexts).toEqual(['fork 12', 'fork 20', 'root'])
  expect(receipt.schedules).toEqual(['note', 'reminder'])
  expect(receipt.outOfReach.length).toBeGreaterThan(0)
})

it('says so where somebody reads the log, and is finished when that has ended', async () => {
  const { refused, states, problems, receipt, ok, after } = await eraseWhileRead()
  expect(refused).toEqual(['E_STORE', 'busy'])
  expect(new Set(states)).toEqual(new Set(['new']))
  expect(new Set(problems.map(({ message }) => message))).toEqual(
    new Set(['An erasure was not finished; if no process is at it any more, call erase again.']),
  )
  expect(receipt.ids.length).toBeGreaterThan(0)
  expect([ok, after]).toEqual([true, []])
})

it('is old or new when it is killed at any step, and is finished by the next call', async () => {
  const { failures, outcomes } = await killErasing({ every: 6 })
  expect(failures).toEqual([])
  expect(outcomes['old']).toBeGreaterThan(2)
  expect(outcomes['new']).toBeGreaterThan(2)
})

it('erases what a context in memory forgets, to the byte', async () => {
  // Seed 105 has a fork in which another part of a choice is found than in the context that is asked.
  const laws = [await eraseLaw({ programs: runs(12) }), await eraseLaw({ programs: 10, seed: 105 })]
  const [failures, erased] = [laws.flatMap((law) => law.failures), laws[0]!.erased]
  expect(failures).toEqual([])
  expect(erased).toBeGreaterThan(8)
})

it('needs memory for the live tree, not for the history: 10,000 commits in a heap of 100 MB', () => {
  const { file, remove } = scratch()
  const script = `
    import { openStore } from ${JSON.stringify(path.join(import.meta.dirname, '../../dist/store/index.js'))}
    const store = await openStore('sqlite:' + process.argv[1], { durability: 'relaxed' })
    const ctx = await store.open('x', { history: 1 })
    for (let n = 1; n <= 10_000; n++) {
      ctx.user('question ' + n, n === 77 ? { key: 'intake' } : {})
      await ctx.commit()
    }
    console.log(JSON.stringify((await store.erase('x', '#intake')).ids))
    await store.close()`
  try {
    const args = ['--max-old-space-size=100', '--input-type=module', '-e', script, file('a.db')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 })
    expect([status, stdout, stderr]).toEqual([0, '["block:77-1"]\n', ''])
  } finally {
    remove()
  }
})
