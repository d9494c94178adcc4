// The tables of a store in PostgreSQL, and how older ones become these. Tenant, family and context stand in front of every key, so
// that databases on many machines keep all of a family together, and that no statement of one tenant meets a row of another. Text is
// kept as the bytes of its UTF-8, never as text: then there is no NUL to refuse, and no collation to differ.

import { storeFault } from '../fault.js'
import type { Connections, Run } from './connections.js'
import { isMissingTable, isTaken } from './faults.js'

const KEY = 'tenant bytea NOT NULL, family bytea NOT NULL, context bytea NOT NULL'

/** Every version that there ever was, from none: a step is never changed again. */
export const STEPS: readonly (readonly string[])[] = [
  [
    // Where a context is, by its id. It is by itself, since an id says nothing of the family.
    `CREATE TABLE pact_names (tenant bytea NOT NULL, id bytea NOT NULL, family bytea NOT NULL, context bytea NOT NULL,
      PRIMARY KEY (tenant, id))`,
    `CREATE TABLE pact_contexts (${KEY}, id bytea NOT NULL, parent bytea, base integer, first integer NOT NULL,
      head integer NOT NULL, chain bytea NOT NULL, forks integer NOT NULL, epoch integer NOT NULL,
      attempts integer NOT NULL, PRIMARY KEY (tenant, family, context))`,
    `CREATE TABLE pact_commits (${KEY}, cycle integer NOT NULL, hash bytea NOT NULL, changes bytea NOT NULL,
      bodies bytea NOT NULL, PRIMARY KEY (tenant, family, context, cycle))`,
    `CREATE TABLE pact_packs (${KEY}, last integer NOT NULL, first integer NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (tenant, family, context, last))`,
    `CREATE TABLE pact_answers (${KEY}, key bytea NOT NULL, cycle integer NOT NULL, digest bytea NOT NULL,
      answer bytea NOT NULL, PRIMARY KEY (tenant, family, context, key))`,
    `CREATE TABLE pact_attempts (${KEY}, id bytea NOT NULL, writer bytea NOT NULL, seq integer NOT NULL,
      body bytea NOT NULL, PRIMARY KEY (tenant, family, context, id, writer))`,
    'CREATE INDEX pact_attempts_newest ON pact_attempts (tenant, family, context, seq)',
    `CREATE TABLE pact_manifests (${KEY}, cycle integer NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (tenant, family, context, cycle))`,
    `CREATE TABLE pact_pages (tenant bytea NOT NULL, family bytea NOT NULL, key bytea NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (tenant, family, key))`,
  ],
  [
    `CREATE TABLE pact_audit (tenant bytea NOT NULL, family bytea NOT NULL, n integer NOT NULL, hash bytea NOT NULL,
      body bytea NOT NULL, finished integer NOT NULL, PRIMARY KEY (tenant, family, n))`,
  ],
  // The same tables; packs and pages are compressed in a way that older versions cannot read.
  [],
]

/** The one table that belongs to no tenant; its one row is what whoever migrates holds. */
export const META: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS pact_meta (id integer PRIMARY KEY, version integer NOT NULL)',
  'INSERT INTO pact_meta (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING',
]
export const VERSION = 'SELECT version FROM pact_meta WHERE id = 1'
export const LOCK: string = `${VERSION} FOR UPDATE`
export const MIGRATED = 'UPDATE pact_meta SET version = $1 WHERE id = 1'

/** Makes the tables what they are now; many may try at once, and one does it. Tests add steps that are still to come. */
export async function migrate(
  connections: Connections,
  name: string,
  steps: readonly (readonly string[])[] = STEPS,
): Promise<void> {
  const newest = steps.length
  if ((await versionNow(connections, name, newest)) === newest) return
  for (const statement of META) await orTaken(() => connections.run(statement))
  await connections.transaction(async (run) => {
    // Somebody may have been faster.
    const version = await versionOf(run, LOCK, name, newest)
    for (const statement of steps.slice(version).flat()) await run(statement)
    if (version < newest) await run(MIGRATED, newest)
  })
}

async function versionNow(connections: Connections, name: string, newest: number): Promise<number> {
  try {
    return await connections.reading((run) => versionOf(run, VERSION, name, newest))
  } catch (error) {
    if (isMissingTable(error)) return 0
    throw error
  }
}

/** The version of the tables; refuses what is newer. */
async function versionOf(run: Run, sql: string, name: string, newest: number): Promise<number> {
  const version = Number((await run(sql)).rows[0]?.['version'] ?? 0)
  if (version <= newest) return version
  const message = `${name} was written by a newer version of pact-context (its tables have version ${version}, this one knows ${newest}); upgrade to open it.`
  throw storeFault(message, 'failed', { reason: 'newer', version })
}

/** Two who make the same table at once get in each other's way, although both said that it may be there. */
async function orTaken(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isTaken(error)) throw error
  }
}
