// A process that commits into a context of a PostgreSQL store that others commit into as well. What it says are lines of JSON.

import fs from 'node:fs'
import readline from 'node:readline'

import { PactError } from '../../dist/index.js'
import { openStore } from '../../dist/store/index.js'

/** @type {{ url: string, tenant: string, name: string, commits: number, task: 'race' | 'stale' }} */
const { url, tenant, name, commits, task } = JSON.parse(process.argv[2] ?? '{}')
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()

/**
 * @param {string} what
 * @param {object} [more]
 */
function say(what, more = {}) {
  fs.writeSync(1, `${JSON.stringify({ say: what, ...more })}\n`)
}

const store = await openStore(url, { tenant, connections: 2 })
say('ready')
await input.next()
let ctx = await store.open('main', { history: 'all' })
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
    ctx = await store.open('main', { history: 'all' })
  }
}
await store.close()
say('done')
process.exit(0)
