// All SQL statements by name. They run on PostgreSQL and on compatible distributed databases: each is about one tenant
// and names the family, so that one shard answers it; conditions are checked in the statement that writes.
// test/stores/postgres-portable.test.ts refuses statements that one of those databases would refuse.

/** Selects one context. */
const KEY = 'tenant = $1 AND family = $2 AND context = $3'

const CELLS =
  'family, context, id, parent, base, first, head, chain, forks, epoch, seal, answers, attempts_kept, draft, saves'

/** True if the epoch matches or is not given. */
function epochIs(parameter: string): string {
  return `epoch = COALESCE(${parameter}::integer, epoch)`
}

/**
 * Moves the head if the previous row is the newest; of two concurrent commits the second finds another head. `answers`
 * is the number of answers to keys written with it.
 */
function moveFrom(after: string, epoch: string, answers: string): string {
  return `UPDATE pact_contexts SET head = $4, chain = $5, answers = answers + ${answers}
  WHERE ${KEY} AND head = $4 - 1 AND chain = ${after} AND epoch = ${epoch}`
}

/** The same for a commit that includes the draft, whose newest save is named. */
function moveSaved(after: string, epoch: string, answers: string, draft: string): string {
  return `UPDATE pact_contexts SET head = $4, chain = $5, answers = answers + ${answers}, saves = 0
  WHERE ${KEY} AND head = $4 - 1 AND chain = ${after} AND epoch = ${epoch} AND draft = ${draft}`
}

/** Deletes the draft of a context whose head has moved. */
const DROPPED = `DELETE FROM pact_drafts WHERE ${KEY} AND EXISTS (SELECT 1 FROM moved)`

const NO_SUCH_KEY = `NOT EXISTS (SELECT 1 FROM pact_answers WHERE ${KEY} AND key = $10)`

const ANSWERED = `INSERT INTO pact_answers (tenant, family, context, key, cycle, digest, answer)
      SELECT tenant, family, context, $10::bytea, $11::integer, $12::bytea, $13::bytea FROM moved`

/** Counts a save if it follows the newest one; of two concurrent saves the second finds another number. */
function countSave(saves: string): string {
  return `UPDATE pact_contexts SET draft = COALESCE(draft, 0) + 1, saves = ${saves}
  WHERE ${KEY} AND chain = COALESCE($4::bytea, chain) AND epoch = $5 AND COALESCE(draft, 0) = $6`
}

const COMMITTED = `INSERT INTO pact_commits (tenant, family, context, cycle, hash, changes, bodies)
  SELECT tenant, family, context, $4::integer, $5::bytea, $6::bytea, $7::bytea FROM moved`

/** Rows of deleted contexts. */
const LEFT = `t WHERE t.tenant = $1 AND NOT EXISTS
    (SELECT 1 FROM pact_contexts c WHERE c.tenant = t.tenant AND c.family = t.family AND c.context = t.context) LIMIT 5`

const LEFT_OF_FAMILY = `t WHERE t.tenant = $1 AND NOT EXISTS
    (SELECT 1 FROM pact_contexts c WHERE c.tenant = t.tenant AND c.family = t.family) LIMIT 5`

/** Inserts commits of one context: three parameters for its key, then four per row. */
export function makeRows(count: number): string {
  return `INSERT INTO pact_commits (tenant, family, context, cycle, hash, changes, bodies) VALUES ${fours(count)}`
}

/** Inserts answers of one context in the same way. */
export function makeAnswers(count: number): string {
  return `INSERT INTO pact_answers (tenant, family, context, key, cycle, digest, answer) VALUES ${fours(count)}`
}

/** VALUES, because Citus routes INSERT … SELECT to all shards. */
function fours(count: number): string {
  const row = (_: unknown, i: number): string => `($1, $2, $3, ${[4, 5, 6, 7].map((n) => `$${n + 4 * i}`).join(', ')})`
  return Array.from({ length: count }, row).join(', ')
}

const GOING = 'WHERE tenant = $1 AND family = $2 AND context = ANY($3::bytea[])'

export const STATEMENTS: Readonly<Record<StatementName, string>> = {
  // ---- Contexts
  name: 'SELECT family, context FROM pact_names WHERE tenant = $1 AND id = $2',
  // Ids are never empty, so all come after ''. UTF-8 bytes sort by code point.
  names: 'SELECT id, family, context FROM pact_names WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3',
  namesOf: 'SELECT id, family, context FROM pact_names WHERE tenant = $1 AND id = ANY($2::bytea[])',
  context: `SELECT ${CELLS} FROM pact_contexts WHERE ${KEY}`,
  contexts: `SELECT ${CELLS} FROM pact_contexts
    WHERE tenant = $1 AND family = ANY($2::bytea[]) AND context = ANY($3::bytea[])`,
  takeName: `INSERT INTO pact_names (tenant, id, family, context) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, id) DO NOTHING`,
  family: `SELECT ${CELLS} FROM pact_contexts WHERE tenant = $1 AND family = $2 ORDER BY context`,
  // All contexts in key order, to check that each has its name.
  everyContext: `SELECT family, context, id FROM pact_contexts
    WHERE tenant = $1 AND (family > $2 OR (family = $2 AND context > $3)) ORDER BY family, context LIMIT $4`,
  countFork: `UPDATE pact_contexts SET forks = forks + 1, seal = COALESCE($6::bytea, seal)
    WHERE ${KEY} AND forks = $4 AND ${epochIs('$5')} RETURNING epoch`,
  makeContext: `INSERT INTO pact_contexts
    (tenant, family, context, id, parent, base, first, head, chain, forks, epoch, attempts, seal, answers, attempts_kept)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, 0)`,
  makeRow: makeRows(1),
  makePack: `INSERT INTO pact_packs (tenant, family, context, first, last, body) VALUES ($1, $2, $3, $4, $5, $6)`,
  lock: `SELECT head FROM pact_contexts WHERE ${KEY} AND ${epochIs('$4')} FOR UPDATE`,
  lockFamily: `SELECT ${CELLS} FROM pact_contexts WHERE tenant = $1 AND family = $2
    ORDER BY context FOR UPDATE`,
  deleteNames: 'DELETE FROM pact_names WHERE tenant = $1 AND id = ANY($2::bytea[])',
  deleteContexts: `DELETE FROM pact_contexts ${GOING}`,
  deleteCommits: `DELETE FROM pact_commits ${GOING}`,
  deletePacks: `DELETE FROM pact_packs ${GOING}`,
  deleteAnswers: `DELETE FROM pact_answers ${GOING}`,
  deleteAttempts: `DELETE FROM pact_attempts ${GOING}`,
  deleteManifests: `DELETE FROM pact_manifests ${GOING}`,
  deleteDrafts: `DELETE FROM pact_drafts ${GOING}`,

  // ---- Commits: one statement, or, where the database is Citus, a transaction of moveHead, makeRow, makeAnswer and dropParts
  commit: `WITH moved AS (${moveFrom('$8', '$9', '0')} RETURNING tenant, family, context) ${COMMITTED}`,
  commitWithAnswer: `WITH moved AS (
      ${moveFrom('$8', '$9', '1')} AND ${NO_SUCH_KEY} RETURNING tenant, family, context
    ), said AS (${ANSWERED}) ${COMMITTED}`,
  commitSaved: `WITH moved AS (${moveSaved('$8', '$9', '0', '$10')} RETURNING tenant, family, context),
    dropped AS (${DROPPED}) ${COMMITTED}`,
  commitSavedWithAnswer: `WITH moved AS (
      ${moveSaved('$8', '$9', '1', '$14')} AND ${NO_SUCH_KEY} RETURNING tenant, family, context
    ), said AS (${ANSWERED}), dropped AS (${DROPPED}) ${COMMITTED}`,
  moveHeadSaved: moveSaved('$6', '$7', '$8::integer', '$9'),
  moveHead: moveFrom('$6', '$7', '$8::integer'),
  makeAnswer: makeAnswers(1),
  // One statement: a row may be packed meanwhile.
  read: `SELECT true AS packed, first, last, NULL::bytea AS hash, NULL::bytea AS changes, body
      FROM pact_packs WHERE ${KEY} AND last >= $4 AND first <= $5
    UNION ALL SELECT false, cycle, cycle, hash, changes, bodies
      FROM pact_commits WHERE ${KEY} AND cycle >= $4 AND cycle <= $5`,
  answer: `SELECT key, cycle, digest, answer FROM pact_answers WHERE ${KEY} AND key = $4`,
  answers: `SELECT key, cycle, digest, answer FROM pact_answers WHERE ${KEY} ORDER BY key`,
  unpacked: `SELECT count(*)::integer AS n FROM pact_commits WHERE ${KEY}`,
  oldest: `SELECT min(cycle) AS cycle FROM pact_commits WHERE ${KEY}`,
  takeRows: `DELETE FROM pact_commits WHERE ${KEY} AND cycle >= $4 AND cycle <= $5`,

  // ---- Drafts: one statement for a save that adds a part, and a transaction for all others
  save: `WITH counted AS (${countSave('COALESCE(saves, 0) + 1')} RETURNING tenant, family, context, draft)
    INSERT INTO pact_drafts (tenant, family, context, n, cycle, part)
    SELECT tenant, family, context, draft, $7::integer, $8::bytea FROM counted`,
  countSave: countSave('COALESCE(saves, 0) + 1'),
  countWholeSave: countSave('$7::integer'),
  makePart: 'INSERT INTO pact_drafts (tenant, family, context, n, cycle, part) VALUES ($1, $2, $3, $4, $5, $6)',
  dropParts: `DELETE FROM pact_drafts WHERE ${KEY}`,
  setDraft: `UPDATE pact_contexts SET draft = $4, saves = $5 WHERE ${KEY}`,
  draft: `SELECT n, cycle, part FROM pact_drafts WHERE ${KEY} ORDER BY n`,

  // Runs while the context is locked, so that no one writes these attempts meanwhile.
  knownAttempts: `SELECT id, writer FROM pact_attempts WHERE ${KEY} AND id = ANY($4::bytea[])`,
  writeAttempts: `WITH counted AS (
      UPDATE pact_contexts SET attempts = attempts + $4::integer, attempts_kept = attempts_kept + $9::integer
      WHERE ${KEY}
      RETURNING tenant, family, context, attempts - $4::integer AS before
    ) INSERT INTO pact_attempts (tenant, family, context, id, writer, seq, body)
    SELECT c.tenant, c.family, c.context, r.id, r.writer, c.before + r.n, r.body FROM counted c
    CROSS JOIN unnest($5::bytea[], $6::bytea[], $7::integer[], $8::bytea[]) AS r (id, writer, n, body)
    ON CONFLICT (tenant, family, context, id, writer) DO UPDATE SET body = excluded.body`,
  attempts: `SELECT id, writer, body FROM pact_attempts WHERE ${KEY} ORDER BY seq DESC LIMIT $4`,

  // ---- Derived data
  writePages: `INSERT INTO pact_pages (tenant, family, key, body)
    SELECT $1::bytea, $2::bytea, r.key, r.body FROM unnest($3::bytea[], $4::bytea[]) AS r (key, body)
    ON CONFLICT (tenant, family, key) DO NOTHING`,
  writeManifest: `INSERT INTO pact_manifests (tenant, family, context, cycle, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, family, context, cycle) DO UPDATE SET body = excluded.body`,
  manifest: `SELECT cycle, body FROM pact_manifests WHERE ${KEY} AND cycle <= $4 ORDER BY cycle DESC LIMIT 1`,
  manifests: `SELECT cycle FROM pact_manifests WHERE ${KEY} ORDER BY cycle`,
  pages: 'SELECT key, body FROM pact_pages WHERE tenant = $1 AND family = $2 AND key = ANY($3::bytea[])',
  dropManifests: 'DELETE FROM pact_manifests WHERE tenant = $1 AND family = $2',
  dropPages: 'DELETE FROM pact_pages WHERE tenant = $1 AND family = $2',

  // ---- Erasing: one statement for each row, since it is rare, and those that take many are not the same everywhere
  eraseRow: `UPDATE pact_commits SET bodies = $5 WHERE ${KEY} AND cycle = $4`,
  erasePack: `UPDATE pact_packs SET body = $5 WHERE ${KEY} AND last = $4 AND first = $6`,
  eraseAnswer: `UPDATE pact_answers SET digest = $5, answer = $6 WHERE ${KEY} AND key = $4`,
  nextEpoch: `UPDATE pact_contexts SET epoch = epoch + 1, seal = COALESCE($4::bytea, seal) WHERE ${KEY}`,
  addAudit: `INSERT INTO pact_audit (tenant, family, n, hash, body, finished) VALUES ($1, $2, $3, $4, $5, $6)`,
  audit: 'SELECT n, hash, body, finished FROM pact_audit WHERE tenant = $1 AND family = $2 ORDER BY n',
  finishAudit: 'UPDATE pact_audit SET finished = 1 WHERE tenant = $1 AND family = $2 AND n <= $3',
  dropAudit: 'DELETE FROM pact_audit WHERE tenant = $1 AND family = $2',
  arrive: `UPDATE pact_contexts SET forks = $4, seal = COALESCE($5::bytea, seal) WHERE ${KEY}`,

  // ---- Integrity checks
  leftCommits: `SELECT DISTINCT t.family, t.context FROM pact_commits ${LEFT}`,
  leftPacks: `SELECT DISTINCT t.family, t.context FROM pact_packs ${LEFT}`,
  leftAnswers: `SELECT DISTINCT t.family, t.context FROM pact_answers ${LEFT}`,
  leftAttempts: `SELECT DISTINCT t.family, t.context FROM pact_attempts ${LEFT}`,
  leftManifests: `SELECT DISTINCT t.family, t.context FROM pact_manifests ${LEFT}`,
  leftDrafts: `SELECT DISTINCT t.family, t.context FROM pact_drafts ${LEFT}`,
  leftPages: `SELECT DISTINCT t.family FROM pact_pages ${LEFT_OF_FAMILY}`,
  leftAudit: `SELECT DISTINCT t.family FROM pact_audit ${LEFT_OF_FAMILY}`,
  headless: `SELECT c.id FROM pact_contexts c WHERE c.tenant = $1 AND NOT EXISTS (SELECT 1 FROM pact_commits m
    WHERE m.tenant = c.tenant AND m.family = c.family AND m.context = c.context
    AND m.cycle = c.head AND m.hash = c.chain) LIMIT 5`,
}

export type StatementName =
  | 'name'
  | 'names'
  | 'namesOf'
  | 'context'
  | 'contexts'
  | 'takeName'
  | 'family'
  | 'everyContext'
  | 'countFork'
  | 'makeContext'
  | 'makeRow'
  | 'makePack'
  | 'lock'
  | 'lockFamily'
  | 'deleteNames'
  | 'deleteContexts'
  | 'deleteCommits'
  | 'deletePacks'
  | 'deleteAnswers'
  | 'deleteAttempts'
  | 'deleteManifests'
  | 'deleteDrafts'
  | 'commit'
  | 'commitWithAnswer'
  | 'commitSaved'
  | 'commitSavedWithAnswer'
  | 'moveHead'
  | 'moveHeadSaved'
  | 'makeAnswer'
  | 'read'
  | 'answer'
  | 'answers'
  | 'unpacked'
  | 'oldest'
  | 'takeRows'
  | 'save'
  | 'countSave'
  | 'countWholeSave'
  | 'makePart'
  | 'dropParts'
  | 'setDraft'
  | 'draft'
  | 'knownAttempts'
  | 'writeAttempts'
  | 'attempts'
  | 'writePages'
  | 'writeManifest'
  | 'manifest'
  | 'manifests'
  | 'pages'
  | 'dropManifests'
  | 'dropPages'
  | 'eraseRow'
  | 'erasePack'
  | 'eraseAnswer'
  | 'nextEpoch'
  | 'addAudit'
  | 'audit'
  | 'finishAudit'
  | 'dropAudit'
  | 'arrive'
  | 'leftCommits'
  | 'leftPacks'
  | 'leftAnswers'
  | 'leftAttempts'
  | 'leftManifests'
  | 'leftDrafts'
  | 'leftPages'
  | 'leftAudit'
  | 'headless'

/** Detects Citus, which does not route INSERT … SELECT to one shard. */
export const IS_CITUS = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"

/** Optional statements: a database may not support or allow them. */
export const OPTIONAL_STATEMENTS: Readonly<{ notify: string; listen: (channel: string) => string; vacuum: string }> = {
  // Wakes watchers; those that miss it poll later.
  notify: 'SELECT pg_notify($1, $2)',
  listen: (channel) => `LISTEN ${channel}`,
  // Overwritten rows stay in the files until then.
  vacuum:
    'VACUUM pact_commits, pact_packs, pact_answers, pact_attempts, pact_manifests, pact_pages, pact_drafts, pact_contexts',
}
