// A real PostgreSQL for tests, which is started for them: scripts/postgres/server.mjs says where it comes from.

import { randomBytes } from 'node:crypto'

import { openServer, type MaybeServer } from '../../scripts/postgres/server.mjs'
import type { Rows } from '../../src/store/index.js'
import { PostgresRows, type PostgresOptions } from '../../src/store/postgres/rows.js'
import type { Place } from '../../src/testing/index.js'

const HELD = Symbol.for('pact-context tests: postgres')

/** The one server of this process: started by the first who asks. It ends with the process. */
export function sharedServer(): Promise<MaybeServer> {
  const held = globalThis as { [HELD]?: Promise<MaybeServer> }
  return (held[HELD] ??= openServer())
}

/** Rows of a tenant that nobody has seen before: as good as a database of one's own, and a hundred times cheaper. */
export function postgresPlace(url: string, options: PostgresOptions = {}): Place<Rows> & Readonly<{ tenant: string }> {
  const tenant = options.tenant ?? `test ${randomBytes(8).toString('hex')}`
  return { tenant, open: () => PostgresRows.open(url, { connections: 3, ...options, tenant }) }
}
