import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { PactError } from 'pact-context'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { openStore } from './open-store.js'
import { openDatabase, type Database } from './sqlite/driver.js'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-open-'))
})

afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

async function refusal(url: unknown, options?: object): Promise<PactError> {
  try {
    await (await openStore(url as string, options)).close()
  } catch (error) {
    expect(error).toBeInstanceOf(PactError)
    return error as PactError
  }
  throw new Error(`${String(url)} was opened.`)
}

function database(file: string): Database {
  return openDatabase(file)
}

test.each(['memory:', 'sqlite::memory:'])('%s is a store that ends with the process', async (url) => {
  const store = await openStore(url)
  expect((await store.open('one')).cycle).toBe(1)
  await store.close()
})

test('a file is made where it is missing, with its folder, and its log is empty when it is closed', async () => {
  const file = path.join(folder, 'deep', 'er', 'a b%20é\u{1f600}.db')
  for (const [i, url] of [`sqlite:${file}`, `sqlite://${file}`].entries()) {
    const store = await openStore(url)
    await (await store.open('one')).commit()
    expect((await store.open('one')).cycle).toBe(i + 2)
    await store.close()
  }
  expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
})

test.each([
  [7, 'url', /is a string/],
  ['', 'url', /There is no store at/],
  ['sqlite:', 'url', /needs a file after it/],
  ['mysql://x', 'url', /addresses are memory:, sqlite:agent.db and postgres:/],
  ['MEMORY:', 'url', /There is no store at/],
  ['postgres://me:secret@[::x/y', 'url', /^The address of a PostgreSQL store cannot be read/],
])('the address %j is refused', async (url, name, why) => {
  const { code, message, details } = await refusal(url)
  expect([code, details]).toEqual(['E_CONTENT_INVALID', { name }])
  expect(message).toMatch(why)
})

test.each([
  [{ durability: 'none' }, 'durability'],
  [{ busyTimeout: -1 }, 'busyTimeout'],
  [{ busyTimeout: 1.5 }, 'busyTimeout'],
  [{ busyTimeout: 2 ** 31 }, 'busyTimeout'],
  [{ durabilty: 'full' }, 'durabilty'],
  [{ connectTimeout: -1 }, 'connectTimeout'],
  [{ statementTimeout: '1s' }, 'statementTimeout'],
  [{ connections: 0 }, 'connections'],
  [{ routed: 'yes' }, 'routed'],
  [{ tenant: '' }, 'tenant'],
  [{ tenant: 'a\ud800' }, 'tenant'],
  [{ tenant: 'acme' }, 'tenant'],
])('the options %j are refused', async (options, name) => {
  const { code, details } = await refusal('memory:', options)
  expect([code, details]).toEqual(['E_CONTENT_INVALID', { name }])
})

test('an option that does nothing with an address is refused', async () => {
  const { message, details } = await refusal('postgres://127.0.0.1:1/x', { durability: 'relaxed' })
  expect(details).toEqual({ name: 'durability' })
  expect(message).toMatch(/The option durability is not for postgres:, which takes tenant, connections/)
  expect((await refusal('sqlite:a.db', { tenant: 'acme' })).details).toEqual({ name: 'tenant' })
})

test('a server that is not there says so at once, and the address without its password', async () => {
  const { code, message, details } = await refusal('postgresql://me:secret@127.0.0.1:1/data')
  expect([code, details['reason'], details['outcome']]).toEqual(['E_STORE', 'connection', 'failed'])
  expect(message).toBe(
    'postgres://127.0.0.1:1/data cannot be reached; check the address, and whether the server is running.',
  )
})

test('a folder that cannot be written says so', async () => {
  // Tests may run as root, who may write anywhere, but not below a file.
  const file = path.join(folder, 'file')
  fs.writeFileSync(file, '')
  const { code, message, details } = await refusal(`sqlite:${path.join(file, 'below.db')}`)
  expect([code, details['reason'], details['outcome']]).toEqual(['E_STORE', 'cannot-open', 'failed'])
  expect(message).toMatch(/cannot be opened; check the path, and the permissions of the folder/)
})

test('a folder in the place of a file says so', async () => {
  const { details } = await refusal(`sqlite:${folder}`)
  expect(details['reason']).toBe('cannot-open')
})

test.each(['no database', 'x'.repeat(5000), 'SQLite format 3'])('a file that is no database says so', async (text) => {
  const file = path.join(folder, 'notes.txt')
  fs.writeFileSync(file, text)
  const { code, message, details } = await refusal(`sqlite:${file}`)
  expect([code, details['reason'], details['outcome']]).toEqual(['E_STORE', 'no-database', 'failed'])
  expect(message).toMatch(/is no SQLite database; choose another file/)
  expect(fs.readFileSync(file, 'utf8')).toBe(text)
})

test('a database of another program says so, and stays as it was', async () => {
  const file = path.join(folder, 'other.db')
  const db = database(file)
  db.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes VALUES (1, 'mine')")
  db.close()
  const before = fs.readFileSync(file)
  const { code, message, details } = await refusal(`sqlite:${file}`)
  expect([code, details['reason'], details['outcome']]).toEqual(['E_STORE', 'foreign', 'failed'])
  expect(message).toMatch(/is a database of another program; choose another file/)
  expect(fs.readFileSync(file).equals(before)).toBe(true)
  expect(fs.readdirSync(folder)).toEqual(['other.db'])
})

test('newer tables say so, and stay as they were', async () => {
  const file = path.join(folder, 'newer.db')
  await (await openStore(`sqlite:${file}`)).close()
  const db = database(file)
  db.exec('PRAGMA user_version = 99')
  db.close()
  const { code, message, details } = await refusal(`sqlite:${file}`)
  expect([code, details['reason'], details['version']]).toEqual(['E_STORE', 'newer', 99])
  expect(message).toMatch(/newer version of pact-context .*upgrade to open it/)
})

test('a locked file says so in the time that was given', async () => {
  const file = path.join(folder, 'locked.db')
  const store = await openStore(`sqlite:${file}`, { busyTimeout: 50 })
  const ctx = await store.open('one')
  ctx.user('a')
  const db = database(file)
  db.exec('BEGIN IMMEDIATE')
  const started = performance.now()
  const error = await ctx.commit().catch((reason: unknown) => reason as PactError)
  expect(error).toMatchObject({ code: 'E_STORE', details: { reason: 'busy', outcome: 'failed' } })
  expect((error as PactError).message).toMatch(/locked by another process, and did not become free in time; try again/)
  expect(performance.now() - started).toBeLessThan(30_000)
  db.exec('ROLLBACK')
  db.close()
  expect((await ctx.commit()).cycle).toBe(1)
  await store.close()
})

test('a file that is locked while it is first opened says so in the time that was given', async () => {
  const file = path.join(folder, 'locked.db')
  const db = database(file)
  db.exec('BEGIN EXCLUSIVE')
  const started = performance.now()
  const { details } = await refusal(`sqlite:${file}`, { busyTimeout: 50 })
  expect(details['reason']).toBe('busy')
  expect(performance.now() - started).toBeLessThan(30_000)
  db.exec('ROLLBACK')
  db.close()
  await (await openStore(`sqlite:${file}`)).close()
})

test.each([0, 1, 2, 3])(
  'a store whose version of the tables says %i, and is not, is damaged and never half made',
  async (version) => {
    const file = path.join(folder, 'store.db')
    await (await openStore(`sqlite:${file}`)).close()
    const db = database(file)
    db.exec(`PRAGMA user_version = ${version}`)
    db.close()
    const { code, message, details } = await refusal(`sqlite:${file}`)
    expect([code, details['reason'], details['outcome']]).toEqual(['E_STORE', 'damaged', 'failed'])
    expect(message).toBe(`The tables of sqlite:${file} are damaged; restore it from a backup.`)
  },
)

test.each([1, 100, 511])('a file of %i bytes is no database, and stays as it is', async (size) => {
  const file = path.join(folder, 'notes.txt')
  fs.writeFileSync(file, 'n'.repeat(size))
  expect((await refusal(`sqlite:${file}`)).details['reason']).toBe('no-database')
  expect(fs.readFileSync(file, 'utf8')).toBe('n'.repeat(size))
})
