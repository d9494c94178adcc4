// Questions to a history whose turns have the shapes of recorded conversations, beside css-select on the same tree and
// loops over the same records. Cold is a meaning that was never asked for, of a context that has answered others; after a
// commit is a known question to a new snapshot, and what the commit itself costs more because of that question is counted
// as part of it: a twin that is never asked commits the same turns.

import { openPair, samplePair, samplePush } from '../after.mjs'
import { assertWork, interleave, line, perPreparedCall, say, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer } from '../peers.mjs'
import { CSS, CSS_BY_CLASS, LOOP } from '../queried.mjs'
import { coldQuestions, KNOWN_QUESTIONS, STRIDE } from '../real-questions.mjs'
import { buildReal, checkSame, commitReal, openRealPlain, openTurns, rareWords } from '../real-turns.mjs'

// Calls in a batch, and the milliseconds after which it ends early.
const COUNT = 15
const MS = 50
const BATCH = { count: 60, ms: MS }

export const rows = [
  { title: 'real turns, cold', run: runCold },
  { title: 'real turns, after a commit', run: runKnown },
]

async function runCold({ engine, quick }) {
  const turns = openTurns()
  say(`the turns are those of ${turns.source}`)
  const count = turns.countFor()
  const plain = openRealPlain(turns, count)
  const ctx = engine && buildReal(engine, turns, count)
  if (ctx) checkSame(ctx, plain)
  if (engine) warmUpCold(engine, turns)
  const css = await loadPeer(() => import('css-select'))
  const lines = []
  for (const question of coldQuestions(rareWords(turns.recorded, STRIDE))) {
    const end = question.from + STRIDE
    if (ctx) checkAnswers(question, ctx, plain, css, end)
    // Every contender gets the same numbers in the same order.
    const sampler = (prepare, work) => {
      let next = question.from
      return () => {
        assertWork(next + COUNT <= end - 2, 'no meaning is asked for twice')
        return perPreparedCall({ count: COUNT, ms: MS, prepare: () => prepare(next++), work })
      }
    }
    const { theirs, loop, ours } = await interleave(
      {
        theirs:
          css &&
          sampler(
            (n) => compileCss(css, question, n),
            (compiled) => askCss(css, question, compiled, plain),
          ),
        loop: sampler(
          (n) => n,
          (n) => question.loop(plain.all, n),
        ),
        ours:
          ctx &&
          sampler(
            (n) => question.ours(n),
            (text) => askOurs(ctx, question, text),
          ),
      },
      { rounds: quick ? 7 : 21, share: quick ? 1_000 : 3_000 },
    )
    const row = `real turns, cold: ${question.name}`
    const goal = question.better && timesBetter(question.better)
    lines.push(
      line({ row, peer: CSS, theirs, ours, unit: 'ns', goal }),
      line({ row, peer: LOOP, theirs: loop, ours, unit: 'ns', goal: timesBetter(1) }),
    )
  }
  return lines
}

async function runKnown({ engine, quick }) {
  const turns = openTurns()
  const count = turns.countFor()
  const css = await loadPeer(() => import('css-select'))
  if (engine) checkKnown(buildReal(engine, turns, count), openRealPlain(turns, count), css)
  const lines = []
  for (const question of KNOWN_QUESTIONS) {
    const plain = openRealPlain(turns, count)
    const commit = (ctx) => commitReal(ctx, turns.turn(ctx.cycle - 1))
    const pair = engine && openPair(() => buildReal(engine, turns, count), commit)
    if (pair) warmUpKnown(engine, turns, question)
    const code = question.plain ?? question.loop
    const text = question.ours(0)
    const {
      theirs,
      plain: beside,
      ours,
    } = await interleave(
      {
        theirs:
          css &&
          (() =>
            samplePush(
              plain,
              () => compileCss(css, question, 0),
              (it) => askCss(css, question, it, plain),
              BATCH,
            )),
        plain: () =>
          samplePush(
            plain,
            () => plain.all,
            (all) => code(all, 0),
            { ...BATCH, repeat: question.plain ? 20 : 1 },
          ),
        ours: pair && (() => samplePair(pair, (ctx) => askOurs(ctx, question, text), BATCH)),
      },
      { rounds: quick ? 7 : 15, share: quick ? 1_500 : 4_000 },
    )
    lines.push(...compareKnown(question, theirs, beside, ours))
  }
  return lines
}

function compareKnown({ name, better, plainName, atMost, whole }, theirs, beside, ours) {
  const row = `real turns, after a commit: ${name}`
  const peer = plainName ?? LOOP
  const lines = [
    line({ row, peer: CSS, theirs, ours, unit: 'ns', goal: timesBetter(better) }),
    line({ row, peer, theirs: beside, ours, unit: 'ns', goal: atMost && timesAtMost(atMost) }),
  ]
  if (whole) {
    const turn = { theirs: beside?.whole, ours: ours?.whole }
    lines.push(line({ row: `${row}, with its whole turn`, peer: `push and ${peer}`, ...turn, unit: 'ns' }))
  }
  return lines
}

function askOurs(ctx, { counts }, text) {
  return counts ? ctx.count(text) : ctx.select(text)
}

/** Compiled anew each time, since it keeps answers about nodes that may have changed. */
function compileCss(css, question, n) {
  return css.compile(question.css(n), CSS_BY_CLASS)
}

function askCss(css, { pick, counts }, compiled, plain) {
  const found = css.selectAll(compiled, plain.root, CSS_BY_CLASS)
  if (counts) return found.length
  return pick ? pick(found) : found
}

/** Reading a text takes microseconds once it is compiled, and fifty before; the values here are those of no row. */
function warmUpCold(engine, turns) {
  const ctx = buildReal(engine, turns, 300)
  for (let i = 0; i < 1_000; i++) {
    for (const text of [
      `[data_x='${i}']`,
      `.block[data_x!='${i}']`,
      `^seq .cont[data_x='${i}'] > .block`,
      `+x${i}, #x${i}`,
    ]) {
      ctx.select(`@t0 ${text}`)
      ctx.count(`@t0 ${text} @order=turn:desc @limit=5`)
    }
  }
}

function warmUpKnown(engine, turns, question) {
  const ctx = buildReal(engine, turns, 100)
  for (let i = 100; i < 1_500; i++) {
    commitReal(ctx, turns.turn(i))
    askOurs(ctx, question, question.ours(0))
  }
}

/** On a context of its own: one that is timed is asked nothing else. */
function checkKnown(ctx, plain, css) {
  checkSame(ctx, plain)
  for (const question of KNOWN_QUESTIONS) checkAnswers(question, ctx, plain, css, 0)
}

/** All find the same nodes; keys have an order of their own, so nodes are compared as sets. */
function checkAnswers(question, ctx, plain, css, first) {
  for (const n of [first - 1, first - 2].map((each) => Math.max(0, each))) {
    const expected = (question.loop ?? question.plain)(plain.all, n)
    const answers = [askOurs(ctx, question, question.ours(n))]
    if (css) answers.push(askCss(css, question, compileCss(css, question, n), plain))
    for (const answer of answers) {
      assertWork(describe(answer) === describe(expected), `"${question.name}" finds the same everywhere`)
    }
  }
}

function describe(answer) {
  if (!Array.isArray(answer)) return String(answer)
  const ids = answer.map((each) => each.id ?? each)
  return ids.toSorted((a, b) => (a < b ? -1 : 1)).join()
}
