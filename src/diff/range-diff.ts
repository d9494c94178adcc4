// A selector over a range of snapshots (04 §4, D23, D39): its selections, compared from newer to older.

import { checkOption, FLAG, oneOf, wholeFrom, type OptionRule } from '../errors/index.js'
import { defined, type JsonObject, type JsonValue, type NodeRecord } from '../core/index.js'
import { contentHashOfRecord, withJsonForm } from '../codec/index.js'
import type { Apart } from '../query/index.js'
import type { View } from '../timeline/index.js'
import { compareViews, type ChangedNode, type Sides } from './compare.js'
import { diffContent, type ContentDiffOptions } from './content-diff.js'
import { deltaOf, withJson } from './detailed-diff.js'
import type {
  BlockChange,
  DiffBlock,
  Materialized,
  RangeDiffLatestResult,
  RangeFault,
  SnapshotRef,
} from './diff-types.js'

/** Options of a range. */
export type RangeOptions = Readonly<{
  /** Attaches a content_diff to every node whose content hash differs. */
  includeContent?: boolean | undefined
  /** The form of a content_diff; unified by default. */
  contentMode?: ContentDiffOptions['mode'] | undefined
  /** Lines (or tokens) kept around a change; 3 by default. */
  contextLines?: number | undefined
  /** The fields to show of both sides of a changed node. */
  materialize?: readonly Materialized[] | undefined
  /** The number of snapshots to compare, counted from the newest. */
  maxSnapshots?: number | undefined
  /** The number of entries to keep in every block: added, then removed, then changed. */
  maxChangesPerSnapshot?: number | undefined
}>

/** One snapshot of the range. */
export type RangeSide = Readonly<{ ref: SnapshotRef; view: View }>

export type RangeInput = Readonly<{
  query: string
  mode: 'pairwise' | 'latest'
  /** Newest first; no more than `maxSnapshots`. */
  sides: readonly RangeSide[]
  /** Selects in two of them. */
  select: (older: View, newer: View) => Apart
  /** The number of snapshots without the limit. */
  found: number
  warnings: readonly string[]
  options: RangeOptions
}>

const DEFAULT_CONTEXT = 3

/** Compares each snapshot with the next older one, or the newest with the oldest. */
export function diffRange(input: RangeInput): RangeDiffLatestResult {
  const { query, mode, sides, found, warnings, options } = input
  const { maxSnapshots, maxChangesPerSnapshot } = options
  const blocks = pairsOf(sides, mode).map(([newer, older]) => blockOf(newer, older, input))
  const isCut = found > sides.length
  const hasCap = maxSnapshots !== undefined || maxChangesPerSnapshot !== undefined
  const truncated = isCut || blocks.some(isTruncated)
  const limits = hasCap ? Object.freeze(defined({ maxSnapshots, maxChangesPerSnapshot, truncated })) : undefined
  const result = defined({
    query,
    snapshots: Object.freeze(sides.map(({ ref }) => ref)),
    diffs: Object.freeze(blocks),
    mode,
    limits,
    warnings: warnings.length === 0 ? undefined : Object.freeze([...warnings]),
    errors: isCut ? Object.freeze([limitFault(found, sides.length)]) : undefined,
  })
  return withJson(result)
}

/** Refuses options that mean nothing. */
export function checkRangeOptions(options: RangeOptions): void {
  for (const [name, rule] of Object.entries(RULES)) checkOption(name, options[name as keyof RangeOptions], rule)
}

const NAMES: readonly string[] = ['content', 'mime', 'encoding', 'content_hash']

const RULES: Readonly<Record<keyof RangeOptions, OptionRule>> = {
  maxSnapshots: wholeFrom(0),
  maxChangesPerSnapshot: wholeFrom(0),
  contextLines: wholeFrom(0),
  includeContent: FLAG,
  contentMode: oneOf('unified', 'jsonpatch', 'tokens'),
  materialize: { form: `a list of ${NAMES.join(', ')}`, allows: (list) => isListOfNames(list) },
}

/** Every place of the list counts, also an empty one; a longer list is a mistake. */
function isListOfNames(list: unknown): boolean {
  return Array.isArray(list) && list.length <= MOST_NAMES && Array.from(list).every((each) => NAMES.includes(each))
}

const MOST_NAMES = 100

function pairsOf(sides: readonly RangeSide[], mode: 'pairwise' | 'latest'): (readonly [RangeSide, RangeSide])[] {
  if (sides.length < 2) return []
  if (mode === 'latest') return [[sides[0]!, sides.at(-1)!]]
  return sides.slice(1).map((older, i) => [sides[i]!, older] as const)
}

function blockOf(newer: RangeSide, older: RangeSide, { select, options }: RangeInput): DiffBlock {
  const sides: Sides = { older: older.view, newer: newer.view }
  const { onlyNewer, onlyOlder, changed } = compareViews(sides, select(older.view, newer.view))
  const stats = { added: onlyNewer.length, removed: onlyOlder.length, changed: changed.length }
  const room = options.maxChangesPerSnapshot ?? Infinity
  const added = onlyNewer.slice(0, room)
  const removed = onlyOlder.slice(0, room - added.length)
  const kept = changed.slice(0, room - added.length - removed.length)
  return Object.freeze({
    from: newer.ref,
    to: older.ref,
    added_ids: Object.freeze(added.map(({ id }) => id)),
    removed_ids: Object.freeze(removed.map(({ id }) => id)),
    changed: Object.freeze(kept.map((change) => changeOf(newer, older, change, options))),
    stats: Object.freeze(stats),
  })
}

function isTruncated({ added_ids, removed_ids, changed, stats }: DiffBlock): boolean {
  return added_ids.length + removed_ids.length + changed.length < stats.added + stats.removed + stats.changed
}

function changeOf(newer: RangeSide, older: RangeSide, change: ChangedNode, options: RangeOptions): BlockChange {
  const { fields } = change
  const { includeContent, materialize, contentMode = 'unified', contextLines = DEFAULT_CONTEXT } = options
  const delta = deltaOf({ record: change.newer, view: newer.view }, { record: change.older, view: older.view }, fields)
  const wantsContent = includeContent === true && fields.includes('content_hash')
  const wanted = { mode: contentMode, contextLines }
  const contentSides = [contentSide(newer, change.newer), contentSide(older, change.older)] as const
  return withJson(
    defined({
      id: change.newer.id,
      fields,
      delta,
      content_diff: wantsContent ? diffContent(...contentSides, wanted) : undefined,
      materialized:
        materialize &&
        Object.freeze({
          from: materializedOf(change.newer, materialize),
          to: materializedOf(change.older, materialize),
        }),
    }),
  )
}

function contentSide({ ref }: RangeSide, record: NodeRecord): Parameters<typeof diffContent>[0] {
  return { id: record.id, label: ref.label, content: record.content, mime: textAttribute(record, 'content_mime') }
}

function materializedOf(record: NodeRecord, names: readonly Materialized[]): JsonObject {
  const values: Record<Materialized, JsonValue> = {
    content: record.content === undefined ? '' : record.content,
    mime: textAttribute(record, 'content_mime') ?? null,
    encoding: textAttribute(record, 'content_encoding') ?? null,
    content_hash: contentHashOfRecord(record),
  }
  return Object.freeze(withJsonForm(Object.fromEntries(names.map((name) => [name, values[name]]))))
}

function textAttribute(record: NodeRecord, name: string): string | undefined {
  const value = record.rare?.attributes?.get(name)
  return typeof value === 'string' ? value : undefined
}

function limitFault(found: number, kept: number): RangeFault {
  const message = `The range has ${found} snapshots; maxSnapshots keeps the newest ${kept}.`
  return Object.freeze({ code: 'E_SNAPSHOT_RANGE_LIMIT', message, fatal: false })
}
