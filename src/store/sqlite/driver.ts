// SQLite without a compiler: Node's own if it has one, else a package with the same interface and prebuilt binaries.

import { createRequire } from 'node:module'

import { storeFault } from '../fault.js'

/** The part of their interface that is used here. */
export type Database = Readonly<{
  exec: (sql: string) => void
  prepare: (sql: string) => Statement
  close: () => void
}>

export type Value = null | number | bigint | string | Uint8Array
export type Cells = Readonly<Record<string, Value>>

export type Statement = Readonly<{
  run: (...values: readonly Value[]) => Readonly<{ changes: number | bigint }>
  get: (...values: readonly Value[]) => Cells | undefined
  all: (...values: readonly Value[]) => readonly Cells[]
}>

type Driver = Readonly<{ DatabaseSync: new (path: string, options?: Readonly<{ readOnly: boolean }>) => Database }>

export type DriverName = 'node:sqlite' | '@photostructure/sqlite'

export function openDatabase(file: string, driver?: DriverName, readOnly = false): Database {
  const { DatabaseSync } = loadDriver(driver)
  return readOnly ? new DatabaseSync(file, { readOnly }) : new DatabaseSync(file)
}

/** Loads the given implementation, or the first available one. */
function loadDriver(name?: DriverName): Driver {
  for (const each of name === undefined ? (['node:sqlite', '@photostructure/sqlite'] as const) : [name]) {
    const driver = each === 'node:sqlite' ? builtIn() : installed(each)
    if (driver !== undefined) return driver
  }
  const message =
    'There is no SQLite here: use Node 22.13 or later, or install @photostructure/sqlite (npm install leaves it out with --omit=optional).'
  throw storeFault(message, 'failed', { reason: 'no-driver' })
}

function builtIn(): Driver | undefined {
  try {
    return process.getBuiltinModule('node:sqlite') as Driver | undefined
  } catch {
    return undefined
  }
}

function installed(name: string): Driver | undefined {
  try {
    return createRequire(import.meta.url)(name) as Driver
  } catch {
    return undefined
  }
}
