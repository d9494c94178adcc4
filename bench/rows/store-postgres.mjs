// A commit in PostgreSQL, end to end, against a bare row of the same bytes in one round trip over the same driver. The row starts its own server.

import { interleave, line, perAsyncCall, timesAtMost } from '../harness.mjs'
import { connect, withServer } from '../places.mjs'
import { commitStored } from '../stores.mjs'
import { makeTurnTexts } from '../turns.mjs'

const BATCH = 100

export const rows = [
  {
    title: 'durable commit in PostgreSQL',
    run: ({ quick }) => withServer((from, url) => measure(from, url, quick)),
  },
]

async function measure({ Store, PostgresRows }, url, quick) {
  const postgres = await PostgresRows.open(url)
  const seen = []
  const commit = postgres.commit.bind(postgres)
  postgres.commit = (given) => {
    seen[given.row.cycle % BATCH] = given.row
    return commit(given)
  }
  const store = new Store(postgres)
  const ctx = await store.open('bench')
  const texts = makeTurnTexts(BATCH)
  for (const each of makeTurnTexts(256)) await commitStored(ctx, each)
  const bare = await openBare(url)
  const { theirs, ours } = await interleave(
    {
      theirs: () => perAsyncCall(BATCH, (i) => bare.add(seen[i])),
      ours: () => perAsyncCall(BATCH, (i) => commitStored(ctx, texts[i])),
    },
    { rounds: quick ? 7 : 21 },
  )
  await store.close()
  await bare.close()
  const row = 'commit of one turn, PostgreSQL, end to end'
  const peer = 'a bare row of the same bytes'
  return [line({ row, peer, theirs, ours, unit: 'ns', goal: timesAtMost(4) })]
}

/** A table with the columns of commits, and a connection that adds rows. */
async function openBare(url) {
  const client = await connect(url)
  await client.query('CREATE TABLE bare (k integer PRIMARY KEY, hash bytea, changes bytea, bodies bytea)')
  let k = 0
  const add = ({ hash, changes, bodies }) =>
    client.query({
      name: 'bare',
      text: 'INSERT INTO bare VALUES ($1, $2, $3, $4)',
      values: [++k, hash, changes, bodies],
    })
  return { add, close: () => client.end() }
}
