// A process that writes into a context of a PostgreSQL store that others write into as well. What it says are lines of JSON.

import fs from 'node:fs'
import readline from 'node:readline'

import { PactError } from '../../dist/index.js'
import { Store } from '../../dist/store/index.js'
import { openPool } from '../../dist/store/postgres/driver.js'
import { PostgresRows } from '../../dist/store/postgres/rows.js'
import { ERASED, SIZES, WHO } from '../../scripts/soak/store/erasing.mjs'
import { KEEP } from '../../scripts/soak/store/retaining.mjs'

/** @typedef {import('../../dist/store/postgres/driver.js').Client} Client */

/** @type {{ url: string, tenant: string, name: string, commits: number, task: keyof typeof TASKS, at: number }} */
const { url, tenant, name, commits, task, at } = JSON.parse(process.argv[2] ?? '{}')
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const TASKS = { race, stale: race, rebase, erasing: erase, retaining: retain, saving: saves }

await TASKS[task]()
say('done')
process.exit(0)

/**
 * @param {string} what
 * @param {object} [more]
 */
function say(what, more = {}) {
  fs.writeSync(1, `${JSON.stringify({ say: what, ...more })}\n`)
}

async function begin() {
  const store = new Store(await PostgresRows.open(url, { tenant, connections: 2 }))
  say('ready')
  await input.next()
  return store
}

/** Commits once for each line of input; a late writer opens the context again. */
async function race() {
  const store = await begin()
  let ctx = await store.open('main', { history: 1 })
  for (let done = 0; done < commits;) {
    try {
      if (ctx.operations().length === 0) ctx.user(`${name} says ${done}`)
      if (task === 'stale') {
        say('waiting')
        await input.next()
      }
      const { cycle } = await ctx.commit()
      say('commit', { cycle, text: `${name} says ${done}` })
      done++
    } catch (error) {
      if (!PactError.is(error) || error.code !== 'E_CONFLICT') {
        say('fault', { text: String(error) })
        break
      }
      say('conflict', { ...error.details, kept: ctx.operations().length })
      if (task === 'stale') done++
      ctx = await store.open('main', { history: 1 })
    }
  }
  await store.close()
}

/** The same; who was late makes its edits again behind the others. */
async function rebase() {
  const store = await begin()
  const ctx = await store.open('main')
  for (let done = 0; done < commits; done++) {
    ctx.user(`${name} says ${done}`)
    for (;;) {
      try {
        await ctx.commit()
        break
      } catch (error) {
        if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
        await ctx.rebase()
        say('rebased')
      }
    }
  }
  await store.close()
}

async function erase() {
  const store = await mortalStore()
  await store.erase('root', ERASED, WHO)
  say('erased')
  await store.close()
}

async function retain() {
  const store = await mortalStore()
  await store.retain('root', { keep: KEEP })
  say('retained')
  await store.close()
}

/** Turns of two saves and a commit; every text is said once it is durable. */
async function saves() {
  const store = await mortalStore()
  const ctx = await store.open('saved')
  for (let turn = 1; turn <= commits; turn++) {
    for (const text of [`${turn} asked`, `${turn} answered`]) {
      ctx.user(text)
      await ctx.save()
      say('saved', { text })
    }
    ctx.user(`${turn} ended`)
    await ctx.commit()
    say('saved', { text: `${turn} ended` })
  }
  await store.close()
}

/** A store whose process is killed before the n-th statement of those that write. */
async function mortalStore() {
  let left = at
  const look = (/** @type {string} */ text) => {
    if (text.startsWith('SELECT') || --left > 0) return
    say('killed', { text })
    process.kill(process.pid, 'SIGKILL')
  }
  const rows = await PostgresRows.open(url, { tenant }, (config) => {
    const pool = openPool(config)
    const looking = (/** @type {Client} */ client) =>
      new Proxy(client, {
        get: (target, key) => {
          if (key === 'query')
            return (/** @type {{ text: string }} */ query) =>
              (look(query.text), target.query(query))
          const value = Reflect.get(target, key)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    return { connect: async () => looking(await pool.connect()), end: () => pool.end(), on: pool.on.bind(pool) }
  })
  return new Store(rows, SIZES)
}
