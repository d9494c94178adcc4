// The memory of a run: what is in use after a full collection, point by point, and whether it grows.

import v8 from 'node:v8'
import vm from 'node:vm'

v8.setFlagsFromString('--expose-gc')
const collect = /** @type {() => void} */ (vm.runInNewContext('gc'))

/**
 * @typedef {{ commits: number, heap: number }} Measured
 * @typedef {{ flat: boolean, level: number, growth: number, noise: number, allowed: number }} Verdict
 */

/**
 * The rise over the measured stretch that still counts as flat, as a part of the level: ids get longer, and tables of weak
 * references keep the size of their fullest moment.
 */
const TOLERANCE = 0.05

/** MB in use by objects, after everything was collected that can be. What V8 compiles as it warms up is not counted. */
export async function heapInUse() {
  // A dereferenced weak reference lives until the next turn of the loop.
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = v8.getHeapCodeStatistics()
  return (process.memoryUsage().heapUsed - code - bytecode) / 2 ** 20
}

/**
 * Puts a line through the second half of the points. The first half is for filling what is bounded: the kept snapshots, the
 * attempts, the memories of questions. The line may rise by a small part of the level, or by what the points scatter.
 * @param {readonly Measured[]} points
 * @returns {Verdict}
 */
export function verdictOf(points) {
  const half = points.slice(Math.floor(points.length / 2))
  const { slope, error } = lineThrough(half)
  const level = mean(half.map(({ heap }) => heap))
  const stretch = (half.at(-1)?.commits ?? 0) - (half[0]?.commits ?? 0)
  const allowed = Math.max(TOLERANCE * level, 3 * error * stretch)
  return {
    flat: slope * stretch <= allowed,
    level,
    growth: slope * 1e6,
    noise: error * 1e6,
    allowed: (allowed / stretch) * 1e6,
  }
}

/**
 * Slope of the regression line in MB a commit, and its standard error.
 * @param {readonly Measured[]} points
 */
function lineThrough(points) {
  const x = mean(points.map(({ commits }) => commits))
  const y = mean(points.map(({ heap }) => heap))
  const spread = points.reduce((sum, { commits }) => sum + (commits - x) ** 2, 0)
  const slope = points.reduce((sum, { commits, heap }) => sum + (commits - x) * (heap - y), 0) / spread
  const rest = points.reduce((sum, { commits, heap }) => sum + (heap - y - slope * (commits - x)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / Math.max(1, points.length - 2) / spread) }
}

/** @param {readonly number[]} list */
function mean(list) {
  return list.reduce((sum, each) => sum + each, 0) / list.length
}
