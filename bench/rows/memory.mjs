// What a node costs in a context of a million nodes, its history included; the texts, which anyone has to keep, apart.

import { buildContext } from '../engine.mjs'
import { bytesKept, line, single } from '../harness.mjs'
import { makeText, plainTree } from '../turns.mjs'

export const rows = [{ title: 'memory per node, 1e6 nodes', run }]

async function run({ engine, quick }) {
  const turns = Math.round(1e6 / 6)
  const nodes = turns * 6
  const content = await bytesKept(() => {
    const texts = []
    for (let turn = 1; turn <= turns; turn++) {
      for (let part = 0; part < 4; part++) texts.push(makeText(turn, part))
    }
    return texts
  })
  // The plain tree is only today's state, without a single older snapshot: a floor, not a rival.
  const plain = await bytesKept(() => plainTree(quick ? turns / 10 : turns))
  const plainNodes = quick ? nodes / 10 : nodes
  const ours = engine && (await bytesKept(() => buildContext(engine, turns)))
  const row = (part) => `memory per node, 1e6 nodes: ${part}`
  const peer = 'plain objects, no history'
  return [
    line({
      row: row('all'),
      peer,
      theirs: single(plain / plainNodes),
      ours: engine && single(ours / nodes),
      unit: 'bytes',
    }),
    line({
      row: row('without the texts'),
      peer,
      theirs: single(plain / plainNodes - content / nodes),
      ours: engine && single((ours - content) / nodes),
      unit: 'bytes',
    }),
    // The same strings on both sides.
    line({
      row: row('the texts'),
      peer,
      theirs: single(content / nodes),
      ours: single(content / nodes),
      unit: 'bytes',
    }),
  ]
}
