import { PactError } from 'pact-context'
import { beforeEach, expect, test } from 'vitest'

import { openDatabase, type Database } from './driver.js'
import { migrate, STEPS } from './schema.js'

const SCHEMA = STEPS.length

let db: Database

beforeEach(() => {
  db = openDatabase(':memory:')
})

function number(pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()![pragma])
}

function tables(): readonly unknown[] {
  return db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }) => name)
}

test('an empty database gets the tables, and says whose and of which version it is', () => {
  migrate(db, 'test')
  expect(tables()).toEqual([
    'answers',
    'attempts',
    'audit',
    'commits',
    'contexts',
    'counted',
    'drafts',
    'manifests',
    'packs',
    'pages',
  ])
  expect(number('user_version')).toBe(SCHEMA)
  expect(Buffer.from(number('application_id').toString(16), 'hex').toString()).toBe('PACT')
})

test('one that has them is left alone', () => {
  migrate(db, 'test')
  db.exec("INSERT INTO contexts (id, family, forks, epoch, first) VALUES (x'61', 1, 0, 0, 0)")
  migrate(db, 'test')
  expect(Number(db.prepare('SELECT count(*) AS n FROM contexts').get()!['n'])).toBe(1)
})

test('a step that fails leaves everything as it was', () => {
  const broken: Database = {
    exec: (sql) => {
      if (sql.includes('user_version =')) throw new Error('The disk is gone.')
      db.exec(sql)
    },
    prepare: (sql) => db.prepare(sql),
    close: () => db.close(),
  }
  expect(() => migrate(broken, 'test')).toThrow('The disk is gone.')
  expect([tables(), number('user_version'), number('application_id')]).toEqual([[], 0, 0])
  migrate(db, 'test')
  expect(number('user_version')).toBe(SCHEMA)
})

test.each([
  ['newer', `PRAGMA application_id = 1346454356; PRAGMA user_version = ${SCHEMA + 1}`],
  ['foreign', 'CREATE TABLE notes (id INTEGER)'],
  ['foreign', `CREATE TABLE notes (id INTEGER); PRAGMA user_version = ${SCHEMA}`],
])('what is %s is refused', (reason, sql) => {
  db.exec(sql)
  const before = tables()
  let error: unknown
  try {
    migrate(db, 'the file')
  } catch (thrown) {
    error = thrown
  }
  expect(PactError.is(error) && [error.code, error.details['reason'], error.details['outcome']]).toEqual([
    'E_STORE',
    reason,
    'failed',
  ])
  expect((error as PactError).message).toMatch(/^the file /)
  expect(tables()).toEqual(before)
})

test.each([0, 1, -1, -7])('tables whose version says %i are damaged, and stay as they are', (version) => {
  migrate(db, 'the file')
  db.exec(`PRAGMA user_version = ${version}`)
  const before = tables()
  expect(() => migrate(db, 'the file')).toThrow(version < 0 ? 'The tables of the file are damaged' : 'already exists')
  expect([tables(), number('user_version')]).toEqual([before, version])
})
