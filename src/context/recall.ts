// The original contents of shed tool results (D61) and of compacted nodes (D63), and the prospects of a result.

import { PactError, short } from '../errors/index.js'
import { compactedOf, isToolResult, shedOf, type JsonValue, type NodeRecord } from '../core/index.js'
import { heldIn } from '../edit/index.js'
import {
  oldResults,
  regionNameOf,
  shedResult,
  travellingWith,
  walkRecords,
  type Draft,
  type View,
} from '../timeline/index.js'
import type { Shedding } from '../reports/index.js'
import type { Parts } from './parts.js'

export function recall(id: string, draft: Draft): JsonValue {
  const shed = shedResult(draft, id)
  if (shed !== undefined) return shedOf(shed)!.content
  const compacted = originalOf(draft, id)
  if (compacted !== undefined) return compacted
  // A model may ask for a result that was put back since it saw the line.
  const meant = draft.meant(id)
  if (meant !== undefined && isToolResult(meant) && regionNameOf(draft, meant) !== '^sys') return meant.content!
  const message = `The working state has no tool result ${short(id)} to recall: it may be pruned, expired or deleted; snapshots may still hold it.`
  throw new PactError('E_NODE_NOT_FOUND', message, { id })
}

/** The content of a node that a summary stands for, as it travels or as its snapshot holds it; undefined if no summary names the id. */
function originalOf(draft: Draft, id: string): JsonValue | undefined {
  if (draft.find(id) !== undefined) return undefined
  for (const region of [draft.region('^ah'), draft.region('^seq')]) {
    for (const record of walkRecords(region)) {
      const found = compactedOf(record) && originalIn(draft, record, id)
      if (found !== undefined) return shedOf(found)?.content ?? found.content ?? ''
    }
  }
  return undefined
}

/** Looks into the list of a summary, and into the lists of summaries that it stands for. */
function originalIn(draft: Draft, summary: NodeRecord, id: string): NodeRecord | undefined {
  const { cycle, nodes } = compactedOf(summary)!
  const entry = nodes.find((each) => each.id === id)
  if (entry?.erased === true) {
    throw new PactError('E_CONFLICT', `The content of ${short(id)} was erased.`, { id, reason: 'erased' })
  }
  // The nodes of a summary that travels may be older than the others.
  const held = (each: string, of?: string): NodeRecord => {
    const own = of === undefined ? undefined : nodes.find(({ id: name }) => name === of)?.summary
    return heldIn(draft, each, own ?? cycle)
  }
  if (entry !== undefined) return travellingWith(summary).find((each) => each.id === id) ?? held(id, entry.of)
  for (const each of nodes) {
    // The list of a summary that travels is part of this one.
    if (each.summary === undefined || each.node !== undefined) continue
    const inner = held(each.id, each.of)
    const found = compactedOf(inner) && originalIn(draft, inner, id)
    if (found !== undefined) return found
  }
  return undefined
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
