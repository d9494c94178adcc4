// An estimate that learns from the counts of providers. A request has the tokens of the tree times a factor for the model's tokenizer, plus
// a fixed amount for tools and hidden prompts. Both are fitted to the attempts so far by least squares. No chance and no clock takes part,
// so the same attempts give the same counts.

import { asCall, describe, invalid } from '../errors/index.js'
import type { TextCounter } from './counter.js'
import { estimate } from './estimate.js'

/** A request that was sent: our count and the count of the provider. */
export type Sample = Readonly<{ counted: number; actual: number }>

/** The part of an attempt that `learn` reads. */
export type CountedAttempt = Readonly<{
  /** The counted tokens of the sent tree or request; the overhead belongs to no node. */
  tokens: () => Readonly<{ total: number; overhead?: number }>
  record: Readonly<{ token_in: number | null }>
}>

export type CalibratedOptions = Readonly<{
  /** The counter to calibrate; `estimate` by default. */
  counter?: TextCounter | undefined
  /** The tokens of a request that are not in the tree, if you know them; fitted by default. */
  fixed?: number | undefined
}>

/** A counter whose factor follows the counts of providers. */
export interface Calibrated extends TextCounter {
  readonly revision: number
  /** The factor of the counts; 1 before anything was learned. */
  readonly factor: number
  /** The tokens of every request that are not in the tree, such as those of tools. */
  readonly fixed: number
  /** Learns from an attempt that was completed with `tokenIn`, or from a sample. Gives false if there was nothing to learn. */
  readonly learn: (from: CountedAttempt | Sample) => boolean
}

/** The number of requests that are kept for fitting. */
export const MOST_SAMPLES = 64

/** A factor beyond these says that something else was counted, not that the tokenizer differs. */
const LEAST_FACTOR = 0.5
const MOST_FACTOR = 2

/** Requests whose sizes differ by less than this share of the largest say nothing about the fixed part. */
const LEAST_SPREAD = 0.1

/** Makes a counter that learns from the `usage` of attempts. */
export function calibrated(options: CalibratedOptions = {}): Calibrated {
  return asCall(calibrated, () => {
    const { counter = estimate, fixed } = options ?? {}
    if (typeof counter !== 'function') throw invalid('counter', 'The option counter is a function such as estimate.')
    if (fixed !== undefined) checkCount('fixed', fixed)
    return learning(counter, fixed)
  })
}

function learning(counter: TextCounter, known: number | undefined): Calibrated {
  /** As the counter below counts them, without the factor. */
  const samples: Sample[] = []
  let line: Line = { factor: 1, fixed: known ?? 0 }
  let revision = 0
  const learn = (from: CountedAttempt | Sample): boolean =>
    asCall(learn, () => {
      const sample = sampleOf(from)
      if (sample === undefined || sample.counted === 0) return false
      samples.push({ counted: sample.counted / line.factor, actual: sample.actual })
      if (samples.length > MOST_SAMPLES) samples.shift()
      const next = lineThrough(samples, known)
      if (next.factor !== line.factor) revision++
      line = next
      return true
    })
  const count: TextCounter = (text, node) => Math.round(counter(text, node) * line.factor)
  return Object.freeze(
    Object.defineProperties(count, {
      revision: { get: () => revision + (counter.revision ?? 0), enumerable: true },
      factor: { get: () => line.factor, enumerable: true },
      fixed: { get: () => line.fixed, enumerable: true },
      isQuick: { value: counter.isQuick, enumerable: true },
      learn: { value: learn, enumerable: true },
    }),
  ) as Calibrated
}

type Line = Readonly<{ factor: number; fixed: number }>

/** The line that comes nearest to all samples. */
function lineThrough(samples: readonly Sample[], known: number | undefined): Line {
  if (known !== undefined) return through(samples, known)
  const sizes = samples.map(({ counted }) => counted)
  const largest = Math.max(...sizes)
  if (largest - Math.min(...sizes) < LEAST_SPREAD * largest) return withoutSpread(samples)
  const [x, y] = [mean(sizes), mean(samples.map(({ actual }) => actual))]
  const slope =
    mean(samples.map(({ counted, actual }) => (counted - x) * (actual - y))) /
    mean(sizes.map((size) => (size - x) ** 2))
  const fixed = y - slope * x
  return fixed < 0 || !isLikely(slope) ? withoutSpread(samples) : { factor: slope, fixed: Math.round(fixed) }
}

/** One request, or several of one size: a factor, unless no tokenizer has it; then the rest of a request is something else. */
function withoutSpread(samples: readonly Sample[]): Line {
  const rest = mean(samples.map(({ counted, actual }) => actual - counted))
  const counted = mean(samples.map((each) => each.counted))
  return (counted + rest) / counted > MOST_FACTOR ? { factor: 1, fixed: Math.round(rest) } : through(samples, 0)
}

function through(samples: readonly Sample[], fixed: number): Line {
  const counted = mean(samples.map((each) => each.counted))
  const actual = mean(samples.map((each) => Math.max(0, each.actual - fixed)))
  return { factor: Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, actual / counted)), fixed }
}

function isLikely(factor: number): boolean {
  return factor >= LEAST_FACTOR && factor <= MOST_FACTOR
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function sampleOf(from: unknown): Sample | undefined {
  if (typeof from !== 'object' || from === null) {
    throw invalid('from', `Learn from an attempt, or from { counted, actual }, not from ${describe(from)}.`)
  }
  if (!('record' in from)) {
    const { counted, actual } = from as Sample
    checkCount('counted', counted)
    checkCount('actual', actual)
    return { counted, actual }
  }
  const attempt = from as CountedAttempt
  const actual = attempt.record.token_in
  if (actual === null || actual === undefined) return undefined
  // The overhead is the same for every tokenizer.
  const { total, overhead = 0 } = attempt.tokens()
  return { counted: total - overhead, actual: Math.max(0, actual - overhead) }
}

function checkCount(name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return
  throw invalid(name, `${name} is a number from 0 up, not ${describe(value)}.`)
}
