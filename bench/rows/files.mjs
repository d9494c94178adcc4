// Exporting a snapshot to bytes and importing it again, against JSON.stringify and JSON.parse of the same document.

import { buildContext } from '../engine.mjs'
import { assertWork, interleave, line, perCall, timesAtMost } from '../harness.mjs'

const TURNS = 5_000
const ROW = `of a snapshot of ${(6 * TURNS).toLocaleString('en')} nodes`

export const rows = [{ title: 'import and export', run }]

async function run({ engine, quick }) {
  if (!engine) return []
  const ctx = buildContext(engine, TURNS)
  const bytes = Buffer.from(ctx.export())
  const document = JSON.parse(bytes.toString())
  const results = await interleave(
    {
      parse: () => perCall(1, () => assertWork(JSON.parse(bytes.toString()).root !== undefined, 'it is parsed')),
      import: () => perCall(1, () => assertWork(engine.importSnapshot(bytes).cycle > TURNS, 'it is imported')),
      stringify: () => perCall(1, () => assertWork(Buffer.from(JSON.stringify(document)).length > 0, 'it is written')),
      // A fork has rendered nothing yet.
      export: () => {
        const fork = ctx.fork('@t0')
        return perCall(1, () => assertWork(fork.export().length === bytes.length, 'it is exported'))
      },
    },
    { rounds: quick ? 5 : 15 },
  )
  return [
    line({
      row: `import ${ROW}`,
      peer: 'JSON.parse',
      theirs: results.parse,
      ours: results.import,
      unit: 'ns',
      goal: timesAtMost(6),
    }),
    line({
      row: `export ${ROW}`,
      peer: 'JSON.stringify',
      theirs: results.stringify,
      ours: results.export,
      unit: 'ns',
      goal: timesAtMost(2.5),
    }),
  ]
}
