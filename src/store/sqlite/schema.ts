// The tables of a store in SQLite, and how older ones become these. Text and JSON are stored as bytes, never as TEXT: bindings
// replace halves of surrogate pairs and cut at NUL.
//
// Rows of a context have one number for their key, `ctx * 2^30 + cycle`: cycles are below 2^30, and a table with a key of two columns
// would waste a third of the room.

import { storeFault } from '../fault.js'
import type { Database } from './driver.js'
import { damagedTables } from './faults.js'

/** 'PACT', so that a file says whose it is. */
const APPLICATION = 0x50414354

/** Every version that there ever was, from none: a step is never changed again. */
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
]

/** Makes the tables what they are now; many may try at once, and one does it. Tests add steps that are still to come. */
export function migrate(db: Database, name: string, steps: readonly string[] = STEPS): void {
  const newest = steps.length
  if (checkVersion(db, name, newest) === newest) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Somebody may have been faster.
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
    // Some errors, as that of a full disk, have ended the transaction already.
  }
}

/** The version of the tables, 0 where there are none; refuses what is newer, or somebody else's. */
export function checkVersion(db: Database, name: string, newest: number = STEPS.length): number {
  // In this order: tables that somebody makes between two looks are then not taken for those of another program.
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
