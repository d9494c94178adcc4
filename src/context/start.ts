// How a context comes into being: empty, imported or as a fork.

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
  edition: Omit<Edition, 'queries' | 'tokens' | 'count'>
  tokens: TokenCounts
  /** The contexts that share a past with it. */
  family: Family
  /** What its import was warned of. */
  warnings: readonly Warning[]
  /** What it was warned of since, where it was there before. */
  laterWarnings?: readonly Warning[]
  /** What returned when its cycle opened, where that was before. */
  due?: Pick<Beginning, 'opened' | 'leftOut'>
  /** Its attempts, where it was there before. */
  attempts?: KeptAttempts | undefined
  /** How many forks have left, where it was there before. */
  forks?: number
  /** Whether its cycle opens with it, and what is due in it is put in (D28). */
  opens: boolean
  /** Lets go of what was needed only until it is written down. */
  release?: (() => void) | undefined
}>
