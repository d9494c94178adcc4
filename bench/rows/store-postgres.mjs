// A commit in PostgreSQL against a bare row of the same bytes in one round trip, over the same driver to the same server, which is
// started for it; and against four statements in a transaction, as a program does that locks, compares and writes. A server that has
// nothing to do falls asleep between two commits, so the bare row is also written after a commit in memory, as somebody would write
// it who keeps contexts by himself, and after as much time as a commit takes this process in which nothing is done at all.

import { commitTurn } from '../engine.mjs'
import { assertWork, interleave, line, perAsyncCall, perCall, timesAtMost } from '../harness.mjs'
import { connect, withServer } from '../places.mjs'
import { commitStored } from '../stores.mjs'
import { makeTurnTexts } from '../turns.mjs'

const BATCH = 100
/** About what a commit takes of this process before its statement is sent, in milliseconds. */
const BUSY = 0.1
const BARE = 'a bare row of the same bytes, one round trip'
const ROW = 'commit of one turn in PostgreSQL'

export const rows = [
  {
    title: 'durable commit in PostgreSQL',
    run: async ({ engine, quick }) => (engine ? withServer((from, url) => measure(engine, from, url, quick)) : []),
  },
]

async function measure(engine, { Store, PostgresRows }, url, quick) {
  const postgres = await PostgresRows.open(url)
  const [seen, bench] = [{ row: undefined }, { ctx: undefined }]
  const commit = postgres.commit.bind(postgres)
  postgres.commit = (given) => {
    if (given.ctx === bench.ctx) seen.row = given.row
    return commit(given)
  }
  const store = new Store(postgres)
  const stored = await store.open('bench')
  bench.ctx = (await postgres.find('bench')).ctx
  const [inMemory, kept] = [0, 1].map(() => engine.createContext({ id: 'bench', history: 50 }))
  const texts = makeTurnTexts(BATCH)
  for (const each of makeTurnTexts(256)) {
    await commitStored(stored, each)
    commitTurn(inMemory, each)
    commitTurn(kept, each)
  }
  const statement = await openStatement(postgres)
  const bare = await openBare(url)
  const results = await interleave(
    {
      stored: () => perAsyncCall(BATCH, (i) => commitStored(stored, texts[i])),
      inMemory: () => perCall(BATCH, (i) => commitTurn(inMemory, texts[i])),
      keptBare: () =>
        perAsyncCall(BATCH, (i) => {
          commitTurn(kept, texts[i])
          return bare.add(seen.row)
        }),
      busyBare: () =>
        perAsyncCall(BATCH, () => {
          for (const end = performance.now() + BUSY; performance.now() < end;);
          return bare.add(seen.row)
        }),
      statement: () => perAsyncCall(BATCH, () => statement(seen.row)),
      bare: () => perAsyncCall(BATCH, () => bare.add(seen.row)),
      four: () => perAsyncCall(BATCH, () => bare.addInFour(seen.row)),
    },
    { rounds: quick ? 7 : 21 },
  )
  assertWork(stored.cycle === inMemory.cycle, 'both have made as many commits')
  await store.close()
  await bare.close()
  const compare = (row, peer, theirs, goal) => line({ row, peer, theirs, ours: results.stored, unit: 'ns', goal })
  const { statement: ours, bare: theirs } = results
  return [
    line({ row: `${ROW}, the statement alone`, peer: BARE, theirs, ours, unit: 'ns', goal: timesAtMost(2) }),
    compare(`${ROW}, end to end`, BARE, theirs, timesAtMost(2)),
    compare(`${ROW}, end to end`, `a commit in memory, then ${BARE}`, results.keptBare, timesAtMost(2)),
    compare(`${ROW}, end to end`, `${BARE}, each after 100 µs of waiting busily`, results.busyBare),
    compare(`${ROW}, end to end`, 'the same row in a transaction of four statements', results.four),
    compare(ROW, 'ours, in memory', results.inMemory),
  ]
}

/** Commits rows that are made already: what the database and the way to it take. */
async function openStatement(postgres) {
  const [hash, none] = [Buffer.alloc(32, 1), Buffer.alloc(0)]
  const { ctx, epoch } = await postgres.create({
    id: 'statement',
    packs: [],
    rows: [{ cycle: 0, hash, changes: none, bodies: none }],
  })
  let cycle = 0
  let after = hash
  return async (row) => {
    const next = { ...row, cycle: ++cycle }
    assertWork((await postgres.commit({ ctx, after, epoch, row: next })) === 'done', 'the row is committed')
    after = next.hash
  }
}

/** A table as commits have it, and one connection that adds rows: in one statement, or between looks at another table. */
async function openBare(url) {
  const client = await connect(url)
  await client.query('CREATE TABLE bare (k integer PRIMARY KEY, hash bytea, changes bytea, bodies bytea)')
  await client.query('CREATE TABLE heads (id integer PRIMARY KEY, head integer)')
  await client.query('INSERT INTO heads VALUES (1, 0)')
  let k = 0
  const insert = ({ hash, changes, bodies }) =>
    client.query({
      name: 'bare',
      text: 'INSERT INTO bare VALUES ($1, $2, $3, $4)',
      values: [++k, hash, changes, bodies],
    })
  return {
    add: insert,
    addInFour: async (row) => {
      await client.query('BEGIN')
      await client.query({ name: 'head', text: 'UPDATE heads SET head = $1 WHERE id = 1', values: [k] })
      await insert(row)
      await client.query('COMMIT')
    },
    close: () => client.end(),
  }
}
