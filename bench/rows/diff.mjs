// The diff of two consecutive snapshots. The peer compares two plain trees that share all unchanged objects, which is its best case.

import { buildContext, commitTurn } from '../engine.mjs'
import { assertWork, interleave, line, perCall, perPreparedCall, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeText, plainTree } from '../turns.mjs'

const NODES = 1e5
const SIZES = [1e3, 1e5, 1e6]
const COUNT = 300
const MS = 10

export const rows = [{ title: 'diff of two snapshots, 1e5 nodes', run }]

async function run({ engine, quick }) {
  const patch = await loadPeer(() => import('fast-json-patch'))
  // The module is CommonJS: a bundler or Node may put its names below `default`.
  const compare = patch && (patch.compare ?? patch.default.compare)
  const contexts = new Map(engine ? SIZES.map((nodes) => [nodes, buildContext(engine, turnsOf(nodes))]) : [])
  for (const ctx of contexts.values()) warmUp(ctx)
  const now = plainTree(turnsOf(NODES))
  const before = { seq: now.seq.slice(0, -1) }
  const results = await interleave(
    {
      patch: compare && (() => perCall(1, () => assertWork(compare(before, now).length > 0, 'the diff was found'))),
      ...Object.fromEntries(
        SIZES.map((nodes) => [nodes, contexts.has(nodes) ? () => sampleOurs(contexts.get(nodes)) : undefined]),
      ),
    },
    { rounds: quick ? 7 : 21, share: quick ? 500 : 3_000 },
  )
  const compared = (nodes, peer, theirs, goal) =>
    line({
      row: `diff of consecutive snapshots, ${nodes.toExponential().replace('+', '')} nodes`,
      peer,
      theirs,
      ours: results[nodes],
      unit: 'ns',
      goal,
    })
  return [
    compared(NODES, `${peerName('fast-json-patch')}, shared objects`, results.patch, timesBetter(300)),
    compared(1e5, 'ours at 1e3 nodes', results[1e3], timesAtMost(2)),
    compared(1e6, 'ours at 1e3 nodes', results[1e3], timesAtMost(2)),
  ]
}

/** A new snapshot each time, so that no earlier answer can be cached. */
function sampleOurs(ctx) {
  let found
  const figure = perPreparedCall({
    count: COUNT,
    ms: MS,
    prepare: () => {
      commitTurn(ctx, textsOf(ctx.cycle))
    },
    work: () => {
      found = ctx.diff('@t-1', '@t0')
    },
  })
  assertWork(found.added.length === 6 && found.removed.length === 0, '6 nodes were added')
  return figure
}

/** Off the clock: otherwise a call of a microsecond would run in the interpreter. */
function warmUp(ctx) {
  for (let i = 0; i < 3_000; i++) ctx.diff(`@t-${1 + (i % 50)}`, `@t-${i % 50}`)
}

function turnsOf(nodes) {
  return Math.round(nodes / 6)
}

function textsOf(turn) {
  return [0, 1, 2, 3].map((part) => makeText(turn, part))
}
