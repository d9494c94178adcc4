// What must not grow out of hand: contexts by the thousand, lists of a thousand values in a selector, and questions about
// every commit there ever was.

import { buildContext, commitTurn } from '../engine.mjs'
import {
  assertWork,
  atMost,
  bytesInUse,
  interleave,
  line,
  nanoseconds,
  perCall,
  perPreparedCall,
  single,
  timesAtMost,
} from '../harness.mjs'
import { makeText } from '../turns.mjs'

const CONTEXTS = 10_000

export const rows = [
  { title: 'create 10,000 contexts', run: runContexts },
  { title: 'in with 1,000 items', run: runLists },
  { title: 'all snapshots, 1,000 and 4,000 commits', run: runHistories },
]

async function runContexts({ engine, quick }) {
  if (!engine) return []
  const { ours } = await interleave(
    { ours: () => perCall(1_000, () => assertWork(engine.createContext().cycle === 1, 'it is a context')) },
    { rounds: quick ? 7 : 21 },
  )
  const kept = []
  const before = await bytesInUse()
  for (let i = 0; i < CONTEXTS; i++) kept.push(engine.createContext())
  const bytes = ((await bytesInUse()) - before) / CONTEXTS
  assertWork(kept.length === CONTEXTS && kept.at(-1).cycle === 1, 'every context is kept')
  return [
    line({ row: 'create a context', ours, unit: 'ns', goal: atMost(50_000, 'ns') }),
    line({ row: 'heap of an empty context', ours: single(bytes), unit: 'bytes', goal: atMost(4096, 'bytes') }),
  ]
}

async function runLists({ engine, quick }) {
  if (!engine) return []
  const ctx = engine.createContext()
  const count = 20_000
  for (let i = 0; i < count; i++) {
    ctx.user(makeText(i, 0), { key: `k${i}` })
    if (i % 10 === 9) ctx.commit()
  }
  // Values that no node has come first, and every question is new: nothing remembered helps.
  let asked = 0
  const ask = (items) => {
    asked++
    const values = Array.from({ length: items - 1 }, (_, i) => `'x${asked}-${i}'`)
    return ctx.count(`@t0 .block[key in [${[...values, `'k${asked}'`].join(', ')}]]`)
  }
  const records = Array.from({ length: count }, (_, i) => ({ key: `k${i}` }))
  const byHand = () => {
    asked++
    const wanted = new Set([...Array.from({ length: 999 }, (_, i) => `x${asked}-${i}`), `k${asked}`])
    let found = 0
    for (const { key } of records) if (wanted.has(key)) found++
    return found
  }
  const time = (work) => () => nanoseconds(() => assertWork(work() === 1, 'one node is found'))
  const { one, many, set } = await interleave(
    { one: time(() => ask(1)), many: time(() => ask(1_000)), set: time(byHand) },
    { rounds: quick ? 7 : 21 },
  )
  const row = `in with 1,000 items, ${count.toLocaleString('en')} blocks`
  return [
    line({ row, peer: 'ours, 1 item', theirs: one, ours: many, unit: 'ns', goal: timesAtMost(3) }),
    line({ row, peer: 'a Set and a loop over the blocks', theirs: set, ours: many, unit: 'ns' }),
  ]
}

async function runHistories({ engine, quick }) {
  if (!engine) return []
  const contexts = new Map([1_000, 4_000].map((commits) => [commits, buildContext(engine, commits)]))
  const lines = []
  for (const selector of ['@* .nothing', '@* .block[role=user]']) {
    // After a commit each time, so that no answer is at hand; as long for the one as for the other, so that what else the
    // machine does meets both alike.
    const time = (commits) => () => {
      const ctx = contexts.get(commits)
      const texts = () => [0, 1, 2, 3].map((part) => makeText(ctx.cycle, part))
      return perPreparedCall({
        count: 16_000 / commits,
        ms: Infinity,
        prepare: () => commitTurn(ctx, texts()),
        work: () => assertWork(ctx.select(selector) !== undefined, 'it answers'),
      })
    }
    const { few, many } = await interleave(
      { few: time(1_000), many: time(4_000) },
      { rounds: quick ? 5 : 9, warmup: 1, share: 20_000 },
    )
    lines.push(
      line({
        row: `${selector} over 4,000 commits`,
        peer: 'ours, 1,000 commits',
        theirs: few,
        ours: many,
        unit: 'ns',
        goal: timesAtMost(6),
      }),
    )
  }
  return lines
}
