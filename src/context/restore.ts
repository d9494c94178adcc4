// A context from what was written of it: a checkpoint, and the records of the commits after it. What options say is not
// written, so they are given again; the same ones make a context that goes on as the one that was written would have.

import { PactError } from '../errors/index.js'
import {
  Mint,
  type Checkpoint,
  type CommitRecord,
  type KeptAttempts,
  type Opening,
  type Warning,
} from '../core/index.js'
import { changedTree, Draft, eachRecord, replayCommit, Timeline, timelineFrom, type Tree } from '../timeline/index.js'
import { leftOutWarning } from './beginning.js'
import { Context } from './context.js'
import { Family } from './family.js'
import { checkOptions, mintSources, type AnyOptions } from './options.js'
import type { RangeResults } from './select-result.js'
import type { Start } from './start.js'
import { tokenCountsFor } from './token-report.js'

export function restoreContext(
  checkpoint: Checkpoint,
  records: readonly CommitRecord[],
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  more?: RestoreOptions,
): Context<RangeResults> {
  return new Context<RangeResults>(restoredStart(checkpoint, records, options, attempts, more))
}

export type RestoreOptions = Readonly<{
  /** Whether older snapshots than those that are given, or that the limit keeps, can be loaded later (D56). */
  isBacked?: boolean
}>

/** How it begins, for another kind of context. */
export function restoredStart(
  checkpoint: Checkpoint,
  records: readonly CommitRecord[],
  options: AnyOptions = {},
  attempts?: KeptAttempts,
  { isBacked = false }: RestoreOptions = {},
): Start {
  const start = startOf(checkpoint, records, checkOptions(options), isBacked)
  if (attempts === undefined) return start
  checkAttempts(attempts, start.draft.cycle)
  return { ...start, attempts }
}

function startOf(
  checkpoint: Checkpoint,
  records: readonly CommitRecord[],
  options: AnyOptions,
  isBacked: boolean,
): Start {
  const { dialect, specVersion, fork, snapshot } = checkpoint
  if (options.dialect !== undefined && options.dialect !== dialect) {
    const message = `The option dialect is '${options.dialect}', but this context speaks '${dialect}'; leave it out.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'dialect' })
  }
  const { history } = options
  const timeline =
    snapshot === undefined ? Timeline.empty(history, isBacked) : timelineFrom(snapshot, history, isBacked)
  const laterWarnings: Warning[] = []
  noteLeftOut(checkpoint.opening, timeline, laterWarnings)
  for (const record of records) {
    replayCommit(timeline, record)
    noteLeftOut(record.opening, timeline, laterWarnings)
  }
  const { opening, forks } = records.at(-1) ?? checkpoint
  const draft = draftOf(opening, timeline)
  const counters = opening?.counters ?? { idsGiven: 0, indexesGiven: 0, lastNs: latestIn(draft.tree) }
  const sources = mintSources(options)
  const hasForeignIds = [sources, checkpoint, ...records].some((each) => each.hasForeignIds)
  return {
    options,
    timeline,
    draft,
    mint: new Mint({ ...sources, dialect, fork, hasForeignIds }, { ...counters, cycle: draft.cycle }),
    edition: {
      dialect,
      specVersion,
      extrasAt: (cycle) => (cycle === snapshot?.cycle ? snapshot.extras : undefined),
    },
    tokens: tokenCountsFor(options),
    family: new Family(),
    warnings: checkpoint.warnings,
    laterWarnings,
    ...(opening === undefined ? {} : { due: opening }),
    forks,
    opens: opening === undefined,
  }
}

/** One of a cycle that is not open yet would give its id to another one later. */
function checkAttempts({ records, cycle }: KeptAttempts, open: number): void {
  const last = records.reduce((latest, record) => Math.max(latest, record.cycle_id), cycle)
  if (last <= open) return
  const message = `An attempt of cycle ${last} is among the attempts, but only cycle ${open} is open; a commit is missing.`
  throw new PactError('E_SNAPSHOT_INVALID', message, { cycle: last })
}

/** What was told when it happened is listed again, and not told again. */
function noteLeftOut(opening: Opening | undefined, { newest = 0 }: Timeline, warnings: Warning[]): void {
  for (const each of opening?.leftOut ?? []) {
    const { message, details } = leftOutWarning(each, newest + 1)
    warnings.push(Object.freeze({ message, details: Object.freeze(details) }))
  }
}

function draftOf(opening: Opening | undefined, timeline: Timeline): Draft {
  const { newest = 0 } = timeline
  // Where nothing returned it is the tree of the snapshot, and what is sent is that snapshot (D47).
  if (opening === undefined || (timeline.newest !== undefined && isEmpty(opening))) return Draft.after(timeline, newest)
  const tree = changedTree(timeline.treeAt(newest), (id) => timeline.find(id, newest), opening)
  return Draft.opened(timeline, newest + 1, tree, opening.versions)
}

function isEmpty({ versions, emptied, schedules }: Opening): boolean {
  return versions.length + emptied.length + schedules.length === 0
}

/** The latest time in a tree; what is made in it comes later. */
function latestIn({ root, regions }: Tree): bigint {
  let latest = root.createdAtNs
  for (const region of regions) {
    eachRecord(region, ({ createdAtNs }) => {
      if (createdAtNs > latest) latest = createdAtNs
    })
  }
  return latest
}
