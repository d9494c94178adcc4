// Going back and reading the thread: every peer rebuilds an older state, ours names a cycle and renders it. Also the
// commit and the heap against LangGraph's saver, the usual way to be able to go back at all.

import { buildContext, commitTurn } from '../engine.mjs'
import {
  assertWork,
  atMost,
  bytesInUse,
  interleave,
  line,
  nanoseconds,
  perAsyncCall,
  perCall,
  say,
  single,
  timesAtMost,
  timesBetter,
} from '../harness.mjs'
import { LANGGRAPH, openLangGraph, openSaver } from '../langgraph.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeTurnTexts, plainTurn } from '../turns.mjs'

const CYCLES = 1_000
const BACK = [1, 10, 100, 900]

export const rows = [
  { title: 'go back k cycles and read the thread', run: runGoBack },
  { title: "commit against LangGraph's saver at 1,000 messages", run: runStep },
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
    [LANGGRAPH]: langgraph && ((k) => langgraph.goBack(CYCLES - k)),
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
    const canGo = (name) => name !== LANGGRAPH || langgraph.has(CYCLES - k - 40)
    const contenders = Object.entries(peers).filter(([name, goBack]) => goBack && canGo(name))
    const { ours, ...theirs } = await interleave(
      {
        // Another cycle each time: the thread that was read last may still be at hand.
        ...Object.fromEntries(
          contenders.map(([name, goBack]) => [name, (sample) => perAsyncCall(1, () => goBack(k + sample))]),
        ),
        ours: ctx && ((sample) => nanoseconds(() => readOurs(ctx, k + sample))),
      },
      { rounds: quick ? 5 : 7 },
    )
    const ranked = Object.entries(theirs).sort(([, a], [, b]) => a.mean - b.mean)
    // The goal is against the fastest at every k; the others are shown once.
    for (const [rank, [peer, figure]] of ranked.entries()) {
      if (rank > 0 && k !== 10) continue
      const goal = rank === 0 ? timesBetter(25) : undefined
      lines.push(line({ row: `go back ${k} and read the thread`, peer, theirs: figure, ours, unit: 'ns', goal }))
    }
  }
  if (ctx) lines.push(await compareDistances(ctx, quick))
  for (const [peer, goBack] of Object.entries(peers)) {
    if (!goBack) lines.push(line({ row: 'go back k cycles and read the thread', peer, unit: 'ns' }))
  }
  return lines
}

function readOurs(ctx, k) {
  const items = ctx.thread(`@t-${k}`)
  assertWork(items.length === 4 * (CYCLES - k), `ours went back ${k} cycles`)
}

/** The distance must not matter: the same call near and far, in turns, per turn that is read. */
async function compareDistances(ctx, quick) {
  const [near, far] = [BACK[0], BACK.at(-1)]
  const sample = (first) => (number) => {
    const k = first + number
    return nanoseconds(() => readOurs(ctx, k)) / (CYCLES - k)
  }
  const results = await interleave({ near: sample(near), far: sample(far) }, { rounds: quick ? 7 : 21 })
  return line({
    row: `go back ${far} and read the thread, per turn`,
    peer: `ours, back ${near}`,
    theirs: results.near,
    ours: results.far,
    unit: 'ns',
    goal: timesAtMost(2),
  })
}

/** A function that goes back to the document of `k` turns ago and reads it. */
function openYjs(yjs, turns, toValue) {
  // Without this yjs forgets deleted content and cannot go back.
  const doc = new yjs.Doc({ gc: false })
  const seq = doc.getArray('seq')
  const snapshots = turns.map((turn) => {
    seq.push([toValue(turn)])
    return yjs.snapshot(doc)
  })
  return (k) => {
    const older = yjs.createDocFromSnapshot(doc, snapshots[CYCLES - 1 - k])
    assertWork(older.getArray('seq').toJSON().length === CYCLES - k, `yjs went back ${k} turns`)
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
  return (k) => {
    const older = automerge.view(doc, heads[CYCLES - 1 - k])
    assertWork(automerge.toJS(older).seq.length === CYCLES - k, `automerge went back ${k} turns`)
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
  const put = await openSaver(1_000)
  const ctx = engine && buildContext(engine, CYCLES)
  const results = await interleave(
    {
      saver: put && (() => perAsyncCall(5, put)),
      ours: ctx && (() => perCall(batch, (i) => commitTurn(ctx, texts[i]))),
    },
    { rounds: quick ? 5 : 15 },
  )
  const heap = {
    theirs: put && single(await heapPerCall(10, put)),
    ours: ctx && single(await heapPerCall(1_000, (i) => commitTurn(ctx, texts[i % batch]))),
  }
  const peer = `${LANGGRAPH}.put and its reducer`
  return [
    line({
      row: 'commit of one turn at 1,000 messages, in memory',
      peer,
      theirs: results.saver,
      ours: results.ours,
      unit: 'ns',
      goal: timesBetter(100),
    }),
    line({ row: 'heap kept per turn at 1,000 messages', peer, ...heap, unit: 'bytes', goal: atMost(4096, 'bytes') }),
  ]
}

async function heapPerCall(count, work) {
  const before = await bytesInUse()
  for (let i = 0; i < count; i++) await work(i)
  return ((await bytesInUse()) - before) / count
}
