// The original contents of shed tool results (D61) and of compacted nodes (D63), and the prospects of a result.

import { PactError, short } from '../errors/index.js'
import {
  compactedOf,
  isToolResult,
  shedOf,
  type Compacted,
  type CompactedNode,
  type JsonValue,
  type NodeRecord,
} from '../core/index.js'
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

/**
 * The content of a node that a summary stands for, as it travels or as its snapshot holds it; undefined if no summary names the id.
 * The lists of the tree come before those of summaries in snapshots, so a listed node is found even if these are not loaded.
 */
function originalOf(draft: Draft, id: string): JsonValue | undefined {
  if (draft.find(id) !== undefined) return undefined
  const summaries = [draft.region('^ah'), draft.region('^seq')].flatMap((region) => [...walkRecords(region)])
  const missing: (readonly [id: string, cycle: number])[] = []
  for (const summary of summaries) {
    const list = compactedOf(summary)
    const entry = list?.nodes.find((each) => each.id === id)
    if (entry?.erased === true) {
      throw new PactError('E_CONFLICT', `The content of ${short(id)} was erased.`, { id, reason: 'erased' })
    }
    if (entry !== undefined) {
      const travelling = travellingWith(summary).find((each) => each.id === id)
      const found = travelling ?? heldIn(draft, id, cycleOf(list!, entry))
      return shedOf(found)?.content ?? found.content ?? ''
    }
    for (const each of list?.nodes ?? []) {
      // The list of a summary that travels is part of this one.
      if (each.summary === undefined || each.node !== undefined) continue
      const cycle = cycleOf(list!, each)
      const inner = draft.timeline.holding(cycle)?.find(each.id, cycle)
      if (inner === undefined) missing.push([each.id, cycle])
      else summaries.push(inner)
    }
  }
  const [first] = missing
  if (first !== undefined) heldIn(draft, ...first)
  return undefined
}

/** The cycle of the snapshot that holds a listed node; the nodes of a summary that travels may be older than the others. */
function cycleOf({ cycle, nodes }: Compacted, { of }: CompactedNode): number {
  const own = of === undefined ? undefined : nodes.find(({ id }) => id === of)?.summary
  return own ?? cycle
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
