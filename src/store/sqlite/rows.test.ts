import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { NO_HASH } from '../row.js'
import type { ContextRow, Row } from '../rows.js'
import { openDatabase } from './driver.js'
import { SqliteRows } from './rows.js'

/** Contexts as SQLite numbers them. */
type Numbered = ContextRow & Readonly<{ ctx: number }>

let folder: string
let file: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-sqlite-'))
  file = path.join(folder, 'test.db')
})

afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

function row(cycle: number, text = `row ${cycle}`): Row {
  return { cycle, hash: Buffer.alloc(32, cycle + 1), changes: Buffer.from(text), bodies: Buffer.from('') }
}

function pragma(name: string): unknown {
  const db = openDatabase(file)
  const value = db.prepare(`PRAGMA ${name}`).get()![name]
  db.close()
  return value
}

test('the file has a write-ahead log, and nothing is left in it when all have closed', async () => {
  const [one, two] = [new SqliteRows(file), new SqliteRows(file)]
  await one.create({ id: 'one', packs: [], rows: [row(0)] })
  expect(pragma('journal_mode')).toBe('wal')
  await one.close()
  expect((await two.find('one'))?.head).toBe(0)
  await two.close()
  expect(fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
})

test('the name in sentences is the address', () => {
  const rows = new SqliteRows(file)
  expect(rows.name).toBe(`sqlite:${file}`)
  return rows.close()
})

test('a commit that is refused leaves no transaction open, for others or for itself', async () => {
  const [one, two] = [new SqliteRows(file, { busyTimeout: 50 }), new SqliteRows(file, { busyTimeout: 50 })]
  const { ctx } = (await one.create({ id: 'one', packs: [], rows: [row(0)] })) as Numbered
  const answer = { key: 'key', cycle: 1, digest: NO_HASH, answer: NO_HASH }
  const wrong = { ctx, after: NO_HASH, epoch: 0, row: row(1), answer }
  expect(await one.commit(wrong)).toBe('conflict')
  expect(await one.create({ id: 'one', packs: [], rows: [row(0)] })).toBe('exists')
  await one.pack(ctx, { from: 0, to: 5, body: NO_HASH })
  await one.writeManifest(99, { cycle: 1, body: NO_HASH }, [])
  expect(await two.commit({ ...wrong, after: row(0).hash })).toBe('done')
  expect(await one.commit({ ...wrong, after: row(1).hash, row: row(2), answer: undefined })).toBe('done')
  await one.close()
  await two.close()
})

test('what is wrong with rows is rolled back whole', async () => {
  const rows = new SqliteRows(file)
  await expect(rows.create({ id: 'one', packs: [], rows: [row(0), row(0)] })).rejects.toMatchObject({ code: 'E_STORE' })
  expect(await rows.find('one')).toBeUndefined()
  expect(await rows.check()).toEqual([])
  expect(await rows.create({ id: 'one', packs: [], rows: [row(0)] })).toMatchObject({ head: 0 })
  await rows.close()
})

test('both durabilities write the same', async () => {
  for (const durability of ['full', 'relaxed'] as const) {
    const rows = new SqliteRows(path.join(folder, `${durability}.db`), { durability })
    const { ctx } = (await rows.create({ id: 'one', packs: [], rows: [row(0)] })) as Numbered
    expect(await rows.commit({ ctx, after: row(0).hash, epoch: 0, row: row(1) })).toBe('done')
    expect((await rows.read(ctx, 0, 1)).rows.map(({ changes }) => Buffer.from(changes).toString())).toEqual([
      'row 0',
      'row 1',
    ])
    await rows.close()
  }
})

test('after it is closed a call is refused in our words', async () => {
  const rows = new SqliteRows(file)
  await rows.close()
  await expect(rows.find('one')).rejects.toMatchObject({ code: 'E_STORE' })
})

test('the last cycles of one context do not touch the first of the next', async () => {
  const rows = new SqliteRows(file)
  const last = 2 ** 30 - 1
  const one = (await rows.create({ id: 'one', packs: [], rows: [row(0), { ...row(7), cycle: last }] })) as Numbered
  const two = (await rows.create({ id: 'two', packs: [], rows: [row(0)] })) as Numbered
  expect([one.head, two.head]).toEqual([last, 0])
  expect((await rows.read(two.ctx, 0, last)).rows).toHaveLength(1)
  expect(await rows.unpacked(one.ctx)).toBe(2)
  await rows.delete(one.ctx, false)
  expect((await rows.find('two'))?.head).toBe(0)
  await rows.close()
})

test('a file that has no number left for another context says so, and goes on with those it has', async () => {
  const rows = new SqliteRows(file)
  const add = (id: string): Promise<unknown> => rows.create({ id, packs: [], rows: [row(0)] })
  await add('one')
  const db = openDatabase(file)
  db.exec(`UPDATE sqlite_sequence SET seq = ${2 ** 23 - 2} WHERE name = 'contexts'`)
  db.close()
  const last = (await add('last')) as Numbered
  expect([last.ctx, (await rows.read(last.ctx, 0, 2 ** 30 - 1)).rows.length]).toEqual([2 ** 23 - 1, 1])
  for (const id of ['more', 'even more']) {
    await expect(add(id)).rejects.toMatchObject({
      code: 'E_STORE',
      details: { reason: 'full', outcome: 'failed' },
      message: expect.stringContaining('8388607 contexts') as string,
    })
    expect(await rows.find(id)).toBeUndefined()
  }
  expect([(await rows.find('one'))?.head, (await rows.find('last'))?.ctx]).toEqual([0, last.ctx])
  await rows.close()
})

test('no statement numbers its values: before 22.20 and 24.7, the SQLite in Node takes ?1 for a name and binds nothing to it', () => {
  const here = import.meta.dirname
  const files = fs.readdirSync(here).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const numbered = files.filter((name) => /\?\d/.test(fs.readFileSync(path.join(here, name), 'utf8')))
  expect(files).toContain('rows.ts')
  expect(numbered).toEqual([])
})
