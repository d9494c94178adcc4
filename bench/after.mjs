// A known question after each commit. What the commit takes longer because of that question belongs to it, so a twin that
// is never asked commits the same turns in the same run, and the difference is counted.

import { nanoseconds, trimmedDifference } from './harness.mjs'

/**
 * Two contexts made by `build()`; `commit(ctx)` puts the next turn into one. Both are made again before they have grown by
 * half, and the asked one is asked once before it is timed.
 */
export function openPair(build, commit) {
  const open = () => ({ asked: build(), twin: build() })
  let pair = open()
  const turns = pair.asked.cycle - 1
  return {
    get asked() {
      return pair.asked
    },
    get turns() {
      return pair.asked.cycle - 1
    },
    /** Nanoseconds that a turn takes in the asked one and in the twin. */
    addTurn(ask) {
      if (this.turns >= turns * 1.5) {
        pair = open()
        ask(pair.asked)
      }
      const time = (ctx) => nanoseconds(() => commit(ctx))
      // The second one finds the turn's texts in the caches.
      if (this.turns % 2 === 0) return [time(pair.asked), time(pair.twin)]
      return [time(pair.twin), time(pair.asked)].reverse()
    },
  }
}

/** The mean of the question with its share of the commit; `whole` is the question with all of its turn. */
export function samplePair(pair, ask, { count, ms }) {
  const times = []
  const commits = []
  for (let total = 0; times.length < count && total < ms * 1e6; total += times.at(-1)) {
    commits.push(pair.addTurn(ask))
    const { asked } = pair
    times.push(nanoseconds(() => ask(asked)))
  }
  const asking = meanOf(times)
  return {
    mean: asking + Math.max(0, trimmedDifference(commits)),
    times,
    whole: asking + meanOf(commits.map(([own]) => own)),
  }
}

/**
 * A peer: one more turn and what has to be ready, off the clock of the question; then the question. Code of nanoseconds is
 * repeated, or the clock would be most of its figure.
 */
export function samplePush(plain, prepare, work, { count, ms, repeat = 1 }) {
  const times = []
  const pushes = []
  for (let total = 0; times.length < count && total < ms * 1e6; total += times.at(-1)) {
    pushes.push(nanoseconds(() => plain.addTurn()))
    const prepared = prepare()
    const time = nanoseconds(() => {
      for (let i = 0; i < repeat; i++) work(prepared)
    })
    times.push(time / repeat)
  }
  return { mean: meanOf(times), times, whole: meanOf(times) + meanOf(pushes) }
}

function meanOf(values) {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
