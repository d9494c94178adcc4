// Databases for tests: one that is empty for each test, opened as often as it takes, and gone afterwards.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { MemoryRows, type Rows } from '../../src/store/index.js'
import type { SqliteOptions } from '../../src/store/sqlite/connection.js'
import { SqliteRows } from '../../src/store/sqlite/rows.js'
import type { Place } from '../../src/testing/index.js'

/** Rows in this process, which nobody loses by closing them. */
export function memoryPlace(): Place<Rows> {
  const rows = new MemoryRows()
  return { open: () => rows }
}

/** A file in a folder of its own. */
export function sqlitePlace(options: SqliteOptions = {}): Place<Rows> & Readonly<{ file: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-store-'))
  const file = path.join(folder, 'test.db')
  return {
    file,
    open: () => new SqliteRows(file, options),
    end: () => fs.rmSync(folder, { recursive: true }),
  }
}
