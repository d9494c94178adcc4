// A declared pruning policy (02 §7), checked once when a context is made, so that a commit cannot meet a bad one.

import { describe, PactError } from '../errors/index.js'
import { isRegion, REGIONS, type Region } from '../core/index.js'

export type PrunePolicy = Readonly<{
  /** How many nodes the snapshot may have in all, root and regions included. */
  maxNodes?: number | undefined
  /** How many nodes a sealed segment may hold. */
  maxNodesPerSegment?: number | undefined
  /** How many segments `^seq` may have. */
  maxDepth?: number | undefined
  /** How many tokens all regions together, or single regions, may have. */
  maxTokens?: number | Readonly<Partial<Record<Region, number>>> | undefined
  /** The newest segments that are never touched; 1 by default. */
  protectSegments?: number | undefined
  /** What to do when protection leaves a limit unmet: say so in the receipt (the default) or refuse the commit. */
  unmet?: 'report' | 'error' | undefined
}>

const NAMES: ReadonlySet<string> = new Set([
  'maxNodes',
  'maxNodesPerSegment',
  'maxDepth',
  'maxTokens',
  'protectSegments',
  'unmet',
])

/** Gives a copy that nobody can change any more, or refuses the policy. */
export function checkPolicy(policy: PrunePolicy | undefined): PrunePolicy | undefined {
  if (policy === undefined) return undefined
  if (typeof policy !== 'object' || policy === null) throw badPolicy('prune', 'prune is an object of limits.')
  for (const name of Object.keys(policy)) {
    if (!NAMES.has(name)) throw badPolicy(name, `prune has no "${name}"; it takes ${[...NAMES].join(', ')}.`)
  }
  const { maxTokens, unmet, ...counts } = policy
  for (const [name, value] of Object.entries(counts)) checkCount(value, name)
  if (unmet !== undefined && unmet !== 'report' && unmet !== 'error') {
    throw badPolicy('unmet', "prune.unmet is 'report' or 'error'.")
  }
  if (typeof maxTokens === 'object' && maxTokens !== null) {
    for (const [region, value] of Object.entries(maxTokens)) {
      if (!isRegion(region)) throw badPolicy('maxTokens', `maxTokens knows ${REGIONS.join(', ')}, not "${region}".`)
      checkCount(value, 'maxTokens')
    }
    return Object.freeze({ ...policy, maxTokens: Object.freeze({ ...maxTokens }) })
  }
  checkCount(maxTokens, 'maxTokens')
  return Object.freeze({ ...policy })
}

function checkCount(value: unknown, name: string): void {
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return
  throw badPolicy(name, `prune.${name} must be a whole number from 0 up, not ${describe(value)}.`)
}

function badPolicy(name: string, message: string): PactError {
  return new PactError('E_BUDGET', message, { name })
}
