// The options of a context, checked before anything is made.

import {
  ANYTHING,
  checkOptions,
  FLAG,
  FUNCTION,
  invalid,
  oneOf,
  TEXT,
  wholeFrom,
  type OptionRule,
} from '../errors/index.js'
import type { Clock, CountTokens, Dialect, IdSource, MintSources, Warning } from '../core/index.js'
import { checkPolicy, TokenCounts, type EmptySegments, type PrunePolicy } from '../commit/index.js'
import type { OdiMode } from '../edit/index.js'
import { estimate } from '../tokens/index.js'
import type { Tracer } from '../attempts/index.js'

export type ContextOptions = Readonly<{
  /** The context's name; ids do not depend on it. */
  id?: string | undefined
  /** The edition whose names and language the context uses; '1.0' by default, or the edition of an import. */
  dialect?: Dialect | undefined
  /** Nanoseconds; wall-clock time by default. Inject one, and the same calls give the same bytes. */
  clock?: Clock | undefined
  /** Names new nodes; by default `block:<cycle>-<n>` and the like. */
  ids?: IdSource | undefined
  /** The treatment of older instances of a key that are in the way of a new one: put them deeper (the default), or refuse. */
  odi?: OdiMode | undefined
  /** When to take old nodes out of history. */
  prune?: PrunePolicy | undefined
  /**
   * The treatment of segments whose last block has left: they stay (the default), so that depths keep counting turns, or they are
   * removed.
   */
  emptySegments?: EmptySegments | undefined
  /** The number of snapshots to keep, counted from the newest; all by default. Forks keep as many. */
  history?: number | undefined
  /** Counts tokens for `prune.maxTokens` and `tokens`; `estimate` of `pact-context/tokens` by default. */
  countTokens?: CountTokens | undefined
  /** With true, the default, a selector over a range gives the changes in it. For false, a flat list, see ListOptions. */
  selectRangeReturnsDiff?: true | undefined
  /** Called with each warning; `warnings` lists the same. */
  onWarning?: ((warning: Warning) => void) | undefined
  /** Nanoseconds since 1970 for attempts alone, so that they move no time in the tree; wall-clock time by default. */
  attemptClock?: Clock | undefined
  /** The number of attempt records to keep, counted from the newest; 1,000 by default. */
  keepAttempts?: number | undefined
  /** A Tracer of `@opentelemetry/api`, or an object like it; it gets a span for every attempt and commit. */
  tracer?: Tracer | undefined
}>

/** Options with which a selector over a range may give a flat list of ids; the type of `select` then says so. */
export type ListOptions<Value extends boolean = boolean> = Omit<ContextOptions, 'selectRangeReturnsDiff'> &
  Readonly<{ selectRangeReturnsDiff: Value }>

/** Either kind. */
export type AnyOptions = Omit<ContextOptions, 'selectRangeReturnsDiff'> &
  Readonly<{ selectRangeReturnsDiff?: boolean | undefined }>

const RULES: Readonly<Record<keyof AnyOptions, OptionRule>> = {
  id: TEXT,
  dialect: oneOf('1.0', '0.1'),
  clock: FUNCTION,
  ids: FUNCTION,
  odi: oneOf('demote', 'reject'),
  prune: ANYTHING,
  emptySegments: oneOf('keep', 'remove'),
  history: wholeFrom(1, true),
  countTokens: FUNCTION,
  selectRangeReturnsDiff: FLAG,
  onWarning: FUNCTION,
  attemptClock: FUNCTION,
  keepAttempts: wholeFrom(0),
  tracer: {
    form: 'an object with a method startSpan, such as a tracer of OpenTelemetry',
    allows: (tracer) => typeof (tracer as Tracer | null)?.startSpan === 'function',
  },
}

/** A frozen copy of options that are right; an error names the one that is not. */
export function checkContextOptions(options: AnyOptions | null | undefined): AnyOptions {
  const given = options ?? {}
  checkOptions(given, RULES, "{ id: 'support-42' }")
  const prune = checkPolicy(given.prune)
  return Object.freeze({ ...given, ...(prune === undefined ? {} : { prune }) })
}

/** The options of a fork: its parent's, except for those given; the dialect stays. */
export function forkOptions(parent: AnyOptions, options: AnyOptions): AnyOptions {
  const checked = checkContextOptions(options)
  if (checked.dialect !== undefined && checked.dialect !== parent.dialect) {
    throw invalid('dialect', 'A fork speaks the dialect of the context it comes from.')
  }
  const given = Object.entries(checked).filter(([, value]) => value !== undefined)
  return checkContextOptions({ ...parent, ...Object.fromEntries(given) })
}

/** The clock and id source of the options. */
export function mintSources(options: AnyOptions): Pick<MintSources, 'context' | 'clock' | 'ids' | 'hasForeignIds'> {
  return {
    context: options.id ?? 'context',
    clock: options.clock ?? wallClock,
    ids: options.ids,
    hasForeignIds: options.ids !== undefined,
  }
}

/** The token counts of a context with these options. */
export function tokenCountsFor({ countTokens }: AnyOptions): TokenCounts {
  return new TokenCounts(countTokens ?? estimate)
}

/** The default clock, of nodes and of attempts. */
export function wallClock(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
