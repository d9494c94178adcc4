// The limits of a policy, each with the way to measure it on the snapshot that this commit would make (D27).

import { REGIONS, type NodeRecord, type PruneRule, type Region } from '../core/index.js'
import { childrenOf, coreOf, headSeals, recordOf, type Draft, type Sequence } from '../timeline/index.js'
import type { PrunePolicy } from './policy.js'
import type { TokenCounts } from './tokens.js'

export type Limit = Readonly<{
  rule: PruneRule
  limit: number
  /** The goal once the limit is passed: the limit itself, or the target of the policy (D51). */
  goal: number
  /** The current amount. */
  actual: (draft: Draft) => number
  /** The sequences to search for candidates; nothing in ^sys and ^ah may leave. */
  candidates: (draft: Draft) => Iterable<Sequence>
  /** For a limit of single segments: those that pass it. */
  overfull?: ((draft: Draft) => readonly NodeRecord[]) | undefined
}>

/** The limits in the order they are met; `extra` are tokens of a request that are in no node, which count for the limit of the whole. */
export function limitsOf(policy: PrunePolicy, tokens: TokenCounts, extra: number): readonly Limit[] {
  const limits: Limit[] = []
  const add = (rule: PruneRule, limit: number | undefined, rest: Pick<Limit, 'actual'> & Partial<Limit>): void => {
    if (limit === undefined) return
    limits.push({ rule, limit, goal: goalOf(rule, limit, policy), candidates: wholeHistory, ...rest })
  }
  add('maxDepth', policy.maxDepth, { actual: segmentsToBe })
  add('maxNodesPerSegment', policy.maxNodesPerSegment, {
    actual: (draft) => draft.region('^seq').children.fullest,
    overfull: (draft) => [...fullSegments(draft.region('^seq').children, policy.maxNodesPerSegment!)],
  })
  add('maxNodes', policy.maxNodes, { actual: nodesToBe })
  const { maxTokens } = policy
  if (typeof maxTokens === 'number') {
    add('maxTokens', maxTokens, {
      actual: (draft) => REGIONS.reduce((sum, region) => sum + tokens.ofBranch(draft.region(region), draft), extra),
    })
  } else if (maxTokens !== undefined) {
    for (const region of REGIONS) {
      add(`maxTokens ${region}`, maxTokens[region], {
        actual: (draft) => regionTokens(draft, region, tokens),
        ...(region === '^seq' ? {} : { candidates: nowhere }),
      })
    }
  }
  return limits
}

/**
 * A target up to 1 is a share of every limit; a larger one is a number of tokens, and says nothing of other limits. Without a target, token
 * limits are cut deep and seldom, so that the prompt cache lasts (D60).
 */
function goalOf(rule: PruneRule, limit: number, { target }: PrunePolicy): number {
  if (target === undefined) return rule.startsWith('maxTokens') ? limit * LOW_WATER : limit
  return target <= 1 ? limit * target : rule === 'maxTokens' ? target : limit
}

const LOW_WATER = 0.6

function nowhere(): readonly Sequence[] {
  return []
}

function wholeHistory(draft: Draft): readonly Sequence[] {
  return [draft.region('^seq').children]
}

function segmentsToBe(draft: Draft): number {
  return draft.region('^seq').children.size + (headSeals(draft) ? 1 : 0)
}

/** Every node, root and regions included, with the segment and the core that sealing will make. */
function nodesToBe(draft: Draft): number {
  const now = draft.tree.regions.reduce((sum, region) => sum + 1 + region.children.count, 1)
  if (!headSeals(draft)) return now
  return now + (coreOf(draft.region('^ah')) === undefined ? 2 : 1)
}

/** Nodes that are about to be sealed count as history already. */
function regionTokens(draft: Draft, region: Region, tokens: TokenCounts): number {
  const own = tokens.ofBranch(draft.region(region), draft)
  return region === '^seq' && headSeals(draft) ? own + tokens.ofBranch(draft.region('^ah'), draft) : own
}

function* fullSegments(sequence: Sequence, limit: number): Generator<NodeRecord, void, undefined> {
  if (sequence.fullest <= limit) return
  for (const chunk of sequence.chunks ?? []) yield* fullSegments(chunk, limit)
  for (const item of sequence.items ?? []) if (childrenOf(item).count > limit) yield recordOf(item)
}
