// Rows played again, one after the other, into a timeline that keeps no more than it needs for the next.

import type { WrittenRecord } from '../context/index.js'
import type { Checkpoint, CommitRecord } from '../core/index.js'
import { replayCommit, Timeline, timelineFrom } from '../timeline/index.js'

/** Two snapshots: the newest, and the one it is made from. */
export const KEPT = 2

/** What a row says, told by the snapshot before it. */
export function readOf(timeline: Timeline | undefined, written: WrittenRecord): Checkpoint | CommitRecord {
  const newest = timeline?.newest ?? 0
  return typeof written === 'function' ? written((id) => timeline?.find(id, newest)) : written
}

/** A timeline with one commit more. */
export function played(timeline: Timeline | undefined, record: Checkpoint | CommitRecord): Timeline {
  if ('cycle' in record) replayCommit(timeline!, record)
  else if (timeline === undefined) {
    return record.snapshot === undefined ? Timeline.empty(KEPT) : timelineFrom(record.snapshot, KEPT)
  }
  return timeline!
}
