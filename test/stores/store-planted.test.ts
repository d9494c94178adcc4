// Damage planted in the tables of a store: `fsck` reports every kind in the table below, in SQLite and, where the tables are alike, in
// PostgreSQL. The kinds that no look can notice are listed with their reasons in docs/stores.md.

import { toOpenAIChat } from 'pact-context/openai'
import { Store } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

import { openPool } from '../../src/store/postgres/driver.js'
import { openDatabase } from '../../src/store/sqlite/driver.js'
import { sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'

const CALL = { provider: 'acme', model: 'm', params: {}, for: toOpenAIChat } as const
const SIZES = { packed: 4, tail: 8, manifest: 6 }

/** `alice` and `bob` are alike; `fork` left `alice`, of which something was erased. */
async function fill(store: Store): Promise<void> {
  for (const id of ['alice', 'bob']) {
    const ctx = await store.open(id)
    for (let n = 1; n <= 20; n++) {
      ctx.user(`${id} says ${n}`)
      if (n % 5 === 0) ctx.startAttempt(CALL).complete({})
      await ctx.commit(n % 4 === 0 ? { key: `key ${n}` } : {})
    }
  }
  const fork = await (await store.open('alice')).fork('@t0', { id: 'fork' })
  for (let n = 1; n <= 14; n++) {
    fork.user(`fork says ${n}`)
    await fork.commit()
  }
  await store.erase('alice', ".block [content~'alice says 3']")
  const again = await store.open('alice')
  for (let n = 21; n <= 32; n++) {
    again.user(`alice says ${n}`)
    await again.commit()
  }
  const other = await store.open('fork')
  for (let n = 15; n <= 24; n++) {
    other.user(`fork says ${n}`)
    await other.commit()
  }
  // Drafts of bob and of the fork, in two parts each.
  for (const ctx of [await store.open('bob'), await store.open('fork')]) {
    for (const text of ['saved first', 'saved then']) {
      ctx.user(text)
      await ctx.save()
    }
  }
}

/** One kind of damage in SQLite and in PostgreSQL, and the words of fsck. `a` and `b` are the keys of alice and bob. */
type Planted = Readonly<{ sqlite?: string; postgres?: string; says: RegExp }>

const A = "(SELECT ctx FROM contexts WHERE id = CAST('alice' AS BLOB))"
const B = "(SELECT ctx FROM contexts WHERE id = CAST('bob' AS BLOB))"
const F = "(SELECT ctx FROM contexts WHERE id = CAST('fork' AS BLOB))"
const K = (of: string, cycle: number | string): string => `${of} * 1073741824 + ${cycle}`
const OF = (id: string): string =>
  `context = (SELECT context FROM pact_contexts WHERE tenant = $T AND id = '${id}'::bytea)`
const PA = `tenant = $T AND ${OF('alice')}`
const PB = `tenant = $T AND ${OF('bob')}`
const CA = "tenant = $T AND id = 'alice'::bytea"

const lost = (count: number): Planted => ({
  sqlite: `DELETE FROM commits WHERE k > ${K(A, 32 - count)} AND k < ${K(A, 1_000)}`,
  postgres: `DELETE FROM pact_commits WHERE ${PA} AND cycle > ${32 - count}`,
  says: count > 8 ? /lost|no newest row|not there/ : /newest rows are lost|no newest row/,
})

const PLANTED: Readonly<Record<string, Planted>> = {
  'the newest row is lost': lost(1),
  'the newest five rows are lost': lost(5),
  'all rows that are not packed are lost': lost(30),
  'a row in the middle is lost': {
    sqlite: `DELETE FROM commits WHERE k = ${K(A, 30)}`,
    postgres: `DELETE FROM pact_commits WHERE ${PA} AND cycle = 30`,
    says: /cycle 30 is damaged: it is not there/,
  },
  'a row has other changes': {
    sqlite: `UPDATE commits SET changes = CAST(changes || x'00' AS BLOB) WHERE k = ${K(A, 31)}`,
    postgres: `UPDATE pact_commits SET changes = changes || '\\x00'::bytea WHERE ${PA} AND cycle = 31`,
    says: /cycle 31 is damaged/,
  },
  'a row has other bodies': {
    sqlite: `UPDATE commits SET bodies = CAST(bodies || x'ff' AS BLOB) WHERE k = ${K(A, 31)}`,
    postgres: `UPDATE pact_commits SET bodies = set_byte(bodies, 20, 255) WHERE ${PA} AND cycle = 31`,
    says: /cycle 31 is damaged/,
  },
  'a row has another hash': {
    sqlite: `UPDATE commits SET hash = zeroblob(32) WHERE k = ${K(A, 31)}`,
    postgres: `UPDATE pact_commits SET hash = set_byte(hash, 0, get_byte(hash, 0) # 1) WHERE ${PA} AND cycle = 31`,
    says: /cycle 31 is damaged/,
  },
  'the newest row has another hash': {
    sqlite: `UPDATE commits SET hash = zeroblob(32) WHERE k = ${K(A, 32)}`,
    postgres: `UPDATE pact_commits SET hash = set_byte(hash, 0, get_byte(hash, 0) # 1) WHERE ${PA} AND cycle = 32`,
    says: /newest rows are lost|no newest row|cycle 32 is damaged/,
  },
  'two rows are exchanged': {
    sqlite: `UPDATE commits SET k = -1 WHERE k = ${K(A, 30)}; UPDATE commits SET k = k - 1 WHERE k = ${K(A, 31)}; UPDATE commits SET k = ${K(A, 31)} WHERE k = -1`,
    postgres: `UPDATE pact_commits SET cycle = 61 - cycle + 1000 WHERE ${PA} AND cycle IN (30, 31); UPDATE pact_commits SET cycle = cycle - 1000 WHERE ${PA} AND cycle > 1000`,
    says: /cycle 30 is damaged/,
  },
  'a row comes after the newest': {
    sqlite: `UPDATE contexts SET head = 31, chain = (SELECT hash FROM commits WHERE k = ${K(A, 31)}) WHERE ctx = ${A}`,
    postgres: `UPDATE pact_contexts SET head = 31, chain = (SELECT hash FROM pact_commits WHERE ${PA} AND cycle = 31) WHERE ${CA}`,
    says: /row after its newest/,
  },
  'the head counts one more': {
    sqlite: `UPDATE contexts SET head = head + 1 WHERE ctx = ${A}`,
    postgres: `UPDATE pact_contexts SET head = head + 1 WHERE ${CA}`,
    says: /newest rows are lost|no newest row/,
  },
  'the hash of the head is another': {
    sqlite: `UPDATE contexts SET chain = zeroblob(32) WHERE ctx = ${A}`,
    postgres: `UPDATE pact_contexts SET chain = set_byte(chain, 0, get_byte(chain, 0) # 1) WHERE ${CA}`,
    says: /newest rows are lost|no newest row/,
  },
  'a pack is lost': {
    sqlite: `DELETE FROM packs WHERE k = (SELECT min(k) FROM packs WHERE k > ${K(A, 0)})`,
    postgres: `DELETE FROM pact_packs WHERE ${PA} AND first = 0`,
    says: /is damaged: it is not there/,
  },
  'a pack is damaged': {
    sqlite: `UPDATE packs SET body = substr(body, 1, length(body) - 3) WHERE k = (SELECT min(k) FROM packs WHERE k > ${K(A, 0)})`,
    postgres: `UPDATE pact_packs SET body = set_byte(body, 20, get_byte(body, 20) # 1) WHERE ${PA} AND first = 0`,
    says: /is damaged/,
  },
  'all rows of two contexts are exchanged': {
    sqlite: `CREATE TEMP TABLE ab AS SELECT ${A} AS a, ${B} AS b;
      UPDATE commits SET k = k + 1000 * 1073741824 WHERE k / 1073741824 IN (SELECT a FROM ab UNION SELECT b FROM ab);
      UPDATE packs SET k = k + 1000 * 1073741824 WHERE k / 1073741824 IN (SELECT a FROM ab UNION SELECT b FROM ab);
      UPDATE commits SET k = k - 1000 * 1073741824 + (SELECT (b - a) * CASE k / 1073741824 - 1000 WHEN a THEN 1 ELSE -1 END FROM ab) * 1073741824 WHERE k / 1073741824 > 1000;
      UPDATE packs SET k = k - 1000 * 1073741824 + (SELECT (b - a) * CASE k / 1073741824 - 1000 WHEN a THEN 1 ELSE -1 END FROM ab) * 1073741824 WHERE k / 1073741824 > 1000;
      UPDATE contexts SET head = CASE ctx WHEN ${A} THEN 20 ELSE 32 END WHERE ctx IN (${A}, ${B});
      UPDATE contexts SET chain = (SELECT hash FROM commits WHERE k = ctx * 1073741824 + head) WHERE ctx IN (${A}, ${B})`,
    says: /first row of another context/,
  },
  'the ids of two contexts are exchanged': {
    sqlite: `UPDATE contexts SET id = x'00' WHERE ctx = ${A}; UPDATE contexts SET id = CAST('alice' AS BLOB) WHERE ctx = ${B}; UPDATE contexts SET id = CAST('bob' AS BLOB) WHERE id = x'00'`,
    postgres: `UPDATE pact_contexts SET id = CASE id WHEN 'alice'::bytea THEN 'bob'::bytea ELSE 'alice'::bytea END WHERE tenant = $T AND id IN ('alice'::bytea, 'bob'::bytea);
      UPDATE pact_names n SET context = c.context, family = c.family FROM pact_contexts c WHERE n.tenant = $T AND c.tenant = $T AND c.id = n.id`,
    says: /its id, fork point, forks or epoch/,
  },
  'a context is renamed': {
    sqlite: `UPDATE contexts SET id = CAST('carol' AS BLOB) WHERE ctx = ${B}`,
    postgres: `UPDATE pact_contexts SET id = 'carol'::bytea WHERE tenant = $T AND id = 'bob'::bytea; UPDATE pact_names SET id = 'carol'::bytea WHERE tenant = $T AND id = 'bob'::bytea`,
    says: /carol is damaged: its id/,
  },
  'forks are counted down': {
    sqlite: `UPDATE contexts SET forks = 0 WHERE ctx = ${A}`,
    postgres: `UPDATE pact_contexts SET forks = 0 WHERE ${CA}`,
    says: /its id, fork point, forks or epoch/,
  },
  'the list of erasures and the epoch are gone': {
    sqlite: `DELETE FROM audit; UPDATE contexts SET epoch = 0`,
    postgres: `DELETE FROM pact_audit WHERE tenant = $T; UPDATE pact_contexts SET epoch = 0 WHERE tenant = $T`,
    says: /its id, fork point, forks or epoch/,
  },
  'the list of erasures is gone': {
    sqlite: 'DELETE FROM audit',
    postgres: 'DELETE FROM pact_audit WHERE tenant = $T',
    says: /1 times, but 0 times are listed/,
  },
  'an entry of the list of erasures is damaged': {
    sqlite: "UPDATE audit SET body = CAST(body || x'20' AS BLOB)",
    postgres: "UPDATE pact_audit SET body = body || '\\x20'::bytea WHERE tenant = $T",
    says: /Entry 1 of the list of erasures is damaged/,
  },
  'an erasure was not finished': {
    sqlite: 'UPDATE audit SET finished = 0',
    postgres: 'UPDATE pact_audit SET finished = 0 WHERE tenant = $T',
    says: /An erasure was not finished/,
  },
  'the fork point is another': {
    sqlite: `UPDATE contexts SET base = base - 1 WHERE ctx = ${F}`,
    postgres: "UPDATE pact_contexts SET base = base - 1 WHERE tenant = $T AND id = 'fork'::bytea",
    says: /its id, fork point, forks or epoch/,
  },
  'the parent of a fork is another': {
    sqlite: `UPDATE contexts SET parent = ${B} WHERE ctx = ${F}`,
    says: /another family than its parent/,
  },
  'the parent of a fork is gone': {
    sqlite: `UPDATE contexts SET parent = 999 WHERE ctx = ${F}`,
    postgres: "UPDATE pact_contexts SET parent = 'nobody'::bytea WHERE tenant = $T AND id = 'fork'::bytea",
    says: /this one is a fork of is gone/,
  },
  'a context is of another family': {
    sqlite: `UPDATE contexts SET family = ${A} WHERE ctx = ${B}`,
    says: /in the family of another context/,
  },
  'one answer is lost': {
    sqlite: `DELETE FROM answers WHERE ctx = ${A} AND cycle = 8`,
    postgres: `DELETE FROM pact_answers WHERE ${PA} AND cycle = 8`,
    says: /lost 1 of its answers to keys/,
  },
  'all answers are lost': {
    sqlite: 'DELETE FROM answers',
    postgres: 'DELETE FROM pact_answers WHERE tenant = $T',
    says: /lost 5 of its answers to keys/,
  },
  'an answer says something else': {
    sqlite: `UPDATE answers SET answer = CAST(answer || x'20' AS BLOB) WHERE ctx = ${A} AND cycle = 8`,
    postgres: `UPDATE pact_answers SET answer = answer || '\\x20'::bytea WHERE ${PA} AND cycle = 8`,
    says: /stored answer to the key key 8 is damaged/,
  },
  'answers of two contexts are exchanged': {
    sqlite: `UPDATE answers SET ctx = ctx + 1000 WHERE cycle = 8; UPDATE answers SET ctx = ${A} + ${B} - (ctx - 1000) WHERE ctx > 1000`,
    postgres: `UPDATE pact_answers a SET answer = b.answer, digest = b.digest FROM pact_answers b
      WHERE a.tenant = $T AND b.tenant = $T AND a.context <> b.context AND a.cycle = 8 AND b.cycle = 8`,
    says: /stored answer to the key key 8 is damaged/,
  },
  'an answer of another cycle': {
    sqlite: `UPDATE answers SET cycle = 9 WHERE ctx = ${A} AND cycle = 8`,
    postgres: `UPDATE pact_answers SET cycle = 9 WHERE ${PA} AND cycle = 8`,
    says: /stored answer to the key key 8 is damaged/,
  },
  'answers of a context that is not there': {
    sqlite: `UPDATE answers SET ctx = 999 WHERE ctx = ${A}`,
    postgres: `UPDATE pact_answers SET context = 'nobody'::bytea WHERE ${PA}`,
    says: /answers has rows of a context/,
  },
  'one attempt is lost': {
    sqlite: `DELETE FROM attempts WHERE ctx = ${B} AND seq = (SELECT max(seq) FROM attempts WHERE ctx = ${B})`,
    postgres: `DELETE FROM pact_attempts WHERE ${PB} AND seq = (SELECT max(seq) FROM pact_attempts WHERE ${PB})`,
    says: /lost 1 of its attempts/,
  },
  'attempts of two contexts are exchanged': {
    sqlite: `UPDATE attempts SET ctx = ctx + 1000 WHERE ctx IN (${A}, ${B}); UPDATE attempts SET ctx = ${A} + ${B} - (ctx - 1000) WHERE ctx > 1000`,
    postgres: `UPDATE pact_attempts a SET body = b.body FROM pact_attempts b
      WHERE a.tenant = $T AND b.tenant = $T AND a.context <> b.context AND a.id = b.id`,
    says: /The attempt attempt:5-0 is damaged/,
  },
  'attempts of a context that is not there': {
    sqlite: `UPDATE attempts SET ctx = 999 WHERE ctx = ${B}`,
    postgres: `UPDATE pact_attempts SET context = 'nobody'::bytea WHERE ${PB}`,
    says: /attempts has rows of a context/,
  },
  'a manifest of another context': {
    sqlite: `DELETE FROM manifests WHERE k / 1073741824 = ${F};
      INSERT INTO manifests SELECT k + (${F} - ${A}) * 1073741824, body FROM manifests WHERE k / 1073741824 = ${A}`,
    postgres: `DELETE FROM pact_manifests WHERE tenant = $T AND ${OF('fork')};
      INSERT INTO pact_manifests SELECT tenant, family, (SELECT context FROM pact_contexts WHERE tenant = $T AND id = 'fork'::bytea), cycle, body FROM pact_manifests WHERE ${PA}`,
    says: /manifest, or a page of it, is missing or damaged/,
  },
  'a manifest of a cycle that is not there': {
    sqlite: `UPDATE manifests SET k = ${K(A, 500)} WHERE k = (SELECT max(k) FROM manifests WHERE k / 1073741824 = ${A})`,
    postgres: `UPDATE pact_manifests SET cycle = 500 WHERE ${PA} AND cycle = (SELECT max(cycle) FROM pact_manifests WHERE ${PA})`,
    says: /manifest of a cycle that does not exist/,
  },
  'a part of a draft is lost': {
    sqlite: `DELETE FROM drafts WHERE k = ${K(B, 1)}`,
    postgres: `DELETE FROM pact_drafts WHERE ${PB} AND n = 1`,
    says: /draft has 1 parts, but 2 were saved/,
  },
  'a draft is lost': {
    sqlite: `DELETE FROM drafts WHERE k / 1073741824 = ${B}`,
    postgres: `DELETE FROM pact_drafts WHERE ${PB}`,
    says: /draft has 0 parts, but 2 were saved/,
  },
  'a draft is of another cycle': {
    sqlite: `UPDATE drafts SET cycle = cycle - 1 WHERE k / 1073741824 = ${B}`,
    postgres: `UPDATE pact_drafts SET cycle = cycle - 1 WHERE ${PB}`,
    says: /The draft of cycle 20 of bob is damaged/,
  },
  'the parts of a draft are exchanged': {
    sqlite: `UPDATE drafts SET k = -1 WHERE k = ${K(B, 1)}; UPDATE drafts SET k = k - 1 WHERE k = ${K(B, 2)}; UPDATE drafts SET k = ${K(B, 2)} WHERE k = -1`,
    postgres: `UPDATE pact_drafts SET n = n + 10 WHERE ${PB}; UPDATE pact_drafts SET n = 13 - n WHERE ${PB}`,
    says: /The draft of cycle 21 of bob is damaged/,
  },
  'a draft has a part of another context': {
    sqlite: `UPDATE drafts SET part = (SELECT part FROM drafts WHERE k = ${K(F, 1)}) WHERE k = ${K(B, 1)}`,
    postgres: `UPDATE pact_drafts SET part = (SELECT part FROM pact_drafts WHERE tenant = $T AND ${OF('fork')} AND n = 1) WHERE ${PB} AND n = 1`,
    says: /The draft of cycle 21 of bob is damaged/,
  },
  'a bit of a draft is another': {
    sqlite: `UPDATE drafts SET part = CAST(part || x'00' AS BLOB) WHERE k = ${K(B, 2)}`,
    postgres: `UPDATE pact_drafts SET part = set_byte(part, 30, get_byte(part, 30) # 1) WHERE ${PB} AND n = 2`,
    says: /The draft of cycle 21 of bob is damaged/,
  },
  'a draft of a context that is not there': {
    sqlite: `UPDATE drafts SET k = k - (${B} - 999) * 1073741824 WHERE k / 1073741824 = ${B}`,
    postgres: `UPDATE pact_drafts SET context = 'nobody'::bytea WHERE ${PB}`,
    says: /drafts has rows of a context/,
  },
  'pages are lost': {
    sqlite: 'DELETE FROM pages',
    postgres: 'DELETE FROM pact_pages WHERE tenant = $T',
    says: /manifest, or a page of it, is missing or damaged/,
  },
  'the row of a context is lost': {
    sqlite: `DELETE FROM contexts WHERE ctx = ${B}`,
    postgres: "DELETE FROM pact_contexts WHERE tenant = $T AND id = 'bob'::bytea",
    says: /has rows of a context/,
  },
  'a context is lost with all its rows': {
    sqlite: `CREATE TEMP TABLE b AS SELECT ${B} AS b;
      DELETE FROM commits WHERE k / 1073741824 = (SELECT b FROM b); DELETE FROM packs WHERE k / 1073741824 = (SELECT b FROM b);
      DELETE FROM manifests WHERE k / 1073741824 = (SELECT b FROM b); DELETE FROM answers WHERE ctx = (SELECT b FROM b);
      DELETE FROM attempts WHERE ctx = (SELECT b FROM b); DELETE FROM pages WHERE family = (SELECT b FROM b);
      DELETE FROM drafts WHERE k / 1073741824 = (SELECT b FROM b);
      DELETE FROM contexts WHERE ctx = (SELECT b FROM b)`,
    says: /contexts has 1 rows fewer/,
  },
  'a name leads to nothing': {
    postgres: "UPDATE pact_names SET context = 'nobody'::bytea WHERE tenant = $T AND id = 'bob'::bytea",
    says: /The name bob leads to a context/,
  },
}

const { server, why } = await sharedServer()

test('there are at least 40 kinds', () => {
  expect(Object.keys(PLANTED).length).toBeGreaterThanOrEqual(40)
})

describe('in SQLite', () => {
  test.each(Object.entries(PLANTED).filter(([, { sqlite }]) => sqlite !== undefined))('%s', async (_name, planted) => {
    const place = sqlitePlace({ durability: 'relaxed' })
    try {
      const store = new Store(await place.open(), SIZES)
      await fill(store)
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
      const db = openDatabase(place.file)
      db.exec(planted.sqlite!)
      db.close()
      await expectReported(new Store(await place.open(), SIZES), planted.says)
    } finally {
      await place.end!()
    }
  })
})

describe.skipIf(server === undefined)(`in PostgreSQL${why === undefined ? '' : ` (${why})`}`, () => {
  test.each(Object.entries(PLANTED).filter(([, { postgres }]) => postgres !== undefined))(
    '%s',
    async (_name, planted) => {
      const place = postgresPlace(server!.url)
      const store = new Store(await place.open(), SIZES)
      await fill(store)
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
      const tenant = `'\\x${Buffer.from(place.tenant).toString('hex')}'::bytea`
      const pool = openPool({ connectionString: server!.url, max: 1 })
      const client = await pool.connect()
      try {
        for (const sql of planted.postgres!.split(';'))
          await client.query({ text: sql.replaceAll('$T', tenant), values: [] })
      } finally {
        client.release(false)
        await pool.end()
      }
      await expectReported(new Store(await place.open(), SIZES), planted.says)
    },
  )
})

test('a manifest of another context is not shown', async () => {
  const place = sqlitePlace({ durability: 'relaxed' })
  try {
    const store = new Store(await place.open(), SIZES)
    await fill(store)
    const before = (await store.open('fork', { history: 1 })).export('@t0')
    await store.close()
    const db = openDatabase(place.file)
    db.exec(PLANTED['a manifest of another context']!.sqlite!)
    db.close()
    const again = new Store(await place.open(), SIZES)
    expect(Buffer.compare((await again.open('fork', { history: 1 })).export('@t0'), before)).toBe(0)
    await again.close()
  } finally {
    await place.end!()
  }
})

test('a lost newest row is E_STORE to whoever opens, and no commit takes its number', async () => {
  const place = sqlitePlace({ durability: 'relaxed' })
  try {
    const store = new Store(await place.open())
    const ctx = await store.open('alice')
    for (let n = 1; n <= 32; n++) await ctx.commit()
    const db = openDatabase(place.file)
    db.exec(lost(1).sqlite!)
    db.close()
    await expect(store.open('alice')).rejects.toMatchObject({ code: 'E_STORE', details: { reason: 'damaged' } })
    expect((await store.list()).contexts).toEqual([{ id: 'alice', cycle: 31, forks: 0, damaged: true }])
    await store.close()
  } finally {
    await place.end!()
  }
})

async function expectReported(store: Store, says: RegExp): Promise<void> {
  const { ok, problems } = await store.fsck(undefined, { patience: 0 })
  expect(problems.map(({ message }) => message).join('\n')).toMatch(says)
  expect(ok).toBe(false)
  await store.close()
}
