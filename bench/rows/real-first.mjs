// The first question that a context is ever asked, when nothing can be known yet, and what one long turn among thousands
// of short ones costs the others.

import { commitTurn, growContext } from '../engine.mjs'
import { assertWork, interleave, line, nanoseconds, perCall, perPreparedCall, timesAtMost } from '../harness.mjs'
import { LOOP } from '../queried.mjs'
import { KNOWN_QUESTIONS } from '../real-questions.mjs'
import { buildReal, openRealPlain, openTurns } from '../real-turns.mjs'
import { makeText } from '../turns.mjs'

const NODES = 1e5
/** What the first question may take of a loop over hot records. */
const FIRST = new Map([
  ['attribute', 3],
  ['type + attribute', 3],
  ['chain, a test in the middle', 3],
  ['tag', 3],
  ['content word', 3],
  ['no match', 3],
  ['count', 3],
])
/** Records in memory that nobody has read yet, as ours are; the other loop has read them many times. */
const FIRST_LOOP = 'a first loop over all nodes'
/** Turns of the others. */
const SMALL = 300
const TURNS = 8_000
const LONG = 150

export const rows = [
  { title: 'first question ever, 1e5 nodes', run: runFirst },
  { title: 'a long turn among 8,000', run: runLong },
]

async function runFirst({ engine, quick }) {
  if (!engine) return []
  const turns = openTurns()
  const count = turns.countFor(NODES)
  const { all } = openRealPlain(turns, count)
  const others = warmUp(engine, turns)
  const lines = []
  // A quick run makes fewer contexts: each takes about two seconds.
  const names = [...FIRST.keys()].slice(0, quick ? 2 : FIRST.size)
  for (const question of KNOWN_QUESTIONS.filter(({ name }) => names.includes(name))) {
    const text = question.ours()
    const size = sizeOf(question.loop(all))
    // A context of its own for each call, made off the clock.
    const ask = (ctx) =>
      assertWork(sizeOf(question.counts ? ctx.count(text) : ctx.select(text)) === size, 'all are found')
    const goThrough = (nodes) => assertWork(sizeOf(question.loop(nodes)) === size, 'all are found')
    const { loop, firstLoop, ours } = await interleave(
      {
        // Thrice, which takes about as long as ours: what else the machine does meets both alike.
        loop: () => perCall(3, () => goThrough(all)),
        firstLoop: askOnce(() => openRealPlain(turns, count).all, goThrough),
        ours: askOnce(() => {
          const ctx = buildReal(engine, turns, count)
          // Making it takes seconds, in which the host throws away code that nobody has called.
          for (let i = 0; i < 10; i++) askSmall(question, buildReal(engine, turns, SMALL))
          return ctx
        }, ask),
      },
      { rounds: quick ? 5 : 7, warmup: 1 },
    )
    const row = `first question ever, 1e5 nodes: ${question.name}`
    const compare = (peer, theirs, most) => line({ row, peer, theirs, ours, unit: 'ns', goal: timesAtMost(most) })
    lines.push(compare(FIRST_LOOP, firstLoop, 3), compare(LOOP, loop, FIRST.get(question.name)))
  }
  assertWork(others.length > 0, 'other contexts are there all the while')
  return lines
}

/** Every second call is not counted, and a context takes seconds to make: it stays for the one that is. */
function askOnce(build, ask) {
  return (sample) => (sample % 2 === 0 ? 0 : nanosecondsOf(build(), ask))
}

function nanosecondsOf(ctx, ask) {
  return nanoseconds(() => ask(ctx))
}

/** The engine is warm; what is new is the context. The others stay, as in a server. */
function warmUp(engine, turns) {
  return Array.from({ length: 40 }, () => {
    const ctx = buildReal(engine, turns, SMALL)
    for (const question of KNOWN_QUESTIONS) askSmall(question, ctx)
    return ctx
  })
}

function askSmall({ ours, counts }, ctx) {
  return counts ? ctx.count(ours()) : ctx.select(ours())
}

function sizeOf(answer) {
  return Array.isArray(answer) ? answer.length : answer
}

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
