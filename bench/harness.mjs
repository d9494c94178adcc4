// How every row is measured: contenders take turns in one process, so that a slow second of the machine hits all of
// them alike; the median of the samples is the figure, half the middle half of them is the spread. Only ratios inside
// one run mean anything.

/** One row of the table says who was beaten (or not), by how much, and whether that was the goal. */
export function line({ row, peer, theirs, ours, unit, goal }) {
  const ratio = goal?.growth ? divide(ours, theirs) : divide(theirs, ours)
  const met = goal === undefined || ours === undefined ? undefined : goal.met({ ratio, ours: ours.median })
  // A peer that could not be loaded has said so on stderr; nothing is made up for it.
  const note = peer !== undefined && theirs === undefined ? 'does not run here' : undefined
  return { row, peer, theirs, ours, unit, ratio, goal: goal?.text, met, note }
}

/** Ours has to be this many times better than the peer. */
export function timesBetter(factor) {
  return { text: `≥ ${factor.toLocaleString('en')}×`, met: ({ ratio }) => ratio && ratio >= factor }
}

/** Ours may be this many times the peer column, which then holds ourselves under easier conditions; the ratio is growth. */
export function timesAtMost(factor) {
  return { text: `≤ ${factor}×`, growth: true, met: ({ ratio }) => ratio && ratio <= factor }
}

/** An absolute bound on our own figure. */
export function atMost(limit, unit) {
  return { text: `≤ ${formatFigure(limit, unit)}`, met: ({ ours }) => ours <= limit }
}

/** Two goals in one line. */
export function both(first, second) {
  return {
    text: `${first.text}, ${second.text}`,
    growth: first.growth ?? second.growth,
    met: (figures) => first.met(figures) && second.met(figures),
  }
}

/**
 * Runs the contenders in turn, `rounds` times after `warmup` unmeasured rounds. A contender is a function that does one
 * sample, numbered from 0, and returns its figure (per operation); an undefined contender is skipped, so a missing peer
 * leaves a gap. Every sample is done twice and counted once, since the neighbour's work has filled the caches. Garbage is
 * collected before the first round only: a forced collection throws away compiled code and shrinks the young generation,
 * and whoever comes after it pays for thousands of calls. What the collector does on its own is part of the figure.
 * A contender that has used up its `share` of milliseconds, even while warming up, keeps the samples it has.
 */
export async function interleave(contenders, { rounds, warmup = 2, share = Infinity }) {
  const present = Object.entries(contenders).filter(([, sample]) => sample !== undefined)
  const samples = new Map(present.map(([name]) => [name, []]))
  const spent = new Map(present.map(([name]) => [name, 0]))
  globalThis.gc()
  for (let round = -warmup; round < rounds; round++) {
    for (let turn = 0; turn < present.length; turn++) {
      // A different one starts each round: nobody always runs in the wake of the same neighbour.
      const [name, sample] = present[(turn + round + warmup) % present.length]
      if (spent.get(name) > share) continue
      const start = performance.now()
      let figure = await sample(2 * (round + warmup))
      if (performance.now() - start <= share) figure = await sample(2 * (round + warmup) + 1)
      spent.set(name, spent.get(name) + performance.now() - start)
      if (round >= 0 || spent.get(name) > share) samples.get(name).push(figure)
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, summarize(values)]))
}

/** Median and spread of a list of figures, and the median of their means where they have one. */
export function summarize(values) {
  const sorted = values.map((value) => value.figure ?? value).toSorted((a, b) => a - b)
  const means = values.flatMap((value) => value.mean ?? []).toSorted((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2,
    samples: sorted.length,
    mean: means.length > 0 ? quantile(means, 0.5) : undefined,
  }
}

/** A figure that is counted rather than sampled. */
export function single(value) {
  return { median: value, spread: 0, samples: 1 }
}

/** Nanoseconds per call of `work(i)`, over `count` calls. */
export function perCall(count, work) {
  const start = performance.now()
  for (let i = 0; i < count; i++) work(i)
  return ((performance.now() - start) * 1e6) / count
}

/** Nanoseconds per call of a `work()` of unknown length: as many calls as it takes to run for `ms`. */
export function perRepeatedCall(ms, work) {
  for (let count = 1; ; count *= 4) {
    const figure = perCall(count, work)
    if (figure * count >= ms * 1e6) return figure
  }
}

/**
 * Nanoseconds of the median call of `work(prepared)`, each after a `prepare(i)` off the clock; `count` calls, or fewer
 * once they have taken `ms`. Reading the clock (some 50 ns) is in the figure. The mean comes along: of a slow contender,
 * with a call or two per sample, the median of all samples leaves out what interrupts a few of them, so of a fast one,
 * with hundreds, the figure of a sample has to be the median, too.
 */
export function perPreparedCall({ count, ms, prepare, work }) {
  const times = []
  let total = 0
  while (times.length < count && total < ms) {
    const prepared = prepare(times.length)
    const start = performance.now()
    work(prepared)
    const time = performance.now() - start
    times.push(time * 1e6)
    total += time
  }
  times.sort((a, b) => a - b)
  return { figure: quantile(times, 0.5), mean: (total * 1e6) / times.length }
}

/** Nanoseconds per call of an asynchronous `work(i)`, one after the other. */
export async function perAsyncCall(count, work) {
  const start = performance.now()
  for (let i = 0; i < count; i++) await work(i)
  return ((performance.now() - start) * 1e6) / count
}

/** Bytes in use after collection. Typed arrays live outside `heapUsed`; leaving them out would flatter us. */
export async function bytesInUse() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    // Weak references are cleared between tasks only.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Fails the row when a contender did not do the work it is timed for. */
export function assertWork(condition, what) {
  if (!condition) throw new Error(`A contender did not do its work: ${what}.`)
}

export function say(text) {
  process.stderr.write(`  ${text}\n`)
}

export function formatFigure(value, unit) {
  const [scales, step] =
    unit === 'bytes'
      ? [['B', 'KB', 'MB', 'GB'], 1024]
      : unit === 'ns'
        ? [['ns', 'µs', 'ms', 's'], 1000]
        : [[unit], Infinity]
  let scaled = value
  let scale = 0
  while (Math.abs(scaled) >= step && scale < scales.length - 1) {
    scaled /= step
    scale++
  }
  return `${formatNumber(scaled)} ${scales[scale]}`
}

export function formatNumber(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)))
}

function divide(a, b) {
  return a === undefined || b === undefined ? undefined : a.median / b.median
}

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q
  const low = Math.floor(at)
  const high = Math.ceil(at)
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low)
}
