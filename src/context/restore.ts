// A context from what was written of it: a checkpoint, and the records of the commits after it. What options say is not
// written, so they are given again; the same ones make a context that goes on as the one that was written would have.

import { PactError } from '../errors/index.js'
import { Mint, type Checkpoint, type CommitRecord, type Opening, type Warning } from '../core/index.js'
import { changedTree, Draft, replayCommit, Timeline, timelineFrom } from '../timeline/index.js'
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
): Context<RangeResults> {
  return new Context<RangeResults>(restoredStart(checkpoint, records, checkOptions(options)))
}

export function restoredStart(checkpoint: Checkpoint, records: readonly CommitRecord[], options: AnyOptions): Start {
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
    tokens: tokenCountsFor(options),
    family: new Family(),
    warnings: checkpoint.warnings,
    laterWarnings,
    due: opening,
    forks,
    opens: false,
  }
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
