// The log that a killed process leaves next to an SQLite file: damage in it is noticed, or takes nothing that was acknowledged. And
// what a kill, other writers or SQLite itself leave there is never called damage.

import fs from 'node:fs'

import { PactError } from '../../../dist/index.js'
import { Chance } from '../chance.mjs'
import { Child } from './children.mjs'
import { OPTIONS, scratch, storeAt, told } from './files.mjs'

const ENDS = ['', '-wal', '-shm']
const SECTOR = 512
/** One page and what is in front of it. */
const FRAME = 4096 + 24
const HEADER = 32

/**
 * Kills a writer after some commits, and returns its files and the newest cycle of each context that was acknowledged.
 * @param {string} file
 * @param {{ seed: number, commits: number, node?: string | undefined }} settings
 */
async function killed(file, { seed, commits, node }) {
  const child = new Child('commits', { file, seed }, { node })
  await child.heard('commit', commits)
  child.kill()
  const { lines, errors } = await child.ended
  /** @type {Map<string, number>} */
  const newest = new Map()
  for (const { say, id = '', cycle = 0 } of lines) if (say === 'commit') newest.set(id, cycle)
  if (newest.size === 0) throw new Error(`It has not committed: ${errors}`)
  return newest
}

/** @typedef {'bit' | 'sector' | 'cut'} Kind */

/**
 * Damages the log of a killed process, with its index and without.
 * @param {{ damages: number, seed?: number, kinds?: readonly Kind[], node?: string | undefined }} settings
 */
export async function damageLog({ damages, seed = 1, kinds = ['bit', 'bit', 'sector', 'cut'], node }) {
  const { file, remove } = scratch()
  const chance = new Chance(seed * 7919)
  /** @type {string[]} */
  const failures = []
  /** @type {Record<string, number>} */
  const verdicts = {}
  try {
    const newest = await killed(file('base.db'), { seed, commits: 30, node })
    const [whole, log, index] = ENDS.map((end) => fs.readFileSync(file(`base.db${end}`)))
    if (whole === undefined || log === undefined || index === undefined) throw new Error('There is no log.')
    const marks = marksIn(log)
    // The commit mark of the transaction before the last.
    const last = HEADER + ((marks.at(-2) ?? 1) - 1) * FRAME
    for (let n = 0; n < damages; n++) {
      const path = file(`${n}.db`)
      const bytes = Buffer.from(log)
      const kind = kinds[n % kinds.length] ?? 'bit'
      // The first places are those of the header and of the first frame.
      const at = n < 40 ? n * 2 : chance.below(log.length)
      const isIndexed = chance.isOneIn(2)
      if (kind === 'bit') bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << chance.below(8)), at)
      else if (kind === 'sector') bytes.fill(0, at - (at % SECTOR), at - (at % SECTOR) + SECTOR)
      fs.writeFileSync(path, whole)
      fs.writeFileSync(`${path}-wal`, kind === 'cut' ? bytes.subarray(0, at) : bytes)
      if (isIndexed) fs.writeFileSync(`${path}-shm`, index)
      const verdict = await verdictOf(path, newest)
      // Without the index the end of a log looks like a transaction that was being written.
      const isUnknowable =
        (kind === 'cut' && (!isIndexed || at <= HEADER)) || (!isIndexed && at - (at % SECTOR) + SECTOR > last)
      const isFine = ['noticed', 'same'].includes(verdict) || (verdict === 'older' && isUnknowable)
      if (!isFine) failures.push(`seed ${seed}, ${kind} at ${at}${isIndexed ? '' : ', without the index'}: ${verdict}`)
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      for (const end of ENDS) fs.rmSync(`${path}${end}`, { force: true })
    }
    return { failures, verdicts, damages, transactions: marks.length }
  } finally {
    remove()
  }
}

/**
 * The numbers of the frames that end a transaction.
 * @param {Buffer} log
 */
function marksIn(log) {
  /** @type {number[]} */
  const marks = []
  for (let n = 1; HEADER + n * FRAME <= log.length; n++) {
    const at = HEADER + (n - 1) * FRAME
    if (log.subarray(at + 8, at + 16).equals(log.subarray(16, 24)) && log.readUInt32BE(at + 4) !== 0) marks.push(n)
  }
  return marks
}

/**
 * @param {string} path
 * @param {ReadonlyMap<string, number>} newest
 */
async function verdictOf(path, newest) {
  const before = fs.readFileSync(`${path}-wal`)
  try {
    const store = storeAt(path)
    try {
      for (const [id, cycle] of newest) {
        const found = await store.find(id)
        if (found === undefined || found.cycle < cycle) return 'older'
      }
      const { problems } = await store.fsck()
      return problems.length === 0 ? 'same' : `fsck: ${problems[0]?.message}`
    } finally {
      await store.close()
    }
  } catch (error) {
    const isDamage = PactError.is(error) && error.details['reason'] === 'damaged'
    if (!isDamage || !error.message.startsWith('The log of ')) return told(error)
    return before.equals(fs.readFileSync(`${path}-wal`)) ? 'noticed' : 'noticed, and written over'
  }
}

/**
 * Kills writers in the middle of what they do, again and again on one file, so that the log has what was torn, overwritten and left over; each
 * time it is opened without writers and next to writers. None of these states is damage.
 * @param {{ kills: number, seed?: number, node?: string | undefined }} settings
 */
export async function keepLog({ kills, seed = 1, node }) {
  const { file, remove } = scratch()
  const chance = new Chance(seed * 104_729)
  const path = file('kept.db')
  /** @type {string[]} */
  const failures = []
  let [logs, looks] = [0, 0]
  try {
    await storeAt(path).close()
    // Somebody who reads keeps the log from being emptied.
    for (let n = 0; n < kills; n++) {
      const child = new Child('commits', { file: path, seed: seed * 1000 + n }, { node })
      await child.heard('commit', 1 + chance.below(12))
      // While it writes.
      for (let look = 0; look < 5; look++, looks++)
        failures.push(...(await alarmsAt(path)).map((each) => `live: ${each}`))
      child.kill()
      await child.ended
      if ((fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) logs++
      failures.push(...(await alarmsAt(path)).map((each) => `kill ${n}: ${each}`))
      // Now and then the log is moved into the file and begun again, or stays as it is.
      if (!chance.isOneIn(3)) continue
      const store = storeAt(path)
      const ctx = await store.open('main', OPTIONS)
      ctx.user('after a kill')
      await ctx.commit()
      if (chance.isOneIn(2)) await store.close()
    }
    return { failures, kills, logs, looks }
  } finally {
    remove()
  }
}

/**
 * The answer of a reader to a sound store.
 * @param {string} path
 */
async function alarmsAt(path) {
  try {
    const store = storeAt(path, /** @type {{}} */ ({ readOnly: true }))
    const problems = (await store.fsck('main')).problems.map(({ message }) => message)
    await store.close()
    return problems
  } catch (error) {
    return [told(error)]
  }
}
