// scripts/postgres/check-cluster.mjs runs on plain PostgreSQL as well: it says what it has checked, and leaves nothing behind.

import { spawn } from 'node:child_process'
import path from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { Admin, sharedServer } from '../support/postgres.js'

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/postgres/check-cluster.mjs')
const { server, why } = await sharedServer()
const url = server?.url ?? ''
const admin = new Admin(url)
afterAll(() => admin.end())

type Ended = Readonly<{ code: number | null; out: string; err: string }>

function check(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [SCRIPT, ...args])
  const said = { out: '', err: '' }
  child.stdout.on('data', (bytes: Buffer) => (said.out += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (said.err += bytes.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })))
}

describe.skipIf(server === undefined)(`check-cluster${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  test('passes on PostgreSQL in both modes, and removes its schema', async () => {
    const database = await admin.database()
    const { code, out, err } = await check(database, '--json', '--match', 'thousands')
    expect([code, err]).toEqual([0, ''])
    const { ok, citus, checks } = JSON.parse(out) as Readonly<{
      ok: boolean
      citus: null
      checks: readonly Readonly<{ name: string; result: string; detail: string }>[]
    }>
    expect([ok, citus]).toEqual([true, null])
    expect(checks.map(({ name, result }) => [name, result])).toEqual([
      ['tables', 'skipped'],
      ['phases of a commit', 'skipped'],
      ['contracts, one statement', 'ok'],
      ['8 writers, one context, one statement', 'ok'],
      ['contracts, routed statements', 'ok'],
      ['8 writers, one context, routed statements', 'ok'],
    ])
    for (const { name, detail } of checks) {
      if (name.startsWith('contracts')) expect(detail).toMatch(/^[1-9]\d* of \d+ cases passed$/)
      if (name.includes('writers')) expect(detail).toMatch(/^48 commits, \d+ conflicts, 0 lost or doubled, 0 problems$/)
    }
    const left = await admin.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pact%'", database)
    expect(left).toEqual([])
    expect(await admin.sql("SELECT relname FROM pg_class WHERE relname LIKE 'pact%'", database)).toEqual([])
  })

  test('fails with 1, names the case and removes its schema, where something is wrong', async () => {
    const database = await admin.database()
    const guard = `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF to_regclass('pact_answers') IS NOT NULL THEN ALTER TABLE pact_answers ADD CHECK (octet_length(key) < 0) NOT VALID; END IF;
    END $$`
    await admin.sql(
      [guard, "CREATE EVENT TRIGGER t ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION refuse()"],
      database,
    )
    const { code, out } = await check(database, '--match', 'key')
    expect(code).toBe(1)
    expect(out).toMatch(/^failed +contracts, one statement: \d+ of \d+ cases passed; rows: /m)
    expect(out).toMatch(/^Some checks failed: PostgreSQL/m)
    expect(await admin.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pact%'", database)).toEqual([])
  })
})

test('says how it is used; a wrong address or argument is 2', async () => {
  const help = await check('--help')
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out).toMatch(/^Usage: node scripts\/postgres\/check-cluster\.mjs URL/)
  for (const args of [[], ['memory:'], ['postgres://a/b', 'c'], ['postgres://a/b', '--other']]) {
    const { code, out, err } = await check(...args)
    expect([code, out], args.join(' ')).toEqual([2, ''])
    expect(err).toContain('Usage:')
  }
  const away = await check('postgres://nobody:secret@127.0.0.1:1/x')
  expect(away.code).toBe(2)
  expect(away.err).toMatch(/could not be finished/)
  expect(away.err).not.toContain('secret')
})
