// What changed between two snapshots. The peers compare two plain trees: `shared` is their best case, where both trees
// hold the same objects for what did not change; `copies` is what they meet when states come from a store or the wire.

import { buildContext, commitTurn } from '../engine.mjs'
import { assertWork, interleave, line, perCall, perPreparedCall, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer, peerName } from '../peers.mjs'
import { makeText, plainTree } from '../turns.mjs'

const NODES = 1e5
const SIZES = [1e3, 1e5, 1e6]
const FAR = 100
const CYCLES = 1_000
// As many as for queries: a call of microseconds must not find the caches full of the neighbour's trees.
const COUNT = 300
const MS = 10

export const rows = [
  { title: 'diff of two snapshots, 1e5 nodes', run: runDiff },
  { title: 'a range over 1,000 cycles', run: runRange },
]

async function runDiff({ engine, quick }) {
  const patch = await loadPeer(() => import('fast-json-patch'))
  const delta = await loadPeer(() => import('jsondiffpatch'))
  const contexts = new Map(engine ? SIZES.map((nodes) => [nodes, buildContext(engine, turnsOf(nodes))]) : [])
  for (const ctx of contexts.values()) warmUp(ctx)
  const now = plainTree(turnsOf(NODES))
  const before = { seq: now.seq.slice(0, -1) }
  const farBack = { seq: now.seq.slice(0, -FAR) }
  // The module is CommonJS, whose names a bundler or Node may put below `default`.
  const compare = patch && (patch.compare ?? patch.default.compare)
  const differ = delta?.create({ objectHash: (node) => node.id })
  const samplePatch = (older, newer) =>
    compare && (() => perCall(1, () => assertWork(compare(older, newer).length > 0, 'the diff was found')))
  const sampleDelta = (older, newer) =>
    differ && (() => perCall(1, () => assertWork(differ.diff(older, newer) !== undefined, 'the diff was found')))
  const ours = (nodes, far) => (contexts.has(nodes) ? () => sampleOurs(contexts.get(nodes), far) : undefined)
  const results = await interleave(
    {
      patch: samplePatch(before, now),
      copies: samplePatch(structuredClone(before), now),
      delta: sampleDelta(before, now),
      prefix: () => perCall(20, () => assertWork(newTurns(before.seq, now.seq).length === 1, 'the new turn was found')),
      patchFar: samplePatch(farBack, now),
      ...Object.fromEntries(SIZES.map((nodes) => [`ours ${nodes}`, ours(nodes, 1)])),
      again: contexts.has(NODES) ? () => sampleAgain(contexts.get(NODES)) : undefined,
      far: ours(NODES, FAR),
    },
    { rounds: quick ? 7 : 21, share: quick ? 500 : 3_000 },
  )
  const consecutive = (peer, theirs, goal) =>
    line({
      row: 'diff of consecutive snapshots, 1e5 nodes',
      peer,
      theirs,
      ours: results[`ours ${NODES}`],
      unit: 'ns',
      goal,
    })
  const flat = (nodes) =>
    line({
      row: `diff of consecutive snapshots, ${nodes.toExponential().replace('+', '')} nodes`,
      peer: 'ours at 1e3 nodes',
      theirs: results['ours 1000'],
      ours: results[`ours ${nodes}`],
      unit: 'ns',
      goal: timesAtMost(1.5),
    })
  return [
    consecutive(`${peerName('fast-json-patch')}, shared`, results.patch, timesBetter(1_000)),
    consecutive(`${peerName('fast-json-patch')}, copies`, results.copies, timesBetter(1_000)),
    consecutive(`${peerName('jsondiffpatch')}, shared`, results.delta, timesBetter(1_000)),
    consecutive('a loop over equal turns (===)', results.prefix, timesBetter(35)),
    flat(1e5),
    flat(1e6),
    line({
      row: 'the same diff again',
      peer: `${peerName('fast-json-patch')}, shared`,
      theirs: results.patch,
      ours: results.again,
      unit: 'ns',
    }),
    line({
      row: `diff of snapshots ${FAR} cycles apart, 1e5 nodes`,
      peer: `${peerName('fast-json-patch')}, shared`,
      theirs: results.patchFar,
      ours: results.far,
      unit: 'ns',
    }),
  ]
}

/** By hand, where states share what did not change: skip what is the same on both sides, from the front. */
function newTurns(older, newer) {
  let same = 0
  while (same < older.length && older[same] === newer[same]) same++
  return newer.slice(same)
}

/** A new snapshot each time, so that nothing can have been kept from the last answer. */
function sampleOurs(ctx, far) {
  let found
  const figure = perPreparedCall({
    count: COUNT,
    ms: MS,
    prepare: () => {
      commitTurn(ctx, textsOf(ctx.cycle))
      return `@t-${far}`
    },
    work: (lens) => {
      found = ctx.diff(lens, '@t0')
    },
  })
  assertWork(found.added.length === 6 * far && found.removed.length === 0, `${6 * far} nodes were added`)
  return figure
}

function sampleAgain(ctx) {
  return perCall(100, () => assertWork(ctx.diff('@t-1', '@t0').added.length === 6, '6 nodes were added'))
}

/** Off the clock: a call of a microsecond would otherwise be measured in the interpreter. */
function warmUp(ctx) {
  for (let i = 0; i < 3_000; i++) ctx.diff(`@t-${1 + (i % 50)}`, `@t-${i % 50}`)
}

/** Per pair of snapshots; the peer compares each pair by itself, ours goes once through the logs. */
async function runRange({ engine, quick }) {
  const patch = await loadPeer(() => import('fast-json-patch'))
  const compare = patch && (patch.compare ?? patch.default.compare)
  const ctx = engine && buildContext(engine, CYCLES)
  const now = plainTree(CYCLES)
  const states = Array.from({ length: 20 }, (_, i) => ({ seq: now.seq.slice(0, CYCLES - i) }))
  const queries = [
    { name: '.block', text: '@t-999..@t0 .block', added: 4 },
    {
      name: "^seq .seg:depth(1) .block[role='user']",
      text: "@t-999..@t0 ^seq .seg:depth(1) .block[role='user']",
      added: 1,
    },
  ]
  const { theirs, ...ours } = await interleave(
    {
      theirs: compare && (() => perCall(states.length - 1, (i) => compare(states[i + 1], states[i]))),
      ...Object.fromEntries(
        queries.map(({ name, text, added }) => [name, ctx && (() => sampleRange(ctx, text, added))]),
      ),
    },
    { rounds: quick ? 5 : 11, share: quick ? 1_000 : 4_000 },
  )
  return queries.map(({ name }) =>
    line({
      row: `a range over 1,000 cycles, ${name}, per cycle`,
      peer: `${peerName('fast-json-patch')}, shared, pair by pair`,
      theirs,
      ours: ours[name],
      unit: 'ns',
    }),
  )
}

function sampleRange(ctx, text, added) {
  const start = performance.now()
  const { diffs } = ctx.rangeDiffLatest(text)
  const figure = ((performance.now() - start) * 1e6) / diffs.length
  assertWork(diffs.length === CYCLES - 1 && diffs[0].added_ids.length === added, 'every pair was compared')
  return figure
}

function turnsOf(nodes) {
  return Math.round(nodes / 6)
}

function textsOf(turn) {
  return [0, 1, 2, 3].map((part) => makeText(turn, part))
}
