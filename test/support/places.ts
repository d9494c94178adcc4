// Databases for tests: one that is empty for each test, opened as often as it takes, and gone afterwards.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { MemoryRows, type Rows } from '../../src/store/index.js'
import type { SqliteOptions } from '../../src/store/sqlite/connection.js'
import { SqliteRows } from '../../src/store/sqlite/rows.js'
import type { Place } from '../../testing/index.js'

/** Rows in this process; closing loses none. */
export function memoryPlace(): Place<Rows> {
  const rows = new MemoryRows()
  return { open: () => rows }
}

/** A folder that is in memory where the system has such: nothing is tested here that a disk would do otherwise, only ten times slower. */
function scratch(): string {
  const shared = '/dev/shm'
  return process.env['PACT_SCRATCH'] ?? (fs.existsSync(shared) ? shared : os.tmpdir())
}

/** A file in a folder of its own. */
export function sqlitePlace(options: SqliteOptions = {}): Place<Rows> & Readonly<{ file: string }> {
  const folder = fs.mkdtempSync(path.join(scratch(), 'pact-store-'))
  const file = path.join(folder, 'test.db')
  return {
    file,
    open: () => new SqliteRows(file, options),
    end: () => fs.rmSync(folder, { recursive: true }),
  }
}
