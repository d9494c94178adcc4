import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

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

/** Somewhat longer than it takes to be quiet. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300))
}

/** Until so much was moved, or for long. */
async function moved(megabytes: number): Promise<void> {
  await vi.waitFor(() => expect(inFile()).toBeGreaterThan(megabytes * MEGABYTE.length), 20_000)
}

test('what was written is moved into the file when nobody writes any more, once it is much', async () => {
  write(2)
  await rest()
  expect(inFile()).toBeLessThan(MEGABYTE.length)
  write(3)
  expect(inFile()).toBeLessThan(MEGABYTE.length)
  await moved(5)
  // And again after as much.
  write(5)
  await moved(10)
  db.close()
})

test('while somebody writes, it is not moved', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    write(5)
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(99)
      write(1)
    }
    expect(inFile()).toBeLessThan(MEGABYTE.length)
    vi.advanceTimersByTime(200)
    expect(inFile()).toBeGreaterThan(10 * MEGABYTE.length)
  } finally {
    vi.useRealTimers()
    db.close()
  }
})

test('whoever never rests has a log that does not grow without a bound', () => {
  write(64)
  expect(inFile()).toBeGreaterThan(32 * MEGABYTE.length)
  const log = fs.statSync(`${file}-wal`).size
  expect(log).toBeGreaterThan(12 * MEGABYTE.length)
  expect(log).toBeLessThan(20 * MEGABYTE.length)
  db.close()
})

test('what was to be moved when it closes is moved by that, and nothing is tried afterwards', async () => {
  write(5)
  db.close()
  expect(inFile()).toBeGreaterThan(5 * MEGABYTE.length)
  await rest()
})

test('somebody who reads an older state is left in peace, and so is whoever writes', async () => {
  const reader = new Connection('reader', file, {})
  reader.run('BEGIN')
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 0 })
  write(5)
  await rest()
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 0 })
  write(1)
  reader.run('COMMIT')
  expect(reader.get('SELECT count(*) AS n FROM manifests')).toEqual({ n: 6 })
  reader.close()
  db.close()
})
