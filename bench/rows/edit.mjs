// Edits must cost what they change, wherever in history and however long it is: nothing is renumbered, nothing is copied
// but the path to the change. Each call is taken back, so that the next one meets the same tree.

import { buildContext } from '../engine.mjs'
import { assertWork, interleave, line, perCall, timesAtMost } from '../harness.mjs'

const SIZES = [1e3, 1e5, 1e6]
const COUNT = 200

export const rows = [{ title: 'edits in the middle of history', run }]

/** Each call with the node in the middle of history that it is about. */
const CALLS = {
  'splice a segment': (ctx, { depth }) => ctx.insert({ content: 'spliced' }, { depth }),
  'attach post-context': (ctx, { depth }) => ctx.insert({ content: 'attached' }, `(d${depth}, end)`),
  'replace a block': (ctx, { id }) => ctx.replace(`{ id="${id}" }`, { content: 'other' }),
  'delete a block': (ctx, { id }) => ctx.delete(`{ id="${id}" }`, { reason: 'bench' }),
  'move post-context to the head': (ctx, { post }) => ctx.move(`{ id="${post}" }`, { depth: 0, zone: 'post' }),
  'put by key': (ctx) => ctx.put('view', 'a file', { zone: 'post' }),
}

async function run({ engine, quick }) {
  if (!engine) return []
  const sides = SIZES.map((nodes) => sideOf(engine, nodes))
  const lines = []
  for (const [name, call] of Object.entries(CALLS)) {
    const samplers = sides.map((side) => [side.nodes, () => sample(side, call)])
    const results = await interleave(Object.fromEntries(samplers), { rounds: quick ? 5 : 15 })
    for (const nodes of SIZES.slice(1)) {
      const size = nodes.toExponential().replace('+', '')
      lines.push(
        line({
          row: `${name}, ${size} nodes`,
          peer: 'ours at 1e3 nodes',
          theirs: results[SIZES[0]],
          ours: results[nodes],
          unit: 'ns',
          // Of a million nodes few are in the processor's caches (N115).
          goal: timesAtMost(nodes === 1e6 ? 3 : 2),
        }),
      )
    }
  }
  return lines
}

function sideOf(engine, nodes) {
  const ctx = buildContext(engine, Math.round(nodes / 6))
  const depth = Math.round(nodes / 12)
  const [id] = ctx.select(`(d${depth}, 0, 1)`)
  const [post] = ctx.select(`(d${depth}, 1)`)
  assertWork(id !== undefined && post !== undefined, 'there is a turn in the middle')
  return { nodes, ctx, at: { depth, id, post } }
}

/** Time per call with its undo. */
function sample({ ctx, at }, call) {
  return perCall(COUNT, () => {
    call(ctx, at)
    assertWork(ctx.undo(), 'the call was a step')
  })
}
