// Shed tool results (D61): the original content, and the prospects of a result.

import { PactError, short } from '../errors/index.js'
import { isToolResult, shedOf, type JsonValue, type NodeRecord } from '../core/index.js'
import { oldResults, regionNameOf, shedResult, type Draft, type View } from '../timeline/index.js'
import type { Shedding } from '../reports/index.js'
import type { Parts } from './parts.js'

export function recall(id: string, draft: Draft): JsonValue {
  const shed = shedResult(draft, id)
  if (shed !== undefined) return shedOf(shed)!.content
  // A model may ask for a result that was put back since it saw the line.
  const meant = draft.meant(id)
  if (meant !== undefined && isToolResult(meant) && regionNameOf(draft, meant) !== '^sys') return meant.content!
  const message = `The working state has no tool result ${short(id)} to recall: it may be pruned, expired or deleted; snapshots may still hold it.`
  throw new PactError('E_NODE_NOT_FOUND', message, { id })
}

/** Gives the prospects of each result of a tree; undefined for a context that sheds nothing. */
export function sheddingIn(
  { options, open, excepted }: Parts,
  view: View,
): ((record: NodeRecord) => Shedding) | undefined {
  const results = options.prune?.results
  if (results === undefined) return undefined
  return ({ id, rare }) => {
    if (rare?.pinned === true || excepted(view).has(id)) return 'excepted'
    const isOld = [...oldResults(view.tree, results.keep)].some((each) => each.id === id)
    if (!isOld) return 'newest'
    // Only the open cycle has a next commit.
    return view.isWorking && open.nextShed().has(id) ? 'next' : 'later'
  }
}
