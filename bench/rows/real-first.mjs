// One long turn among thousands of short ones: what it costs the questions to the others.

import { commitTurn, growContext } from '../engine.mjs'
import { interleave, line, perPreparedCall, timesAtMost } from '../harness.mjs'
import { makeText } from '../turns.mjs'

const TURNS = 8_000
const LONG = 150

export const rows = [{ title: 'a long turn among 8,000', run: runLong }]

async function runLong({ engine, quick }) {
  if (!engine) return []
  const [short, long] = [openUniform(engine, false), openUniform(engine, true)]
  // Cold: another value each time. After a commit: a known question, asked in another way than by a list of ids.
  let asked = 0
  const cold = (ctx) =>
    perPreparedCall({
      count: 20,
      ms: 30,
      prepare: () => `@t0 .block[content!='q${asked++}']`,
      work: (text) => ctx.select(text),
    })
  const known = (ctx, ask) =>
    perPreparedCall({
      count: 50,
      ms: 30,
      prepare: () =>
        commitTurn(
          ctx,
          [0, 1, 2, 3].map((part) => makeText(ctx.cycle, part)),
        ),
      work: () => ask(ctx),
    })
  const questions = [
    ['cold attribute', cold],
    ['count after a commit', (ctx) => known(ctx, (it) => it.count("@t0 .block[role='assistant']"))],
    ['chain after a commit', (ctx) => known(ctx, (it) => it.select('@t0 ^seq .seg > .cont > .block'))],
    ['no match after a commit', (ctx) => known(ctx, (it) => it.select('@t0 .nothing'))],
  ]
  const lines = []
  for (const [name, sample] of questions) {
    const { without, with: ours } = await interleave(
      { without: () => sample(short), with: () => sample(long) },
      { rounds: quick ? 9 : 21, warmup: 4 },
    )
    const row = `a turn of ${LONG} among ${TURNS.toLocaleString('en')} uniform ones: ${name}`
    lines.push(line({ row, peer: 'ours without it', theirs: without, ours, unit: 'ns', goal: timesAtMost(1.3) }))
  }
  return lines
}

function openUniform(engine, isLong) {
  const ctx = engine.createContext({ id: 'bench' })
  growContext(ctx, TURNS / 2)
  if (isLong) for (let i = 0; i < LONG; i++) ctx[i % 2 ? 'assistant' : 'user'](makeText(ctx.cycle, i))
  else ctx.user(makeText(ctx.cycle, 0))
  ctx.commit()
  growContext(ctx, TURNS / 2 - 1)
  return ctx
}
