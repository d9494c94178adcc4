// Going back: every peer rebuilds an older state, ours names a cycle. Also the commit and the heap against LangGraph,
// whose checkpoints are the usual way to be able to go back at all.

import { buildContext, commitTurn } from '../engine.mjs'
import {
  assertWork,
  atMost,
  bytesInUse,
  interleave,
  line,
  perAsyncCall,
  perCall,
  say,
  single,
  timesAtMost,
  timesBetter,
} from '../harness.mjs'
import { LANGGRAPH, openLangGraph } from '../langgraph.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeTurnTexts, plainTurn } from '../turns.mjs'

const CYCLES = 1_000
const BACK = [1, 10, 100, 900]

export const rows = [
  { title: 'go back k cycles', run: runGoBack },
  { title: 'commit against LangGraph at 1,000 messages', run: runStep },
]

async function runGoBack({ engine, quick }) {
  const texts = makeTurnTexts(CYCLES)
  const turns = texts.map((turn, i) => plainTurn(i + 1, turn))
  // A quick run is handed most of LangGraph's past in one step; the state it goes back to is as large.
  say(`LangGraph takes ${quick ? 150 : 1_000} steps …`)
  const langgraph = await openLangGraph(quick ? 849 : 1)
  await langgraph?.stepUntil(CYCLES + 1)
  say('yjs and automerge take 1,000 turns …')
  const yjs = await loadPeer(() => import('yjs'))
  const automerge = quick ? undefined : await loadPeer(() => import('@automerge/automerge'))
  const peers = {
    [LANGGRAPH]: langgraph && ((k) => (langgraph.has(CYCLES - k) ? () => langgraph.goBack(CYCLES - k) : undefined)),
    [`${peerName('yjs')}, a turn as JSON`]: yjs && openYjs(yjs, turns, (turn) => turn),
  }
  // A quick run leaves out the two that take a third of a second each time.
  if (!quick) {
    peers[`${peerName('yjs')}, nodes as shared types`] = yjs && openYjs(yjs, turns, (turn) => shareValue(yjs, turn))
    peers[peerName('@automerge/automerge')] = automerge && openAutomerge(automerge, turns)
  }
  const ctx = engine && buildContext(engine, CYCLES)

  const lines = []
  for (const k of BACK) {
    const contenders = Object.entries(peers).map(([name, goBack]) => [name, goBack?.(k)])
    const { ours, ...theirs } = await interleave(
      {
        ...Object.fromEntries(contenders.map(([name, goBack]) => [name, goBack && (() => perAsyncCall(1, goBack))])),
        ours: ctx && (() => timeOurs(ctx, k)),
      },
      { rounds: quick ? 3 : 7 },
    )
    const ranked = Object.entries(theirs).sort(([, a], [, b]) => a.median - b.median)
    // The goal is against the fastest at every k; the others are shown once.
    for (const [rank, [peer, figure]] of ranked.entries()) {
      if (rank > 0 && k !== 10) continue
      const goal = rank === 0 ? timesBetter(10_000) : undefined
      lines.push(line({ row: `go back ${k}, to ${CYCLES - k} turns`, peer, theirs: figure, ours, unit: 'ns', goal }))
    }
  }
  if (ctx) lines.push(await compareDistances(ctx, quick))
  lines.push(await compareReading(langgraph, ctx, quick))
  for (const [peer, goBack] of Object.entries(peers)) {
    if (!goBack) lines.push(line({ row: 'go back k cycles', peer, unit: 'ns' }))
  }
  return lines
}

function timeOurs(ctx, k) {
  const count = 50_000
  const lens = `@t-${k}`
  let cycles = 0
  let roots = 0
  const figure = perCall(count, () => {
    const snapshot = ctx.snapshot(lens)
    cycles += snapshot.cycle
    if (snapshot.root.id === 'root') roots++
  })
  assertWork(cycles === count * (CYCLES - k) && roots === count, `ours went back ${k} cycles`)
  return figure
}

/** The distance must not matter: the same call near and far, in turns. */
async function compareDistances(ctx, quick) {
  const [near, far] = [BACK[0], BACK.at(-1)]
  const results = await interleave(Object.fromEntries(BACK.map((k) => [`k${k}`, () => timeOurs(ctx, k)])), {
    rounds: quick ? 7 : 21,
    prime: true,
  })
  return line({
    row: `go back, independent of k: ${far}`,
    peer: `ours, k = ${near}`,
    theirs: results[`k${near}`],
    ours: results[`k${far}`],
    unit: 'ns',
    goal: timesAtMost(2),
  })
}

/** Whoever goes back to read everything pays for that; without a goal, so that the row above misleads nobody. */
async function compareReading(langgraph, ctx, quick) {
  const k = 100
  const { theirs, ours } = await interleave(
    {
      theirs: langgraph && ((round) => perAsyncCall(1, () => langgraph.goBack(CYCLES - k - round))),
      ours:
        ctx &&
        ((round) =>
          perCall(1, () => {
            assertWork(ctx.threadBytes(`@t-${k + round}`).length > 400 * (CYCLES - k - round), 'the thread is there')
          })),
    },
    { rounds: quick ? 5 : 15 },
  )
  const row = `go back ${k} and have its whole thread`
  return line({ row, peer: LANGGRAPH, theirs, ours, unit: 'ns' })
}

/** `k` to a function that goes back to the document of `k` turns ago. */
function openYjs(yjs, turns, toValue) {
  // Without this yjs forgets deleted content and cannot go back.
  const doc = new yjs.Doc({ gc: false })
  const seq = doc.getArray('seq')
  const snapshots = turns.map((turn) => {
    seq.push([toValue(turn)])
    return yjs.snapshot(doc)
  })
  return (k) => () => {
    const older = yjs.createDocFromSnapshot(doc, snapshots[CYCLES - 1 - k])
    assertWork(older.getArray('seq').length === CYCLES - k, `yjs went back ${k} turns`)
  }
}

function shareValue(yjs, value) {
  if (Array.isArray(value)) return yjs.Array.from(value.map((item) => shareValue(yjs, item)))
  if (value === null || typeof value !== 'object') return value
  return new yjs.Map(Object.entries(value).map(([key, item]) => [key, shareValue(yjs, item)]))
}

function openAutomerge(automerge, turns) {
  let doc = automerge.from({ seq: [] })
  const heads = turns.map((turn) => {
    doc = automerge.change(doc, (draft) => {
      draft.seq.push(fixStrings(automerge, turn))
    })
    return automerge.getHeads(doc)
  })
  return (k) => () => {
    const older = automerge.view(doc, heads[CYCLES - 1 - k])
    assertWork(older.seq.length === CYCLES - k, `automerge went back ${k} turns`)
  }
}

/** Texts nobody edits together: faster than automerge's default, so this is what is measured. It takes no undefined. */
function fixStrings(automerge, value) {
  if (typeof value === 'string') return new automerge.ImmutableString(value)
  if (Array.isArray(value)) return value.map((item) => fixStrings(automerge, item))
  if (value === null || typeof value !== 'object') return value
  const present = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(present.map(([key, item]) => [key, fixStrings(automerge, item)]))
}

async function runStep({ engine, quick }) {
  const batch = 200
  const texts = makeTurnTexts(batch)
  const langgraph = await openLangGraph(1_000)
  const ctx = engine && buildContext(engine, CYCLES)
  const results = await interleave(
    {
      langgraph: langgraph && (() => perAsyncCall(1, langgraph.turn)),
      ours: ctx && (() => perCall(batch, (i) => commitTurn(ctx, texts[i]))),
    },
    { rounds: quick ? 5 : 15 },
  )
  const heap = {
    theirs: langgraph && single(await heapPerCall(10, langgraph.turn)),
    ours: ctx && single(await heapPerCall(1_000, (i) => commitTurn(ctx, texts[i % batch]))),
  }
  return [
    line({
      row: 'commit of one turn at 1,000 messages, in memory',
      peer: LANGGRAPH,
      theirs: results.langgraph,
      ours: results.ours,
      unit: 'ns',
      goal: timesBetter(1_000),
    }),
    line({
      row: 'heap kept per turn at 1,000 messages',
      peer: LANGGRAPH,
      ...heap,
      unit: 'bytes',
      goal: atMost(4096, 'bytes'),
    }),
  ]
}

async function heapPerCall(count, work) {
  const before = await bytesInUse()
  for (let i = 0; i < count; i++) await work(i)
  return ((await bytesInUse()) - before) / count
}
