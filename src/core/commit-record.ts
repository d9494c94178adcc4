// A commit as one plain value, and a context at one cycle as another. A store that has a record of the context, and of every
// commit since, can restore the context. The records hold no value that follows from the others, and no text outside of trees, so that an
// erasure (D56) finds all texts of a node by its id.

import type { JsonValue } from './json.js'
import type { MintCounters } from './mint.js'
import type { Receipt } from './receipt.js'
import type { NodeRecord, Version } from './record.js'
import type { Schedule, ScheduleChange } from './schedule.js'
import type { Dialect } from './types.js'

/** The change from one tree to the next. */
export type TreeChange = Readonly<{
  /** The version of every id that differs, in order of creation. */
  versions: readonly Version[]
  /** Containers that are empty and have held something, if nothing else shows it (D26, D55). */
  emptied: readonly string[]
  /** The keys whose schedules differ, in order. */
  schedules: readonly ScheduleChange[]
}>

/** A key that was due and whose node could not be put in, with the reason. */
export type LeftOutKey = Readonly<{ key: string; code: string; reason: string; ids: readonly string[] }>

/** The beginning of a cycle, before any call: the nodes that returned, and the counters of the mint. */
export type Opening = TreeChange &
  Readonly<{
    /** The ids that were given out for it; not those of edits that a fork took along. */
    opened: readonly string[]
    leftOut: readonly LeftOutKey[]
    counters: Omit<MintCounters, 'cycle'>
  }>

/** Facts of the whole context that may change with every commit. */
export type ContextCounts = Readonly<{
  /** The number of forks that have left. */
  forks: number
  /** True if there may be ids that no default source gave. */
  hasForeignIds: boolean
}>

/** One commit: its change to the tree, and the cycle that it opened. */
export type CommitRecord = ContextCounts &
  Readonly<{
    /** The cycle that it closed. */
    cycle: number
    change: TreeChange
    receipt: Receipt
    /** Undefined if it is not known any more: a context that begins there opens the cycle again. */
    opening: Opening | undefined
  }>

/** A snapshot of a context with the facts that its export leaves out. */
export type CheckpointSnapshot = Readonly<{
  cycle: number
  /** The cycle of the first snapshot that the context ever had. */
  first: number
  /** Every node, parents before their children and siblings in order; the root comes first. */
  nodes: readonly NodeRecord[]
  /** The containers that hold nothing and have held something. */
  emptied: readonly string[]
  schedules: readonly Schedule[]
  /** The changes of its commit. */
  log: readonly Version[]
  receipt: Receipt
  /** The fields of an imported document outside its tree. */
  extras: ReadonlyMap<string, JsonValue> | undefined
}>

/** A context as its open cycle began, or as an earlier one did; how its snapshot lies there may differ. */
export type ContextRecord<Held> = ContextCounts &
  Readonly<{
    dialect: Dialect
    specVersion: string
    /** The name that ids made in a fork carry, `''` outside forks. */
    fork: string
    /** The warnings of its import, or of earlier cycles. */
    warnings: readonly Warning[]
    snapshot: Held | undefined
    /** The cycle of the snapshot that it begins with, where that is written down as another context's. */
    base?: number | undefined
    /** As that of a commit; always known where there is no snapshot. */
    opening: Opening | undefined
  }>

/** A checkpoint with every node of its snapshot. */
export type Checkpoint = ContextRecord<CheckpointSnapshot>

export type Warning = Readonly<{ message: string; details: Readonly<Record<string, unknown>> }>
