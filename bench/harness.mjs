// Measures every row: contenders take turns in one process, so that a slow second of the machine hits all of
// them alike. A sample is a batch of calls and its figure is the mean of the batch, what the collector did meanwhile
// included; the median of these means is what goals are judged by, and the p99 of single calls is printed too where
// calls are timed one by one. Only ratios inside one run mean anything.

/** Fewer samples than this say nothing about a ratio, so none is given. */
const FEWEST = 5

/** One row of the table says who was beaten (or not), by how much, and whether that was the goal. */
export function line({ row, peer, theirs, ours, unit, goal, note }) {
  const isShort = [ours, theirs].some((figure) => figure !== undefined && !isEnough(figure))
  const ratio = isShort ? undefined : goal?.growth ? divide(ours, theirs) : divide(theirs, ours)
  const judged = goal !== undefined && ours !== undefined && !isShort && (goal.absolute || ratio !== undefined)
  return {
    row,
    peer,
    theirs,
    ours,
    unit,
    ratio,
    goal: goal?.text,
    met: judged ? goal.met({ ratio, ours: ours.mean }) : undefined,
    note: note ?? (isShort ? 'too few samples' : whyEmpty(peer, theirs)),
  }
}

/** A peer that could not be loaded has said so on stderr; nothing is made up for it. */
function whyEmpty(peer, theirs) {
  return peer !== undefined && theirs === undefined ? 'does not run here' : undefined
}

function isEnough({ samples, counted }) {
  return counted === true || samples >= FEWEST
}

/** Ours has to be this many times better than the peer. */
export function timesBetter(factor) {
  return { text: `≥ ${factor.toLocaleString('en')}×`, met: ({ ratio }) => ratio >= factor }
}

/** Ours may take this many times what the peer takes; the ratio is then how many times that is. */
export function timesAtMost(factor) {
  return { text: `≤ ${factor}×`, growth: true, met: ({ ratio }) => ratio <= factor }
}

/** An absolute bound on our own figure. */
export function atMost(limit, unit) {
  return { text: `≤ ${formatFigure(limit, unit)}`, absolute: true, met: ({ ours }) => ours <= limit }
}

/**
 * Runs the contenders in turn, `rounds` times after `warmup` unmeasured rounds. A contender is a function that does one
 * sample, numbered from 0, and returns its figure (per operation), or a mean with the single times; an undefined
 * contender is skipped, so a missing peer leaves a gap. Every sample is done twice and counted once, since the
 * neighbour's work has filled the caches. Garbage is collected before the first round only: a forced collection throws
 * away compiled code and shrinks the young generation, and the next contender pays for thousands of calls. What the
 * collector does on its own is part of the figure. A contender that has used up its `share` of milliseconds warms up no
 * longer, and ends with the fewest samples that allow a ratio.
 */
export async function interleave(contenders, { rounds, warmup = 2, share = Infinity }) {
  const present = Object.entries(contenders).filter(([, sample]) => sample !== undefined)
  const samples = new Map(present.map(([name]) => [name, []]))
  const spent = new Map(present.map(([name]) => [name, 0]))
  globalThis.gc()
  for (let round = -warmup; round < rounds; round++) {
    for (let turn = 0; turn < present.length; turn++) {
      // A different one starts each round, so no contender always runs after the same neighbour.
      const [name, sample] = present[(turn + round + warmup) % present.length]
      const kept = samples.get(name)
      if (spent.get(name) > share && (round < 0 || kept.length >= FEWEST)) continue
      const start = performance.now()
      let figure = await sample(2 * (round + warmup))
      if (performance.now() - start <= share) figure = await sample(2 * (round + warmup) + 1)
      spent.set(name, spent.get(name) + performance.now() - start)
      if (round >= 0) kept.push(figure)
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, summarize(values)]))
}

/**
 * The median of the batches' means with its spread, and the p99 of all calls that were timed one by one. A sample may
 * hold a second figure, `whole`, which is summarized by itself.
 */
export function summarize(values) {
  const means = values.map((value) => value.mean ?? value).toSorted((a, b) => a - b)
  const times = values.flatMap((value) => value.times ?? []).toSorted((a, b) => a - b)
  return {
    mean: quantile(means, 0.5),
    spread: (quantile(means, 0.75) - quantile(means, 0.25)) / 2,
    p99: times.length > 0 ? quantile(times, 0.99) : undefined,
    samples: means.length,
    whole: values[0]?.whole === undefined ? undefined : summarize(values.map(({ whole }) => whole)),
  }
}

/** A figure that is counted rather than sampled, such as bytes kept by a thousand snapshots. */
export function single(value) {
  return { mean: value, spread: 0, samples: 1, counted: true }
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
 * Mean and single nanoseconds of `work(prepared)`, each call after a `prepare(i)` off the clock; `count` calls, or fewer
 * once they have taken `ms`. Reading the clock (some 50 ns) is in the figures.
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
  return { mean: (total * 1e6) / times.length, times }
}

/**
 * The extra time of one of two, from pairs of times. The collector comes by in one of many turns and meets either side by
 * chance, so a twentieth of the differences at each end is left out.
 */
export function trimmedDifference(pairs) {
  const sorted = pairs.map(([a, b]) => a - b).toSorted((a, b) => a - b)
  const cut = Math.ceil(sorted.length / 20)
  const kept = sorted.length > 2 * cut ? sorted.slice(cut, sorted.length - cut) : sorted
  return kept.reduce((sum, each) => sum + each, 0) / kept.length
}

/** Nanoseconds that a `work()` takes. */
export function nanoseconds(work) {
  const start = performance.now()
  work()
  return (performance.now() - start) * 1e6
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

/** Bytes kept by what `build` returns; in a function of its own, so that nothing of it is alive when the next begins. */
export async function bytesKept(build) {
  const before = await bytesInUse()
  const kept = build()
  const bytes = (await bytesInUse()) - before
  // Read after the measurement, or the collector may take it before.
  assertWork(kept !== undefined, 'something was built')
  return bytes
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
  return a === undefined || b === undefined ? undefined : a.mean / b.mean
}

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q
  const low = Math.floor(at)
  const high = Math.ceil(at)
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low)
}
