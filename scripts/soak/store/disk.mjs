// A disk that is full: a failed write is reported and not acknowledged, what was acknowledged is there, and all goes on when there is room
// again. On a small disk of its own, which takes rights to mount one.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

import { createContext, PactError } from '../../../dist/index.js'
import { faultsOf, flushed, OPTIONS, scratch, storeAt, sumOf, told } from './files.mjs'
import { Witness } from './witness.mjs'

/** @typedef {import('./files.mjs').StoredContext} StoredContext */

const CALL = { provider: 'acme', model: 'large-1', params: {} }
const SIZE = 2 * 1024 * 1024
/** The most commits that fit on the disk. */
const MOST = 3000

/** Why it cannot be done here; undefined where it can. */
export function whyNoDisk() {
  const { folder, remove } = scratch()
  try {
    const why = mount(folder)
    if (why === undefined) unmount(folder)
    return why
  } finally {
    remove()
  }
}

/**
 * Fills the disk, with a little more room left in each round, and tries all that writes.
 * @param {{ rounds: number }} settings
 */
export async function fillDisk({ rounds }) {
  const { folder, file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const done = { refused: 0, acknowledged: 0, reasons: /** @type {Record<string, number>} */ ({}) }
  try {
    for (let round = 0; round < rounds; round++) {
      // A new disk each time: a driver may let go of a file only when its statements are collected.
      const why = mount(folder)
      if (why !== undefined) throw new Error(why)
      const path = file(`${round}.db`)
      const filler = file('filler')
      const witness = new Witness()
      const say = (/** @type {object} */ line) =>
        failures.push(...witness.take([/** @type {import('./children.mjs').Line} */ (line)]))
      const store = storeAt(path)
      const ctx = await store.open('main', OPTIONS)
      const commit = async (/** @type {string | undefined} */ key) => {
        if (ctx.operations().length === 0) ctx.user('a message that takes some room '.repeat(8))
        const snapshot = await ctx.commit(key === undefined ? {} : { key })
        say({ say: 'commit', id: 'main', cycle: snapshot.cycle, sum: sumOf(snapshot) })
      }
      for (let n = 0; n < 6; n++) await commit(undefined)
      const put = createContext()
      put.user('elsewhere '.repeat(2000))
      put.commit()
      fill(filler, (round % 24) * 6000)
      /** @type {Record<string, () => Promise<unknown>>} */
      const works = {
        file: async () => storeAt(file(`${round}-new.db`)).close(),
        commit: () => commit(undefined),
        keyed: () => commit('key'),
        attempt: async () => {
          ctx.startAttempt({ ...CALL, params: { text: 'long '.repeat(2000) } }).complete({})
          await flushed(ctx)
        },
        fork: () => ctx.fork('@t-1', { id: 'fork' }),
        open: () => store.open('another', OPTIONS),
        put: () => store.put(put, 'put'),
      }
      for (const [name, work] of Object.entries(works)) {
        const label = `round ${round}, ${name}`
        const shown = sumOf(ctx.snapshot('@t0'))
        /** @type {unknown} */
        let error
        const most = name === 'commit' ? MOST : 1
        // There may be room left in the log; in the end there is none.
        for (let tries = 0; tries < most; tries++) {
          error = await work().then(
            () => undefined,
            (each) => each,
          )
          if (error !== undefined) break
        }
        if (error === undefined && name === 'commit') failures.push(`${label}: the disk is never full.`)
        if (error === undefined) continue
        done.refused++
        const { code, details } = PactError.is(error) ? error : { code: 'crash', details: {} }
        const reason = String(/** @type {Record<string, unknown>} */ (details)['reason'])
        // The caller after an attempt that could not be written waits for it.
        if (code !== 'E_STORE' || !['full', 'io', 'cannot-open'].includes(reason))
          failures.push(`${label}: ${told(error)}`)
        done.reasons[reason] = (done.reasons[reason] ?? 0) + 1
        if (sumOf(ctx.snapshot('@t0')) !== shown && !name.startsWith('commit'))
          failures.push(`${label}: it shows something else.`)
      }
      fs.rmSync(filler)
      // Now there is room: what was refused is done, the edits are still there.
      for (const [name, work] of Object.entries(works)) {
        await work().catch((error) => {
          const isThere = PactError.is(error) && error.code === 'E_CONFLICT' && ['fork', 'put'].includes(name)
          if (!isThere) failures.push(`round ${round}, ${name} with room again: ${told(error)}`)
        })
      }
      failures.push(...(await faultsOf(path, store)))
      await store.close()
      // Forks and contexts made here are no surprise.
      failures.push(...(await witness.check(path, { more: 3 })).map((each) => `round ${round}: ${each}`))
      done.acknowledged += witness.acknowledged
      unmount(folder)
    }
    return { ...done, failures }
  } finally {
    unmount(folder)
    remove()
  }
}

/** @param {string} folder */
function mount(folder) {
  const { status, error, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], {
    encoding: 'utf8',
  })
  if (status === 0) return undefined
  return `a small disk cannot be mounted here: ${error?.message ?? stderr.trim()}`
}

/** @param {string} folder */
function unmount(folder) {
  spawnSync('umount', ['-l', folder])
}

/**
 * Takes all room but a little.
 * @param {string} filler
 * @param {number} left
 */
function fill(filler, left) {
  const block = Buffer.alloc(4096)
  const descriptor = fs.openSync(filler, 'w')
  try {
    for (let size = 0; size <= SIZE; size += block.length) fs.writeSync(descriptor, block)
  } catch {
    // It is full.
  }
  fs.ftruncateSync(descriptor, Math.max(0, fs.fstatSync(descriptor).size - left))
  fs.closeSync(descriptor)
}
