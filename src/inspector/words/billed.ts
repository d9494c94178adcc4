// The cache that a call could read, and the cache that its provider billed.

import type { PrefixAnswer, Send } from '../../api/index.js'
import { count, percent } from './numbers.js'

export type Billed = NonNullable<Send['billed']>

/** Providers cache nothing shorter than this. */
const LEAST = 1024
/** Counts of providers differ from ours, and caches go by blocks; a difference of this share says that a cache was missed. */
const MISSED = 0.2

/** True if the provider read much less from its cache than the common beginning of both calls. */
export function isShort(
  { input, read }: Billed,
  { tokens, total }: Readonly<{ tokens: number; total?: number }>,
): boolean {
  const share = read / Math.max(1, input)
  const expected = tokens / Math.max(1, total ?? input)
  return tokens >= LEAST && expected - share > MISSED
}

export type Comparison = Readonly<{ predicted: number; billed: number; isShort: boolean; words: string }>

/** The shares, and the difference in words. Tools and system texts in params count: a cache holds them, too. */
export function compareBilled(billed: Billed, { tokens, total, params }: PrefixAnswer): Comparison {
  const [common, all] = [tokens + (params?.tokens ?? 0), total + (params?.total ?? 0)]
  const [predicted, share] = [common / Math.max(1, all), billed.read / Math.max(1, billed.input)]
  const short = isShort(billed, { tokens: common, total: all })
  const words = short
    ? 'The cache had less than the bytes allowed.'
    : share - predicted > MISSED
      ? 'An older call had written more of it.'
      : common < LEAST && billed.read === 0
        ? 'Too short for a cache.'
        : ''
  return { predicted, billed: share, isShort: short, words }
}

export function billedWords({ input, read }: Billed): string {
  return `${count(read)} of ${count(input)} tokens read (${percent(read / Math.max(1, input))})`
}
