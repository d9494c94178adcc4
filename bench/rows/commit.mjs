// A commit costs what it changes, not what is there: against libraries that copy the path to the change (one array of all turns), and
// against ourselves at growing sizes.

import { buildContext, commitTurn, growContext } from '../engine.mjs'
import { assertWork, interleave, line, perCall, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeTurnTexts, plainTree, plainTurn } from '../turns.mjs'

const TURNS = 10_000
// Long enough for the garbage collector to run: garbage is part of a commit's price.
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
      ours: ctx && (() => perCall(BATCH, (i) => commitTurn(ctx, texts[i]))),
    },
    { rounds: quick ? 5 : 15 },
  )
  const row = 'commit of one turn into 10,000 turns'
  const compare = (peer, theirs, goal) => line({ row, peer, theirs, ours: results.ours, unit: 'ns', goal })
  return [compare(peerName('mutative'), results.mutative, timesBetter(1.5)), compare(peerName('immer'), results.immer)]
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
  const [smallest, ...larger] = SIZES
  // The code has to be as hot for the first size as for the last.
  growContext(engine.createContext({ id: 'warm' }), quick ? 5_000 : 20_000)
  const lines = []
  for (const nodes of larger) {
    const { small, large } = await interleave(
      { small: makeSampler(engine, smallest), large: makeSampler(engine, nodes) },
      { rounds: quick ? 5 : 21, warmup: 1 },
    )
    const row = `commit, flat: at ${formatPower(nodes)} nodes`
    const peer = `ours at ${formatPower(smallest)} nodes`
    lines.push(line({ row, peer, theirs: small, ours: large, unit: 'ns', goal: timesAtMost(2) }))
  }
  return lines
}

/**
 * Samples of commits at a size. No context may grow by more than a fifth, so a sample of a small size is spread over several contexts, made
 * off the clock.
 */
function makeSampler(engine, nodes) {
  const turns = Math.round(nodes / 6)
  const growth = Math.ceil(turns / 5)
  const share = Math.min(BATCH, growth)
  const texts = makeTurnTexts(BATCH)
  let pool = []
  return () => {
    if (pool.length === 0 || pool[0].cycle + share > turns + growth + 1) {
      pool = Array.from({ length: Math.ceil(BATCH / share) }, () => buildContext(engine, turns))
    }
    return perCall(BATCH, (i) => commitTurn(pool[Math.floor(i / share)], texts[i]))
  }
}

function formatPower(value) {
  return value.toExponential().replace('+', '')
}
