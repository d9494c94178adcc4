// Opening a context with a long past, and going far back in it. The peer reads what was written and parses it, as a program does that
// keeps its turns as rows of JSON.

import path from 'node:path'

import { assertWork, interleave, line, perAsyncCall, perCall, say, timesAtMost } from '../harness.mjs'
import { commitStored, inFolder, loadStore } from '../stores.mjs'
import { makeTurnTexts, plainTurn } from '../turns.mjs'

const LONG = 100_000
const QUICK = 10_000
const SHORT = 1_000
/** What is asked first, and what makes every leaf be read. */
const LAST = "@t0 ^seq .seg:depth(1) .block[role='user']"
const ALL = "@t0 .block[role='user']"

export const rows = [
  { title: 'open a context of 100,000 commits', run: runOpen },
  { title: 'load an old snapshot', run: runOld },
]

async function runOpen({ quick }) {
  const from = await loadStore()
  if (!from) return []
  const commits = quick ? QUICK : LONG
  return inFolder(async (folder) => {
    const file = path.join(folder, 'store.db')
    await grow(from, file, commits)
    const raw = writeRaw(from, path.join(folder, 'raw.db'), commits)
    const results = await interleave(
      {
        raw: () => perCall(1, () => assertWork(raw.read() === commits, 'all raw rows are read')),
        last: () => openAndAsk(from, file, LAST, 1),
        all: () => openAndAsk(from, file, ALL, commits),
      },
      { rounds: quick ? 5 : 7, warmup: 1, share: 60_000 },
    )
    raw.close()
    const row = `open ${commits.toLocaleString('en')} commits and answer`
    const peer = 'reading the rows of raw JSON, JSON.parse'
    const goal = timesAtMost(0.5)
    return [
      line({ row: `${row} the last turn`, peer, theirs: results.raw, ours: results.last, unit: 'ns', goal }),
      line({ row: `${row} a search of all turns`, peer, theirs: results.raw, ours: results.all, unit: 'ns' }),
    ]
  })
}

/** Nanoseconds from a closed file to an answer; closing is not counted. */
async function openAndAsk({ openStore }, file, selector, found) {
  let store
  const time = await perAsyncCall(1, async () => {
    store = await openStore(`sqlite:${file}`)
    const ctx = await store.open('bench')
    assertWork(ctx.select(selector).length === found, `${selector} finds ${found}`)
  })
  await store.close()
  return time
}

async function runOld({ quick }) {
  const from = await loadStore()
  if (!from) return []
  const commits = quick ? QUICK : LONG
  return inFolder(async (folder) => {
    const files = { short: path.join(folder, 'short.db'), long: path.join(folder, 'long.db') }
    await grow(from, files.short, SHORT)
    await grow(from, files.long, commits)
    const stores = {
      short: await from.openStore(`sqlite:${files.short}`),
      long: await from.openStore(`sqlite:${files.long}`),
    }
    const results = await interleave(
      { short: (number) => loadOld(stores.short, number), long: (number) => loadOld(stores.long, number) },
      { rounds: quick ? 7 : 15, share: 60_000 },
    )
    await stores.short.close()
    await stores.long.close()
    return [
      line({
        row: `load a snapshot of some 600 turns, of ${commits.toLocaleString('en')} commits`,
        peer: `ours, of ${SHORT.toLocaleString('en')} commits`,
        theirs: results.short,
        ours: results.long,
        unit: 'ns',
        goal: timesAtMost(2),
      }),
    ]
  })
}

/** The same cycles in both, far below what `open` loads; a context that has loaded none before. */
async function loadOld(store, number) {
  const cycle = 512 + ((number * 37) % 200)
  const ctx = await store.open('bench')
  return perAsyncCall(1, async () => {
    await ctx.loadHistory(`@c${cycle}`)
    assertWork(ctx.thread(`@c${cycle}`).length === 4 * cycle, `the snapshot of cycle ${cycle} is read`)
  })
}

/** A store with a context of so many turns, each its own commit. */
async function grow({ openStore }, file, commits) {
  say(`a store takes ${commits.toLocaleString('en')} commits …`)
  const store = await openStore(`sqlite:${file}`, { durability: 'relaxed' })
  const ctx = await store.open('bench')
  for (let turn = 0; turn < commits; turn++) await commitStored(ctx, makeTurnTexts(1, turn)[0])
  assertWork(ctx.cycle === commits + 1, `there are ${commits} commits`)
  await store.close()
}

/** The same turns as rows of JSON, and a function that reads them all. */
function writeRaw({ openDatabase }, file, commits) {
  const db = openDatabase(file)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE raw (k INTEGER PRIMARY KEY, body BLOB NOT NULL)')
  const insert = db.prepare('INSERT INTO raw VALUES (?, ?)')
  db.exec('BEGIN')
  for (let turn = 1; turn <= commits; turn++) {
    insert.run(turn, Buffer.from(JSON.stringify(plainTurn(turn, makeTurnTexts(1, turn)[0]))))
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  const select = db.prepare('SELECT body FROM raw ORDER BY k')
  const read = () => {
    const turns = select
      .all()
      .map(({ body }) => JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()))
    return turns.length
  }
  return { read, close: () => db.close() }
}
