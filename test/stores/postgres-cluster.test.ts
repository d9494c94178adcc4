// A database on many machines, as one PostgreSQL can play it: a machine behind the server goes away and comes back, and a step that was
// acknowledged is between its two phases and not to be seen yet. Citus itself is not run here; docs/scaling.md says what was.

import { openStore, Store } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { openPool, type Client, type Query } from '../../src/store/postgres/driver.js'
import { PostgresRows, type PostgresOptions } from '../../src/store/postgres/rows.js'
import { textOf } from '../support/context.js'
import { Admin, fresh, refusal, sharedServer } from '../support/postgres.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (skipped: ${why})`
const admin = new Admin(url)
afterAll(() => admin.end())

/** More often than a statement is repeated where nothing is waited for. */
const OFTEN = 15

/** Statements that make a database lose a machine behind it, with an error of this code, while the table `away` has a row. */
function machine(code: string, message: string): readonly string[] {
  return [
    'CREATE TABLE away (n integer)',
    'CREATE SEQUENCE raised',
    `CREATE FUNCTION reach() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM away) THEN
        PERFORM nextval('raised');
        RAISE EXCEPTION '${message}' USING ERRCODE = '${code}';
      END IF;
      RETURN true;
    END $$`,
    `CREATE FUNCTION reached() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM reach(); RETURN NEW; END $$`,
  ]
}
const READS = [
  'ALTER TABLE pact_names RENAME TO pact_names_there',
  'CREATE VIEW pact_names AS SELECT * FROM pact_names_there WHERE reach()',
]
const WRITES = ['CREATE TRIGGER t BEFORE UPDATE ON pact_contexts FOR EACH ROW EXECUTE FUNCTION reached()']
const ENDS = [
  `CREATE CONSTRAINT TRIGGER t AFTER UPDATE ON pact_contexts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION reached()`,
]

const LOST = 'connection to the remote node 10.0.0.3:5432 failed'
const CODES = [
  ['08006', LOST],
  ['08000', LOST],
  ['57P03', 'the database system is starting up'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.3:5432'],
] as const

/** A store of a database with such a machine. */
async function behind(code: string, message: string, how: readonly string[], options: PostgresOptions) {
  const database = await admin.database()
  const store = await openStore(database, { connectTimeout: 60_000, ...options })
  const ctx = await store.open('one')
  ctx.user('first')
  await ctx.commit()
  await admin.sql([...machine(code, message), ...how], database)
  return {
    store,
    ctx,
    database,
    goAway: () => admin.sql('INSERT INTO away VALUES (1)', database),
    comeBack: () => admin.sql('DELETE FROM away', database),
    /** Waits until the error was raised that often; a call that gave up before is the fault of the test's subject. */
    raised: async (count: number, call: Promise<unknown>): Promise<void> => {
      const now = { isOver: false }
      const over = (): void => {
        now.isOver = true
      }
      call.then(over, over)
      while (!now.isOver) {
        const [row] = await admin.sql('SELECT last_value AS n, is_called FROM raised', database)
        if (row!['is_called'] === true && Number(row!['n']) >= count) return
      }
    },
  }
}

describe.skipIf(server === undefined)(`a machine behind the server that goes away${skipped}`, () => {
  test.each(CODES)('%s, %s: what only looks waits for it', async (code, message) => {
    const { store, goAway, comeBack, raised } = await behind(code, message, READS, {})
    await goAway()
    const looking = Promise.all([store.find('one'), store.list()])
    await raised(2 * OFTEN, looking)
    await comeBack()
    const [found, { contexts }] = await looking
    expect([found?.cycle, contexts.length]).toEqual([1, 1])
    await store.close()
  })

  test.each(CODES)('%s, %s: a routed commit waits for it, and is done once', async (code, message) => {
    const { store, ctx, goAway, comeBack, raised } = await behind(code, message, WRITES, { routed: true })
    await goAway()
    ctx.user('second')
    const committing = ctx.commit({ key: 'k' })
    await raised(OFTEN, committing)
    await comeBack()
    expect((await committing).cycle).toBe(2)
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
  })

  test('a routed commit that waited in vain has failed, and says what is away', async () => {
    const { store, ctx, goAway, comeBack } = await behind('08006', LOST, WRITES, { routed: true, connectTimeout: 50 })
    await goAway()
    ctx.user('second')
    const error = await refusal(ctx.commit())
    expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed', reason: 'connection' } })
    expect(error.message).toMatch(/cannot reach one of the servers behind it; try again/)
    expect(ctx.operations()).toHaveLength(1)
    await comeBack()
    expect((await ctx.commit()).cycle).toBe(2)
    await store.close()
  })

  test.each([
    ['a routed commit, at its end', ENDS, true],
    ['a commit of one statement', WRITES, false],
  ] as const)('%s: the outcome is unknown, and found out by the next call', async (_, how, routed) => {
    const { store, ctx, goAway, comeBack } = await behind('08006', LOST, how, { routed })
    await goAway()
    ctx.user('second')
    expect(await refusal(ctx.commit())).toMatchObject({ code: 'E_STORE', details: { outcome: 'unknown', cycle: 2 } })
    await comeBack()
    expect((await ctx.commit()).cycle).toBe(2)
    expect(textOf(ctx.export('@t0')).split('second')).toHaveLength(2)
    await store.close()
  })

  test('a fault that says nothing of another machine is not waited for', async () => {
    const { store, goAway } = await behind('XX001', 'invalid page in block 7', READS, {})
    await goAway()
    expect(await refusal(store.find('one'))).toMatchObject({ code: 'E_STORE', details: { postgres: 'XX001' } })
    await store.close()
  })
})

/** Connections whose next COMMIT is acknowledged after the first of two phases. */
class TwoPhases {
  #next: string | undefined
  readonly #asked: string[] = []
  #wake: () => void = () => undefined

  /** The next transaction stays between its phases under this name. */
  hold(name: string): void {
    this.#next = name
  }

  /** Waits until a statement was sent that often from now on. */
  async sends(text: RegExp, count: number): Promise<void> {
    this.#asked.length = 0
    while (this.#asked.filter((each) => text.test(each)).length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  readonly pool: typeof openPool = (config) => {
    const pool = openPool(config)
    return { connect: async () => this.#held(await pool.connect()), end: () => pool.end(), on: pool.on.bind(pool) }
  }

  #held(client: Client): Client {
    return {
      query: (query: Query) => {
        this.#asked.push(query.text)
        this.#wake()
        const name = this.#next
        if (query.text !== 'COMMIT' || name === undefined) return client.query(query)
        this.#next = undefined
        return client.query({ text: `PREPARE TRANSACTION '${name}'` })
      },
      release: (isBroken) => client.release(isBroken),
      on: (event, listener) => client.on(event, listener),
      off: (event, listener) => client.off(event, listener),
    }
  }
}

const phases =
  server === undefined
    ? 0
    : Number(
        (await admin.sql("SELECT setting FROM pg_settings WHERE name = 'max_prepared_transactions'"))[0]!['setting'],
      )
const unphased = phases > 0 ? '' : ' (skipped: max_prepared_transactions is 0)'

describe.skipIf(server === undefined || phases === 0)(`a step between its two phases${skipped}${unphased}`, () => {
  async function opened(connectTimeout: number) {
    const [tenant, name, two] = [fresh(), `pact_${fresh()}`, new TwoPhases()]
    const rows = await PostgresRows.open(url, { tenant, routed: true, connectTimeout }, two.pool)
    const other = await openStore(url, { tenant })
    const finish = async () => {
      await admin.sql(`COMMIT PREPARED '${name}'`)
    }
    return { store: new Store(rows), other, two, name, finish }
  }

  test('a commit that was acknowledged: the next one waits for it', async () => {
    const { store, other, two, name, finish } = await opened(60_000)
    const ctx = await store.open('one')
    ctx.user('first')
    await ctx.commit()
    two.hold(name)
    ctx.user('second')
    expect((await ctx.commit()).cycle).toBe(2)
    expect((await other.find('one'))?.cycle).toBe(1)
    ctx.user('third')
    const asked = two.sends(/FROM pact_contexts/, 6)
    const committing = ctx.commit()
    await asked
    await finish()
    expect((await committing).cycle).toBe(3)
    const again = textOf((await other.open('one')).export('@t0'))
    for (const text of ['first', 'second', 'third']) expect(again.split(text), text).toHaveLength(2)
    expect((await other.fsck()).problems).toEqual([])
    for (const each of [store, other]) await each.close()
  })

  test('a commit that was acknowledged: who waited in vain is told to try again, and loses no edit', async () => {
    const { store, other, two, name, finish } = await opened(1000)
    const ctx = await store.open('one')
    await ctx.commit()
    two.hold(name)
    ctx.user('second')
    await ctx.commit()
    ctx.user('third')
    for (const call of [() => ctx.commit(), () => ctx.rebase(), () => ctx.fork('@t0', { id: 'fork' })]) {
      const error = await refusal(call())
      expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed', reason: 'unsettled', head: 1 } })
      expect(error.message).toMatch(/not settled yet, try again: its newest cycle was 2, and is 1 now/)
    }
    expect(ctx.operations()).toHaveLength(1)
    await finish()
    expect((await ctx.commit()).cycle).toBe(3)
    for (const each of [store, other]) await each.close()
  })

  test('a context that was made: its maker waits for it', async () => {
    const { store, other, two, name, finish } = await opened(60_000)
    two.hold(name)
    const asked = two.sends(/FROM pact_contexts/, 6)
    const opening = store.open('one')
    await asked
    await finish()
    expect((await opening).cycle).toBe(1)
    expect((await other.open('one')).cycle).toBe(1)
    for (const each of [store, other]) await each.close()
  })

  test('a context that was made: who waited in vain does not know, and finds it later', async () => {
    const { store, other, two, name, finish } = await opened(1000)
    two.hold(name)
    const error = await refusal(store.create('one'))
    expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'unknown', reason: 'unsettled', id: 'one' } })
    await finish()
    expect((await store.open('one')).cycle).toBe(1)
    for (const each of [store, other]) await each.close()
  })
})

describe.skipIf(server === undefined)(`a name whose context is not to be seen yet${skipped}`, () => {
  async function hidden(connectTimeout: number) {
    const database = await admin.database()
    const two = new TwoPhases()
    const store = new Store(await PostgresRows.open(database, { connectTimeout }, two.pool))
    const ctx = await store.open('one')
    ctx.user('here')
    await ctx.commit()
    await admin.sql(['CREATE TABLE hidden AS TABLE pact_contexts', 'DELETE FROM pact_contexts'], database)
    return { store, two, show: () => admin.sql('INSERT INTO pact_contexts TABLE hidden', database) }
  }

  test('is waited for', async () => {
    const { store, two, show } = await hidden(60_000)
    const asked = two.sends(/FROM pact_names/, 6)
    const opening = store.open('one')
    await asked
    await show()
    expect(textOf((await opening).export('@t0'))).toContain('here')
    await store.close()
  })

  test('is not damage: who opens it is told to try again', async () => {
    const { store, show } = await hidden(1000)
    for (const call of [() => store.open('one'), () => store.find('one'), () => store.delete('one')]) {
      const error = await refusal(call())
      expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed', reason: 'unsettled', id: 'one' } })
      expect(error.message).toMatch(/not settled yet, try again/)
    }
    await show()
    expect(textOf((await store.open('one')).export('@t0'))).toContain('here')
    await store.close()
  })
})
