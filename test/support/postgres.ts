// A real PostgreSQL for tests, which is started for them: scripts/postgres/server.mjs says where it comes from.

import { randomBytes } from 'node:crypto'

import { PactError } from 'pact-context'
import { expect } from 'vitest'

import { openServer, type MaybeServer } from '../../scripts/postgres/server.mjs'
import type { Rows } from '../../src/store/index.js'
import { openPool, type Cells } from '../../src/store/postgres/driver.js'
import { PostgresRows, type PostgresOptions } from '../../src/store/postgres/rows.js'
import type { Place } from '../../testing/index.js'

const HELD = Symbol.for('pact-context tests: postgres')

/** The one server of this process: started by the first who asks. It ends with the process. */
export function sharedServer(): Promise<MaybeServer> {
  const held = globalThis as { [HELD]?: Promise<MaybeServer> }
  return (held[HELD] ??= openServer())
}

/** Rows of a new tenant: as good as a database of one's own, and a hundred times cheaper. */
export function postgresPlace(url: string, options: PostgresOptions = {}): Place<Rows> & Readonly<{ tenant: string }> {
  const tenant = options.tenant ?? `test ${randomBytes(8).toString('hex')}`
  return { tenant, open: () => PostgresRows.open(url, { connections: 3, ...options, tenant }) }
}

/** A name that was never used before: of a tenant, a role, a program. */
export function fresh(): string {
  return randomBytes(6).toString('hex')
}

/** A server as its owner sees it; databases that were made here are dropped at the end. */
export class Admin {
  readonly #url: string
  readonly #made: string[] = []

  constructor(url: string) {
    this.#url = url
  }

  /** Runs statements one after the other and gives the rows of the last one. */
  async sql(text: string | readonly string[], at: string = this.#url): Promise<readonly Cells[]> {
    const pool = openPool({ connectionString: at, max: 1 })
    try {
      const client = await pool.connect()
      try {
        let rows: readonly Cells[] = []
        for (const each of [text].flat()) rows = (await client.query({ text: each })).rows
        return rows
      } finally {
        client.release(true)
      }
    } finally {
      await pool.end()
    }
  }

  /** An empty database of its own. */
  async database(): Promise<string> {
    const name = `pact_${fresh()}`
    await this.sql(`CREATE DATABASE ${name}`)
    this.#made.push(name)
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    return url.href
  }

  async end(): Promise<void> {
    for (const name of this.#made) await this.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/** The error that a call must end with. */
export async function refusal(call: Promise<unknown>): Promise<PactError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PactError)
  return error as PactError
}
