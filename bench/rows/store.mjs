// A durable commit in SQLite, end to end, against a bare row of the same bytes in the same SQLite, and against LangGraph's saver.

import path from 'node:path'

import { commitTurn } from '../engine.mjs'
import {
  assertWork,
  atMost,
  interleave,
  line,
  perAsyncCall,
  perCall,
  say,
  single,
  timesAtMost,
  timesBetter,
} from '../harness.mjs'
import { loadPactSaver, loadSqliteSaver, openSaver } from '../langgraph.mjs'
import { peerName } from '../peers.mjs'
import { commitReal, openTurns } from '../real-turns.mjs'
import { bytesOnDisk, inFolder, loadStore, openBare, openRecording } from '../stores.mjs'
import { makeText, makeTurnTexts } from '../turns.mjs'

/** Commits between two rounds of packing in a program that never rests: each batch includes one round. */
const BATCH = 512
const SAVER = `${peerName('@langchain/langgraph-checkpoint-sqlite').replace('@langchain/langgraph-checkpoint-sqlite', 'LangGraph SqliteSaver')}, on the same SQLite`
const MEGABYTE = 1024 * 1024

/** Turns of one shape, and recorded ones with the keys, tags and attributes that an agent adds. */
const SHAPES = {
  'one turn': { commit: commitTurn, turns: () => makeTurnTexts(BATCH) },
  'a recorded turn': { commit: commitReal, turns: recordedTurns },
}
const DURABILITY = {
  full: { synchronous: 'FULL', goal: timesAtMost(2) },
  relaxed: { synchronous: 'NORMAL', goal: timesAtMost(6) },
}

export const rows = [
  ...Object.keys(DURABILITY).flatMap((durability) =>
    Object.keys(SHAPES).map((shape) => ({
      title: `durable commit of ${shape}, ${DURABILITY[durability].synchronous}`,
      run: (given) => runCommit(given, shape, durability),
    })),
  ),
  { title: "durable step against LangGraph's SqliteSaver, 1,000 messages", run: runSaver },
  { title: "LangGraph step with our saver against LangGraph's SqliteSaver, 1,000 messages", run: runPactSaver },
]

function recordedTurns() {
  const turns = openTurns()
  return Array.from({ length: BATCH }, (_, i) => turns.turn(i))
}

async function runCommit({ quick }, shape, durability) {
  const from = await loadStore()
  if (!from) return []
  return inFolder(async (folder) => {
    const { synchronous, goal } = DURABILITY[durability]
    const { commit } = SHAPES[shape]
    const turns = SHAPES[shape].turns()
    const { store, seen } = openRecording(from, path.join(folder, 'store.db'), { durability }, BATCH)
    const bare = openBare(from, path.join(folder, 'bare.db'), synchronous)
    const ctx = await store.open('bench')
    for (const turn of turns) await commit(ctx, turn)
    const { theirs, ours } = await interleave(
      {
        theirs: () => perCall(BATCH, (i) => bare.add(seen[i])),
        ours: () => perAsyncCall(BATCH, (i) => commit(ctx, turns[i])),
      },
      { rounds: quick ? 5 : 11 },
    )
    await store.close()
    bare.close()
    const row = `commit of ${shape}, SQLite ${synchronous}, end to end with packing`
    return [line({ row, peer: 'a bare row of the same bytes', theirs, ours, unit: 'ns', goal })]
  })
}

async function runSaver({ quick }) {
  const from = await loadStore()
  if (!from) return []
  const makeSaver = await loadSqliteSaver()
  return inFolder(async (folder) => [
    await timeLine(from, makeSaver, folder, quick),
    await bytesLine(from, makeSaver, folder, quick),
  ])
}

/** The same graph with both savers. Each step is a put and the writes of one task. */
async function runPactSaver({ quick }) {
  const from = await loadStore()
  if (!from) return []
  const makers = { theirs: await loadSqliteSaver(), ours: await loadPactSaver() }
  return inFolder(async (folder) => {
    const open = async (name) => {
      const files = { theirs: path.join(folder, `theirs-${name}.db`), ours: path.join(folder, `ours-${name}.db`) }
      const db = makers.theirs && openNormal(from, files.theirs)
      const store = await from.openStore(`sqlite:${files.ours}`, { durability: 'relaxed' })
      const steps = (seeded, size) =>
        Promise.all([
          db && openSaver(seeded, size, () => makers.theirs(db)),
          openSaver(seeded, size, () => makers.ours(store)),
        ])
      const close = async () => {
        db?.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        db?.close()
        await store.close()
        return { theirs: db && single(bytesOnDisk(files.theirs)), ours: single(bytesOnDisk(files.ours)) }
      }
      return { steps, close }
    }
    const timed = await open('time')
    const [theirStep, ourStep] = await timed.steps(1_000, 2)
    const calls = quick ? 2 : 5
    const { theirs, ours } = await interleave(
      {
        theirs: theirStep && (() => perAsyncCall(calls, theirStep)),
        ours: ourStep && (() => perAsyncCall(calls, ourStep)),
      },
      { rounds: quick ? 5 : 11 },
    )
    await timed.close()
    const row = 'LangGraph: put and writes of two messages, at 1,000 messages, NORMAL'
    const written = await open('bytes')
    const count = quick ? 200 : 1_000
    for (const step of await written.steps(0, 1)) {
      if (step) for (let i = 0; i < count; i++) await step()
    }
    return [
      line({ row, peer: SAVER, theirs, ours, unit: 'ns', goal: timesBetter(1) }),
      line({
        row: `LangGraph: bytes on disk, ${count.toLocaleString('en')} messages of 100 B, one per step`,
        peer: SAVER,
        ...(await written.close()),
        unit: 'bytes',
      }),
    ]
  })
}

/** Both at NORMAL, the default of LangGraph's own driver for a write-ahead log. */
async function timeLine(from, makeSaver, folder, quick) {
  const texts = makeTurnTexts(BATCH)
  const saver = makeSaver && openNormal(from, path.join(folder, 'saver.db'))
  const put = saver && (await openSaver(1_000, 2, () => makeSaver(saver)))
  const store = await from.openStore(`sqlite:${path.join(folder, 'store.db')}`, { durability: 'relaxed' })
  const ctx = await store.open('bench')
  for (let i = 0; i < 500; i++) await commitMessages(ctx, [makeText(i, 1), makeText(i, 2)])
  const results = await interleave(
    {
      saver: put && (() => perAsyncCall(quick ? 2 : 5, put)),
      ours: () => perAsyncCall(BATCH, (i) => commitMessages(ctx, texts[i].slice(1, 3))),
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
    goal: timesBetter(50),
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
  assertWork(ctx.cycle === count + 1, 'every message is committed')
  return line({
    row: `bytes on disk, ${count.toLocaleString('en')} messages of 100 B, one per step`,
    peer: SAVER,
    theirs: makeSaver && single(bytesOnDisk(files.saver)),
    ours: single(bytesOnDisk(files.store)),
    unit: 'bytes',
    goal: atMost(MEGABYTE, 'bytes'),
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
