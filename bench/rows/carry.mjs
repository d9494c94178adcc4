// Writing a tree down and reading it again, against what JavaScript itself needs for the same document: JSON.stringify
// has no names to sort and no tree to walk, JSON.parse checks nothing and rounds large integers.

import { buildContext } from '../engine.mjs'
import { assertWork, interleave, line, perCall, timesAtMost } from '../harness.mjs'

const TURNS = Math.round(1e5 / 6)

export const rows = [
  { title: 'export of 1e5 nodes', run: runExport },
  { title: 'import of 1e5 nodes', run: runImport },
]

async function runExport({ engine, quick }) {
  if (!engine) return []
  const ctx = buildContext(engine, TURNS)
  const size = ctx.export('@t0').length
  const document = JSON.parse(new TextDecoder().decode(ctx.export('@t0')))
  const { theirs, ours, pieces } = await interleave(
    {
      theirs: () => perCall(1, () => assertWork(JSON.stringify(document).length > size * 0.99, 'it wrote all')),
      ours: () => perCall(1, () => assertWork(ctx.export('@t0').length === size, 'we wrote all')),
      pieces: () => perCall(1, () => assertWork(lengthOf(engine.exportChunks(ctx)) === size, 'the pieces are all')),
    },
    { rounds: quick ? 5 : 15 },
  )
  const goal = timesAtMost(2.5)
  const peer = 'JSON.stringify'
  return [
    line({ row: 'export of 1e5 nodes', peer, theirs, ours, unit: 'ns', goal }),
    line({ row: 'export of 1e5 nodes, in pieces', peer, theirs, ours: pieces, unit: 'ns', goal }),
  ]
}

async function runImport({ engine, quick }) {
  if (!engine) return []
  // Only the text is kept: a context beside it would be one more thing for the collector to look through.
  const text = new TextDecoder().decode(buildContext(engine, TURNS).export('@t0'))
  const { theirs, ours, async } = await interleave(
    {
      theirs: () => perCall(1, () => assertWork(JSON.parse(text).cycle === TURNS, 'it read all')),
      ours: () => perCall(1, () => assertWork(engine.importSnapshot(text).cycle === TURNS + 1, 'we read all')),
      async: async () => {
        const start = performance.now()
        assertWork((await engine.importSnapshotAsync(text)).cycle === TURNS + 1, 'we read all')
        return (performance.now() - start) * 1e6
      },
    },
    { rounds: quick ? 5 : 15 },
  )
  const peer = 'JSON.parse'
  return [
    line({ row: 'import of 1e5 nodes', peer, theirs, ours, unit: 'ns', goal: timesAtMost(4) }),
    line({ row: 'import of 1e5 nodes, with rests for others', peer, theirs, ours: async, unit: 'ns' }),
  ]
}

function lengthOf(pieces) {
  let length = 0
  for (const piece of pieces) length += piece.length
  return length
}
