// Checks a database that speaks PostgreSQL's language, above all a cluster such as Citus: whether tables are spread, how many machines take
// part in a commit, both contracts, and many writers at once. Everything is made in a schema of its own, which is removed at the end.

import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'

import { PactError } from '../../dist/index.js'
import { Store } from '../../dist/store/index.js'
import { openPool } from '../../dist/store/postgres/driver.js'
import { PostgresRows } from '../../dist/store/postgres/rows.js'
import { STEPS } from '../../dist/store/postgres/schema.js'
import { rowsContract, storeContract } from '../../dist/testing/index.js'

/**
 * @typedef {import('../../dist/store/postgres/driver.js').Client} Client
 * @typedef {import('../../dist/store/postgres/driver.js').Cells} Cells
 * @typedef {import('../../dist/store/postgres/rows.js').PostgresOptions} Options
 * @typedef {Readonly<{ name: string, result: 'ok' | 'failed' | 'skipped', detail: string }>} Check
 * @typedef {Readonly<{ name: string, run: () => Promise<void> }>} Case
 */

const HELP = `Usage: node scripts/postgres/check-cluster.mjs URL [--spread] [--match TEXT] [--json]

Checks a database before pact-context is used on it: tables, commits, both contracts, and writers at once. It makes a schema of
its own, pact_check_…, and drops it at the end; it reads the tables that are there, and changes nothing in them.

  --spread       distribute the tables of that schema, where the database is Citus; nothing is distributed without it
  --match TEXT   run only the cases of the contracts that have this text in their name
  --json         print one JSON object instead of lines
  --help         print this text

Exit code: 0 if all checks passed, 1 if one failed, 2 if the database could not be used or the arguments are wrong.
Run it in a copy of the repository after npm run build.`

const TABLES = STEPS.flat().flatMap((each) => /CREATE TABLE (\w+)/.exec(each)?.[1] ?? [])
const WRITERS = 8
const COMMITS = 6

const given = readArguments()
/** @type {Check[]} */
const checks = []
// Cases that wait for a hint hold nothing that keeps the process.
const awake = setInterval(() => {}, 60_000)
process.exitCode = await main()
clearInterval(awake)

async function main() {
  if (given === undefined) return 2
  const { url, isJson, isSpread, match } = given
  const schema = `pact_check_${randomBytes(6).toString('hex')}`
  const own = new URL(url)
  own.searchParams.set('options', `${own.searchParams.get('options') ?? ''} -c search_path=${schema}`.trim())
  try {
    const { version, citus } = await lookAt(url)
    await sql(url, `CREATE SCHEMA ${schema}`)
    const drop = () => sql(url, `DROP SCHEMA ${schema} CASCADE`)
    const interrupted = () => void drop().finally(() => process.exit(130))
    process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
    try {
      await (await PostgresRows.open(own.href)).close()
      if (citus !== undefined && isSpread) await spread(own.href)
      const isCluster = await checkSpread(own.href, schema, citus)
      await checkPhases(own.href, isCluster)
      const modes = citus === undefined ? [false, true] : [undefined]
      for (const routed of modes) {
        await checkContracts(own.href, routed, match)
        await checkWriters(own.href, routed)
      }
    } finally {
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
      await drop()
    }
    const isWell = checks.every(({ result }) => result !== 'failed')
    if (isJson) process.stdout.write(`${JSON.stringify({ ok: isWell, version, citus: citus ?? null, checks })}\n`)
    else process.stdout.write(`${isWell ? 'All checks passed' : 'Some checks failed'}: ${version}.\n`)
    return isWell ? 0 : 1
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (isJson) process.stdout.write(`${JSON.stringify({ ok: false, error: message, checks })}\n`)
    else process.stderr.write(`The check could not be finished: ${message}\n`)
    return 2
  }
}

function readArguments() {
  /** @type {Readonly<Record<string, { type: 'boolean' | 'string' }>>} */
  const options = { spread: { type: 'boolean' }, match: { type: 'string' }, json: { type: 'boolean' } }
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals: true,
    })
    if (values['help'] === true) {
      process.stdout.write(`${HELP}\n`)
      process.exit(0)
    }
    const [url = ''] = positionals
    if (positionals.length !== 1 || !/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
      throw new Error('It takes one address, as in postgres://user@host/database.')
    return {
      url,
      isSpread: values['spread'] === true,
      isJson: values['json'] === true,
      match: String(values['match'] ?? ''),
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}\n`)
    return undefined
  }
}

/**
 * @param {string} name
 * @param {Check['result']} result
 * @param {string} detail
 */
function note(name, result, detail) {
  checks.push({ name, result, detail })
  if (given?.isJson !== true) process.stdout.write(`${result.padEnd(8)} ${name}: ${detail}\n`)
}

/**
 * The rows of the last of some statements, on one connection.
 * @param {string} url
 * @param {...string} texts
 * @returns {Promise<readonly Cells[]>}
 */
async function sql(url, ...texts) {
  const pool = openPool({ connectionString: url, max: 1, connectionTimeoutMillis: 10_000 })
  try {
    const client = await pool.connect()
    try {
      /** @type {readonly Cells[]} */
      let rows = []
      for (const text of texts) rows = (await client.query({ text })).rows
      return rows
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

/** @param {string} url */
async function lookAt(url) {
  const version = String((await sql(url, 'SELECT version() AS version'))[0]?.['version'])
  const [found] = await sql(url, "SELECT extversion FROM pg_extension WHERE extname = 'citus'").catch(() => [])
  return { version, citus: found === undefined ? undefined : String(found['extversion']) }
}

/** As docs/scaling.md says. @param {string} url */
async function spread(url) {
  const others = TABLES.filter((name) => name !== 'pact_contexts' && name !== 'pact_names')
  await sql(
    url,
    "SELECT create_reference_table('pact_meta')",
    "SELECT create_distributed_table('pact_contexts', 'family', colocate_with => 'none')",
    ...others.map((name) => `SELECT create_distributed_table('${name}', 'family', colocate_with => 'pact_contexts')`),
    "SELECT create_distributed_table('pact_names', 'id', colocate_with => 'none')",
  )
}

/**
 * Names the tables that are on one machine only: those of the check, and those that were there before.
 * @param {string} url
 * @param {string} schema
 * @param {string | undefined} citus
 */
async function checkSpread(url, schema, citus) {
  if (citus === undefined) {
    note('tables', 'skipped', `${TABLES.length + 1} made; this is not Citus, so none is spread`)
    return false
  }
  const left = await sql(
    url,
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relname IN (${['pact_meta', ...TABLES].map((name) => `'${name}'`).join(', ')})
      AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) ORDER BY 1, 2`,
  )
  const own = left.filter((each) => each['schema'] === schema)
  const others = left.filter((each) => each['schema'] !== schema).map((each) => `${each['schema']}.${each['name']}`)
  note('tables that were there', others.length === 0 ? 'ok' : 'failed', `not spread: ${others.join(', ') || 'none'}`)
  if (own.length > 0) note('tables of the check', 'skipped', 'not spread; pass --spread to check a spread store')
  else note('tables of the check', 'ok', 'all are spread')
  return own.length === 0
}

/**
 * Counts what Citus sends to its workers for a commit: a PREPARE TRANSACTION is a second phase.
 * @param {string} url
 * @param {boolean} isCluster
 */
async function checkPhases(url, isCluster) {
  if (!isCluster) return note('phases of a commit', 'skipped', 'the tables are on one machine')
  /** @type {string[]} */
  let sent = []
  const address = new URL(url)
  address.searchParams.set('options', `${address.searchParams.get('options')} -c citus.log_remote_commands=on`)
  const rows = await PostgresRows.open(address.href, { tenant: fresh() }, (config) => {
    const pool = openPool(config)
    const notice = (/** @type {Error} */ { message }) => {
      if (message.startsWith('issuing ')) sent.push(message.slice('issuing '.length))
    }
    pool.on('connect', (client) => client.on('notice', notice))
    return pool
  })
  const store = new Store(rows)
  try {
    const ctx = await store.open('one')
    for (const key of [undefined, 'key']) {
      ctx.user('hello')
      sent = []
      await ctx.commit({ key })
      const prepares = sent.filter((text) => text.startsWith('PREPARE TRANSACTION')).length
      const name = key === undefined ? 'phases of a commit' : 'phases of a commit with a key'
      if (sent.length === 0) note(name, 'skipped', 'the database does not say what it sends to its machines')
      else note(name, prepares === 0 ? 'ok' : 'failed', `${sent.length} commands sent, ${prepares} of them PREPARE`)
    }
  } finally {
    await store.close()
  }
}

/**
 * @param {string} url
 * @param {boolean | undefined} routed
 * @param {string} match
 */
async function checkContracts(url, routed, match) {
  const place = () => {
    const tenant = fresh()
    return { open: () => PostgresRows.open(url, { tenant, connections: 3, routed }) }
  }
  const stores = () => {
    const { open } = place()
    return { open: async () => new Store(await open()) }
  }
  const name = `contracts${modeOf(routed)}`
  /** @type {readonly Case[]} */
  const cases = [...rowsContract({ name: 'rows', place }), ...storeContract({ name: 'store', place: stores })]
  const wanted = cases.filter((each) => each.name.includes(match))
  /** @type {string[]} */
  const failed = []
  for (const { name: title, run } of wanted) {
    try {
      await run()
    } catch (error) {
      failed.push(`${title} (${error instanceof Error ? error.message : String(error)})`)
    }
  }
  const count = `${wanted.length - failed.length} of ${wanted.length} cases passed`
  note(name, failed.length === 0 && wanted.length > 0 ? 'ok' : 'failed', [count, ...failed].join('; '))
}

/**
 * Many writers, one context: each commit is acknowledged once and is there once.
 * @param {string} url
 * @param {boolean | undefined} routed
 */
async function checkWriters(url, routed) {
  const tenant = fresh()
  const stores = await Promise.all(
    Array.from(
      { length: WRITERS },
      async () => new Store(await PostgresRows.open(url, { tenant, connections: 2, routed })),
    ),
  )
  const name = `${WRITERS} writers, one context${modeOf(routed)}`
  let conflicts = 0
  try {
    await Promise.all(
      stores.map(async (store, i) => {
        const ctx = await store.open('one')
        for (let n = 0; n < COMMITS; n++) {
          ctx.user(`<${i}.${n}>`)
          while (!(await isCommitted(ctx, n % 2 === 0 ? `${i}.${n}` : undefined))) conflicts++
        }
      }),
    )
    const all = await stores[0].open('one', { history: 1 })
    const text = new TextDecoder().decode(all.export('@t0'))
    const texts = stores.flatMap((_, i) => Array.from({ length: COMMITS }, (__, n) => `<${i}.${n}>`))
    const wrong = texts.filter((each) => text.split(each).length !== 2)
    const { problems } = await stores[0].fsck()
    const isWell = wrong.length === 0 && all.cycle === texts.length + 1 && problems.length === 0
    const found = `${texts.length} commits, ${conflicts} conflicts, ${wrong.length} lost or doubled, ${problems.length} problems`
    note(name, isWell ? 'ok' : 'failed', found)
  } catch (error) {
    note(name, 'failed', error instanceof Error ? error.message : String(error))
  } finally {
    for (const store of stores) await store.close()
  }
}

/**
 * @param {import('../../dist/store/index.js').StoredContext} ctx
 * @param {string | undefined} key
 */
async function isCommitted(ctx, key) {
  try {
    await ctx.commit({ key })
    return true
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
    await ctx.rebase()
    return false
  }
}

/** @param {boolean | undefined} routed */
function modeOf(routed) {
  return routed === undefined ? '' : routed ? ', routed statements' : ', one statement'
}

function fresh() {
  return `check ${randomBytes(8).toString('hex')}`
}
