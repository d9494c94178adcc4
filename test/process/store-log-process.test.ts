// The log of a killed process: damage to it is noticed before SQLite drops commits that were acknowledged. The same runs are longer in
// `npm run soak -- --kills 1000`.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { openStore } from 'pact-context/store'
import { expect, it } from 'vitest'

import { scratch } from '../../scripts/soak/store/files.mjs'
import { damageLog, keepLog } from '../../scripts/soak/store/log.mjs'

it('notices damage that would lose acknowledged commits, or nothing is lost, 160 of 160', async () => {
  const { failures, verdicts, transactions } = await damageLog({ damages: 160 })
  expect(failures).toEqual([])
  expect(transactions).toBeGreaterThan(25)
  expect(verdicts['noticed']).toBeGreaterThan(80)
})

it('calls nothing damage that kills, live writers and restarts of the log leave behind', async () => {
  const { failures, logs, looks } = await keepLog({ kills: 10 })
  expect(failures).toEqual([])
  // SQLite may have emptied the log just before a kill.
  expect(logs).toBeGreaterThan(5)
  expect(looks).toBe(50)
})

it('is refused by all who open it and reported by fsck, until the loss is accepted', async () => {
  const { file, remove } = scratch()
  try {
    const url = `sqlite:${file('b.db')}`
    const store = await openStore(`sqlite:${file('a.db')}`)
    const ctx = await store.open('main')
    for (let n = 1; n <= 9; n++) {
      ctx.user(`turn ${n}`)
      await ctx.commit()
    }
    // As a killed process leaves them, with one bit that flipped.
    for (const end of ['', '-wal', '-shm']) fs.copyFileSync(file(`a.db${end}`), file(`b.db${end}`))
    await store.close()
    const log = fs.readFileSync(file('b.db-wal'))
    const at = Math.floor(log.length * 0.6)
    log.writeUInt8(log.readUInt8(at) ^ 4, at)
    fs.writeFileSync(file('b.db-wal'), log)
    const damaged = {
      code: 'E_STORE',
      details: { reason: 'damaged', outcome: 'failed', frame: expect.any(Number) },
      message: expect.stringMatching(/^The log of sqlite:[^ ]+, its -wal file, is damaged at frame \d+, and holds/),
    }
    await expect(openStore(url)).rejects.toMatchObject(damaged)
    await expect(openStore(url, { readOnly: true })).rejects.toMatchObject(damaged)
    const pctx = path.join(import.meta.dirname, '../../dist/bundle/pctx.js')
    const checked = spawnSync(process.execPath, [pctx, 'fsck', '--store', url], { encoding: 'utf8' })
    expect([checked.status, checked.stdout]).toEqual([1, expect.stringMatching(/^damage the store: The log of /)])
    expect(fs.readFileSync(file('b.db-wal')).equals(log)).toBe(true)
    const accepted = await openStore(url, { durability: 'relaxed' })
    const left = await accepted.open('main')
    expect(left.cycle).toBeGreaterThan(1)
    expect(left.cycle).toBeLessThan(10)
    await accepted.close()
    const again = await openStore(url)
    expect((await again.fsck()).problems).toEqual([])
    await again.close()
  } finally {
    remove()
  }
})
