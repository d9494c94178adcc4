// The shapes that diffs and ranges have for their readers (05 §4.3, 04 §4, D38, D39). The documents' spelling is kept.

import type { Cause, JsonObject, JsonValue } from '../core/index.js'
import type { ContentDiff } from './content-diff.js'

/** Names one snapshot. */
export type SnapshotRef = Readonly<{ kind: 't' | 'c'; value: number; label: string; cycle: number }>

/** The changes from one tree to another, by id. */
export interface Diff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly Readonly<{ id: string; fields: readonly string[] }>[]
}

/** A diff with values, causes and places: enough to make the one tree from the other. */
export interface DetailedDiff {
  readonly from: DiffSide
  readonly to: DiffSide
  readonly added: readonly PlacedNode[]
  readonly removed: readonly PlacedNode[]
  readonly changed: readonly DetailedChange[]
  /** Every parent to which one of these nodes came, or which one left: by creation, removal or re-parenting. */
  readonly parents: readonly ParentChange[]
  /** Pairs of a removed and an added node with the same content hash. */
  readonly moves: readonly InferredMove[]
  /** Schedules of one side alone, or different on both; only if there is a difference. */
  readonly schedules?: ScheduleChanges
  /** Hashes that were equal although the contents are not. */
  readonly warnings?: readonly string[]
  toJSON(): JsonObject
}

/** Schedules as an export has them. */
export type ScheduleChanges = Readonly<{
  added: readonly JsonObject[]
  removed: readonly JsonObject[]
  changed: readonly Readonly<{ key: string; from: JsonObject; to: JsonObject }>[]
}>

/** Why a node is in a diff; `selection` where both sides hold it and only one of them selects it. */
export type DiffCause = Cause | 'selection'

export type DiffSide = Readonly<{ lens: string; cycle: number }>

/** A node that one side has alone. */
export type PlacedNode = Readonly<{
  id: string
  cause: DiffCause
  /** The cycle in which that happened. */
  cycle: number
  parent: string | null
  /** True if it can hold children. */
  is_container: boolean
  /** Every header and the content, as an export has them, without the children. */
  node: JsonObject
  /** Its index in the provider thread of its side; null for a node that is no item. */
  thread_index: number | null
}>

export type DetailedChange = Readonly<{
  id: string
  fields: readonly string[]
  /** For every field the value before and after, null where it was not there. */
  delta: Readonly<Record<string, ValueChange>>
  /** The contents themselves, where they differ; a side without content has none. */
  content?: Readonly<{ from?: JsonValue; to?: JsonValue }>
  parent_changed: boolean
  offset_changed: boolean
  cause: DiffCause
  cycle: number
  thread_index: Readonly<{ from: number | null; to: number | null }>
}>

export type ValueChange = Readonly<{ from: JsonValue; to: JsonValue }>

export type ParentChange = Readonly<{
  id: string
  children_added: readonly string[]
  children_removed: readonly string[]
}>

export type InferredMove = Readonly<{ from: string; to: string; content_hash: string }>

/** The result of a selector over a range of snapshots. */
export interface RangeDiffLatestResult {
  /** The selector as it was asked. */
  readonly query: string
  /** Newest first. */
  readonly snapshots: readonly SnapshotRef[]
  readonly diffs: readonly DiffBlock[]
  readonly mode: 'pairwise' | 'latest'
  /** Only where a cap was given. */
  readonly limits?: RangeLimits
  readonly warnings?: readonly string[]
  readonly errors?: readonly RangeFault[]
  toJSON(): JsonObject
}

export type RangeLimits = Readonly<{ maxSnapshots?: number; maxChangesPerSnapshot?: number; truncated: boolean }>

/** Something that kept a range from being whole but did not stop it. */
export type RangeFault = Readonly<{ code: string; message: string; fatal: boolean }>

/** From a newer snapshot to an older one: `added_ids` are in the newer only. */
export interface DiffBlock {
  readonly from: SnapshotRef
  readonly to: SnapshotRef
  readonly added_ids: readonly string[]
  readonly removed_ids: readonly string[]
  readonly changed: readonly BlockChange[]
  /** Counted before `maxChangesPerSnapshot` cuts. */
  readonly stats: Readonly<{ added: number; removed: number; changed: number }>
}

export type BlockChange = Readonly<{
  id: string
  fields: readonly string[]
  /** For every field the newer (`from`) and the older (`to`) value. */
  delta: Readonly<Record<string, ValueChange>>
  /** With `includeContent`, where the content hash differs. */
  content_diff?: ContentDiff
  /** With `materialize`, the fields of each side. */
  materialized?: Readonly<{ from: JsonObject; to: JsonObject }>
}>

/** The choices of `materialize`; mime and encoding are the attributes `content_mime` and `content_encoding`. */
export type Materialized = 'content' | 'mime' | 'encoding' | 'content_hash'
