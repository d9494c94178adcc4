// The statements of the PostgreSQL store serve Citus, YugabyteDB and CockroachDB as well: nothing in them that one of these refuses,
// one shard for each statement that writes, one tenant for all. docs/scaling.md says which were run there.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { openPool, type Client } from '../../src/store/postgres/driver.js'
import { PostgresRows } from '../../src/store/postgres/rows.js'
import { META, STEPS } from '../../src/store/postgres/schema.js'
import { LEFT, OPTIONAL_STATEMENTS, STATEMENTS } from '../../src/store/postgres/statements.js'
import { rowsContract } from '../../testing/index.js'
import { routingRefusals, schemaRefusals, statementRefusals } from '../support/portable-sql.js'
import { fresh, sharedServer } from '../support/postgres.js'

const FOLDER = path.resolve(import.meta.dirname, '../../src/store/postgres')
const { server, why } = await sharedServer()

test.each([...Object.entries(STATEMENTS), ...LEFT])('the statement %s is one for all of them', (_, sql) => {
  expect(statementRefusals(sql)).toEqual([])
})

test.each([META[0]!, ...STEPS.flat()].map((sql) => [sql.slice(0, 40), sql]))(
  '%s… is a table for all of them',
  (_, sql) => {
    expect(schemaRefusals(sql)).toEqual([])
  },
)

/** Commits and saves of databases other than Citus. */
const NOT_ROUTED = ['commit', 'commitWithAnswer', 'commitSaved', 'commitSavedWithAnswer', 'save'] as const

describe.skipIf(server === undefined)(
  `statements that the contract of databases sends${why === undefined ? '' : ` (skipped: ${why})`}`,
  async () => {
    const [plain, routed] = server === undefined ? [[], []] : [await sentBy(false), await sentBy(true)]
    const all = [...new Set([...plain, ...routed])]

    test.each(all)('%s is one for all of them', (sql) => {
      expect(statementRefusals(sql)).toEqual([])
    })

    test('every statement by name is sent', () => {
      expect(all.length).toBeGreaterThan(40)
      expect([...Object.values(STATEMENTS), ...LEFT.values()].filter((sql) => !all.includes(sql))).toEqual([])
    })

    test('Citus sends every statement that writes to one shard; other databases get five that it would split', () => {
      expect(routed.filter((sql) => routingRefusals(sql).length > 0)).toEqual([])
      const refused = plain.filter((sql) => routingRefusals(sql).length > 0)
      expect(refused.toSorted()).toEqual(NOT_ROUTED.map((name): string => STATEMENTS[name]).toSorted())
    })

    test('a routed commit compares and writes in statements of one shard each', () => {
      const key = String.raw`WHERE tenant = \$1 AND family = \$2 AND context = \$3`
      const move = String.raw`^UPDATE pact_contexts SET head = \$\d+, chain = \$\d+, answers = answers \+ \$\d+ ${key}`
      const compare = String.raw` AND head = \$\d+ AND chain = \$\d+ AND epoch = \$\d+$`
      expect(routed.filter((sql) => new RegExp(move + compare).test(sql))).toHaveLength(1)
      for (const table of ['commits', 'answers']) {
        const insert = String.raw`^INSERT INTO pact_${table} \([^)]*\) VALUES \(\$1, \$2, \$3, \$4, \$5, \$6, \$7\)`
        expect(
          routed.some((sql) => new RegExp(insert).test(sql)),
          table,
        ).toBe(true)
      }
    })
  },
)

/** The statements about our tables that rows send when their contract and their check are run. */
async function sentBy(routed: boolean): Promise<readonly string[]> {
  const texts = new Set<string>()
  const opened: typeof openPool = (config) => {
    const pool = openPool(config)
    const connect = async (): Promise<Client> => {
      const client = await pool.connect()
      return {
        query: (query) => {
          texts.add(query.text)
          return client.query(query)
        },
        release: (isBroken) => client.release(isBroken),
        on: (event, listener) => client.on(event, listener),
        off: (event, listener) => client.off(event, listener),
      }
    }
    return { connect, end: () => pool.end(), on: pool.on.bind(pool) }
  }
  const open = (tenant = fresh()): Promise<PostgresRows> =>
    PostgresRows.open(server!.url, { connections: 3, routed, tenant }, opened)
  const place = () => {
    const tenant = fresh()
    return { open: () => open(tenant) }
  }
  for (const { run } of rowsContract({ name: 'rows', place })) await run()
  const rows = await open()
  await rows.check()
  await rows.close()
  const own = new Set([...META, ...STEPS.flat()])
  return [...texts].filter((sql) => /\bpact_(?!meta)/.test(sql) && !own.has(sql) && !sql.startsWith('VACUUM'))
}

test('a commit is one statement that compares and writes', () => {
  const { commit, commitWithAnswer, commitSaved, commitSavedWithAnswer } = STATEMENTS
  for (const sql of [commit, commitWithAnswer, commitSaved, commitSavedWithAnswer]) {
    expect(sql).toMatch(
      /^WITH moved AS \(\s*UPDATE pact_contexts SET head = \$4[\s\S]*head = \$4 - 1 AND chain = \$8 AND epoch = \$9/,
    )
    expect(sql).toMatch(/INSERT INTO pact_commits[\s\S]*FROM moved$/)
  }
})

test('what only some of them know is a hint, which is tried once and may fail', () => {
  const files = fs.readdirSync(FOLDER).filter((file) => file !== 'statements.ts')
  const uses = files.flatMap((file) =>
    [...fs.readFileSync(path.join(FOLDER, file), 'utf8').matchAll(/[^\n(]*\([^\n(]*OPTIONAL_STATEMENTS\.\w+/g)].map(
      ([text]) => `${file}: ${text.trim()}`,
    ),
  )
  expect(uses.length).toBe(Object.keys(OPTIONAL_STATEMENTS).length)
  for (const use of uses)
    expect(use).toMatch(/\.runOptional\(OPTIONAL_STATEMENTS|listener\.query\(\{ text: OPTIONAL_STATEMENTS.listen/)
})

test('there are no other statements', () => {
  const texts = fs
    .readdirSync(FOLDER)
    .filter((file) => !/^(?:statements|schema)\.ts$|\.test\.ts$/.test(file))
    .flatMap((file) =>
      fs
        .readFileSync(path.join(FOLDER, file), 'utf8')
        .split('\n')
        .filter((line) => !line.trim().startsWith('//'))
        .flatMap((line) => [
          ...line.matchAll(
            /(['`])(?:(?!\1).)*\b(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|SET|LISTEN|NOTIFY|BEGIN|COMMIT|ROLLBACK)\b(?:(?!\1).)*\1/g,
          ),
        ])
        .map(([text]) => text),
    )
  expect(new Set(texts)).toEqual(new Set(["'BEGIN'", "'ROLLBACK'", "'COMMIT'"]))
})

describe('docs/scaling.md', () => {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
  const tables = STEPS.flat().flatMap((each) => /CREATE TABLE (\w+)/.exec(each)?.[1] ?? [])

  test('gives tables that are made by hand the version of the code', () => {
    expect(page).toContain(`INSERT INTO pact_meta VALUES (1, ${STEPS.length});`)
  })

  test('spreads every table', () => {
    const spread = [...page.matchAll(/create_(?:distributed|reference)_table\('(\w+)'/g)].map(([, name]) => name!)
    expect(spread.toSorted()).toEqual(['pact_meta', ...tables].toSorted())
  })

  test('names files that the package ships, and files of the repository', () => {
    const files = [...page.matchAll(/node_modules\/pact-context\/([\w./-]+\w)/g)].map(([, file]) => file!)
    expect(files.length).toBeGreaterThan(0)
    const { files: shipped } = JSON.parse(
      fs.readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'),
    ) as Readonly<{ files: readonly string[] }>
    for (const file of files) {
      expect(
        shipped.some((each) => file.startsWith(`${each}/`)),
        file,
      ).toBe(true)
      expect(fs.existsSync(path.resolve(import.meta.dirname, '../..', file)), file).toBe(true)
    }
    expect(page).not.toMatch(/\bsrc\//)
  })
})

describe('what one of them refuses is noticed', () => {
  const KEY = 'tenant = $1 AND family = $2 AND context = $3'
  test.each([
    [`SELECT head FROM pact_contexts WHERE family = $2 AND context = $3`, /all tenants/],
    [`SELECT head FROM pact_contexts WHERE tenant = $1 AND context = $3`, /all shards/],
    [`UPDATE pact_contexts SET head = $4 WHERE tenant = $1 AND id = $2`, /all shards/],
    [`DELETE FROM pact_commits WHERE family = $2`, /all tenants/],
    [`INSERT INTO pact_pages (family, tenant, key, body) VALUES ($2, $1, $3, $4)`, /tenant in front/],
    [`INSERT INTO pact_pages (tenant, family, key, body) VALUES ($2, $1, $3, $4)`, /another tenant/],
    [
      `SELECT c.head FROM pact_names n JOIN pact_contexts c ON c.tenant = n.tenant AND c.family = n.family WHERE n.tenant = $1`,
      /another shard/,
    ],
    [`SELECT head FROM pact_contexts WHERE ${KEY} FOR SHARE`, /other than FOR UPDATE/],
    [`SELECT head FROM pact_contexts WHERE ${KEY} FOR UPDATE SKIP LOCKED`, /other than FOR UPDATE/],
    [`SELECT pg_advisory_xact_lock($1) FROM pact_contexts WHERE ${KEY}`, /advisory/],
    [`SELECT pg_notify($4, $5) FROM pact_contexts WHERE ${KEY}`, /NOTIFY/],
    [`UPDATE pact_contexts SET head = nextval($4) WHERE ${KEY}`, /sequence/],
    [`SELECT head, ctid FROM pact_contexts WHERE ${KEY}`, /of the system/],
    [`SELECT head FROM pact_contexts WHERE ${KEY} AND epoch < now()`, /clock/],
    [`SELECT head FROM pact_contexts WHERE ${KEY} AND id = 'x'`, /parameter belongs/],
    [`SELECT * FROM pact_contexts WHERE ${KEY}`, /later version/],
    [`INSERT INTO pact_pages (tenant, family, key, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, /whole key/],
    [`SELECT head, $4 FROM pact_contexts WHERE ${KEY}`, /no type of its own/],
    [`SELECT 1`, /no table/],
  ])('%s', (sql, says) => {
    expect(statementRefusals(sql).join('; ')).toMatch(says)
  })

  test.each([
    [`WITH moved AS (UPDATE pact_contexts SET head = $4 WHERE ${KEY} RETURNING tenant) SELECT tenant FROM moved`, /^$/],
    [
      `WITH moved AS (UPDATE pact_contexts SET head = $4 WHERE ${KEY} RETURNING tenant) INSERT INTO pact_pages (tenant) VALUES ($1)`,
      /behind a WITH.*two tables/,
    ],
    [`with a as (select 1) insert into pact_pages (tenant) values ($1)`, /behind a WITH/],
    [`INSERT INTO pact_pages (tenant, family) SELECT $1::bytea, $2::bytea`, /a SELECT gives/],
    [`INSERT INTO pact_pages SELECT tenant FROM pact_contexts WHERE ${KEY}`, /a SELECT gives/],
    [`INSERT INTO pact_pages (tenant)\n  WITH a AS (SELECT 1) SELECT tenant FROM a`, /a SELECT gives/],
    [`INSERT INTO pact_pages (tenant, family) VALUES ($1, $2), ($1, $2) ON CONFLICT (tenant, family) DO NOTHING`, /^$/],
  ])('to one shard, or not: %s', (sql, says) => {
    expect(routingRefusals(sql).join('; ')).toMatch(says)
  })

  test.each([
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, n serial, PRIMARY KEY (tenant, family, n))',
      /sequence/,
    ],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, n text, PRIMARY KEY (tenant, family))',
      /neither bytes/,
    ],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, n integer NOT NULL, PRIMARY KEY (tenant, n))',
      /begin with tenant and family/,
    ],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, n bytea REFERENCES pact_y, PRIMARY KEY (tenant, family))',
      /foreign key/,
    ],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, UNIQUE (n), PRIMARY KEY (tenant, family))',
      /second unique key/,
    ],
    ['CREATE INDEX pact_i ON pact_x (n)', /begin with tenant and family/],
    ['CREATE UNIQUE INDEX pact_i ON pact_x (tenant, family)', /plain index/],
    ['CREATE TRIGGER t BEFORE INSERT ON pact_x EXECUTE FUNCTION f()', /code in the database/],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, EXCLUDE USING gist (n WITH =), PRIMARY KEY (tenant, family))',
      /exclusion/,
    ],
    [
      'CREATE TABLE pact_x (tenant bytea NOT NULL, family bytea NOT NULL, PRIMARY KEY (tenant, family) DEFERRABLE)',
      /deferrable/,
    ],
  ])('%s', (sql, says) => {
    expect(schemaRefusals(sql).join('; ')).toMatch(says)
  })
})
