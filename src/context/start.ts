// The start of a context: empty, imported, restored, or a fork.

import type { KeptAttempts, Mint, Warning } from '../core/index.js'
import type { Draft, Timeline } from '../timeline/index.js'
import type { TokenCounts } from '../commit/index.js'
import type { Beginning } from './beginning.js'
import type { Family } from './family.js'
import type { AnyOptions } from './options.js'
import type { Edition } from './edition.js'

export type Start = Readonly<{
  options: AnyOptions
  timeline: Timeline
  draft: Draft
  mint: Mint
  edition: Omit<Edition, 'queries' | 'tokens'>
  tokens: TokenCounts
  /** The contexts that share a past with it. */
  family: Family
  /** The warnings of its import. */
  warnings: readonly Warning[]
  /** Later warnings of a restored context. */
  laterWarnings?: readonly Warning[]
  /** The nodes that returned when the open cycle of a restored context began. */
  due?: Pick<Beginning, 'opened' | 'leftOut'>
  /** Its attempts, where it was there before. */
  attempts?: KeptAttempts | undefined
  /** The number of forks that have left a restored context. */
  forks?: number
  /** True if its cycle opens now, so that nodes that are due are put in (D28). */
  opens: boolean
  /** Releases data that was needed only until the context is written. */
  release?: (() => void) | undefined
}>
