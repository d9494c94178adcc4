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
import { changedTree, Draft, replayCommit, Timeline, timelineFrom } from '../timeline/index.js'
import { TokenCounts } from '../commit/index.js'
import { leftOutWarning } from './beginning.js'
import { Context } from './context.js'
import { Family } from './family.js'
import { checkOptions, mintSources, type AnyOptions } from './options.js'
import type { RangeResults } from './select-result.js'
import type { Start } from './start.js'

export function restoreContext(
  checkpoint: Checkpoint,
  records: readonly CommitRecord[],
  options: AnyOptions = {},
  attempts?: KeptAttempts,
): Context<RangeResults> {
  const start = restoredStart(checkpoint, records, checkOptions(options))
  if (attempts !== undefined) checkAttempts(attempts, start.draft.cycle)
  return new Context<RangeResults>({ ...start, attempts })
}

function restoredStart(checkpoint: Checkpoint, records: readonly CommitRecord[], options: AnyOptions): Start {
  const { dialect, specVersion, fork, snapshot } = checkpoint
  if (options.dialect !== undefined && options.dialect !== dialect) {
    const message = `The option dialect is '${options.dialect}', but this context speaks '${dialect}'; leave it out.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'dialect' })
  }
  const timeline = snapshot === undefined ? Timeline.empty(options.history) : timelineFrom(snapshot, options.history)
  const laterWarnings: Warning[] = []
  noteLeftOut(checkpoint.opening, timeline, laterWarnings)
  for (const record of records) {
    replayCommit(timeline, record)
    noteLeftOut(record.opening, timeline, laterWarnings)
  }
  const { opening, forks } = records.at(-1) ?? checkpoint
  const draft = draftOf(opening, timeline)
  const sources = mintSources(options)
  const hasForeignIds = [sources, checkpoint, ...records].some((each) => each.hasForeignIds)
  return {
    options,
    timeline,
    draft,
    mint: new Mint({ ...sources, dialect, fork, hasForeignIds }, { ...opening.counters, cycle: draft.cycle }),
    edition: {
      dialect,
      specVersion,
      extrasAt: (cycle) => (cycle === snapshot?.cycle ? snapshot.extras : undefined),
    },
    tokens: new TokenCounts(options.countTokens),
    family: new Family(),
    warnings: checkpoint.warnings,
    laterWarnings,
    due: opening,
    forks,
    opens: false,
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
function noteLeftOut({ leftOut }: Opening, { newest = 0 }: Timeline, warnings: Warning[]): void {
  for (const each of leftOut) {
    const { message, details } = leftOutWarning(each, newest + 1)
    warnings.push(Object.freeze({ message, details: Object.freeze(details) }))
  }
}

function draftOf(opening: Opening, timeline: Timeline): Draft {
  const { newest = 0 } = timeline
  const tree = changedTree(timeline.treeAt(newest), (id) => timeline.find(id, newest), opening)
  return Draft.opened(timeline, newest + 1, tree, opening.versions)
}
