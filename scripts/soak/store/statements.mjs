// A fault before every SQL statement of everything that writes: a reader of the file sees what was there before or what is
// there after, never something between; and what failed can be done again.

import fs from 'node:fs'

import { createContext, PactError } from '../../../dist/index.js'
import { Store } from '../../../dist/store/index.js'
import { packOf } from '../../../dist/store/pack.js'
import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { SqliteRows } from '../../../dist/store/sqlite/rows.js'
import { attemptRow } from '../../../dist/store/attempt-rows.js'
import { flushed, integrityOf, OPTIONS, scratch, SIZES, sumOf, sumsOf, told } from './files.mjs'

/** The stored part of an attempt whose thread is that of its base. */
const NOTHING_SENT = { nodes: [], thread_indexes: [], absent_ids: [] }

/**
 * @typedef {import('../../../dist/store/sqlite/driver.js').Database} Database
 * @typedef {import('./files.mjs').StoredContext} StoredContext
 * @typedef {{ store: Store, rows: SqliteRows, ctx: StoredContext }} Opened
 * @typedef {(opened: Opened) => Promise<unknown>} Work
 */

const CALL = { provider: 'acme', model: 'large-1', params: {} }
const TABLES = ['contexts', 'commits', 'packs', 'answers', 'attempts', 'manifests', 'pages', 'drafts']

/** Errors as the driver throws them, and a process that ends there. */
const FAULTS = {
  full: { errcode: 13, outcome: 'failed' },
  io: { errcode: 10, outcome: 'unknown' },
  death: { errcode: 10, outcome: 'unknown' },
}

/** Calls that write, each once. `again`: doing it twice is doing it once, so that it can be tried until it holds. */
/** @type {Record<string, { work: Work, again?: boolean, between?: readonly Work[] }>} */
const WORKS = {
  commit: { work: ({ ctx }) => ctx.commit(), again: true },
  'commit with a key': { work: ({ ctx }) => ctx.commit({ key: 'new' }), again: true },
  'commit with a key that is known': {
    work: async ({ ctx }) => {
      while (ctx.undo());
      ctx.user('with a key')
      return ctx.commit({ key: 'old' })
    },
  },
  'commit with an attempt': {
    work: ({ ctx }) => {
      if (ctx.attempts().length < 2) ctx.startAttempt(CALL).complete({})
      return ctx.commit()
    },
    again: true,
    // An attempt is written by itself, when it starts and when it ends, before the commit that waits for it.
    between: [
      async ({ ctx }) => {
        ctx.startAttempt(CALL)
        await flushed(ctx)
      },
      async ({ ctx }) => {
        ctx.startAttempt(CALL).complete({})
        await flushed(ctx)
      },
    ],
  },
  save: { work: ({ ctx }) => ctx.save(), again: true },
  'save that replaces an older one': {
    work: async ({ ctx }) => {
      await ctx.save()
      ctx.undo()
      ctx.user('instead')
      await ctx.save()
    },
    between: [({ ctx }) => ctx.save()],
  },
  'commit with a draft': {
    work: async ({ ctx }) => {
      if (ctx.draft === undefined) await ctx.save()
      return ctx.commit()
    },
    again: true,
    between: [({ ctx }) => ctx.save()],
  },
  'commit with a draft and a key': {
    work: async ({ ctx }) => {
      if (ctx.draft === undefined) await ctx.save()
      return ctx.commit({ key: 'new' })
    },
    again: true,
    between: [({ ctx }) => ctx.save()],
  },
  'drop a draft': {
    work: async ({ store, ctx }) => {
      await ctx.save()
      return store.open('main', { ...options(), draft: 'discard' })
    },
    between: [({ ctx }) => ctx.save()],
  },
  fork: { work: ({ ctx }) => ctx.fork('@t-2', { id: 'second' }) },
  'fork of what is open': { work: ({ ctx }) => ctx.fork('preview', { id: 'second' }) },
  open: { work: ({ store }) => store.open('new', options()), again: true },
  put: { work: ({ store }) => store.put(past(), 'put') },
  delete: { work: ({ store }) => store.delete('fork'), again: true },
  'delete with forks': { work: ({ store }) => store.delete('main', { forks: true }), again: true },
  pack: {
    work: async ({ rows }) => {
      const { rows: alone } = await rows.read(1, 0, 3)
      return rows.pack(1, packOf(alone))
    },
  },
  attempts: {
    work: ({ rows, ctx }) => {
      const [record] = /** @type {[import('../../../dist/index.js').AttemptRecord]} */ (ctx.attempts())
      const numbered = [1, 2, 3].map((n) =>
        attemptRow({ seal: undefined }, { ...record, ...NOTHING_SENT, attempt_id: `attempt:3-${n}` }, 'w'),
      )
      return rows.writeAttempts(1, numbered)
    },
    again: true,
  },
  manifest: {
    work: ({ rows }) =>
      rows.writeManifest(
        1,
        { cycle: 3, body: Buffer.from('m') },
        ['00', '01', '02'].map((key) => ({ key: key.repeat(16), body: Buffer.from(key) })),
      ),
    again: true,
  },
  'drop what is derived': { work: ({ rows }) => rows.dropDerived(1), again: true },
}

export const WORK_NAMES = Object.keys(WORKS)

/** @param {string} name one of WORK_NAMES */
export async function failEachStatement(name) {
  const entry = WORKS[name]
  if (entry === undefined) throw new Error(`Nothing is called ${name}.`)
  const { work, again = false, between = [] } = entry
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  try {
    const base = file('base.db')
    await makeBase(base)
    const before = await viewOf(base)
    const whole = file('whole.db')
    fs.copyFileSync(base, whole)
    const statements = await withStore(whole, async (opened, arm) => {
      const count = arm(Infinity)
      await work(opened)
      return count()
    })
    const after = await viewOf(whole)
    const allowed = [before, after]
    for (const [i, part] of between.entries()) {
      const partly = file(`partly-${i}.db`)
      fs.copyFileSync(base, partly)
      await withStore(partly, part)
      allowed.push(await viewOf(partly))
    }
    const isTorn = (/** @type {string} */ seen) => !allowed.includes(seen)
    let faults = 0
    for (const [kind, { errcode, outcome }] of Object.entries(FAULTS)) {
      for (let k = 1; k <= statements; k++) {
        const copy = file(`${kind}-${k}.db`)
        fs.copyFileSync(base, copy)
        const label = `${name}, ${kind} before statement ${k} of ${statements}`
        let isAcknowledged = false
        const isDeath = kind === 'death'
        await withStore(copy, async (opened, arm, die) => {
          arm(k, errcode, isDeath)
          /** @type {unknown} */
          const error = await work(opened).then(
            () => void (isAcknowledged = true),
            (each) => each,
          )
          if (error !== undefined) {
            faults++
            if (!PactError.is(error) || error.code !== 'E_STORE') failures.push(`${label}: ${told(error)}`)
            else if (error.details['outcome'] !== outcome)
              failures.push(`${label}: its outcome is not ${outcome}: ${told(error)}`)
          }
          if (isDeath) return die()
          const seen = await viewOf(copy)
          if (isTorn(seen) || (isAcknowledged && seen !== after))
            failures.push(`${label}: ${differ(seen, before, after)}`)
          if (!again || isAcknowledged) return
          const second = await work(opened).then(() => undefined, told)
          if (second !== undefined) failures.push(`${label}: done again, it fails: ${second}`)
          else if ((await viewOf(copy)) !== after)
            failures.push(`${label}: done again, ${differ(await viewOf(copy), before, after)}`)
        })
        const seen = await viewOf(copy)
        if (isTorn(seen) || (isAcknowledged && seen !== after))
          failures.push(`${label}, reopened: ${differ(seen, before, after)}`)
        failures.push(...integrityOf(copy).map((fault) => `${label}: ${fault}`))
      }
    }
    return { statements, faults, changes: before !== after, failures }
  } finally {
    remove()
  }
}

/** Times that are the same in every run, later ones at each call of this. */
function options() {
  let now = 1_767_225_600_000_000_000n
  const clock = () => (now += 1_000_000n)
  return { ...OPTIONS, clock, attemptClock: clock }
}

/** @param {string} base */
async function makeBase(base) {
  const rows = new SqliteRows(base)
  const store = new Store(rows, SIZES)
  const ctx = await store.open('main', options())
  for (let n = 0; n < 6; n++) {
    ctx.user(`question ${n}`)
    ctx.assistant(`answer ${n}`, { ttl: 2 })
    if (n === 2) ctx.startAttempt(CALL).complete({})
    await ctx.commit()
  }
  ctx.user('with a key')
  await ctx.commit({ key: 'old' })
  const fork = await ctx.fork('@t-1', { id: 'fork' })
  fork.user('elsewhere')
  await fork.commit()
  await rows.writeManifest(1, { cycle: 2, body: Buffer.from('m') }, [{ key: 'ff'.repeat(16), body: Buffer.from('p') }])
  await store.close()
}

function past() {
  const ctx = createContext({ clock: options().clock })
  for (let n = 0; n < 20; n++) {
    ctx.user(`before ${n}`)
    ctx.commit()
  }
  ctx.startAttempt(CALL).complete({})
  return ctx
}

/**
 * Opens a file in such a way that statements can fail: `arm` says from when, `die` lets go of it as a process that ends.
 * @template T
 * @param {string} file
 * @param {(opened: Opened, arm: (at: number, errcode?: number, forGood?: boolean) => () => number, die: () => void) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withStore(file, use) {
  let [count, at, code, isForGood, isDead] = [0, Infinity, 0, false, false]
  /** @type {Database | undefined} */
  let db
  const step = () => {
    count++
    if (count === at || (isForGood && count > at)) {
      throw Object.assign(new Error('a fault of the test'), { code: 'ERR_SQLITE_ERROR', errcode: code })
    }
  }
  const rows = new SqliteRows(file, {}, (path) => {
    db = openDatabase(path)
    return faulty(db, step)
  })
  const store = new Store(rows, SIZES)
  const ctx = await store.open('main', options())
  ctx.user('the newest')
  const arm = (/** @type {number} */ when, errcode = 0, forGood = false) => {
    ;[count, at, code, isForGood] = [0, when, errcode, forGood]
    return () => count
  }
  try {
    return await use({ store, rows, ctx }, arm, () => {
      isDead = true
      // The next process to open the file; the driver closes only when its statements are collected.
      try {
        db?.exec('ROLLBACK')
      } catch {
        // There was no transaction.
      }
      db?.close()
    })
  } finally {
    arm(Infinity)
    if (!isDead) await store.close()
  }
}

/**
 * @param {Database} db
 * @param {() => void} step
 * @returns {Database}
 */
function faulty(db, step) {
  return {
    exec: (sql) => (step(), db.exec(sql)),
    close: () => db.close(),
    prepare: (sql) => {
      const statement = db.prepare(sql)
      return {
        run: (...values) => (step(), statement.run(...values)),
        get: (...values) => (step(), statement.get(...values)),
        all: (...values) => (step(), statement.all(...values)),
      }
    },
  }
}

/**
 * All that can be seen in a file, from another connection.
 * @param {string} file
 */
async function viewOf(file) {
  const store = new Store(new SqliteRows(file), SIZES)
  /** @type {unknown[]} */
  const seen = []
  try {
    const { contexts } = await store.list({ limit: 1000 })
    for (const { id, cycle, forks } of contexts) {
      const ctx = await store.open(id, options())
      const answers = await Promise.all(['old', 'new'].map((key) => ctx.answerTo(key)))
      const attempts = id === 'main' ? ctx.attempts().map((each) => [each.attempt_id, each.status]) : []
      const open = [ctx.draft, sumOf(ctx.snapshot('working'))]
      seen.push([id, cycle, forks, [...sumsOf(ctx)], answers.map((each) => each?.ids), attempts, open])
    }
  } catch (error) {
    seen.push(told(error))
  } finally {
    await store.close()
  }
  const db = openDatabase(file)
  for (const table of TABLES) seen.push([table, Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])])
  db.close()
  return JSON.stringify(seen)
}

/**
 * @param {string} seen
 * @param {string} before
 * @param {string} after
 */
function differ(seen, before, after) {
  return `it shows neither what was before nor what comes after:\n  ${seen}\n  ${before}\n  ${after}`
}
