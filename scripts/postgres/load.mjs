// Many contexts and many connections on one PostgreSQL, which is started for it: commits a second against bare rows of the same bytes
// over as many connections, how long one takes, what an open context takes of memory and a stored one of the disk.
// `node scripts/postgres/load.mjs --contexts 2000 --commits 5 --writers 16`

import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'

import { openStore } from '../../dist/store/index.js'
import { openServer } from './server.mjs'

/** @typedef {import('../../dist/store/index.js').StoredContext} StoredContext */

const { values } = parseArgs({
  options: {
    contexts: { type: 'string', default: '2000' },
    commits: { type: 'string', default: '5' },
    writers: { type: 'string', default: '16' },
    fsync: { type: 'boolean', default: false },
  },
})
const [contexts, commits, writers] = [values.contexts, values.commits, values.writers].map(Number)
const { server, why } = await openServer({ fsync: values.fsync === true })
if (server === undefined) {
  console.error(why)
  process.exit(1)
}
try {
  await load(server.url, contexts ?? 0, commits ?? 0, writers ?? 0)
} finally {
  await server.end()
}

/**
 * @param {string} url
 * @param {number} contexts
 * @param {number} commits
 * @param {number} writers
 */
async function load(url, contexts, commits, writers) {
  const store = await openStore(url, { connections: writers })
  const before = memory()
  /** @type {StoredContext[]} */
  const open = []
  const opened = await timed(contexts, writers, async (n) => {
    open[n] = await store.open(`context ${n}`)
  })
  const fresh = memory()
  const committed = await timed(contexts * commits, writers, async (n) => {
    const ctx = open[n % contexts]
    ctx.user(text(n, 1))
    ctx.assistant(text(n, 2))
    await ctx.commit()
  })
  const after = memory()
  const sizes = await sizesOf(url)
  const bare = await bareRows(url, contexts * commits, writers)
  const { contexts: listed } = await store.list({ limit: contexts + 1 })
  if (listed.length !== contexts || listed.some(({ cycle }) => cycle !== commits)) throw new Error('Not all is there.')
  await store.close()
  const said = 200 * commits
  console.log(`${contexts} contexts, ${commits} commits each, ${writers} connections`)
  console.log(`  made and opened  ${line(opened)}`)
  console.log(`  commits          ${line(committed)}`)
  console.log(`  bare rows        ${line(bare)}`)
  console.log(`  commits a second of bare rows a second: ${(committed.rate / bare.rate).toFixed(2)}`)
  console.log(
    `  memory of an open context: ${kilobytes((fresh - before) / contexts)} empty, ${kilobytes((after - before) / contexts)} after its commits`,
  )
  console.log(
    `  disk of a context: ${kilobytes(sizes.all / contexts)}, of which ${said} B were said; by table ${JSON.stringify(sizes.tables)}`,
  )
}

/**
 * @typedef {Readonly<{ rate: number, p50: number, p99: number }>} Figures
 * @param {number} count
 * @param {number} atOnce
 * @param {(n: number) => Promise<void>} work
 * @returns {Promise<Figures>}
 */
async function timed(count, atOnce, work) {
  /** @type {number[]} */
  const times = []
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const n = next++
        const begun = performance.now()
        await work(n)
        times.push(performance.now() - begun)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  const at = (/** @type {number} */ q) => times[Math.floor((times.length - 1) * q)] ?? 0
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99) }
}

/**
 * Rows as large as those of the commits, each in a statement of its own.
 * @param {string} url
 * @param {number} count
 * @param {number} writers
 */
async function bareRows(url, count, writers) {
  const { Pool } = createRequire(import.meta.url)('pg')
  const pool = new Pool({ connectionString: url, max: writers })
  await pool.query('CREATE TABLE bare (k integer PRIMARY KEY, hash bytea, changes bytea, bodies bytea)')
  const [hash, changes, bodies] = [Buffer.alloc(32, 1), Buffer.alloc(400, 2), Buffer.alloc(260, 3)]
  const insert = 'INSERT INTO bare VALUES ($1, $2, $3, $4)'
  const figures = await timed(count, writers, async (n) => {
    await pool.query({ name: 'bare', text: insert, values: [n, hash, changes, bodies] })
  })
  await pool.end()
  return figures
}

/** @param {string} url */
async function sizesOf(url) {
  const { Client } = createRequire(import.meta.url)('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT relname, pg_total_relation_size(oid)::integer AS bytes FROM pg_class WHERE relname LIKE 'pact\\_%' AND relkind = 'r'`,
  )
  await client.end()
  const tables = Object.fromEntries(
    rows.map((/** @type {{ relname: string, bytes: number }} */ { relname, bytes }) => [relname, bytes]),
  )
  return {
    tables,
    all: rows.reduce((/** @type {number} */ sum, /** @type {{ bytes: number }} */ { bytes }) => sum + bytes, 0),
  }
}

function memory() {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * A hundred letters, others each time.
 * @param {number} n
 * @param {number} m
 */
function text(n, m) {
  return `${n}/${m} ${Math.sin(n * 7 + m)
    .toString(36)
    .repeat(12)}`.slice(0, 100)
}

/** @param {Figures} figures */
function line({ rate, p50, p99 }) {
  return `${Math.round(rate)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`
}
