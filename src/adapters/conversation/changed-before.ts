// The change that made a thought stale (D58), as far as the history tells: something before the thought left, was edited, or came later.

import { compactedOf, Gone, type NodeRecord, type Version } from '../../core/index.js'
import { lineOf, sortByPlace, type View } from '../../timeline/index.js'

/** A node, and what happened to it. */
export type Change = Readonly<{ node: string; cause: string; cycle: number }>

/** The first change since a thought was made to something that was before it; undefined where the history does not tell. */
export function changeBefore(thought: NodeRecord, view: View): Change | undefined {
  let summary: Version | undefined
  for (const version of view.changesFrom(thought.cycle)) {
    const cause = causeOf(version, thought, view)
    if (cause !== undefined) return { node: version.id, cause, cycle: version.born }
    if (isSummaryBefore(version, thought)) summary ??= version
  }
  // Of nodes of the open cycle only the summary in their place is known.
  return summary && { node: summary.id, cause: 'compacted', cycle: summary.born }
}

function isSummaryBefore(version: Version, thought: NodeRecord): boolean {
  return !(version instanceof Gone) && compactedOf(version) !== undefined && isOlder(version, thought)
}

function causeOf(version: Version, thought: NodeRecord, view: View): string | undefined {
  if (version.id === thought.id) return undefined
  const earlier = view.versionAt(version.id, version.born - 1)
  const before = earlier instanceof Gone ? undefined : earlier
  if (version instanceof Gone) return before !== undefined && isOlder(before, thought) ? version.cause : undefined
  if (!version.isRendered || view.find(version.id) !== version) return undefined
  if (before !== undefined)
    return isOlder(version, thought) && before.content !== version.content ? 'edited' : undefined
  return !isOlder(version, thought) && isAhead(version, thought, view) ? 'added' : undefined
}

/** By time first, as requests order nodes: a node that replaces another one keeps its age. */
function isOlder(record: NodeRecord, { createdAtNs, cycle, creationIndex }: NodeRecord): boolean {
  if (!record.isRendered) return false
  if (record.createdAtNs !== createdAtNs) return record.createdAtNs < createdAtNs
  return record.cycle === cycle ? record.creationIndex < creationIndex : record.cycle < cycle
}

/** True if it is in an earlier part of the tree. In the turn of the thought itself, requests have it behind the thought (D57). */
function isAhead(record: NodeRecord, thought: NodeRecord, view: View): boolean {
  const [turn, own] = [record, thought].map((each) => lineOf(view, each).find(({ nodeClass }) => nodeClass === 'seg'))
  return (turn === undefined || turn !== own) && sortByPlace(view, [record, thought])[0] === record
}
