// A commit as one plain value, and a context at one cycle as another: a store that has the second and the first of every
// commit since can make the context again. What follows from the rest is not in them; nor is anything that no tree says,
// so that whoever forgets a node (D56) finds all of its texts by its id.

import type { JsonValue } from './json.js'
import type { MintCounters } from './mint.js'
import type { Receipt } from './receipt.js'
import type { NodeRecord } from './record.js'
import type { Schedule, ScheduleChange } from './schedule.js'
import type { Dialect } from './types.js'
import type { Version } from './version.js'
import type { Warning } from './warning.js'

/** What leads from one tree to the next. */
export type TreeChange = Readonly<{
  /** What stands under every id that differs, in the order in which it came to be. */
  versions: readonly Version[]
  /** Containers that hold nothing and have held something, where nothing else tells (D26, D55). */
  emptied: readonly string[]
  /** The keys whose schedules differ, in their order. */
  schedules: readonly ScheduleChange[]
}>

/** A key that was due and whose node could not be put in, and why. */
export type LeftOutKey = Readonly<{ key: string; code: string; reason: string; ids: readonly string[] }>

/** How a cycle begins, before any call: what returned in it, and what the mint goes on from. */
export type Opening = TreeChange &
  Readonly<{
    /** The ids that were given out for it; not those of edits that a fork took along. */
    opened: readonly string[]
    leftOut: readonly LeftOutKey[]
    counters: Omit<MintCounters, 'cycle'>
  }>

/** What only the context as a whole knows, and what may change with every commit. */
export type ContextCounts = Readonly<{
  /** How many forks have left. */
  forks: number
  /** Whether ids may be there that no default source gave. */
  hasForeignIds: boolean
}>

/** One commit: what it made of the tree, and the cycle that it opened. */
export type CommitRecord = ContextCounts &
  Readonly<{
    /** The cycle that it closed. */
    cycle: number
    change: TreeChange
    receipt: Receipt
    /** Undefined where nobody knows it any more: whoever begins there opens the cycle anew. */
    opening: Opening | undefined
  }>

/** A snapshot of a context with what its export does not say. */
export type CheckpointSnapshot = Readonly<{
  cycle: number
  /** The cycle of the first snapshot that the context ever had. */
  first: number
  /** Every node, parents before their children and siblings in order; the root comes first. */
  nodes: readonly NodeRecord[]
  /** The containers that hold nothing and have held something. */
  emptied: readonly string[]
  schedules: readonly Schedule[]
  /** What its commit changed. */
  log: readonly Version[]
  receipt: Receipt
  /** What an imported document said beside its tree. */
  extras: ReadonlyMap<string, JsonValue> | undefined
}>

/** A context as its open cycle began, or as an earlier one did; how its snapshot lies there may differ. */
export type ContextRecord<Held> = ContextCounts &
  Readonly<{
    dialect: Dialect
    specVersion: string
    /** The name that ids made in a fork carry, `''` outside forks. */
    fork: string
    /** What its import was warned of, or whoever had the cycles before it. */
    warnings: readonly Warning[]
    snapshot: Held | undefined
    /** The cycle of the snapshot that it begins with, where that is written down as another context's. */
    base?: number | undefined
    /** As that of a commit; always known where there is no snapshot. */
    opening: Opening | undefined
  }>

/** The same with every node of its snapshot. */
export type Checkpoint = ContextRecord<CheckpointSnapshot>
