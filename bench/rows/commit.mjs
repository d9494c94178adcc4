// A commit must cost what it changes, not what is there: against libraries that copy the path to the change (one array
// of all turns), against copying everything, and against ourselves at growing size.

import { buildContext, commitTurn, growContext } from '../engine.mjs'
import { assertWork, interleave, line, perCall, say, summarize, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeTurnTexts, plainTree, plainTurn } from '../turns.mjs'

const TURNS = 10_000
// Long enough for the collector to come by: what a commit leaves behind is part of its price.
const BATCH = 500
const SIZES = [1e3, 1e4, 1e5, 1e6]

export const rows = [
  { title: 'commit of one turn into 10,000 turns', run: runAgainstPeers },
  { title: 'commit, flat from 1e3 to 1e6 nodes', run: runFlatness },
]

async function runAgainstPeers({ engine, quick }) {
  const [mutative, immer] = [await loadPeer(() => import('mutative')), await loadPeer(() => import('immer'))]
  const texts = makeTurnTexts(BATCH, TURNS)
  // Each peer starts every sample from its tree of exactly 10,000 turns; ours keeps growing, which favours the peers.
  const mutativeBase = mutative && plainTree(TURNS)
  // immer freezes what it has not seen yet; a tree it made itself is frozen already.
  const immerBase = immer?.freeze(plainTree(TURNS), true)
  const cloneBase = plainTree(TURNS)
  const ctx = engine && buildContext(engine, TURNS)

  const results = await interleave(
    {
      mutative:
        mutative &&
        (() =>
          pushTurns(mutativeBase, 200, texts, (state, turn) =>
            mutative.create(state, (draft) => {
              draft.seq.push(turn)
            }),
          )),
      immer:
        immer &&
        (() =>
          pushTurns(immerBase, 50, texts, (state, turn) =>
            immer.produce(state, (draft) => {
              draft.seq.push(turn)
            }),
          )),
      structuredClone: () =>
        pushTurns(cloneBase, 1, texts, (state, turn) => {
          const copy = structuredClone(state)
          copy.seq.push(turn)
          return copy
        }),
      ours: ctx && (() => perCall(BATCH, (i) => commitTurn(ctx, texts[i]))),
    },
    { rounds: quick ? 5 : 15 },
  )
  const row = 'commit of one turn into 10,000 turns'
  const compare = (peer, theirs, goal) => line({ row, peer, theirs, ours: results.ours, unit: 'ns', goal })
  return [
    compare(peerName('mutative'), results.mutative, timesBetter(2)),
    compare(peerName('immer'), results.immer),
    compare('structuredClone', results.structuredClone),
  ]
}

/** Time per immutable push of a new turn, its plain objects included. */
function pushTurns(base, count, texts, push) {
  let state = base
  const figure = perCall(count, (i) => {
    state = push(state, plainTurn(TURNS + 1 + i, texts[i]))
  })
  assertWork(base.seq.length === TURNS && state.seq.length === TURNS + count, `${count} new states, the old one kept`)
  assertWork(state.seq.at(-1).children[1].children[0].content === texts[count - 1][1], 'the new turn is in the state')
  return figure
}

async function runFlatness({ engine, quick }) {
  if (!engine) return []
  const rounds = quick ? 7 : 21
  const texts = makeTurnTexts(BATCH)
  // The code has to be as hot for the smallest size as for the largest, which is measured last.
  growContext(engine.createContext({ id: 'warm' }), quick ? 5_000 : 20_000)

  const results = []
  for (const nodes of SIZES) {
    const turns = Math.round(nodes / 6)
    // A small context would double during one sample: there, a sample is spread over several, new each time.
    const most = Math.min(BATCH, Math.ceil(turns / 5))
    const shared = turns >= BATCH * rounds ? [buildContext(engine, turns)] : undefined
    const samples = []
    // Once, not before every sample: each forced collection of a large heap leaves the next commits a cold start that
    // no application has. What the collector does on its own is part of the figure.
    globalThis.gc()
    for (let round = 0; round < rounds; round++) {
      const contexts = shared ?? Array.from({ length: Math.ceil(BATCH / most) }, () => buildContext(engine, turns))
      samples.push(perCall(BATCH, (i) => commitTurn(contexts[Math.floor(i / most)], texts[i])))
    }
    results.push(summarize(samples))
    say(`${nodes.toExponential()} nodes: ${Math.round(results.at(-1).median)} ns a commit`)
  }
  return SIZES.slice(1).map((nodes, i) =>
    line({
      row: `commit, flat: at ${formatPower(nodes)} nodes`,
      peer: 'ours at 1e3 nodes',
      theirs: results[0],
      ours: results[i + 1],
      unit: 'ns',
      goal: timesAtMost(2),
    }),
  )
}

function formatPower(value) {
  return value.toExponential().replace('+', '')
}
