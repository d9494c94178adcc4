// The disk under an SQLite store is full, or every single call that writes fails, or is the last one of its process. The same runs are
// longer in `npm run soak -- --kills 1000`.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { failEachCall, failReads, READING, whyNoStrace } from '../../scripts/soak/store/calls.mjs'
import { fillDisk, whyNoDisk } from '../../scripts/soak/store/disk.mjs'
import { scratch, storeAt } from '../../scripts/soak/store/files.mjs'

const noDisk = whyNoDisk()
const noStrace = whyNoStrace()

describe('a full disk', () => {
  it.skipIf(noDisk !== undefined)(
    `tells that it is full, acknowledges nothing, and goes on when there is room${because(noDisk)}`,
    async () => {
      const { failures, refused, reasons } = await fillDisk({ rounds: 24 })
      expect(failures).toEqual([])
      expect(refused).toBeGreaterThan(100)
      expect(reasons['full']).toBeGreaterThan(100)
    },
    120_000,
  )
})

describe('a call of the system', () => {
  it.skipIf(noStrace !== undefined)(
    `loses no acknowledged commit, whichever is the last of its process${because(noStrace)}`,
    async () => {
      const { failures, injected, killed, steps } = await failEachCall({
        faults: ['signal=KILL'],
        thorough: ['commit', 'keyed'],
        oneIn: 11,
      })
      expect(failures).toEqual([])
      expect(injected).toBeGreaterThan(15)
      expect(killed).toBe(injected)
      expect(Object.keys(steps)).toEqual(
        expect.arrayContaining(['commit', 'keyed', 'attempt', 'fork', 'packing', 'close']),
      )
    },
    120_000,
  )

  it.skipIf(noStrace !== undefined)(
    `may fail: what nobody knows is found out by the next commit, the rest is done again${because(noStrace)}`,
    async () => {
      const { failures, injected, unknown, failed } = await failEachCall({
        faults: ['error=EIO', 'error=ENOSPC'],
        thorough: ['commit'],
        oneIn: 17,
      })
      expect(failures).toEqual([])
      expect(injected).toBeGreaterThan(15)
      expect(unknown).toBeGreaterThan(0)
      expect(failed).toBeGreaterThan(0)
    },
    120_000,
  )

  it.skipIf(noStrace !== undefined)(
    `may fail to read: that is told as an error of the disk, never as damage${because(noStrace)}`,
    async () => {
      const { failures, injected, told } = await failReads({ oneIn: 29 })
      expect(failures).toEqual([])
      expect(injected).toBeGreaterThanOrEqual(READING.length)
      expect(told).toBeGreaterThan(3)
    },
    120_000,
  )

  it.skipIf(noStrace !== undefined)(
    `may fail to read: pctx fsck then ends with 2${because(noStrace)}`,
    async () => {
      const { file, remove } = scratch()
      try {
        await storeAt(file('a.db')).close()
        const pctx = path.join(import.meta.dirname, '../../dist/bundle/pctx.js')
        const inject = ['-f', '-q', '-o', file('log'), '-P', file('a.db'), '-e', 'inject=pread64:error=EIO:when=3+']
        const args = [...inject, process.execPath, pctx, 'fsck', '--store', `sqlite:${file('a.db')}`]
        const { status, stderr } = spawnSync('strace', args, { encoding: 'utf8' })
        expect([status, stderr]).toEqual([2, expect.stringContaining('The disk failed under sqlite:')])
      } finally {
        remove()
      }
    },
    30_000,
  )
})

/** The text of the report where it is left out. */
function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (skipped: ${reason})`
}
