import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { Connection } from './connection.js'

const INSERT = 'INSERT INTO manifests (k, body) VALUES (?, ?)'
const MEGABYTE = Buffer.alloc(1 << 20, 7)

let folder: string
let file: string
let db: Connection

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-sqlite-'))
  file = path.join(folder, 'test.db')
  db = new Connection('test', file, { durability: 'relaxed' })
})

afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

/** Bytes that are not in the log alone. */
function inFile(): number {
  return fs.statSync(file).size
}

function write(megabytes: number): void {
  const from = Number(db.get('SELECT coalesce(max(k), 0) AS k FROM manifests')!['k'])
  for (let k = 1; k <= megabytes; k++) db.run(INSERT, from + k, MEGABYTE)
}

test('the log does not grow without a bound', () => {
  write(64)
  expect(inFile()).toBeGreaterThan(32 * MEGABYTE.length)
  const log = fs.statSync(`${file}-wal`).size
  expect(log).toBeGreaterThan(14 * MEGABYTE.length)
  expect(log).toBeLessThan(20 * MEGABYTE.length)
  db.close()
})

test('the log is moved into the file when it closes', () => {
  write(5)
  db.close()
  expect(inFile()).toBeGreaterThan(5 * MEGABYTE.length)
})

test('somebody who reads an older state is left in peace, and so is whoever writes', () => {
  const reader = new Connection('reader', file, {})
  reader.run('BEGIN')
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 0 })
  write(5)
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 0 })
  write(1)
  reader.run('COMMIT')
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 6 })
  reader.close()
  db.close()
})
