// A naive second opinion on time ranges (000 §3.7, §4 "Range Select Output"; D7, D8, D23, D39, D45). A range is a list of whole
// documents, newest first; each is asked on its own, and neighbours are compared like the two sides of any diff
// (diff.ts). Content diffs are not modelled. Warnings and errors have a wording of their own: compare `withoutWording`.
//
// Two readings of "in its order" (D39) are possible where a selection has an order of its own (`@order`, same-key order, a
// 1.0 union). Taken here: the order of the newer *snapshot*, that is document order, as 000 §4 ("canonical sibling order of
// the from snapshot") and 05 §4.4 have it. `@order` then decides which nodes a window keeps (D23), and the order of
// the flat union, whose list is a selection.

import { changesBetween, dialectOf, headerValue, onlyIn, placesIn, type SnapshotDocument } from './diff.js'
import { OracleError, oracleSelect } from './selector.js'
import type { Place } from './selector-match.js'
import { type Control, type Dialect, parseOracleSelector, type Time, type TimePoint } from './selector-parse.js'

export type RangeOptions = {
  /** That of the newest document by default, 1.0 where there is none. */
  dialect?: Dialect
  /** D23: after the selector's own windows; on each snapshot's list, for the union on the joined one. */
  skip?: number
  limit?: number
  maxSnapshots?: number
  maxChangesPerSnapshot?: number
}

export type RangeRef = { kind: 't' | 'c'; value: number; label: string; cycle: number }

export type RangeChange = {
  id: string
  fields: string[]
  delta: Record<string, { from: unknown; to: unknown }>
}

export type RangeBlock = {
  from: RangeRef
  to: RangeRef
  added_ids: string[]
  removed_ids: string[]
  changed: RangeChange[]
  stats: { added: number; removed: number; changed: number }
}

export type RangeResult = {
  query: string
  snapshots: RangeRef[]
  diffs: RangeBlock[]
  mode: 'pairwise' | 'latest'
  limits?: { maxSnapshots?: number; maxChangesPerSnapshot?: number; truncated: boolean }
  warnings?: string[]
  errors?: { code: string; message: string; fatal: boolean }[]
}

/**
 * The answer of `ctx.select` for a selector with a range: the range form, or for `@mode=union`, and for every mode where the
 * context has `selectRangeReturnsDiff: false`, the flat list.
 */
export function naiveRangeSelect(
  documents: readonly SnapshotDocument[],
  text: string,
  options: RangeOptions & { selectRangeReturnsDiff?: boolean } = {},
): RangeResult | string[] {
  const { mode } = rangeOf(documents, text, options)
  return mode === 'union' || options.selectRangeReturnsDiff === false
    ? naiveUnion(documents, text, options)
    : naiveRange(documents, text, options)
}

/**
 * The answer of `ctx.rangeDiffLatest`: always the range form. `documents` are all snapshots there are, in any order. A
 * selector without a range, or with `@mode=union`, is E_SELECTOR_INVALID; every fault is an OracleError with its `code`.
 */
export function naiveRange(
  documents: readonly SnapshotDocument[],
  text: string,
  options: RangeOptions = {},
): RangeResult {
  const { mode, dialect, snapshots, warnings } = rangeOf(documents, text, options)
  if (mode === 'union') throw new OracleError('E_SELECTOR_INVALID', '@mode=union is a flat list, no range form.')
  const kept = snapshots.slice(0, options.maxSnapshots)
  const sides = kept.map(({ ref, document }) => ({ ref, places: selected(document, text, dialect, options) }))
  const whole = pairsOf(sides, mode).map(({ from, to }) => blockBetween(from, to))
  const diffs = whole.map((block) => cutBlock(block, options.maxChangesPerSnapshot))
  const cutRange = kept.length < snapshots.length
  const cutBlocks = diffs.some((block, index) => sizeOf(block) < sizeOf(whole[index]!))
  return {
    query: text,
    snapshots: kept.map(({ ref }) => ref),
    diffs,
    mode,
    ...limitsOf(options, cutRange || cutBlocks),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(cutRange ? { errors: [rangeLimitError(snapshots.length, kept.length)] } : {}),
  }
}

/**
 * The flat list over a range (D8, D45): newest first, each id once, where first seen; `@order` and windows on the joined list. Of the
 * caps only `maxSnapshots` has a meaning here. A range without any snapshot is E_SNAPSHOT_NOT_FOUND, unlike `@*`.
 */
export function naiveUnion(documents: readonly SnapshotDocument[], text: string, options: RangeOptions = {}): string[] {
  const { dialect, snapshots } = rangeOf(documents, text, options)
  const kept = snapshots.slice(0, options.maxSnapshots)
  return ask(
    kept.map(({ document }) => document),
    text,
    dialect,
    options,
  )
}

/** The result as it is compared: how many warnings, which errors, and a small bigint as the number it is. */
export function withoutWording(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plain)
  const { warnings, errors, ...rest } = result as Record<string, unknown>
  return plain({
    ...rest,
    ...(warnings === undefined ? {} : { warnings: (warnings as string[]).length }),
    ...(errors === undefined
      ? {}
      : { errors: (errors as { code: string; fatal: boolean }[]).map(({ code, fatal }) => ({ code, fatal })) }),
  })
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

// ------------------------------------------------------------------------------------------------- which snapshots (D7)

type Snapshot = { ref: RangeRef; document: SnapshotDocument }
type Mode = 'pairwise' | 'latest' | 'union'
type Range = Extract<Time, { kind: 'range' }>

function rangeOf(
  documents: readonly SnapshotDocument[],
  text: string,
  options: RangeOptions,
): { mode: Mode; dialect: Dialect; snapshots: Snapshot[]; warnings: string[] } {
  const newestFirst = documents.toSorted((a, b) => b.cycle - a.cycle)
  const dialect = options.dialect ?? (newestFirst[0] === undefined ? '1.0' : dialectOf(newestFirst[0]))
  const { time, controls } = parseOracleSelector(text, dialect)
  if (time?.kind !== 'range') throw new OracleError('E_SELECTOR_INVALID', 'A selector with a range expected.')
  checkCap(options.maxSnapshots)
  checkCap(options.maxChangesPerSnapshot)
  return { mode: modeOf(controls), dialect, ...expand(newestFirst, time) }
}

/** Of several, the last counts, as with every control. */
function modeOf(controls: readonly Control[]): Mode {
  return (controls.findLast(({ name }) => name === 'mode')?.value ?? 'pairwise') as Mode
}

function checkCap(cap: number | undefined): void {
  if (cap !== undefined && !(Number.isSafeInteger(cap) && cap >= 0)) {
    throw new OracleError('E_CONTENT_INVALID', 'A cap is a whole number from 0 up.')
  }
}

/** Snapshots between the ends, newest first, and one warning for each end that was clipped and for all that are thinned. */
function expand(newestFirst: readonly SnapshotDocument[], range: Range): { snapshots: Snapshot[]; warnings: string[] } {
  const { kind } = range.from
  const all = newestFirst.map((document, index) => ({
    document,
    at: kind === 't' ? -BigInt(index) : BigInt(document.cycle),
  }))
  const one = numberOf(range.from, newestFirst.length)
  const other = numberOf(range.to, newestFirst.length)
  const [low, high] = one < other ? [one, other] : [other, one]
  const inside = all.filter(({ at }) => at >= low && at <= high)
  if (inside.length === 0) throw new OracleError('E_SNAPSHOT_NOT_FOUND', 'No snapshot in the range.')

  const oldest = all.at(-1)!.at
  const newest = all[0]!.at
  const asked = (high > newest ? newest : high) - (low < oldest ? oldest : low) + 1n // once clipped
  const thinned = asked - BigInt(inside.length) // 0 under @t, which counts the snapshots there are
  return {
    snapshots: inside.map(({ document, at }) => ({ document, ref: refOf(kind, Number(at), document.cycle) })),
    warnings: [
      ...(high > newest ? [`Nothing is newer than @${kind}${newest}.`] : []),
      ...(low < oldest ? [`Nothing is older than @${kind}${oldest}.`] : []),
      ...(thinned > 0n ? [`Thinned cycles were left out: ${thinned}.`] : []),
    ],
  }
}

/** `@t0` is 0, `@t-1` is -1, the oldest of n snapshots is 1 - n; a cycle is itself. */
function numberOf(point: TimePoint, snapshots: number): bigint {
  return point.value === 'oldest' ? BigInt(1 - snapshots) : point.value
}

function refOf(kind: 't' | 'c', value: number, cycle: number): RangeRef {
  return { kind, value, label: `@${kind}${value}`, cycle }
}

// --------------------------------------------------------------------------------------------------------- what is seen

const RANGE_PREFIX = /^[ \t\r\n]*@(?:history|[tc](?:-\*|[+-]?\d+)(?:\.\.|:)(?:@[tc])?(?:-\*|[+-]?\d+))/

/** One snapshot's list, windows applied (D23), as a set in document order. */
function selected(document: SnapshotDocument, text: string, dialect: Dialect, options: RangeOptions): Place[] {
  return placesIn(document, ask([document], text, dialect, options, true))
}

/** The selector over exactly these documents: their flat union (D45), or `apart` each one's own list. Facets are judged by the cycle of each (D9). */
function ask(
  documents: readonly SnapshotDocument[],
  text: string,
  dialect: Dialect,
  { skip, limit }: RangeOptions,
  apart = false,
): string[] {
  if (documents.length === 0) return []
  const snapshots = documents.map(({ cycle, root }) => ({ cycle, tree: root }))
  const world = { dialect, snapshots, working: documents[0]!.root }
  return oracleSelect(world, text.replace(RANGE_PREFIX, '@t0..@t-* '), {
    flat: true,
    apart,
    ...(skip === undefined ? {} : { skip }),
    ...(limit === undefined ? {} : { limit }),
  })
}

// --------------------------------------------------------------------------------------------------------------- blocks

type Side = { ref: RangeRef; places: Place[] }

/** Neighbours, or the two ends; a single snapshot has nothing to be compared with. */
function pairsOf(sides: readonly Side[], mode: 'pairwise' | 'latest'): { from: Side; to: Side }[] {
  const compared = mode === 'latest' && sides.length > 1 ? [sides[0]!, sides.at(-1)!] : sides
  return compared.slice(1).map((to, index) => ({ from: compared[index]!, to }))
}

/** From newer to older (D39). */
function blockBetween(from: Side, to: Side): RangeBlock {
  const added = onlyIn(from.places, to.places)
  const removed = onlyIn(to.places, from.places)
  const changed = changesBetween(from.places, to.places).map((change) => ({
    id: change.id,
    fields: change.fields,
    delta: Object.fromEntries(
      change.fields.map((name) => [name, { from: headerValue(change.from, name), to: headerValue(change.to, name) }]),
    ),
  }))
  return {
    from: from.ref,
    to: to.ref,
    added_ids: added,
    removed_ids: removed,
    changed,
    stats: { added: added.length, removed: removed.length, changed: changed.length },
  }
}

/** Keeps the first entries of a block, added before removed before changed; `stats` goes on counting all of them. */
function cutBlock(block: RangeBlock, most: number | undefined): RangeBlock {
  if (most === undefined) return block
  const added = block.added_ids.slice(0, most)
  const removed = block.removed_ids.slice(0, most - added.length)
  const changed = block.changed.slice(0, most - added.length - removed.length)
  return { ...block, added_ids: added, removed_ids: removed, changed }
}

function sizeOf(block: RangeBlock): number {
  return block.added_ids.length + block.removed_ids.length + block.changed.length
}

function limitsOf(
  { maxSnapshots, maxChangesPerSnapshot }: RangeOptions,
  truncated: boolean,
): Pick<RangeResult, 'limits'> {
  if (maxSnapshots === undefined && maxChangesPerSnapshot === undefined) return {}
  return {
    limits: {
      ...(maxSnapshots === undefined ? {} : { maxSnapshots }),
      ...(maxChangesPerSnapshot === undefined ? {} : { maxChangesPerSnapshot }),
      truncated,
    },
  }
}

function rangeLimitError(found: number, kept: number): { code: string; message: string; fatal: boolean } {
  return {
    code: 'E_SNAPSHOT_RANGE_LIMIT',
    message: `The range has ${found} snapshots; the newest ${kept} were kept.`,
    fatal: false,
  }
}
