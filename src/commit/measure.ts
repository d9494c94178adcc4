// The limits of a policy, each with the way to measure it on the snapshot that this commit would make (D27).

import { REGIONS, type PruneRule, type Region } from '../core/index.js'
import { childrenOf, coreOf, headSeals, type Draft, type Sequence } from '../timeline/index.js'
import type { PrunePolicy } from './policy.js'
import type { TokenCounts } from './tokens.js'

export type Limit = Readonly<{
  rule: PruneRule
  limit: number
  /** How much there is now. */
  actual: (draft: Draft) => number
  /** Where to look for what may go; nothing in ^sys and ^ah may. */
  candidates: (draft: Draft) => Iterable<Sequence>
  /** Whether whole segments are taken instead of nodes. */
  wholeSegments: boolean
}>

/** The limits in the order they are met. */
export function limitsOf(policy: PrunePolicy, tokens: TokenCounts): readonly Limit[] {
  const limits: Limit[] = []
  const add = (
    rule: PruneRule,
    limit: number | undefined,
    rest: Omit<Limit, 'rule' | 'limit' | 'wholeSegments'>,
  ): void => {
    if (limit !== undefined) limits.push({ rule, limit, wholeSegments: rule === 'maxDepth', ...rest })
  }
  add('maxDepth', policy.maxDepth, { actual: segmentsToBe, candidates: wholeHistory })
  add('maxNodesPerSegment', policy.maxNodesPerSegment, {
    actual: (draft) => draft.region('^seq').children.fullest,
    candidates: (draft) => fullSegments(draft.region('^seq').children, policy.maxNodesPerSegment!),
  })
  add('maxNodes', policy.maxNodes, { actual: nodesToBe, candidates: wholeHistory })
  const { maxTokens } = policy
  if (typeof maxTokens === 'number') {
    add('maxTokens', maxTokens, {
      actual: (draft) => REGIONS.reduce((sum, region) => sum + tokens.ofBranch(draft.region(region), draft), 0),
      candidates: wholeHistory,
    })
  } else if (maxTokens !== undefined) {
    for (const region of REGIONS) {
      add(`maxTokens ${region}`, maxTokens[region], {
        actual: (draft) => regionTokens(draft, region, tokens),
        candidates: region === '^seq' ? wholeHistory : () => [],
      })
    }
  }
  return limits
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

/** What is about to be sealed counts as history already. */
function regionTokens(draft: Draft, region: Region, tokens: TokenCounts): number {
  const own = tokens.ofBranch(draft.region(region), draft)
  return region === '^seq' && headSeals(draft) ? own + tokens.ofBranch(draft.region('^ah'), draft) : own
}

function* fullSegments(sequence: Sequence, limit: number): Generator<Sequence, void, undefined> {
  if (sequence.fullest <= limit) return
  for (const chunk of sequence.chunks ?? []) yield* fullSegments(chunk, limit)
  for (const item of sequence.items ?? []) if (childrenOf(item).count > limit) yield childrenOf(item)
}
