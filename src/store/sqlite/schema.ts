// The tables of a store in SQLite and their migrations. Text and JSON are stored as BLOB, since bindings replace
// unpaired surrogates in TEXT and truncate at NUL.
//
// The key of a row is one number, `ctx * 2^30 + cycle`: cycles are below 2^30, and a two-column key would take half as
// much space again.

import { storeFault } from '../fault.js'
import type { Database } from './driver.js'
import { damagedTables } from './faults.js'
import { noStore } from './read-only-file.js'

/** 'PACT', which identifies our files. */
const APPLICATION = 0x50414354

/** One step per version. Published steps never change. */
export const STEPS: readonly string[] = [
  `CREATE TABLE contexts (
     ctx INTEGER PRIMARY KEY AUTOINCREMENT,
     id BLOB NOT NULL UNIQUE,
     family INTEGER NOT NULL,
     parent INTEGER,
     base INTEGER,
     forks INTEGER NOT NULL,
     epoch INTEGER NOT NULL,
     first INTEGER NOT NULL
   );
   CREATE INDEX contexts_parent ON contexts (parent) WHERE parent IS NOT NULL;
   CREATE INDEX contexts_family ON contexts (family);
   CREATE TABLE commits (k INTEGER PRIMARY KEY, hash BLOB NOT NULL, changes BLOB NOT NULL, bodies BLOB NOT NULL);
   CREATE TABLE packs (k INTEGER PRIMARY KEY, first INTEGER NOT NULL, body BLOB NOT NULL);
   CREATE TABLE answers (
     ctx INTEGER NOT NULL, key BLOB NOT NULL, cycle INTEGER NOT NULL, digest BLOB NOT NULL, answer BLOB NOT NULL,
     PRIMARY KEY (ctx, key)
   ) WITHOUT ROWID;
   CREATE TABLE attempts (
     seq INTEGER PRIMARY KEY, ctx INTEGER NOT NULL, id BLOB NOT NULL, writer BLOB NOT NULL, body BLOB NOT NULL,
     UNIQUE (ctx, id, writer)
   );
   CREATE INDEX attempts_newest ON attempts (ctx, seq);
   CREATE TABLE manifests (k INTEGER PRIMARY KEY, body BLOB NOT NULL);
   CREATE TABLE pages (family INTEGER NOT NULL, key BLOB NOT NULL, body BLOB NOT NULL);
   CREATE UNIQUE INDEX pages_key ON pages (family, key);`,
  `CREATE TABLE audit (
     family INTEGER NOT NULL, n INTEGER NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL, finished INTEGER NOT NULL,
     PRIMARY KEY (family, n)
   ) WITHOUT ROWID;`,
  '-- The same tables; packs and pages are compressed in a way that older versions cannot read.',
  // The newest row of each context, so that its loss is noticed; seals; and counts of data outside the hash chain.
  // Older contexts have no seals and counts.
  `ALTER TABLE contexts ADD COLUMN head INTEGER;
   ALTER TABLE contexts ADD COLUMN chain BLOB;
   ALTER TABLE contexts ADD COLUMN seal BLOB;
   ALTER TABLE contexts ADD COLUMN answers INTEGER;
   ALTER TABLE contexts ADD COLUMN attempts INTEGER;
   UPDATE contexts SET head = (SELECT max(k) FROM commits
     WHERE k BETWEEN ctx * 1073741824 AND ctx * 1073741824 + 1073741823) - ctx * 1073741824;
   UPDATE contexts SET chain = (SELECT hash FROM commits WHERE k = ctx * 1073741824 + head);
   CREATE TABLE counted (contexts INTEGER NOT NULL);
   INSERT INTO counted SELECT count(*) FROM contexts;`,
  // Saved edits of open cycles. `draft` is the number of the newest save, `saves` the number of parts.
  `CREATE TABLE drafts (k INTEGER PRIMARY KEY, cycle INTEGER NOT NULL, part BLOB NOT NULL);
   ALTER TABLE contexts ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE contexts ADD COLUMN saves INTEGER NOT NULL DEFAULT 0;`,
]

/** Temporary tables and views that let a read-only connection read older versions; see also `dialectOf`. */
const SHOWN: readonly string[] = [
  '',
  `CREATE TEMP TABLE audit (family INTEGER, n INTEGER, hash BLOB, body BLOB, finished INTEGER);`,
  '',
  'CREATE TEMP VIEW counted AS SELECT count(*) AS contexts FROM main.contexts;',
  'CREATE TEMP TABLE drafts (k INTEGER, cycle INTEGER, part BLOB);',
]

/** Lets a read-only connection read tables of any version. */
export function showAsNewest(db: Database, name: string): void {
  const version = checkVersion(db, name)
  if (version === 0) throw noStore(name)
  db.exec('PRAGMA temp_store = MEMORY')
  for (const shown of SHOWN.slice(version)) db.exec(shown)
}

/** Migrates the tables. Many processes may try at once; one does it. Tests add future steps. */
export function migrate(db: Database, name: string, steps: readonly string[] = STEPS): void {
  const newest = steps.length
  if (checkVersion(db, name, newest) === newest) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated meanwhile.
    const version = checkVersion(db, name, newest)
    for (const step of steps.slice(version)) db.exec(step)
    db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${newest}`)
    db.exec('COMMIT')
  } catch (error) {
    rollBack(db)
    throw error
  }
}

function rollBack(db: Database): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // Some errors, such as a full disk, have already ended the transaction.
  }
}

/** The version of the tables, 0 if there are none; E_STORE if it is newer, or the file belongs to another program. */
export function checkVersion(db: Database, name: string, newest: number = STEPS.length): number {
  // Count first: tables created in between are then not taken for another program's.
  const { count } = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()!
  if (numberOf(db, 'application_id') === APPLICATION) {
    const version = numberOf(db, 'user_version')
    if (version < 0) throw damagedTables(name)
    if (version <= newest) return version
    const message = `${name} was written by a newer version of pact-context (its tables have version ${version}, this one knows ${newest}); upgrade to open it.`
    throw storeFault(message, 'failed', { reason: 'newer', version })
  }
  if (Number(count) === 0) return 0
  throw storeFault(`${name} is a database of another program; choose another file.`, 'failed', { reason: 'foreign' })
}

function numberOf(db: Database, pragma: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()![pragma])
}
