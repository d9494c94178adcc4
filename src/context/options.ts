// What a caller may say about a new context, checked before anything is made.

import { describe, PactError, short } from '../errors/index.js'
import type { Clock, CountTokens, Dialect, IdSource, MintSources, Warning } from '../core/index.js'
import { checkPolicy, type EmptySegments, type PrunePolicy } from '../commit/index.js'
import type { OdiMode } from '../edit/index.js'
import type { Tracer } from '../attempts/index.js'

export type ContextOptions = Readonly<{
  /** The context's name; ids do not depend on it. */
  id?: string | undefined
  /** The edition whose names and language the context speaks; '1.0' by default, or what an import says. */
  dialect?: Dialect | undefined
  /** Nanoseconds; wall-clock time by default. Inject one, and the same calls give the same bytes. */
  clock?: Clock | undefined
  /** Names new nodes; by default `block:<cycle>-<n>` and the like. */
  ids?: IdSource | undefined
  /** What to do with older instances of a key in the way of a new one: put them deeper (the default), or refuse. */
  odi?: OdiMode | undefined
  /** When to take old nodes out of history. */
  prune?: PrunePolicy | undefined
  /** What becomes of segments whose last block has left: they stay (the default), so that depths go on counting turns, or go. */
  emptySegments?: EmptySegments | undefined
  /** How many snapshots the context keeps, the newest; all by default. Forks keep as many. */
  history?: number | undefined
  /** Counts tokens for `prune.maxTokens` and `tokens`; `estimate` of `pact-context/tokens` by default. */
  countTokens?: CountTokens | undefined
  /** Whether a selector over a range gives what changed in it; with false, see ListOptions, a flat list. */
  selectRangeReturnsDiff?: true | undefined
  /** Told what is worth knowing but no error; `warnings` lists the same. */
  onWarning?: ((warning: Warning) => void) | undefined
  /** Nanoseconds since 1970 for attempts alone, so that they move no time in the tree; wall-clock time by default. */
  attemptClock?: Clock | undefined
  /** How many attempt records the context keeps, the newest; 1,000 by default. */
  keepAttempts?: number | undefined
  /** Told of every attempt and commit: a Tracer of `@opentelemetry/api`, or anything like it. */
  tracer?: Tracer | undefined
}>

/** Options with which a selector over a range may give a flat list of ids; the type of `select` then says so. */
export type ListOptions<Value extends boolean = boolean> = Omit<ContextOptions, 'selectRangeReturnsDiff'> &
  Readonly<{ selectRangeReturnsDiff: Value }>

/** Either kind. */
export type AnyOptions = Omit<ContextOptions, 'selectRangeReturnsDiff'> &
  Readonly<{ selectRangeReturnsDiff?: boolean | undefined }>

const NAMES: ReadonlySet<string> = new Set([
  'id',
  'dialect',
  'clock',
  'ids',
  'odi',
  'prune',
  'emptySegments',
  'history',
  'countTokens',
  'selectRangeReturnsDiff',
  'onWarning',
  'attemptClock',
  'keepAttempts',
  'tracer',
])
const FUNCTIONS = ['clock', 'ids', 'countTokens', 'onWarning', 'attemptClock'] as const

/** Gives a frozen copy, or says which option is wrong. */
export function checkOptions(options: AnyOptions | undefined): AnyOptions {
  const given = options ?? {}
  if (typeof given !== 'object') throw badOption('options', 'Options are an object such as { id: "support-42" }.')
  for (const name of Object.keys(given)) {
    if (!NAMES.has(name))
      throw badOption(name, `There is no option "${short(name)}"; there are ${[...NAMES].join(', ')}.`)
  }
  const { id, dialect } = given
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw badOption('id', 'The option id must be a string that is not empty.')
  }
  if (dialect !== undefined && dialect !== '1.0' && dialect !== '0.1') {
    throw badOption('dialect', `The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
  }
  const { odi } = given
  if (odi !== undefined && odi !== 'demote' && odi !== 'reject') {
    throw badOption('odi', `The option odi is 'demote' or 'reject', not ${describe(odi)}.`)
  }
  const { emptySegments } = given
  if (emptySegments !== undefined && emptySegments !== 'keep' && emptySegments !== 'remove') {
    throw badOption('emptySegments', `The option emptySegments is 'keep' or 'remove', not ${describe(emptySegments)}.`)
  }
  const { history } = given
  if (history !== undefined && history !== Infinity && !(Number.isSafeInteger(history) && history >= 1)) {
    throw badOption('history', `The option history is a whole number from 1 up, or Infinity, not ${describe(history)}.`)
  }
  for (const name of FUNCTIONS) {
    const value: unknown = given[name]
    if (value !== undefined && typeof value !== 'function') {
      throw badOption(name, `The option ${name} must be a function.`)
    }
  }
  const { selectRangeReturnsDiff } = given
  if (selectRangeReturnsDiff !== undefined && typeof selectRangeReturnsDiff !== 'boolean') {
    throw badOption('selectRangeReturnsDiff', 'The option selectRangeReturnsDiff is true or false.')
  }
  const { keepAttempts, tracer } = given
  if (keepAttempts !== undefined && !(Number.isSafeInteger(keepAttempts) && keepAttempts >= 0)) {
    throw badOption(
      'keepAttempts',
      `The option keepAttempts is a whole number from 0 up, not ${describe(keepAttempts)}.`,
    )
  }
  if (tracer !== undefined && typeof (tracer as Tracer | null)?.startSpan !== 'function') {
    throw badOption('tracer', 'The option tracer must have a method startSpan, as the tracers of OpenTelemetry do.')
  }
  const prune = checkPolicy(given.prune)
  return Object.freeze({ ...given, ...(prune === undefined ? {} : { prune }) })
}

/** A fork's options: its parent's, but for those that are given; its dialect stays. */
export function forkOptions(parent: AnyOptions, options: AnyOptions): AnyOptions {
  const checked = checkOptions(options)
  if (checked.dialect !== undefined && checked.dialect !== parent.dialect) {
    throw badOption('dialect', 'A fork speaks the dialect of the context it comes from.')
  }
  const given = Object.entries(checked).filter(([, value]) => value !== undefined)
  return checkOptions({ ...parent, ...Object.fromEntries(given) })
}

/** What the options say about new ids and times. */
export function mintSources(options: AnyOptions): Pick<MintSources, 'context' | 'clock' | 'ids' | 'hasForeignIds'> {
  return {
    context: options.id ?? 'context',
    clock: options.clock ?? wallClock,
    ids: options.ids,
    hasForeignIds: options.ids !== undefined,
  }
}

/** Most readings fall into the millisecond of the one before, and making a bigint costs more than looking. */
let latest = { ms: 0, ns: 0n }

/** The default clock, of nodes and of attempts. */
export function wallClock(): bigint {
  const ms = Date.now()
  if (ms !== latest.ms) latest = { ms, ns: BigInt(ms) * 1_000_000n }
  return latest.ns
}

function badOption(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
