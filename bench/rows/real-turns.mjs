// Questions to a history whose turns have the shapes of recorded conversations, ours and css-select's on the same tree. Cold is the first five
// questions of a process. After a commit is a known question to a new snapshot; what the commit itself costs more because of that question
// is counted as part of it: a twin that is never asked commits the same turns.

import { fork } from 'node:child_process'

import { openPair, samplePair, samplePush } from '../after.mjs'
import { assertWork, interleave, line, summarize, timesAtMost, timesBetter } from '../harness.mjs'
import { loadPeer } from '../peers.mjs'
import { CSS, CSS_BY_CLASS, LOOP } from '../queried.mjs'
import { KNOWN_QUESTIONS } from '../real-questions.mjs'
import { buildReal, checkSame, commitReal, openRealPlain, openTurns } from '../real-turns.mjs'

// Calls in a batch, and the milliseconds after which it ends early.
const BATCH = { count: 60, ms: 50 }
/** Nodes, and how many times faster than css-select the first five questions are to be. */
const COLD = [
  { nodes: 3_000, better: 2 },
  { nodes: 50_000, better: 1 },
]
const BETTER = 20
/** From the smaller to the larger history a known question may take this many times as long. */
const GROWTH = [
  { name: 'type + attribute', size: 'a broad answer', atMost: 15 },
  { name: 'no match', size: 'a narrow answer', atMost: 4 },
]
const [SMALL, LARGE] = [3_000, 120_000]

export const rows = [
  { title: 'real turns, cold', run: runCold },
  { title: 'real turns, after a commit', run: runKnown },
  { title: 'real turns, growth after a commit', run: runGrowth },
]

async function runCold({ engine, quick }) {
  if (!engine || !(await loadPeer(() => import('css-select')))) return []
  const lines = []
  for (const { nodes, better } of COLD) {
    const samples = []
    for (let i = 0; i < (quick ? 5 : 15); i++) samples.push(await coldSample(nodes, i))
    const row = `real turns, cold, ${nodes.toLocaleString('en')} nodes`
    const compare = (name, pick, goal) => {
      const [ours, theirs] = ['ours', 'theirs'].map((side) => summarize(samples.map((sample) => pick(sample, side))))
      lines.push(line({ row: `${row}: ${name}`, peer: CSS, theirs, ours, unit: 'ns', goal }))
    }
    const sum = (sample, side) => sample.reduce((all, each) => all + each[side], 0) / sample.length
    compare('mean of the first five', sum, timesBetter(better))
    for (const [i, { name }] of samples[0].entries()) compare(name, (sample, side) => sample[i][side])
  }
  return lines
}

/** The first five questions of a fresh process. */
function coldSample(nodes, number) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('../cold.mjs', import.meta.url), [String(nodes), String(number)])
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', () => reject(new Error('The process of a cold sample ended without an answer.')))
  })
}

async function runGrowth({ engine, quick }) {
  if (!engine) return []
  const turns = openTurns()
  const lines = []
  for (const { name, size, atMost } of GROWTH) {
    const question = KNOWN_QUESTIONS.find((each) => each.name === name)
    warmUpKnown(engine, turns, question)
    const sampler = (nodes) => {
      const pair = openPair(
        () => buildReal(engine, turns, turns.countFor(nodes)),
        (ctx) => commitReal(ctx, turns.turn(ctx.cycle - 1)),
      )
      return () => samplePair(pair, (ctx) => askOurs(ctx, question, question.ours(0)), BATCH)
    }
    const { small, large } = await interleave(
      { small: sampler(SMALL), large: sampler(LARGE) },
      { rounds: quick ? 7 : 15, share: quick ? 1_500 : 4_000 },
    )
    const row = `real turns, after a commit, ${LARGE.toLocaleString('en')} nodes: ${size}`
    const peer = `ours at ${SMALL.toLocaleString('en')} nodes`
    lines.push(line({ row, peer, theirs: small, ours: large, unit: 'ns', goal: timesAtMost(atMost) }))
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

function compareKnown({ name, plainName, whole }, theirs, beside, ours) {
  const row = `real turns, after a commit: ${name}`
  const peer = plainName ?? LOOP
  const lines = [
    line({ row, peer: CSS, theirs, ours, unit: 'ns', goal: timesBetter(BETTER) }),
    line({ row, peer, theirs: beside, ours, unit: 'ns' }),
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

/** Compiled for each call, since it keeps answers about nodes that may have changed. */
function compileCss(css, question, n) {
  return css.compile(question.css(n), CSS_BY_CLASS)
}

function askCss(css, { pick, counts }, compiled, plain) {
  const found = css.selectAll(compiled, plain.root, CSS_BY_CLASS)
  if (counts) return found.length
  return pick ? pick(found) : found
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
