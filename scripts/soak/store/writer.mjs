// A process that writes into a store until it is done, or killed. Started by children.mjs with the name of a task and its settings;
// what it says are lines of JSON, each written before anything else happens.

import fs from 'node:fs'
import readline from 'node:readline'

import { PactError } from '../../../dist/index.js'
import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { migrate, STEPS } from '../../../dist/store/sqlite/schema.js'
import { Chance } from '../chance.mjs'
import { edit } from '../edits.mjs'
import { playTurn } from '../turns.mjs'
import { examine } from './examine.mjs'
import { Store } from '../../../dist/store/index.js'
import { SqliteRows } from '../../../dist/store/sqlite/rows.js'
import { countingDatabase, ERASED } from './erasing.mjs'
import { KEEP } from './retaining.mjs'
import { intercepted, OPTIONS, SIZES, storeAt, sumOf, sumsOf, told } from './files.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('./files.mjs').StoredContext} StoredContext
 * @typedef {import('./files.mjs').Rows} Rows
 */

const CALL = { provider: 'acme', model: 'large-1', params: {} }
/** Who only writes needs no past. */
const SHORT = { ...OPTIONS, history: 1 }
/** No loop here has more rounds. */
const MOST = 100_000

/** @type {Record<string, (settings: any) => Promise<void>>} */
const TASKS = { commits, race, rebases, stale, erasing, retaining, steps, reads, migration, examine: examined }

const [, , task = '', settings = '{}'] = process.argv
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
await TASKS[task]?.(JSON.parse(settings))
process.exit(0)

/**
 * @param {string} what
 * @param {object} [more]
 */
function say(what, more = {}) {
  fs.writeSync(1, `${JSON.stringify({ say: what, ...more })}\n`)
}

/** Waits for the next line. */
async function heard() {
  const { done } = await input.next()
  if (done === true) process.exit(0)
}

/**
 * Commits until it is killed: turns, edits, forks, attempts, with a key and without; rows are packed meanwhile.
 * @param {{ file: string, seed: number }} settings
 */
async function commits({ file, seed }) {
  const chance = new Chance(seed)
  const store = storeAt(file)
  const main = await store.open('main', OPTIONS)
  // A writer that was killed has left its open turn.
  if (main.draft !== undefined) await finished(main)
  say('ready', { cycle: main.cycle })
  /** @type {StoredContext[]} */
  let forks = []
  for (let n = 0; n < MOST; n++) {
    const ctx = forks.length > 0 && chance.isOneIn(4) ? chance.pick(forks) : main
    if (chance.isOneIn(3)) await keyed(ctx, `${seed}/${n}`)
    else await turn(ctx, chance)
    if (!chance.isOneIn(20)) continue
    const back = chance.below(ctx.snapshots().length)
    const lens = chance.pick(/** @type {const} */ (['@t0', `@t-${back}`, 'working', 'preview']))
    const fork = await ctx.fork(lens, { id: `fork ${seed}/${n}` })
    say('forked', { id: fork.id, sums: [...sumsOf(fork)] })
    forks = [...forks.slice(-1), fork]
  }
}

/**
 * @param {StoredContext} ctx
 * @param {Chance} chance
 */
async function turn(ctx, chance) {
  const plain = /** @type {Context} */ (/** @type {unknown} */ (ctx))
  if (chance.isOneIn(3)) edit(plain, chance)
  playTurn(plain, chance)
  const attempt = chance.isOneIn(3) ? ctx.startAttempt({ ...CALL, lens: 'preview' }) : undefined
  if (chance.isOneIn(2)) attempt?.complete({ tokenIn: 9, tokenOut: 4 })
  if (chance.isOneIn(2)) {
    await ctx.save()
    say('saved', { id: ctx.id, cycle: ctx.cycle, sum: sumOf(ctx.snapshot('working')) })
  }
  const snapshot = await ctx.commit()
  say('commit', { id: ctx.id, cycle: snapshot.cycle, sum: sumOf(snapshot), attempt: attempt?.id })
}

/** @param {StoredContext} ctx */
async function finished(ctx) {
  const snapshot = await ctx.commit()
  say('commit', { id: ctx.id, cycle: snapshot.cycle, sum: sumOf(snapshot) })
}

/**
 * A commit whose edits follow from its key, so that a later process can send it again.
 * @param {StoredContext} ctx
 * @param {string} key
 */
async function keyed(ctx, key) {
  ctx.user(`said ${key}`)
  say('try', { id: ctx.id, key })
  const snapshot = await ctx.commit({ key })
  say('commit', { id: ctx.id, cycle: snapshot.cycle, sum: sumOf(snapshot), key })
}

/**
 * Commits a number of times into a context that others commit into as well.
 * @param {{ file: string, name: string, commits: number }} settings
 */
async function race({ file, name, commits }) {
  say('ready')
  await heard()
  // Losers open it again, hundreds of times: with manifests, from a place near the head.
  const store = storeAt(file, { sizes: { ...SIZES, manifest: 16 } })
  let ctx = await store.open('main', SHORT)
  for (let done = 0, tries = 0; done < commits && tries < MOST; tries++) {
    try {
      if (ctx.operations().length === 0) ctx.user(`${name} says ${done}`)
      const { cycle } = await ctx.commit()
      say('commit', { cycle, text: `${name} says ${done}` })
      done++
    } catch (error) {
      if (!PactError.is(error) || error.code !== 'E_CONFLICT') {
        say('fault', { text: told(error) })
        return
      }
      say('conflict', { ...error.details, kept: ctx.operations().length })
      ctx = await store.open('main', SHORT)
    }
  }
  await store.close()
  say('done')
}

/**
 * Adds messages to a context that others add to as well, each behind whatever came first; none is made twice.
 * @param {{ file: string, name: string, commits: number }} settings
 */
async function rebases({ file, name, commits }) {
  say('ready')
  await heard()
  const store = storeAt(file)
  // Nothing is pruned: all messages have to be there in the end.
  const ctx = await store.open('main', { history: 1 })
  for (let done = 0; done < commits; done++) {
    ctx.user(`${name} says ${done}`)
    for (let isDone = false; !isDone;) {
      try {
        const { cycle } = await ctx.commit()
        say('commit', { cycle, text: `${name} says ${done}` })
        isDone = true
      } catch (error) {
        if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
        const { ids } = await ctx.rebase()
        say('rebased', { ids: ids.size })
      }
    }
  }
  await store.close()
  say('done')
}

/**
 * Erases, and is killed before the n-th statement that writes.
 * @param {{ file: string, at: number }} settings
 */
async function erasing({ file, at }) {
  await mortalStore(file, at).erase('root', ERASED, { author: 'dpo', reason: 'asked' })
  say('erased')
}

/**
 * Thins out, and is killed in the same way.
 * @param {{ file: string, at: number }} settings
 */
async function retaining({ file, at }) {
  await mortalStore(file, at).retain('root', { keep: KEEP })
  say('retained')
}

/**
 * A store whose process is killed before the n-th statement that writes.
 * @param {string} file
 * @param {number} at
 */
function mortalStore(file, at) {
  let left = at
  const count = (/** @type {string} */ sql) => {
    if (/^\s*SELECT|^PRAGMA (?!wal_checkpoint)/.test(sql)) return
    if (--left === 0) {
      say('killed', { sql })
      process.kill(process.pid, 'SIGKILL')
    }
  }
  return new Store(new SqliteRows(file, {}, countingDatabase(count)), SIZES)
}

/**
 * Reads, edits, and commits only after others have: it waits for a word in each round. In every other round it waits inside
 * the commit, when the row is made and not yet sent.
 * @param {{ file: string, rounds: number }} settings
 */
async function stale({ file, rounds }) {
  let isInside = false
  const wrap = (/** @type {Rows} */ rows) =>
    intercepted(rows, 'commit', async (go) => {
      if (isInside) {
        say('waiting')
        await heard()
      }
      return go()
    })
  for (let n = 0; n < rounds; n++) {
    const store = storeAt(file, { wrap })
    const ctx = await store.open('main', OPTIONS)
    ctx.user(`stale ${n}`)
    isInside = n % 2 === 1
    if (!isInside) {
      say('waiting')
      await heard()
    }
    try {
      const { cycle } = await ctx.commit()
      say('outcome', { code: 'committed', cycle })
    } catch (error) {
      const { code, details } = /** @type {PactError} */ (error)
      say('outcome', { code, details, kept: ctx.operations().length })
    }
    await store.close()
  }
}

/**
 * One of each call that writes, each announced before and reported after. A call that fails is tried a second time.
 * @param {{ file: string, clean?: boolean }} settings
 */
async function steps({ file }) {
  const store = storeAt(file)
  const ctx = await store.open('main', OPTIONS)
  /** @type {readonly (readonly [string, () => Promise<object>])[]} */
  const all = [
    ['commit', () => committed(ctx, 'one')],
    ['keyed', () => committed(ctx, 'two', 'key of two')],
    ['attempt', () => attempted(ctx)],
    ['fork', () => forked(ctx)],
    ['packing', () => packed(ctx)],
    ['close', () => closed(store)],
  ]
  for (const [name, work] of all) {
    say('begin', { step: name })
    for (let tries = 1; tries <= 3; tries++) {
      try {
        const result = await work()
        say('sums' in result ? 'forked' : 'sum' in result ? 'commit' : 'closed', { step: name, tries, ...result })
        break
      } catch (error) {
        const details = PactError.is(error) ? { code: error.code, ...error.details } : { code: 'crash' }
        say('fault', { step: name, tries, text: told(error), ...details })
        if (name === 'close') break
      }
    }
  }
  say('end')
}

/**
 * One call that reads much, while the disk may fail to.
 * @param {{ file: string, call: string }} settings
 */
async function reads({ file, call }) {
  /** @type {Record<string, (store: Store) => Promise<unknown>>} */
  const calls = {
    open: (store) => store.open('main', OPTIONS),
    openAt: (store) => store.openAt('main', 7),
    loadHistory: async (store) => (await store.open('main', { history: 1 })).loadHistory('@*'),
    list: (store) => store.list(),
    fork: async (store) => (await store.open('main', { history: 1 })).fork('@t0', { id: 'another' }),
    put: async (store) => store.put(await store.open('main', OPTIONS), 'another'),
    delete: (store) => store.delete('main', { forks: true }),
    erase: (store) => store.erase('main', '.block'),
    retain: (store) => store.retain('main', { keep: { newest: 2 } }),
    fsck: async (store) => {
      for (const problem of (await store.fsck()).problems) say('problem', problem)
    },
  }
  try {
    const store = storeAt(file)
    await calls[call]?.(store)
    await store.close()
  } catch (error) {
    const details = PactError.is(error) ? { code: error.code, ...error.details } : { code: 'crash' }
    say('fault', { text: told(error), ...details })
  }
  say('end')
}

/**
 * @param {StoredContext} ctx
 * @param {string} text
 * @param {string} [key]
 */
async function committed(ctx, text, key) {
  // After a failure the edits are still there; after an unknown one nothing may be added.
  if (ctx.operations().length === 0) ctx.user(text)
  const snapshot = await ctx.commit(key === undefined ? {} : { key })
  return { id: ctx.id, cycle: snapshot.cycle, sum: sumOf(snapshot), text }
}

/** @param {StoredContext} ctx */
async function attempted(ctx) {
  const attempt = ctx.attempts().length === 0 ? ctx.startAttempt(CALL).complete({ tokenIn: 1, tokenOut: 1 }) : undefined
  return { ...(await committed(ctx, 'three')), attempt: (attempt ?? ctx.attempts()[0])?.attempt_id }
}

/** @param {StoredContext} ctx */
async function forked(ctx) {
  const fork = await ctx.fork('@t-1', { id: 'fork' }).catch(async (error) => {
    // Where the outcome was unknown, it may be there.
    if (PactError.is(error) && error.code === 'E_CONFLICT') return undefined
    throw error
  })
  return { id: 'fork', sums: fork === undefined ? [] : [...sumsOf(fork)] }
}

/** @param {StoredContext} ctx */
async function packed(ctx) {
  /** @type {object} */
  let last = {}
  for (let n = 0; n < 8; n++) {
    last = await committed(ctx, `four ${n}`)
    say('commit', last)
  }
  return last
}

/** @param {import('pact-context/store').Store} store */
async function closed(store) {
  await store.close()
  return {}
}

/**
 * Brings the tables of a file to a version that is still to come.
 * @param {{ file: string, steps: readonly string[], wait?: boolean }} settings
 */
async function migration({ file, steps, wait }) {
  say('ready')
  if (wait === true) await heard()
  const db = openDatabase(file)
  db.exec('PRAGMA busy_timeout = 20000')
  say('begin', { step: 'migration' })
  try {
    migrate(db, file, [...STEPS, ...steps])
    say('migrated')
  } catch (error) {
    say('fault', { text: told(error) })
  }
  db.close()
}

/**
 * Looks at damaged files one after the other.
 * @param {{ files: readonly string[], known: string }} settings
 */
async function examined({ files, known }) {
  for (const file of files) {
    say('look', { file })
    say('found', { file, ...(await examine(file, known)) })
  }
}
