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
import { commitReal, openTurns } from '../real-turns.mjs'
import { bytesOnDisk, inFolder, loadStore, openBare, openRecording } from '../stores.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

const TURNS = 1_000
/** As many as there are between two rounds of packing, for somebody who never rests: each batch has one. */
const BATCH = 512
const HALF = BATCH / 2
const BARE = 'a bare row of the same bytes'
const BEHIND = 'a bare row behind each commit in memory'
const SAVER = `${peerName('@langchain/langgraph-checkpoint-sqlite').replace('@langchain/langgraph-checkpoint-sqlite', 'LangGraph SqliteSaver')}, on the same SQLite`
/** As many pages as SQLite's log has before it begins again. */
const LOG_PAGES = 1_000
/** From here on a sync is what a commit waits for. */
const SLOW_SYNC = 200_000

/** What is committed: turns of one shape, and recorded ones, with the keys, tags and attributes that an agent adds. */
const SHAPES = {
  plain: { name: 'one turn', commit: commitTurn, turns: () => makeTurnTexts(BATCH), most: [2.5, 4] },
  // The goals are about the turn of six nodes. These are bounds that would show a change for the worse (N117).
  recorded: { name: 'a recorded turn', commit: commitReal, turns: recordedTurns, most: [5, 8] },
}

export const rows = [
  { title: 'durable commit, NORMAL', run: (given) => runCommit(given, SHAPES.plain, 'relaxed') },
  { title: 'durable commit of recorded turns, NORMAL', run: (given) => runCommit(given, SHAPES.recorded, 'relaxed') },
  { title: 'durable commit, FULL', run: (given) => runCommit(given, SHAPES.plain, 'full') },
  { title: "durable commit against LangGraph's SqliteSaver, 1,000 messages", run: runSaver },
]

function recordedTurns() {
  const turns = openTurns()
  return Array.from({ length: BATCH }, (_, i) => turns.turn(i))
}

async function runCommit({ engine, quick }, shape, durability) {
  const from = await loadStore()
  if (!engine || !from) return []
  return inFolder(async (folder) => {
    const isFull = durability === 'full'
    const synchronous = isFull ? 'FULL' : 'NORMAL'
    const { commit } = shape
    const turns = shape.turns()
    const { store, seen } = openRecording(from, path.join(folder, 'store.db'), { durability }, BATCH)
    const other = await from.openStore(`sqlite:${path.join(folder, 'other.db')}`, { durability })
    const bare = openBare(from, path.join(folder, 'bare.db'), synchronous)
    const behind = openBare(from, path.join(folder, 'behind.db'), synchronous)
    const [stored, restless] = [await store.open('bench'), await other.open('bench')]
    // As many snapshots are kept in memory by all.
    const [inMemory, kept] = [0, 1].map(() => engine.createContext({ id: 'bench', history: 50 }))
    for (let i = 0; i < (quick ? BATCH : TURNS); i++) {
      for (const ctx of [stored, restless]) await commit(ctx, turns[i % BATCH])
      for (const ctx of [inMemory, kept]) commit(ctx, turns[i % BATCH])
    }
    const results = await interleave(
      {
        stored: () => inHalves((i) => commit(stored, turns[i])),
        restless: () => perAsyncCall(BATCH, (i) => commit(restless, turns[i])),
        inMemory: () => perCall(BATCH, (i) => commit(inMemory, turns[i])),
        bare: () => perCall(BATCH, (i) => bare.add(seen[i])),
        behind: () =>
          perCall(BATCH, (i) => {
            commit(kept, turns[i])
            behind.add(seen[i])
          }),
        sync: isFull ? () => perCall(BATCH, syncer(path.join(folder, 'sync'))) : undefined,
      },
      { rounds: quick ? 5 : 11 },
    )
    assertWork(restless.cycle === inMemory.cycle, 'both have made as many commits')
    await store.close()
    await other.close()
    bare.close()
    behind.close()
    return isFull ? fullLines(results) : normalLines(shape, results, seen)
  })
}

/**
 * A batch of somebody who rests before, half-way and after, off the clock, as a program does that waits for its model: that is when rows are
 * packed and trees written. A program that never rests has its share of that in every batch.
 */
async function inHalves(work) {
  await rest()
  const first = await perAsyncCall(HALF, work)
  await rest()
  const second = await perAsyncCall(HALF, (i) => work(HALF + i))
  await rest()
  return (first + second) / 2
}

async function rest() {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

function normalLines({ name, most }, { stored, restless, inMemory, bare, behind }, seen) {
  const size = seen.reduce((sum, { hash, changes, bodies }) => sum + hash.length + changes.length + bodies.length, 0)
  const bytes = formatFigure(size / seen.length, 'bytes')
  const row = `commit of ${name}, durable, NORMAL`
  const beyond = (title, figure, limit) =>
    [
      [BARE, bare],
      [`${BEHIND}, less that commit`, less(behind, inMemory)],
    ].map(([peer, theirs]) =>
      line({
        row: `${title}, less that in memory`,
        peer,
        theirs,
        ours: less(figure, inMemory),
        unit: 'ns',
        goal: timesAtMost(limit),
      }),
    )
  return [
    ...beyond(row, stored, most[0]),
    ...beyond(`${row}, never resting, with packing`, restless, most[1]),
    line({ row: `${row}, end to end`, peer: BEHIND, theirs: behind, ours: stored, unit: 'ns' }),
    line({ row: `${row}, end to end (${bytes})`, peer: BARE, theirs: bare, ours: stored, unit: 'ns' }),
    line({ row, peer: 'ours, in memory', theirs: inMemory, ours: stored, unit: 'ns' }),
  ]
}

function fullLines({ stored, restless, inMemory, bare, behind, sync }) {
  const row = 'commit of one turn, durable, FULL'
  const goal = {
    text: '≤ 1.3× where a sync takes 200 µs',
    growth: true,
    met: ({ ratio }) => (sync.mean >= SLOW_SYNC ? ratio <= 1.3 : undefined),
  }
  return [
    line({ row: `${row}, end to end`, peer: BARE, theirs: bare, ours: stored, unit: 'ns', goal }),
    line({ row: `${row}, end to end`, peer: BEHIND, theirs: behind, ours: stored, unit: 'ns', goal }),
    line({ row: `${row}, never resting, with packing`, peer: BEHIND, theirs: behind, ours: restless, unit: 'ns' }),
    line({ row: `${row}, less that in memory`, peer: BARE, theirs: bare, ours: less(stored, inMemory), unit: 'ns' }),
    line({ row: 'a sync of the disk (4 KB, written over, fdatasync)', ours: sync, unit: 'ns' }),
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

/** Writes over a page of a file and waits for the disk, as SQLite does in its log at least once in a commit. */
function syncer(file) {
  const handle = fs.openSync(file, 'w')
  const page = Buffer.alloc(4096, 1)
  fs.writeSync(handle, Buffer.alloc(LOG_PAGES * page.length))
  fs.fsyncSync(handle)
  let at = 0
  return () => {
    fs.writeSync(handle, page, 0, page.length, (at++ % LOG_PAGES) * page.length)
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
