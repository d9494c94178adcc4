// Tables that change: a process that ends in the middle leaves the old ones or the new ones, and of many that open a file at once one
// changes it. The step that is played here is made up; steps that were released are in src/store/sqlite/schema.ts.

import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { STEPS as RELEASED } from '../../../dist/store/sqlite/schema.js'
import { Chance } from '../chance.mjs'
import { Child, each } from './children.mjs'
import { integrityOf, OPTIONS, scratch, storeAt, sumsOf, told } from './files.mjs'

/** Copies every row, as the step of a real one might, adds a column, and counts how often it was played. */
const STEPS = [
  `CREATE TABLE played (n INTEGER);
   INSERT INTO played VALUES (1);
   ALTER TABLE contexts ADD COLUMN note BLOB;
   CREATE TABLE copies (k INTEGER PRIMARY KEY, hash BLOB NOT NULL, changes BLOB NOT NULL, bodies BLOB NOT NULL);
   INSERT INTO copies SELECT k, hash, changes, bodies || randomblob(4000) FROM commits;
   UPDATE contexts SET note = x'01';`,
]

/**
 * @param {{ kills: number, openers: number, seed?: number, atOnce?: number, deadline?: number, node?: string | undefined }} settings
 */
export async function migrateUnderFire({ kills, openers, seed = 1, atOnce = 2, deadline = Infinity, node }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const done = { old: 0, new: 0 }
  try {
    const base = file('base.db')
    const expected = await makeBase(base)
    let length = 100
    await each(kills, atOnce, async (n) => {
      if (performance.now() >= deadline) return
      const chance = new Chance(seed * 31 + n)
      const path = file(`${n}.db`)
      fs.copyFileSync(base, path)
      const child = new Child('migration', { file: path, steps: STEPS }, { node })
      await child.heard('begin')
      const started = performance.now()
      await Promise.race([sleep(chance.next() * length), child.ended])
      child.kill('SIGKILL')
      const { lines } = await child.ended
      const isDone = lines.some(({ say }) => say === 'migrated')
      // So long as it takes here, and a little longer.
      if (isDone) length = Math.max(5, Math.min(length, (performance.now() - started) * 1.2))
      const state = stateOf(path, failures)
      if (isDone && state !== 'new') failures.push(`Kill ${n}: what was done is undone.`)
      done[state]++
      failures.push(...(await contentsOf(path, state, expected)).map((each) => `Kill ${n}, ${state}: ${each}`))
      for (const end of ['', '-wal', '-shm']) fs.rmSync(`${path}${end}`, { force: true })
    })
    const path = file('openers.db')
    fs.copyFileSync(base, path)
    const children = Array.from(
      { length: openers },
      () => new Child('migration', { file: path, steps: STEPS, wait: true }, { node }),
    )
    await Promise.all(children.map((child) => child.heard('ready')))
    for (const child of children) child.tell('go')
    for (const { lines, errors } of await Promise.all(children.map((child) => child.ended))) {
      const fault = lines.find(({ say }) => say === 'fault')
      if (!lines.some(({ say }) => say === 'migrated')) failures.push(`An opener failed: ${fault?.text ?? errors}`)
    }
    if (stateOf(path, failures) !== 'new') failures.push('Nobody has changed the tables.')
    return { ...done, openers, failures }
  } finally {
    remove()
  }
}

/**
 * The tables of a file: all old or all new.
 * @param {string} path
 * @param {string[]} failures
 * @returns {'old' | 'new'}
 */
function stateOf(path, failures) {
  const db = openDatabase(path)
  try {
    const number = (/** @type {string} */ sql) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
    const version = number('PRAGMA user_version')
    const tables = number(`SELECT count(*) FROM sqlite_schema WHERE name IN ('played', 'copies')`)
    const columns = number(`SELECT count(*) FROM pragma_table_info('contexts') WHERE name = 'note'`)
    const isOld = version === RELEASED.length && tables === 0 && columns === 0
    const isNew = version === RELEASED.length + 1 && tables === 2 && columns === 1
    if (!isOld && !isNew) failures.push(`It is neither old nor new: ${JSON.stringify({ version, tables, columns })}.`)
    if (isNew) {
      if (number('SELECT count(*) FROM played') !== 1) failures.push('The step was played more than once.')
      if (number('SELECT count(*) FROM copies') !== number('SELECT count(*) FROM commits'))
        failures.push('Rows were left out.')
    }
    return isNew ? 'new' : 'old'
  } finally {
    db.close()
  }
}

/**
 * @param {string} path
 * @param {'old' | 'new'} state
 * @param {string} expected
 * @returns {Promise<readonly string[]>}
 */
async function contentsOf(path, state, expected) {
  const failures = [...integrityOf(path)]
  try {
    const store = storeAt(path)
    const shown = JSON.stringify([...sumsOf(await store.open('main', OPTIONS))])
    if (shown !== expected) failures.push('it shows other bytes.')
    await store.close()
    if (state === 'new') failures.push('this version opens a newer file.')
  } catch (error) {
    const isNewer = /** @type {{ details?: { reason?: string } }} */ (error).details?.reason === 'newer'
    if (state === 'old' || !isNewer) failures.push(told(error))
  }
  return failures
}

/** @param {string} base */
async function makeBase(base) {
  const store = storeAt(base, { sizes: undefined })
  const ctx = await store.open('main', OPTIONS)
  for (let n = 0; n < 300; n++) {
    ctx.user(`question ${n}`)
    await ctx.commit()
  }
  const shown = JSON.stringify([...sumsOf(ctx)])
  await store.close()
  return shown
}
