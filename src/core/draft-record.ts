// The saved edits of an open cycle (D62): the operations with the identities that they got, so that they can be made again exactly.

import type { Opening } from './commit-record.js'
import type { Stamp } from './mint.js'

/** An edit of the open cycle, and the identities that it gave out, in order. */
export type SavedEdit = Readonly<{
  /** The edit as data. It is checked when it is made again. */
  operation: Readonly<Record<string, unknown>>
  stamps: readonly Stamp[]
  /** True if `undo` takes it back together with the edit before. */
  isJoined: boolean
}>

/** One save. */
export type DraftRecord = Readonly<{
  /** The open cycle. */
  cycle: number
  /** The tree that the edits begin with, if that is not the one that the cycle began with: after a redaction or an erasure. */
  base: Opening | undefined
  /** The edits since the save before, or since the base. */
  edits: readonly SavedEdit[]
  /** The changed ids in order, if that is not the order in which these edits change them: others were undone or refused. */
  order: readonly string[]
  /** The counters of the mint after them. */
  counters: Opening['counters']
}>
