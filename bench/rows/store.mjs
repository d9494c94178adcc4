// A durable commit against a bare row of the same bytes in the same SQLite, and against LangGraph's saver. What durability costs is
// the difference to the commit in memory; the commit from end to end stands beside it. A bare row in a loop of its own finds all it needs
// in the processor's caches; so it is also written behind each commit of another context, as by a program that keeps its own table.

import fs from 'node:fs'
import path from 'node:path'

import { commitTurn } from '../engine.mjs'
import {
  assertWork,
  formatFigure,
  interleave,
  line,
  perAsyncCall,
  perCall,
  say,
  single,
  timesAtMost,
  timesBetter,
} from '../harness.mjs'
import { loadSqliteSaver, openSaver } from '../langgraph.mjs'
import { peerName } from '../peers.mjs'
import { bytesOnDisk, commitStored, inFolder, loadStore, openBare, openRecording } from '../stores.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

const TURNS = 1_000
/** As many as there are between two rounds of packing, for somebody who never rests: each batch has one. */
const BATCH = 512
const BARE = 'a bare row of the same bytes'
const BEHIND = 'a bare row behind each commit in memory'
const SAVER = `${peerName('@langchain/langgraph-checkpoint-sqlite').replace('@langchain/langgraph-checkpoint-sqlite', 'LangGraph SqliteSaver')}, on the same SQLite`
/** From here on a sync is what a commit waits for. */
const SLOW_SYNC = 200_000

export const rows = [
  { title: 'durable commit, NORMAL', run: ({ engine, quick }) => runCommit(engine, quick, 'relaxed') },
  { title: 'durable commit, FULL', run: ({ engine, quick }) => runCommit(engine, quick, 'full') },
  { title: "durable commit against LangGraph's SqliteSaver, 1,000 messages", run: runSaver },
]

async function runCommit(engine, quick, durability) {
  const from = await loadStore()
  if (!engine || !from) return []
  return inFolder(async (folder) => {
    const isFull = durability === 'full'
    const batch = BATCH
    const texts = makeTurnTexts(batch)
    const { store, seen } = openRecording(from, path.join(folder, 'store.db'), { durability })
    const bare = openBare(from, path.join(folder, 'bare.db'), isFull ? 'FULL' : 'NORMAL')
    const stored = await store.open('bench')
    // As many snapshots are kept in memory by both.
    const inMemory = engine.createContext({ id: 'bench', history: 50 })
    const kept = engine.createContext({ id: 'bench', history: 50 })
    const behind = openBare(from, path.join(folder, 'behind.db'), isFull ? 'FULL' : 'NORMAL')
    const turns = quick || isFull ? 256 : TURNS
    for (const each of makeTurnTexts(turns)) {
      await commitStored(stored, each)
      commitTurn(inMemory, each)
      commitTurn(kept, each)
    }
    const results = await interleave(
      {
        stored: () => perAsyncCall(batch, (i) => commitStored(stored, texts[i])),
        inMemory: () => perCall(batch, (i) => commitTurn(inMemory, texts[i])),
        bare: () => perCall(batch, () => bare.add(seen.row)),
        behind: () =>
          perCall(batch, (i) => {
            commitTurn(kept, texts[i])
            behind.add(seen.row)
          }),
        sync: isFull ? () => perCall(batch, syncer(path.join(folder, 'sync'))) : undefined,
      },
      { rounds: quick ? 5 : 11 },
    )
    assertWork(stored.cycle === inMemory.cycle, 'both have made as many commits')
    await store.close()
    bare.close()
    behind.close()
    return isFull ? fullLines(results) : normalLines(results, seen.row)
  })
}

function normalLines({ stored, inMemory, bare, behind }, { hash, changes, bodies }) {
  const bytes = formatFigure(hash.length + changes.length + bodies.length, 'bytes')
  const row = 'commit of one turn, durable, NORMAL'
  const goal = timesAtMost(2.5)
  return [
    line({
      row: `${row}, less that in memory`,
      peer: BARE,
      theirs: bare,
      ours: less(stored, inMemory),
      unit: 'ns',
      goal,
    }),
    line({
      row: `${row}, less that in memory`,
      peer: `${BEHIND}, less that commit`,
      theirs: less(behind, inMemory),
      ours: less(stored, inMemory),
      unit: 'ns',
      goal,
    }),
    line({ row: `${row}, end to end`, peer: BEHIND, theirs: behind, ours: stored, unit: 'ns' }),
    line({ row: `${row}, end to end (${bytes})`, peer: BARE, theirs: bare, ours: stored, unit: 'ns' }),
    line({ row, peer: 'ours, in memory', theirs: inMemory, ours: stored, unit: 'ns' }),
  ]
}

function fullLines({ stored, inMemory, bare, behind, sync }) {
  const row = 'commit of one turn, durable, FULL'
  const goal = {
    text: '≤ 1.3× where a sync takes 200 µs',
    growth: true,
    met: ({ ratio }) => (sync.mean >= SLOW_SYNC ? ratio <= 1.3 : undefined),
  }
  return [
    line({ row: `${row}, end to end`, peer: BARE, theirs: bare, ours: stored, unit: 'ns', goal }),
    line({ row: `${row}, end to end`, peer: BEHIND, theirs: behind, ours: stored, unit: 'ns', goal }),
    line({ row: `${row}, less that in memory`, peer: BARE, theirs: bare, ours: less(stored, inMemory), unit: 'ns' }),
    line({ row: 'a sync of the disk (4 KB, fdatasync)', ours: sync, unit: 'ns' }),
  ]
}

/** What durability alone takes. Both took turns in one run, so their means may be compared. */
function less(stored, inMemory) {
  return {
    mean: stored.mean - inMemory.mean,
    spread: Math.hypot(stored.spread, inMemory.spread),
    samples: stored.samples,
  }
}

/** Adds a page to a file and waits for the disk, as SQLite does at least once in a commit. */
function syncer(file) {
  const handle = fs.openSync(file, 'a')
  const page = Buffer.alloc(4096, 1)
  return () => {
    fs.writeSync(handle, page)
    fs.fdatasyncSync(handle)
  }
}

async function runSaver({ engine, quick }) {
  const from = await loadStore()
  if (!engine || !from) return []
  const makeSaver = await loadSqliteSaver()
  return inFolder(async (folder) => [
    await timeLine(from, makeSaver, folder, quick),
    await bytesLine(from, makeSaver, folder, quick),
  ])
}

/** Both at NORMAL, which is what LangGraph's own driver has for a write-ahead log. */
async function timeLine(from, makeSaver, folder, quick) {
  const batch = BATCH
  const texts = makeTurnTexts(batch)
  const saver = makeSaver && openNormal(from, path.join(folder, 'saver.db'))
  const put = saver && (await openSaver(1_000, 2, () => makeSaver(saver)))
  const store = await from.openStore(`sqlite:${path.join(folder, 'store.db')}`, { durability: 'relaxed' })
  const ctx = await store.open('bench')
  for (let i = 0; i < 500; i++) await commitMessages(ctx, [makeText(i, 1), makeText(i, 2)])
  const results = await interleave(
    {
      saver: put && (() => perAsyncCall(quick ? 2 : 5, put)),
      ours: () => perAsyncCall(batch, (i) => commitMessages(ctx, texts[i].slice(1, 3))),
    },
    { rounds: quick ? 5 : 11 },
  )
  await store.close()
  saver?.close()
  return line({
    row: 'durable step of two messages, at 1,000 messages, NORMAL',
    peer: SAVER,
    theirs: results.saver,
    ours: results.ours,
    unit: 'ns',
    goal: timesBetter(100),
  })
}

/** One message of 100 bytes in each step, from the first on. */
async function bytesLine(from, makeSaver, folder, quick) {
  const count = quick ? 200 : 1_000
  const files = { saver: path.join(folder, 'saver-bytes.db'), store: path.join(folder, 'store-bytes.db') }
  if (makeSaver) {
    say(`LangGraph takes ${count} steps …`)
    const db = openNormal(from, files.saver)
    const put = await openSaver(0, 1, () => makeSaver(db))
    if (put) for (let i = 0; i < count; i++) await put()
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
  }
  const store = await from.openStore(`sqlite:${files.store}`, { durability: 'relaxed' })
  const ctx = await store.open('bench')
  for (let i = 0; i < count; i++) await commitMessages(ctx, [makeText(i, 1)])
  await store.close()
  return line({
    row: `bytes on disk, ${count.toLocaleString('en')} messages of 100 B, one a step`,
    peer: SAVER,
    theirs: makeSaver && single(bytesOnDisk(files.saver)),
    ours: single(bytesOnDisk(files.store)),
    unit: 'bytes',
  })
}

function openNormal({ openDatabase }, file) {
  const db = openDatabase(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return db
}

function commitMessages(ctx, [question, answer]) {
  ctx.user(question)
  if (answer !== undefined) ctx.assistant(answer)
  return ctx.commit()
}
