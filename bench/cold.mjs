// The first five questions of a process, ours and css-select's on the same tree: `rows/real-turns.mjs` forks this for every sample. Each question is
// asked once, with its compilation; which side begins alternates with the samples.

import { loadEngine } from './engine.mjs'
import { nanoseconds } from './harness.mjs'
import { CSS_BY_CLASS } from './queried.mjs'
import { coldQuestions, STRIDE } from './real-questions.mjs'
import { buildReal, openRealPlain, openTurns, rareWords } from './real-turns.mjs'

const [nodes, sample] = process.argv.slice(2).map(Number)
const [engine, css] = await Promise.all([loadEngine(), import('css-select')])
const turns = openTurns()
const count = turns.countFor(nodes)
const plain = openRealPlain(turns, count)
const ctx = buildReal(engine, turns, count)
const questions = coldQuestions(rareWords(turns.recorded, STRIDE)).filter(({ isCounted }) => isCounted)
const ask = {
  ours: ({ ours, from }) => ctx.select(ours(from + 1)),
  theirs: ({ css: text, from }) => css.selectAll(css.compile(text(from + 1), CSS_BY_CLASS), plain.root, CSS_BY_CLASS),
}
const times = {}
for (const side of sample % 2 ? ['ours', 'theirs'] : ['theirs', 'ours']) {
  times[side] = questions.map((question) => nanoseconds(() => ask[side](question)))
}
process.send(
  questions.map(({ name }, i) => ({ name, ours: times.ours[i], theirs: times.theirs[i] })),
  () => process.exit(0),
)
