// The tables of a store in PostgreSQL and their migrations. Every key starts with tenant, family and context, so that
// distributed databases keep a family on one shard and statements of one tenant never meet rows of another. Text is
// stored as UTF-8 bytes, because PostgreSQL text has no NUL and depends on collations.

import { storeFault } from '../fault.js'
import type { Connections, RunStatement } from './connections.js'
import { isMissingTable, isTaken } from './faults.js'

const KEY = 'tenant bytea NOT NULL, family bytea NOT NULL, context bytea NOT NULL'

/** One step per version. Published steps never change. */
export const STEPS: readonly (readonly string[])[] = [
  [
    // Contexts by id. A table of its own, since an id does not tell the family.
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
  // The same tables; packs and pages use a compression that older versions cannot read.
  [],
  // Seals of contexts, and counts of data outside the hash chain; older contexts have neither.
  ['seal bytea', 'answers integer', 'attempts_kept integer'].map(
    (column) => `ALTER TABLE pact_contexts ADD COLUMN ${column}`,
  ),
  // Saved edits of open cycles. `draft` is the number of the newest save, `saves` the number of parts; NULL is 0.
  [
    `CREATE TABLE pact_drafts (${KEY}, n integer NOT NULL, cycle integer NOT NULL, part bytea NOT NULL,
      PRIMARY KEY (tenant, family, context, n))`,
    'ALTER TABLE pact_contexts ADD COLUMN draft integer',
    'ALTER TABLE pact_contexts ADD COLUMN saves integer',
  ],
]

/** The only table without a tenant. Migrations lock its row. */
export const META: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS pact_meta (id integer PRIMARY KEY, version integer NOT NULL)',
  'INSERT INTO pact_meta (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING',
]
export const VERSION = 'SELECT version FROM pact_meta WHERE id = 1'
export const LOCK: string = `${VERSION} FOR UPDATE`
export const MIGRATED = 'UPDATE pact_meta SET version = $1 WHERE id = 1'

/** Migrates the tables. Many processes may try at once; one does it. Tests add future steps. */
export async function migrate(
  connections: Connections,
  name: string,
  steps: readonly (readonly string[])[] = STEPS,
): Promise<void> {
  const newest = steps.length
  if ((await versionNow(connections, name, newest)) === newest) return
  for (const statement of META) await orTaken(() => connections.run(statement))
  await connections.transaction(async (run) => {
    // Another process may have migrated meanwhile.
    const version = await versionOf(run, LOCK, name, newest)
    for (const statement of steps.slice(version).flat()) await run(statement)
    if (version < newest) await run(MIGRATED, newest)
  })
}

/** For read-only stores: E_STORE if tables are missing or need a migration. */
export async function checkTables(connections: Connections, name: string): Promise<void> {
  const version = await versionNow(connections, name, STEPS.length)
  if (version === STEPS.length) return
  const [reason, message] =
    version === 0
      ? [
          'no-store',
          `There is no store at ${name}. Check the address; a store is made when it is first opened for writing.`,
        ]
      : [
          'older',
          `The tables of ${name} have version ${version}, and are read from version ${STEPS.length} on; open it for writing once.`,
        ]
  throw storeFault(message, 'failed', { reason, version })
}

async function versionNow(connections: Connections, name: string, newest: number): Promise<number> {
  try {
    return await connections.reading((run) => versionOf(run, VERSION, name, newest))
  } catch (error) {
    if (isMissingTable(error)) return 0
    throw error
  }
}

/** The version of the tables; E_STORE if it is newer than this code. */
async function versionOf(run: RunStatement, sql: string, name: string, newest: number): Promise<number> {
  const version = Number((await run(sql)).rows[0]?.['version'] ?? 0)
  if (version <= newest) return version
  const message = `${name} was written by a newer version of pact-context (its tables have version ${version}, this one knows ${newest}); upgrade to open it.`
  throw storeFault(message, 'failed', { reason: 'newer', version })
}

/** Concurrent CREATE TABLE IF NOT EXISTS can still fail with a duplicate. */
async function orTaken(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isTaken(error)) throw error
  }
}
